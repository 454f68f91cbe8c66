"""What a penalty is to the campaign: a formula in NumPy and in cvxpy, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import Penalty

Norm: TypeAlias = "tuple[list[int], float, int | str]"  # features, weight, 2 or "inf"
Rng: TypeAlias = np.random.Generator


def nothing(W: Any, scale: Any = None) -> float:
    """Return 0."""
    return 0.0


@dataclass(frozen=True)
class Formula:
    """sum_ik lasso_i |W_ik| + ridge_i W_ik^2 / 2 + sum_g d_g |W_g| + more(W), over W (p, K).

    `norms` holds the features of each group, its weight d_g for one output (sqrt(K) times as much
    for K) and which norm. `more` is what does not have this form, `more_convex` the same of
    scale * V for a cvxpy variable V. A penalty that is not convex has `costs` instead: those of
    the weights, elementwise.
    """

    lasso: Array
    ridge: Array
    norms: list[Norm] = field(default_factory=list)
    positive: bool = False
    more: Callable[[Array], float] = nothing
    more_convex: Callable[[Any, Array], Any] = nothing
    costs: Callable[[Array], Array] | None = None

    @property
    def convex(self) -> bool:
        """Whether cvxpy can take it."""
        return self.costs is None

    def each(self, W: Array) -> Array:
        """Return what every weight of W (p, K) costs, where there are no norms."""
        own = self.costs(W) if self.costs is not None else 0.0
        return self.lasso[:, None] * np.abs(W) + 0.5 * self.ridge[:, None] * W * W + own

    def value(self, W: Array) -> float:
        """Return the penalty of W (p, K)."""
        if self.positive and np.any(W < 0):
            return np.inf
        total = self.lasso @ np.abs(W).sum(axis=1) + 0.5 * self.ridge @ (W * W).sum(axis=1)
        for members, mass, order in self.norms:
            size = np.sqrt(np.sum(W[members] ** 2)) if order == 2 else np.max(np.abs(W[members]))
            total += np.sqrt(W.shape[1]) * mass * size
        if self.costs is not None:
            total += np.sum(self.costs(W))
        return float(total + self.more(W))

    def convex_value(self, V: Any, scale: Array) -> Any:
        """Return the penalty of scale * V for a cvxpy variable V (p, K).

        Norms are of numbers around one, whatever the scale: their weights carry it.
        """
        import cvxpy as cp

        total = cp.sum(cp.multiply(self.lasso * scale, cp.sum(cp.abs(V), axis=1)))
        total += 0.5 * cp.sum_squares(cp.multiply((np.sqrt(self.ridge) * scale)[:, None], V))
        for members, mass, order in self.norms:
            largest = scale[members].max()
            part = cp.multiply(scale[members, None] / largest, V[members, :])
            size = cp.norm(cp.vec(part, order="C"), order)
            total += np.sqrt(V.shape[1]) * mass * largest * size
        return total + self.more_convex(V, scale)


class Draw(NamedTuple):
    """A penalty of strength 1 and its formula at any strength."""

    penalty: Penalty
    formula: Callable[[float], Formula]


Family: TypeAlias = "Callable[[Rng, int], Draw]"


def plain(p: int, lasso: Any = 0.0, ridge: Any = 0.0, **parts: Any) -> Formula:
    """Return a formula over p features; numbers hold for all of them."""
    return Formula(
        np.broadcast_to(lasso, p).astype(float), np.broadcast_to(ridge, p).astype(float), **parts
    )
