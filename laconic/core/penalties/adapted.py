"""Adaptive weights (Zou 2006): what a first fit found large is penalised less in a second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty, PenaltyT, factor_vector
from laconic.core.penalties.grouped import Grouped, OverGroups
from laconic.core.penalties.overlap import OverlapGroupLasso


def adaptive(
    penalty: PenaltyT, first: object, gamma: float = 1.0, eps: float | None = None
) -> PenaltyT:
    """Return the penalty with factors f_i / (|w_i| + eps)^gamma, w the weights of a first fit.

    Weights of groups become d_g / (|w_g| + eps)^gamma. A first fit by ridge, or by the penalty
    itself, makes the second one select fewer features and shrink the large ones less.

    Parameters
    ----------
    penalty : Penalty
        Penalty with factors of features or weights of groups.
    first : fitted model or array of shape (n_features,) or (n_outputs, n_features)
        Weights of the first fit, or a model with them as `coef_`; of several outputs the sizes are
        norms over the outputs.
    gamma : float, default=1.0
        Power of the sizes.
    eps : float or None, default=None
        Size that is added to all, so that features which the first fit left out may return; None
        is a hundredth of the largest size.

    Returns
    -------
    Penalty
        The same penalty with other factors.

    Examples
    --------
    >>> from laconic import L1, adaptive
    >>> adaptive(L1(0.5), [2.0, -0.5, 0.0], eps=0.5).factors.round(2).tolist()
    [0.4, 1.0, 2.0]
    """
    if not 0 <= gamma < np.inf or (eps is not None and not 0 < eps < np.inf):
        raise ValueError(f"gamma and eps must be positive numbers, got {gamma!r} and {eps!r}")
    size = _sizes(first)
    changed: dict[str, object] = {}
    if "factors" in penalty.get_params(deep=False):
        given = factor_vector(getattr(penalty, "factors"), len(size))  # noqa: B009
        changed["factors"] = given * _shares(size, gamma, eps)
    if isinstance(penalty, OverGroups):
        groups = penalty.over(len(size))
        shares = _shares(_group_norms(penalty, size), gamma, eps)
        changed["groups"] = replace(groups, weight=groups.weight * shares)
    if not changed:
        raise ValueError(
            f"{type(penalty).__name__} has neither factors of features nor weights of groups to "
            "adapt: use L1, ElasticNet, MCP or a penalty over groups"
        )
    return penalty.replace(**changed)


def _sizes(first: object) -> Array:
    """Return the size of the weights of every feature."""
    given: ArrayLike = first.coef_ if hasattr(first, "coef_") else first  # type: ignore[assignment]
    weights = np.atleast_2d(np.asarray(given, dtype=np.float64))
    if weights.ndim != 2 or not np.all(np.isfinite(weights)):
        raise ValueError(
            "a first fit has finite weights of shape (n_features,) or (n_outputs, n_features), "
            f"got shape {np.shape(given)}"
        )
    return np.asarray(np.linalg.norm(weights, axis=0))


def _shares(size: Array, gamma: float, eps: float | None) -> Array:
    """Return 1 / (size + eps)^gamma."""
    if eps is None:
        eps = 0.01 * float(size.max(initial=0.0)) or 1.0
    return np.asarray((size + eps) ** -gamma)


def _group_norms(penalty: Penalty, size: Array) -> Array:
    if isinstance(penalty, OverlapGroupLasso):
        index, inner = penalty.copied(len(size))
        return inner.norms(size[index])
    assert isinstance(penalty, Grouped)
    return penalty.norms(size)
