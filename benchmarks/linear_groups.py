"""Families of penalties over groups of features, and over trajectories in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.linear_formulas import Draw, Family, Formula, Norm, Rng, plain
from laconic import (
    L1,
    FusedLasso,
    Groups,
    LatentGroupLasso,
    OverlapGroupLasso,
    PenaltySum,
    Ridge,
    SmoothGroupLasso,
    TreeGroupLasso,
)
from laconic.core.arrays import Array
from laconic.core.penalties import Penalty


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


def latent(rng: Rng, p: int) -> Draw:
    """Overlapping groups whose parts sum to the weights, at the least cost.

    The first groups cover all features once and take what the parts of the others leave.
    """
    base = flat(rng, p)
    extra = overlapping(rng, p)[:4]
    weight = rng.uniform(0.5, 2.0, size=len(base) + len(extra))

    def split(V: Any, relative: Array) -> Any:
        import cvxpy as cp

        rest, terms = V, []
        for group, mass in zip(extra, weight[len(base) :], strict=True):
            part = cp.Variable((len(group), V.shape[1]))
            rest = rest - np.eye(p)[:, group] @ part
            terms.append(mass * cp.norm(cp.multiply(relative[group, None], part), "fro"))
        for group, mass in zip(base, weight, strict=False):
            terms.append(mass * cp.norm(cp.multiply(relative[group, None], rest[group, :]), "fro"))
        return np.sqrt(V.shape[1]) * sum(terms)

    def value(W: Array) -> float:
        import cvxpy as cp

        largest = float(np.max(np.abs(W))) or 1.0
        program = cp.Problem(cp.Minimize(split(cp.Constant(W / largest), np.ones(p))))
        tight = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
        return largest * float(program.solve(solver="CLARABEL", **tight))

    def formula(s: float) -> Formula:
        return plain(
            p,
            more=lambda W: s * value(W) if s > 0 else 0.0,
            more_convex=lambda V, scale: s * scale.max() * split(V, scale / scale.max()),
        )

    groups = Groups.from_lists(base + extra, p, weight)
    return Draw(LatentGroupLasso(groups), formula)


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


def convex_changes(V: Any, scale: Array, moves: tuple[list[int], list[int]]) -> Any:
    """Return the changes of scale * V over its largest entry."""
    import cvxpy as cp

    first, after = moves
    relative = scale[:, None] / scale.max()
    W = cp.multiply(relative, V)
    return W[after, :] - W[first, :] if first else 0.0
