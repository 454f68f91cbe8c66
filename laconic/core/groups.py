"""Groups of features, flat: group g is index[ptr[g]:ptr[g+1]] with weight[g]; in a forest, parent[g] < g or -1.

In a forest a node lists only what it *owns*: its group is what it owns and all that its descendants own, so that a tree of a
million nodes takes memory linear in its nodes. Without `parent` the lists are whole groups and may overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.core.ragged import pointers


@dataclass(frozen=True, eq=False)
class Groups:
    """index (m,), ptr (G+1,), weight (G,), parent (G,) or None, over n_features features. Immutable."""

    index: NDArray[np.int64]
    ptr: NDArray[np.int64]
    weight: NDArray[np.float64]
    n_features: int
    parent: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "index", _frozen(self.index, np.int64))
        put(self, "ptr", _frozen(self.ptr, np.int64))
        put(self, "weight", _frozen(self.weight, np.float64))
        if self.parent is not None:
            put(self, "parent", _frozen(self.parent, np.int64))
        self._check()

    def _check(self) -> None:
        ptr, index, n_groups = self.ptr, self.index, len(self.ptr) - 1
        if n_groups < 0 or ptr[0] != 0 or ptr[-1] != len(index) or np.any(np.diff(ptr) < 0):
            raise ValueError(
                f"ptr must rise from 0 to {len(index)}, the number of entries of index"
            )
        if len(index) and (index.min() < 0 or index.max() >= self.n_features):
            bad = index[(index < 0) | (index >= self.n_features)][0]
            raise ValueError(
                f"groups name feature {bad}, but the features are 0 to {self.n_features - 1}"
            )
        if (
            len(self.weight) != n_groups
            or not np.all(np.isfinite(self.weight))
            or np.any(self.weight < 0)
        ):
            raise ValueError(f"weight must hold {n_groups} finite numbers that are not negative")
        if self.parent is not None:
            if (
                len(self.parent) != n_groups
                or np.any(self.parent >= np.arange(n_groups))
                or np.any(self.parent < -1)
            ):
                raise ValueError(
                    "parent must hold, for each group, an earlier group or -1 (Groups.forest sorts them)"
                )

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __repr__(self) -> str:
        kind = "" if self.parent is None else " in a forest"
        return f"Groups({len(self)} groups{kind}, {len(self.index)} entries, {self.n_features} features)"

    def __sklearn_clone__(self) -> Groups:
        return self

    def __deepcopy__(self, memo: dict) -> Groups:
        return self

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of features each group lists (in a forest: owns)."""
        return np.diff(self.ptr)

    def members(self, g: int) -> NDArray[np.int64]:
        """Features that group g lists."""
        return self.index[self.ptr[g] : self.ptr[g + 1]]

    @classmethod
    def from_lists(
        cls, groups: Iterable[ArrayLike], n_features: int, weight: ArrayLike | None = None
    ) -> Groups:
        """Groups given one by one; weight defaults to sqrt(size)."""
        lists = [_frozen(g, np.int64) for g in groups]
        sizes = np.array([len(g) for g in lists], dtype=np.int64)
        index = np.concatenate(lists) if lists else np.zeros(0, np.int64)
        return cls(
            index,
            pointers(sizes),
            np.sqrt(sizes) if weight is None else np.asarray(weight, float),
            n_features,
        )

    @classmethod
    def forest(
        cls,
        parent: ArrayLike,
        own: Sequence[ArrayLike],
        n_features: int,
        weight: ArrayLike | None = None,
    ) -> Groups:
        """A forest given by parents in any order; weight defaults to sqrt(size of the node's whole group)."""
        parent = _frozen(parent, np.int64)
        if len(own) != len(parent) or (weight is not None and np.shape(weight) != parent.shape):
            raise ValueError(
                f"a forest of {len(parent)} parents needs as many lists of features and weights"
            )
        order = parents_first(parent)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        moved = parent[order]
        new_parent = np.where(moved >= 0, place[np.maximum(moved, 0)], -1)
        lists = [_frozen(own[g], np.int64) for g in order]
        sizes = np.array([len(g) for g in lists], dtype=np.int64)
        whole = subtree_sums(new_parent, sizes)
        chosen = np.sqrt(whole) if weight is None else np.asarray(weight, float)[order]
        index = np.concatenate(lists) if lists else np.zeros(0, np.int64)
        return cls(index, pointers(sizes), chosen, n_features, new_parent)

    @classmethod
    def join(cls, parts: Sequence[Groups]) -> Groups:
        """All groups of several collections over the same features, flat or all forests."""
        if (
            len({part.n_features for part in parts}) != 1
            or len({part.parent is None for part in parts}) != 1
        ):
            raise ValueError(
                "groups that are joined must be over the same features, and all flat or all forests"
            )
        index = np.concatenate([part.index for part in parts])
        sizes = np.concatenate([part.sizes for part in parts])
        weight = np.concatenate([part.weight for part in parts])
        parents = [part.parent for part in parts if part.parent is not None]
        parent = None
        if parents:
            shifts = np.cumsum([0] + [len(part) for part in parts[:-1]])
            moved = zip(parents, shifts, strict=True)
            parent = np.concatenate([np.where(p >= 0, p + shift, -1) for p, shift in moved])
        return cls(index, pointers(sizes), weight, parts[0].n_features, parent)

    def spread(self, n_outputs: int) -> Groups:
        """The same groups over weights (n_features, n_outputs): a group holds the weights of its features for all outputs."""
        if n_outputs == 1:
            return self
        index = (self.index[:, None] * n_outputs + np.arange(n_outputs)).ravel()
        scale = np.sqrt(n_outputs)
        return Groups(
            index,
            self.ptr * n_outputs,
            self.weight * scale,
            self.n_features * n_outputs,
            self.parent,
        )


def _frozen(values: ArrayLike, dtype: type) -> NDArray:
    """A read-only vector that nobody else can write to: a copy, unless it is frozen already."""
    given = np.asarray(values)
    with np.errstate(invalid="ignore"):
        array = (
            given
            if given.dtype == dtype and not given.flags.writeable
            else np.array(given, dtype=dtype)
        )
    rounded = (
        given.dtype.kind == "f" and array.dtype.kind == "i" and not np.array_equal(array, given)
    )
    if array.ndim != 1 or rounded:
        raise ValueError(
            f"a vector of {np.dtype(dtype).name} expected, got {given.dtype.name} of shape {given.shape}"
        )
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def parents_first(parent: NDArray) -> NDArray[np.int64]:
    """An order of the nodes in which every parent comes before its children; a cycle is an error."""
    n = len(parent)
    if n and (parent.min() < -1 or parent.max() >= n):
        raise ValueError(f"a forest of {n} nodes has parents from 0 to {n - 1}, or -1 for a root")
    # Pointer doubling: after k rounds `above` is 2^k steps up (n: past a root) and `depth` counts those steps, so that a chain
    # of a million nodes takes twenty rounds. What has not left the forest by then goes round in a circle.
    above = np.append(np.where(parent < 0, n, parent), n)
    depth = np.append(np.where(parent < 0, 0, 1), 0)
    for _ in range(n.bit_length()):
        depth += depth[above]
        above = above[above]
    if np.any(above < n):
        raise ValueError(
            f"the forest has a cycle at or above node {int(np.flatnonzero(above < n)[0])}"
        )
    return np.argsort(depth[:n], kind="stable")


def subtree_sums(parent: NDArray, values: NDArray) -> NDArray:
    """Sum of values over each node's subtree, parents first."""
    total = np.array(values, dtype=np.float64)
    for g in range(len(parent) - 1, -1, -1):
        if parent[g] >= 0:
            total[parent[g]] += total[g]
    return total
