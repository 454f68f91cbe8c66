"""Penalties by name: what every estimator and learner accepts as `penalty=`, with `strength=`."""

from __future__ import annotations

from laconic.core.penalties.base import Penalty
from laconic.core.penalties.separable import L0, L1, ElasticNet, Ridge

# Penalties that need nothing but a strength. Others are given as objects: a group lasso without
# groups says nothing.
NAMED: dict[str, type[Penalty]] = {
    "l1": L1,
    "lasso": L1,
    "l2": Ridge,
    "ridge": Ridge,
    "elastic": ElasticNet,
    "elastic-net": ElasticNet,
    "l0": L0,
}


def as_penalty(
    penalty: Penalty | str | None, strength: float | None = None, default: str = "l1"
) -> Penalty:
    """Return a penalty from an object, a name or None (the default), checked.

    Parameters
    ----------
    penalty : Penalty, str or None
        An object as it is, or one of the names in `NAMED`.
    strength : float or None, default=None
        Strength that replaces that of the penalty; None keeps it.
    default : str, default="l1"
        Name of the penalty that None stands for.

    Returns
    -------
    Penalty
        The penalty, its parameters checked.

    Examples
    --------
    >>> from laconic.core.penalties.names import as_penalty
    >>> as_penalty("ridge", 0.5), as_penalty(None)
    (Ridge(strength=0.5), L1())
    """
    if penalty is None:
        penalty = default
    if isinstance(penalty, str):
        if penalty not in NAMED:
            raise ValueError(
                f"there is no penalty called {penalty!r}: expected one of "
                f"{', '.join(sorted(NAMED))}, or an object such as GroupLasso(groups)"
            )
        penalty = NAMED[penalty]()
    if not isinstance(penalty, Penalty):
        raise ValueError(f"penalty must be a Penalty or the name of one, got {penalty!r}")
    return (penalty if strength is None else penalty.replace(strength=strength)).check()
