"""All penalties, one object per way in which they differ: laws, doors and files run through them.

A new penalty is one line here, and is then tested everywhere.
"""

from __future__ import annotations

import numpy as np

from laconic.core.groups import Groups
from laconic.core.penalties import (
    L0,
    L1,
    MCP,
    SCAD,
    Discrete,
    ElasticNet,
    GroupLasso,
    LabelTree,
    LatentGroupLasso,
    LayeredGroupLasso,
    LogSum,
    Oscar,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
    Slope,
    SparseGroupLasso,
    TreeGroupLasso,
    value_set,
)
from laconic.core.penalties.blocks import BlockNorms
from laconic.time.fused import FusedLasso, SmoothGroupLasso
from laconic.time.trajectories import SmoothRidge

N = 9
FACTORS = np.linspace(0.5, 2.0, N)
DISJOINT = Groups.from_lists([[0, 4, 2], [1], [8, 3, 5, 6], [7]], N)
SOME = Groups.from_lists([[0, 4, 2], [], [8, 3]], N)  # an empty group, and weights in none
FOREST = Groups.forest([1, -1, 1, 2, -1], [[0, 3], [5], [], [1, 8], [2, 4, 6, 7]], N)
FLAT = Groups.from_lists([[0, 1, 2], [2, 3, 4], [4, 5, 0], [6, 7, 8], [8, 1]], N)
NESTED = Groups.from_lists([[0, 1, 2, 3, 4], [0, 1], [2, 3], [0], [5, 6, 7, 8], [6, 7]], N)
COPIES = Groups.forest([-1, 0, 0, -1, 3], [[0], [1, 2], [3, 4], [4, 5, 0], [6, 7, 8]], N)
PENALTIES: dict[str, Penalty] = {
    "l1": L1(0.7),
    "l1 factors": L1(0.7, factors=FACTORS),
    "l1 positive": L1(0.7, positive=True),
    "l1 strength 0": L1(0.0),
    "ridge": Ridge(0.7),
    "ridge factors positive": Ridge(0.7, factors=FACTORS, positive=True),
    "elastic": ElasticNet(0.7, l1_ratio=0.3),
    "elastic all l1": ElasticNet(0.7, l1_ratio=1.0),
    "elastic no l1": ElasticNet(0.7, l1_ratio=0.0),
    "elastic factors positive": ElasticNet(0.7, l1_ratio=0.6, factors=FACTORS, positive=True),
    "discrete": Discrete(value_set(0.3, 2), 0.7),
    "discrete elastic": Discrete((-2.0, 0.5, 1.0), 0.7, 0.4, FACTORS),
    "l0": L0(0.7),
    "l0 factors positive": L0(0.7, factors=FACTORS, positive=True),
    "mcp": MCP(0.7),
    "mcp steep": MCP(0.7, gamma=0.5, factors=FACTORS),
    "mcp positive": MCP(0.7, gamma=2.0, positive=True),
    "scad": SCAD(0.7),
    "scad factors positive": SCAD(0.7, a=2.2, factors=FACTORS, positive=True),
    "log sum": LogSum(0.7),
    "log sum factors positive": LogSum(0.7, eps=2.0, factors=FACTORS, positive=True),
    "slope": Slope(0.7),
    "slope positive": Slope(0.7, q=0.9, positive=True),
    "slope with costs": Slope(0.7, costs=np.linspace(2.0, 0.0, N)),
    "oscar": Oscar(0.7, pairs=0.2),
    "oscar positive": Oscar(0.7, pairs=0.2, positive=True),
    "group": GroupLasso(DISJOINT, 0.7),
    "group inf": GroupLasso(DISJOINT, 0.7, norm="inf"),
    "group positive": GroupLasso(DISJOINT, 0.7, positive=True),
    "group inf positive": GroupLasso(DISJOINT, 0.7, norm=np.inf, positive=True),
    "group, weights in none": GroupLasso(SOME, 0.7),
    "sparse group": SparseGroupLasso(DISJOINT, 0.7),
    "sparse group inf": SparseGroupLasso(DISJOINT, 0.7, l1_ratio=0.2, norm="inf"),
    "sparse group factors": SparseGroupLasso(DISJOINT, 0.7, l1_ratio=0.8, factors=FACTORS),
    "sparse group inf positive": SparseGroupLasso(DISJOINT, 0.7, norm="inf", positive=True),
    "sparse group, weights in none": SparseGroupLasso(SOME, 0.7),
    "tree": TreeGroupLasso(FOREST, 0.4),
    "tree inf": TreeGroupLasso(FOREST, 0.4, norm="inf"),
    "tree l1 factors": TreeGroupLasso(FOREST, 0.4, l1_ratio=0.5, factors=FACTORS),
    "tree inf l1": TreeGroupLasso(FOREST, 0.4, l1_ratio=0.5, norm="inf"),
    "tree positive": TreeGroupLasso(FOREST, 0.4, positive=True),
    "tree inf positive": TreeGroupLasso(FOREST, 0.4, norm="inf", positive=True),
    "overlap": OverlapGroupLasso(FLAT, 0.4),
    "overlap inf": OverlapGroupLasso(FLAT, 0.4, norm="inf"),
    "overlap positive": OverlapGroupLasso(FLAT, 0.4, positive=True),
    "overlap forest": OverlapGroupLasso(COPIES, 0.4),
    "overlap forest inf": OverlapGroupLasso(COPIES, 0.4, norm="inf"),
    "layers, nested": LayeredGroupLasso(NESTED, 0.4),
    "layers, nested inf": LayeredGroupLasso(NESTED, 0.4, norm="inf"),
    "fused": FusedLasso(3, 0.4),
    "latent": LatentGroupLasso(FLAT, 0.7),
    "latent of names": LatentGroupLasso({"low": [0, 1, 2, 3], "mid": [3, 4, 5, 6, 7, 8]}, 0.7),
    "label tree": LabelTree([[0, 1], 2], 0.4),
    "label tree inf positive": LabelTree([[0, 1], 2], 0.4, norm="inf", positive=True),
    "fused, nearly nothing else": FusedLasso(9, 0.7, lasso=0.01),
    "fused sparse group": FusedLasso(3, 0.3, lasso=0.5, fusion=2.0, group=0.7),
    "sparse group over time": FusedLasso(3, 0.5, lasso=0.5, fusion=0.0, group=0.7),
    "smooth group": SmoothGroupLasso(3, 0.5, 2.0),
    "smooth group of one step": SmoothGroupLasso(1, 0.5),
    "smooth group ridge": SmoothGroupLasso(9, 0.2, 5.0, ridge=0.3),
    "smooth ridge": SmoothRidge(3, 0.7, 2.0),
    "smooth ridge, zeros beyond": SmoothRidge(3, 0.7, 30.0, ends="zero"),
    "norms of blocks": BlockNorms(L1(0.7), DISJOINT),
    "sum": PenaltySum([OverlapGroupLasso(FLAT, 0.4), L1(0.2), Ridge(0.1)], 0.9),
    "sum of norms": PenaltySum(
        [OverlapGroupLasso(FLAT, 0.4), OverlapGroupLasso(COPIES, 0.1, norm="inf"), L1(0.2, FACTORS)]
    ),
    "sum with disjoint groups": PenaltySum([GroupLasso(DISJOINT, 0.4), L1(0.2), Ridge(0.1)], 0.9),
    "sum of trees and groups": PenaltySum(
        [TreeGroupLasso(FOREST, 0.3, norm="inf"), GroupLasso(DISJOINT, 0.2, norm="inf")]
    ),
    "sum with slope": PenaltySum([Slope(0.4), OverlapGroupLasso(FLAT, 0.2)]),
    "sum of sparse groups": PenaltySum(
        [SparseGroupLasso(DISJOINT, 0.4, l1_ratio=0.3), TreeGroupLasso(FOREST, 0.2), Ridge(0.1)]
    ),
    "sum of sums": PenaltySum([PenaltySum([Oscar(0.1), L1(0.2)], 2.0), FusedLasso(9, 0.3)]),
    "sum positive": PenaltySum([OverlapGroupLasso(FLAT, 0.4), L1(0.2, positive=True)]),
}


def same_penalty(left: object, right: object) -> bool:
    """Return whether two penalties, or values of their parameters, are the same."""
    if isinstance(left, Penalty) and isinstance(right, Penalty):
        return type(left) is type(right) and same_penalty(
            left.get_params(deep=False), right.get_params(deep=False)
        )
    if isinstance(left, Groups) and isinstance(right, Groups):
        names = ("index", "ptr", "weight", "parent", "n_features")
        return all(same_penalty(getattr(left, name), getattr(right, name)) for name in names)
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(same_penalty(left[k], right[k]) for k in left)
    if type(left) is not type(right):
        return False
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_penalty, left, right))
    return bool(np.array_equal(left, right))  # type: ignore[arg-type]
