"""Every penalty a second time, from its formula alone: in NumPy, and in cvxpy where it is convex.

A family draws the parameters of a penalty at random and returns it with its formula. The tables at
the end are the one place where penalties are enumerated for the certificate campaign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from laconic import (
    L0,
    L1,
    Discrete,
    ElasticNet,
    FusedLasso,
    GroupLasso,
    Groups,
    LayeredGroupLasso,
    OverlapGroupLasso,
    PenaltySum,
    Ridge,
    SmoothGroupLasso,
    SparseGroupLasso,
    TreeGroupLasso,
    value_set,
)
from laconic.core.arrays import Array
from laconic.core.penalties import Penalty

Norm: TypeAlias = "tuple[list[int], float, int | str]"  # features, weight, 2 or "inf"
Rng: TypeAlias = np.random.Generator


def nothing(W: Any, scale: Any = None) -> float:
    """Return 0."""
    return 0.0


def convex_changes(V: Any, scale: Array, moves: tuple[list[int], list[int]]) -> Any:
    """Return the changes of scale * V over its largest entry."""
    import cvxpy as cp

    first, after = moves
    relative = scale[:, None] / scale.max()
    W = cp.multiply(relative, V)
    return W[after, :] - W[first, :] if first else 0.0


@dataclass(frozen=True)
class Formula:
    """sum_ik lasso_i |W_ik| + ridge_i W_ik^2 / 2 + sum_g d_g |W_g| + more(W), over W (p, K).

    `norms` holds the features of each group, its weight d_g for one output (sqrt(K) times as much
    for K) and which norm; `more` is what does not have this form, `more_convex` the same of
    scale * V for a cvxpy variable V (None where the penalty is not convex).
    """

    lasso: Array
    ridge: Array
    norms: list[Norm] = field(default_factory=list)
    positive: bool = False
    more: Callable[[Array], float] = nothing
    more_convex: Callable[[Any, Array], Any] | None = nothing

    @property
    def convex(self) -> bool:
        """Whether cvxpy can take it."""
        return self.more_convex is not None

    def value(self, W: Array) -> float:
        """Return the penalty of W (p, K)."""
        if self.positive and np.any(W < 0):
            return np.inf
        total = self.lasso @ np.abs(W).sum(axis=1) + 0.5 * self.ridge @ (W * W).sum(axis=1)
        for members, mass, order in self.norms:
            size = np.sqrt(np.sum(W[members] ** 2)) if order == 2 else np.max(np.abs(W[members]))
            total += np.sqrt(W.shape[1]) * mass * size
        return float(total + self.more(W))

    def convex_value(self, V: Any, scale: Array) -> Any:
        """Return the penalty of scale * V for a cvxpy variable V (p, K).

        Norms are of numbers around one, whatever the scale: their weights carry it.
        """
        import cvxpy as cp

        assert self.more_convex is not None
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


def flat(rng: Rng, p: int) -> list[list[int]]:
    """Return disjoint groups of one to five features that cover all."""
    order, groups = rng.permutation(p).tolist(), []
    while order:
        size = int(rng.integers(1, 6))
        groups.append(order[:size])
        order = order[size:]
    return groups


def overlapping(rng: Rng, p: int) -> list[list[int]]:
    """Return overlapping groups that cover all features."""
    groups = flat(rng, p)
    for _ in range(int(rng.integers(1, 2 + p // 2))):
        groups.append(
            rng.choice(p, size=int(rng.integers(1, 1 + min(p, 6))), replace=False).tolist()
        )
    return groups


def nested(rng: Rng, p: int) -> list[list[int]]:
    """Return groups each of which is within another one or apart from it."""
    groups = flat(rng, p)
    return groups + [group[: 1 + len(group) // 2] for group in groups]


def norms_of(groups: list[list[int]], weight: Array, order: int | str) -> list[Norm]:
    """Return the norms of a formula."""
    return [(g, float(d), order) for g, d in zip(groups, weight, strict=True)]


def scaled(norms: list[Norm], strength: float) -> list[Norm]:
    """Return the norms with their weights times strength."""
    return [(members, strength * mass, order) for members, mass, order in norms]


def grouped(
    kind: type[Penalty],
    lists: Callable[[Rng, int], list[list[int]]] = flat,
    order: int | str = 2,
    ratio: bool = False,
    positive: bool = False,
) -> Family:
    """Norms of groups, beside a lasso where `ratio` says so."""

    def draw(rng: Rng, p: int) -> Draw:
        groups = lists(rng, p)
        weight = rng.uniform(0.5, 2.0, size=len(groups))
        r = float(rng.uniform(0.1, 0.9)) if ratio else 0.0
        more = {"l1_ratio": r} if ratio else {}
        penalty = kind(
            Groups.from_lists(groups, p, weight),
            strength=1.0,
            norm=order,
            positive=positive,
            **more,
        )
        norms = norms_of(groups, (1 - r) * weight, order)
        return Draw(penalty, lambda s: plain(p, s * r, norms=scaled(norms, s), positive=positive))

    return draw


def tree(order: int | str = 2, ratio: bool = False) -> Family:
    """A forest whose nodes own the groups of `flat`; the group of a node is its whole subtree."""

    def draw(rng: Rng, p: int) -> Draw:
        own = flat(rng, p)
        parent = [int(rng.integers(-1, node)) for node in range(len(own))]
        weight = rng.uniform(0.5, 2.0, size=len(own))
        r = float(rng.uniform(0.1, 0.9)) if ratio else 0.0
        groups = Groups.forest(parent, own, p, weight)
        whole = [list(members) for members in own]
        for node in range(len(own) - 1, 0, -1):
            if parent[node] >= 0:
                whole[parent[node]] += whole[node]
        norms = norms_of(whole, (1 - r) * weight, order)
        penalty = TreeGroupLasso(groups, 1.0, l1_ratio=r, norm=order)
        return Draw(penalty, lambda s: plain(p, s * r, norms=scaled(norms, s)))

    return draw


def sums(rng: Rng, p: int) -> Draw:
    """Overlapping groups + lasso + ridge."""
    groups, lasso, ridge = overlapping(rng, p), *rng.uniform(0.05, 1.0, size=2).tolist()
    weight = rng.uniform(0.5, 2.0, size=len(groups))
    penalty = PenaltySum(
        [OverlapGroupLasso(Groups.from_lists(groups, p, weight)), L1(lasso), Ridge(ridge)]
    )
    norms = norms_of(groups, weight, 2)
    return Draw(penalty, lambda s: plain(p, s * lasso, s * ridge, norms=scaled(norms, s)))


def steps_of(rng: Rng, p: int) -> int:
    """Return a number of steps of time that divides p."""
    return int(rng.choice([t for t in range(1, p + 1) if p % t == 0]))


def moves_of(p: int, steps: int) -> tuple[list[int], list[int]]:
    """Return the features before and after each step of trajectories of `steps` features."""
    first = [i for i in range(p) if (i + 1) % steps]
    return first, [i + 1 for i in first]


def fused(rng: Rng, p: int) -> Draw:
    """Trajectories with few changes."""
    steps = steps_of(rng, p)
    lasso, fusion, group = rng.uniform(0.05, 1.0, size=3).tolist()
    first, after = moves = moves_of(p, steps)
    members = np.arange(p).reshape(-1, steps).tolist()

    def formula(s: float) -> Formula:
        def convex(V: Any, scale: Array) -> Any:
            import cvxpy as cp

            return s * fusion * scale.max() * cp.sum(cp.abs(convex_changes(V, scale, moves)))

        return plain(
            p,
            s * lasso,
            norms=norms_of(members, np.full(len(members), s * group * np.sqrt(steps)), 2),
            more=lambda W: s * fusion * float(np.abs(W[after] - W[first]).sum()),
            more_convex=convex,
        )

    return Draw(FusedLasso(steps, 1.0, lasso=lasso, fusion=fusion, group=group), formula)


def smooth_groups(rng: Rng, p: int) -> Draw:
    """Trajectories that are zero as a whole or change slowly."""
    steps = steps_of(rng, p)
    smoothness, ridge = rng.uniform(0.05, 1.0, size=2).tolist()
    first, after = moves = moves_of(p, steps)
    members = np.arange(p).reshape(-1, steps).tolist()

    def formula(s: float) -> Formula:
        def convex(V: Any, scale: Array) -> Any:
            import cvxpy as cp

            largest = np.sqrt(0.5 * s * smoothness) * scale.max()
            return cp.sum_squares(largest * convex_changes(V, scale, moves))

        return plain(
            p,
            ridge=s * ridge,
            norms=norms_of(members, np.full(len(members), s * np.sqrt(steps)), 2),
            more=lambda W: 0.5 * s * smoothness * float(np.sum((W[after] - W[first]) ** 2)),
            more_convex=convex,
        )

    return Draw(SmoothGroupLasso(steps, 1.0, smoothness=smoothness, ridge=ridge), formula)


def hard(factors: bool) -> Family:
    """Number of weights that are not zero."""

    def draw(rng: Rng, p: int) -> Draw:
        f = factors_of(rng, p) if factors else np.ones(p)

        def formula(s: float) -> Formula:
            return plain(p, more=lambda W: s * float(f @ np.sum(W != 0, axis=1)), more_convex=None)

        return Draw(L0(1.0, factors=f if factors else None), formula)

    return draw


def discrete(rng: Rng, p: int) -> Draw:
    """Weights from a set of values under an elastic net."""
    values, r = value_set(float(rng.choice([0.01, 0.3, 1.0])), 2), float(rng.uniform(0, 1))

    def formula(s: float) -> Formula:
        return plain(
            p,
            s * r,
            s * (1 - r),
            more=lambda W: 0.0 if np.all(np.isin(W, values)) else np.inf,
            more_convex=None,
        )

    return Draw(Discrete(values, 1.0, r), formula)


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
    "sum": sums,
    "fused lasso": fused,
    "smooth groups": smooth_groups,
    "L0": hard(False),
    "L0, factors": hard(True),
    "discrete": discrete,
}
