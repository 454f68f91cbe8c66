"""Forests over the dimensions of codes: a dimension is used only where the one above it is.

    Omega(a) = sum_i weight_i |a_(i and all below i)|_2

With trees of single nodes and weights 1 this is the lasso, sum_i |a_i|.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.groups import Groups, parents_first
from laconic.core.penalties import TreeGroupLasso

BRANCHING = (3, 3)  # a root, 3 children, 3 grandchildren each: the 13 nodes of Yogatama et al. 2015
PENALTIES = ("lasso", "forest")


class CodeTrees(NamedTuple):
    """A forest tree by tree: tree t has the nodes ptr[t] to ptr[t + 1], parents first.

    `parent` counts from the tree's first node, and is -1 at its root.
    """

    ptr: Ints32
    dimension: Ints32
    parent: Ints32
    weight: Array


def tree_size(branching: Sequence[int]) -> int:
    """Return the number of nodes of a tree: 1 + b_0 + b_0 b_1 + .. with b_d children at depth d."""
    return int(np.cumprod([1, *branching]).sum())


def code_forest(size: int, branching: Sequence[int] = BRANCHING, growth: float = 1.0) -> Groups:
    """Return a forest of equal trees over `size` dimensions, with weight_i = growth^depth.

    The dimensions of a tree follow each other, level by level. `branching` is the number of
    children of a node at each depth: (3, 3) gives trees of 13 nodes, () single nodes.
    """
    if not all(isinstance(b, int | np.integer) and b >= 1 for b in branching):
        raise ValueError(
            "branching must hold a number of children of at least 1 for every depth, "
            f"got {tuple(branching)!r}"
        )
    each = tree_size(branching)
    if not isinstance(size, int | np.integer) or size < 1 or size % each:
        near = ", ".join(str(each * n) for n in (1, 2, 4, 20, 40))
        raise ValueError(
            f"trees of {each} nodes make forests of {near} ... dimensions, but size is {size!r}"
        )
    parent, depth = np.full(each, -1, np.int64), np.zeros(each, np.int64)
    first, width = 0, 1
    for d, children in enumerate(branching):
        start = first + width
        parent[start : start + width * children] = first + np.repeat(np.arange(width), children)
        depth[start : start + width * children] = d + 1
        first, width = start, width * children
    n_trees = size // each
    shift = np.repeat(np.arange(n_trees) * each, each)
    whole = np.tile(parent, n_trees)
    return forest_of_parents(
        np.where(whole >= 0, whole + shift, -1), np.tile(_powers(growth, depth), n_trees)
    )


def forest_of_parents(parent: ArrayLike, weight: ArrayLike | None = None) -> Groups:
    """Return the forest with parent[i] above dimension i, -1 at roots; weights default to 1."""
    parents = np.asarray(parent)
    if parents.ndim != 1 or not len(parents) or parents.dtype.kind not in "iu":
        raise ValueError("parent must hold, for each dimension, the dimension above it or -1")
    weights = np.ones(len(parents)) if weight is None else np.asarray(weight, dtype=np.float64)
    own = list(np.arange(len(parents))[:, None])
    return Groups.forest(parents, own, len(parents), weights)


def forest_for(
    penalty: str | Groups, size: int, branching: Sequence[int] = BRANCHING, growth: float = 1.0
) -> Groups:
    """Return the forest of a penalty: "lasso" (single nodes), "forest" (code_forest), or itself."""
    if isinstance(penalty, Groups):
        if (
            penalty.parent is None
            or len(penalty) != penalty.n_features
            or np.any(penalty.sizes != 1)
        ):
            raise ValueError(
                "penalty must be a forest with one dimension per node, as code_forest and "
                "forest_of_parents return it"
            )
        if penalty.n_features != size:
            raise ValueError(
                f"size is {size!r}, but the forest has {penalty.n_features} dimensions"
            )
        return penalty
    if penalty not in PENALTIES:
        raise ValueError(f"penalty must be 'lasso', 'forest' or a forest, got {penalty!r}")
    return code_forest(size, branching, growth) if penalty == "forest" else code_forest(size, ())


def forest_penalty(forest: Groups, strength: float, positive: bool = False) -> TreeGroupLasso:
    """Return the penalty of one word's code; all kernels of codes must agree with its prox."""
    return TreeGroupLasso(forest, strength=strength, positive=positive)


def code_trees(forest: Groups) -> CodeTrees:
    """Return the forest as kernels of codes take it."""
    assert forest.parent is not None
    n = len(forest)
    root = np.arange(n)
    for g in range(n):
        if forest.parent[g] >= 0:
            root[g] = root[forest.parent[g]]
    order = np.argsort(root, kind="stable")
    _, lengths = np.unique(root, return_counts=True)
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    place = np.empty(n, np.int64)
    place[order] = np.arange(n) - np.repeat(ptr[:-1], lengths)
    above = forest.parent[order]
    parent = np.where(above >= 0, place[np.maximum(above, 0)], -1)
    return CodeTrees(
        ptr.astype(np.int32),
        forest.index[order].astype(np.int32),
        parent.astype(np.int32),
        np.ascontiguousarray(forest.weight[order]),
    )


def depths(forest: Groups) -> Ints:
    """Return the depth of every dimension, 0 at roots."""
    assert forest.parent is not None
    depth = np.zeros(len(forest), np.int64)
    for g in parents_first(forest.parent):
        if forest.parent[g] >= 0:
            depth[g] = depth[forest.parent[g]] + 1
    by_dimension = np.empty(len(forest), np.int64)
    by_dimension[forest.index] = depth
    return by_dimension


def _powers(growth: float, depth: Ints) -> Array:
    if not 0 < growth < np.inf:
        raise ValueError(f"growth must be positive, got {growth!r}")
    return growth ** depth.astype(np.float64)
