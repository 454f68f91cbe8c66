"""Every penalty a second time, from its formula alone: in NumPy, and in cvxpy where it is convex.

A family draws the parameters of a penalty at random and returns it with its formula. The table at
the end is the one place where penalties are enumerated for the certificate campaign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import norm

from benchmarks.linear_formulas import Draw, Family, Formula, Rng, plain
from benchmarks.linear_groups import (
    fused,
    grouped,
    latent,
    nested,
    overlapping,
    smooth_groups,
    sums,
    tree,
)
from laconic import (
    L0,
    L1,
    MCP,
    SCAD,
    Discrete,
    ElasticNet,
    GroupLasso,
    LayeredGroupLasso,
    LogSum,
    Oscar,
    OverlapGroupLasso,
    Ridge,
    Slope,
    SparseGroupLasso,
    value_set,
)
from laconic.core.arrays import Array
from laconic.core.penalties import Penalty


def factors_of(rng: Rng, p: int) -> Array:
    """Return factors of features from 0.5 to 2, some of them 0 where there are several."""
    factors = rng.uniform(0.5, 2.0, size=p)
    if p > 2 and rng.random() < 0.3:
        factors[rng.integers(p)] = 0.1
    return factors


def elastic(ratio: float | None, factors: bool = False, positive: bool = False) -> Family:
    """Lasso (ratio 1), ridge (ratio 0) or elastic net (None: a ratio drawn)."""

    def draw(rng: Rng, p: int) -> Draw:
        given = factors_of(rng, p) if factors else None
        f = np.ones(p) if given is None else given
        r = float(rng.uniform(0.05, 0.95)) if ratio is None else ratio
        penalty: Penalty = ElasticNet(1.0, r, given, positive)
        if ratio is not None:
            penalty = (L1 if ratio == 1 else Ridge)(1.0, given, positive)
        return Draw(penalty, lambda s: plain(p, s * r * f, s * (1 - r) * f, positive=positive))

    return draw


def sorted_lasso(kind: type[Slope] | type[Oscar], positive: bool = False) -> Family:
    """Costs by rank: c_1 |w|_(1) + c_2 |w|_(2) + .., over all weights of all outputs."""

    def draw(rng: Rng, p: int) -> Draw:
        rate = float(rng.uniform(0.05, 0.5))
        penalty = (
            Slope(1.0, q=rate, positive=positive)
            if kind is Slope
            else Oscar(1.0, pairs=rate, positive=positive)
        )

        def costs(n: int) -> Array:
            rank = np.arange(1, n + 1)
            if kind is Oscar:
                return 1 + rate * (n - rank)
            return norm.ppf(1 - rate * rank / (2 * n)) / norm.ppf(1 - rate / (2 * n))

        def formula(s: float) -> Formula:
            def convex(V: Any, scale: Array) -> Any:
                import cvxpy as cp

                size = cp.vec(cp.abs(cp.multiply(scale[:, None] / scale.max(), V)), order="C")
                return s * scale.max() * cp.dotsort(size, costs(size.size))

            return plain(
                p,
                positive=positive,
                more=lambda W: s * float(costs(W.size) @ -np.sort(-np.abs(W), axis=None)),
                more_convex=convex,
            )

        return Draw(penalty, formula)

    return draw


def hard(factors: bool) -> Family:
    """Number of weights that are not zero."""

    def draw(rng: Rng, p: int) -> Draw:
        f = factors_of(rng, p) if factors else np.ones(p)
        return Draw(
            L0(1.0, factors=f if factors else None),
            lambda s: plain(p, costs=lambda W: s * f[:, None] * (W != 0)),
        )

    return draw


def mcp(size: Array, rate: Array, gamma: float) -> Array:
    """Return r |w| - w^2 / (2 gamma) up to gamma r, constant beyond."""
    near = np.minimum(size, gamma * rate)
    return rate * near - near**2 / (2 * gamma)


def scad(size: Array, rate: Array, a: float) -> Array:
    """Return r |w| up to r, a parabola up to a r, constant beyond."""
    middle = (2 * a * rate * size - size**2 - rate**2) / (2 * (a - 1))
    end = rate**2 * (a + 1) / 2
    return np.where(size <= rate, rate * size, np.where(size <= a * rate, middle, end))


def log_sum(size: Array, rate: Array, eps: float) -> Array:
    """Return r log(1 + |w| / eps)."""
    return rate * np.log1p(size / eps)


def concave(
    kind: Any,
    cost: Callable[[Array, Array, float], Array],
    factors: bool = False,
    positive: bool = False,
) -> Family:
    """A penalty that is concave in |w|, of one parameter beside its strength."""

    def draw(rng: Rng, p: int) -> Draw:
        given = factors_of(rng, p) if factors else None
        f = (np.ones(p) if given is None else given)[:, None]
        shape = float(rng.uniform(2.1, 5.0) if kind is not LogSum else rng.choice([0.01, 0.1, 1.0]))
        return Draw(
            kind(1.0, shape, given, positive),
            lambda s: plain(p, positive=positive, costs=lambda W: cost(np.abs(W), s * f, shape)),
        )

    return draw


def discrete(rng: Rng, p: int) -> Draw:
    """Weights from a set of values under an elastic net."""
    values, r = value_set(float(rng.choice([0.01, 0.3, 1.0])), 2), float(rng.uniform(0, 1))
    return Draw(
        Discrete(values, 1.0, r),
        lambda s: plain(
            p, s * r, s * (1 - r), costs=lambda W: np.where(np.isin(W, values), 0.0, np.inf)
        ),
    )


PENALTIES: dict[str, Family] = {
    "lasso": elastic(1.0),
    "lasso, factors": elastic(1.0, factors=True),
    "lasso, positive": elastic(1.0, positive=True),
    "ridge": elastic(0.0),
    "ridge, factors": elastic(0.0, factors=True),
    "ridge, positive": elastic(0.0, positive=True),
    "elastic net": elastic(None),
    "elastic net, factors, positive": elastic(None, factors=True, positive=True),
    "group lasso": grouped(GroupLasso),
    "group lasso, infinity": grouped(GroupLasso, order="inf"),
    "group lasso, positive": grouped(GroupLasso, positive=True),
    "sparse group lasso": grouped(SparseGroupLasso, ratio=True),
    "sparse group lasso, infinity": grouped(SparseGroupLasso, order="inf", ratio=True),
    "tree": tree(),
    "tree, infinity": tree("inf"),
    "tree, lasso": tree(ratio=True),
    "overlapping groups": grouped(OverlapGroupLasso, overlapping),
    "overlapping groups, infinity": grouped(OverlapGroupLasso, overlapping, order="inf"),
    "overlapping groups, positive": grouped(OverlapGroupLasso, overlapping, positive=True),
    "layered groups, nested": grouped(LayeredGroupLasso, nested),
    "latent groups": latent,
    "sum": sums,
    "fused lasso": fused,
    "smooth groups": smooth_groups,
    "Slope": sorted_lasso(Slope),
    "Slope, positive": sorted_lasso(Slope, positive=True),
    "Oscar": sorted_lasso(Oscar),
    "L0": hard(False),
    "L0, factors": hard(True),
    "MCP": concave(MCP, mcp),
    "MCP, factors": concave(MCP, mcp, factors=True),
    "SCAD": concave(SCAD, scad),
    "SCAD, positive": concave(SCAD, scad, positive=True),
    "log sum": concave(LogSum, log_sum),
    "discrete": discrete,
}
