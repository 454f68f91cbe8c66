"""Penalties by name: what every estimator and learner accepts as `penalty=`, with `strength=`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from laconic.core import penalties
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.total import PenaltySum

# What a name makes.
NamedPenalties: TypeAlias = Mapping[str, Callable[[], Penalty]]


def _maker(name: str) -> Callable[[], Penalty]:
    """Return a function that makes the penalty of a class, which is imported by then."""

    def make() -> Penalty:
        made: Penalty = getattr(penalties, name)()
        return made

    return make


# Penalties that need nothing but a strength. Others are given as objects: a group lasso without
# groups says nothing.
NAMED: NamedPenalties = {
    name: _maker(penalty)
    for name, penalty in {
        "l1": "L1",
        "lasso": "L1",
        "l2": "Ridge",
        "ridge": "Ridge",
        "elastic": "ElasticNet",
        "elastic-net": "ElasticNet",
        "l0": "L0",
        "mcp": "MCP",
        "scad": "SCAD",
        "log-sum": "LogSum",
        "slope": "Slope",
        "oscar": "Oscar",
    }.items()
}
# One strength for the whole penalty, or one per name of a sum.
Strength: TypeAlias = float | Mapping[str, float]


def as_penalty(
    penalty: Penalty | str | None,
    strength: Strength | None = None,
    default: str = "l1",
    also: NamedPenalties | None = None,
) -> Penalty:
    """Return a penalty from an object, a name, a sum of names or None (the default), checked.

    Parameters
    ----------
    penalty : Penalty, str or None
        An object as it is, one of the names in `NAMED` or `also`, or a sum such as "l1+ridge".
    strength : float, mapping from str to float or None, default=None
        Strength that replaces that of the penalty; None keeps it. Of a sum it is the factor of all
        terms, and a mapping has the strength of every term by its name.
    default : str, default="l1"
        Name of the penalty that None stands for.
    also : mapping from str to callable or None, default=None
        Names that a task has besides, and the function that makes each one.

    Returns
    -------
    Penalty
        The penalty, its parameters checked.

    Examples
    --------
    >>> from laconic.core.penalties.names import as_penalty
    >>> as_penalty("ridge", 0.5), as_penalty(None)
    (Ridge(strength=0.5), L1())
    >>> as_penalty("l1+ridge", {"l1": 2.0, "ridge": 0.1}).terms
    [L1(strength=2.0), Ridge(strength=0.1)]
    """
    if penalty is None:
        penalty = default
    if isinstance(penalty, str):
        return _from_names(penalty, strength, {**NAMED, **(also or {})})
    if not isinstance(penalty, Penalty):
        raise ValueError(f"penalty must be a Penalty or the name of one, got {penalty!r}")
    if isinstance(strength, Mapping):
        raise ValueError(
            "a strength per name goes with a sum of names such as 'l1+ridge', not with the object "
            f"{type(penalty).__name__}: give the strength of each term to the term"
        )
    return (penalty if strength is None else penalty.replace(strength=strength)).check()


def names_of(penalty: str) -> list[str]:
    """Return the names that a sum such as "l1+ridge" adds up."""
    return [name.strip() for name in penalty.split("+")]


def _from_names(given: str, strength: Strength | None, known: NamedPenalties) -> Penalty:
    """Return the penalty of a name, or the sum of those of several."""
    names = names_of(given)
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise ValueError(
            f"there is no penalty called {unknown!r}: expected one of {', '.join(sorted(known))}, "
            "a sum of them such as 'l1+ridge', or an object such as GroupLasso(groups)"
        )
    terms = [known[name]() for name in names]
    if isinstance(strength, Mapping):
        _check_strengths(strength, names)
        terms = [
            term.replace(strength=strength[name]) if name in strength else term
            for name, term in zip(names, terms, strict=True)
        ]
        strength = None
    total = terms[0] if len(terms) == 1 else PenaltySum(terms)
    return (total if strength is None else total.replace(strength=strength)).check()


def _check_strengths(strength: Mapping[str, float], names: list[str]) -> None:
    """Raise a ValueError for the strength of a penalty that is no term of the sum."""
    extra = next((name for name in strength if name not in names), None)
    if extra is not None:
        raise ValueError(
            f"strength has an entry for {extra!r}, but the penalty is {'+'.join(names)}"
        )
