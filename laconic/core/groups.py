"""Groups of features, flat: group g is index[ptr[g]:ptr[g+1]] with weight[g].

In a forest, parent[g] < g or -1, and a node lists only the features that it *owns*: its group is
what it owns and all that its descendants own, so that a tree of a million nodes takes memory linear
in its nodes. Without `parent` the lists are whole groups and may overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import AnyArray, Array, Integers, Ints
from laconic.core.ragged import pointers


@dataclass(frozen=True, eq=False)
class Groups:
    """Group g is index[ptr[g]:ptr[g+1]]: groups of features, flat or a forest. Immutable.

    `from_lists` and `forest` make groups from lists of features, `join` puts several together.

    Parameters
    ----------
    index : array of int, shape (m,)
        Features of all groups, one group after the other.
    ptr : array of int, shape (n_groups + 1,)
        Bounds of the groups in `index`.
    weight : array of float, shape (n_groups,)
        Weight of each group in a penalty.
    n_features : int
        Number of features that the groups are over.
    parent : array of int, shape (n_groups,), or None, default=None
        Parent of each group, an earlier one, or -1 for a root; None if the groups are no forest.

    Examples
    --------
    >>> from laconic import Groups
    >>> groups = Groups.from_lists([[0, 2], [1, 2, 3]], n_features=4)
    >>> groups
    Groups(2 groups, 5 entries, 4 features)
    >>> groups.members(1).tolist(), groups.weight.round(2).tolist()
    ([1, 2, 3], [1.41, 1.73])
    """

    index: Ints
    ptr: Ints
    weight: Array
    n_features: int
    parent: Ints | None = None

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
                    "parent must hold, for each group, an earlier group or -1 "
                    "(Groups.forest sorts them)"
                )

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def blocks(self) -> _core.Blocks:
        """Disjoint groups as kernels take them."""
        return _core.Blocks(self.ptr, self.index, self.n_features)

    @cached_property
    def alone(self) -> Ints:
        """Features in no group."""
        covered = np.zeros(self.n_features, dtype=bool)
        covered[self.index] = True
        return np.flatnonzero(~covered)

    @cached_property
    def covering(self) -> tuple[Ints, Ints, _core.Blocks]:
        """(ptr, index, blocks) of disjoint groups and, after them, of each feature in no group."""
        if not len(self.alone):
            return self.ptr, self.index, self.blocks
        ptr = np.concatenate([self.ptr, self.ptr[-1] + 1 + np.arange(len(self.alone))])
        index = np.concatenate([self.index, self.alone])
        return ptr, index, _core.Blocks(ptr, index, self.n_features)

    def __repr__(self) -> str:
        kind = "" if self.parent is None else " in a forest"
        entries = f"{len(self.index)} entries, {self.n_features} features"
        return f"Groups({len(self)} groups{kind}, {entries})"

    def __sklearn_clone__(self) -> Groups:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Groups:
        return self

    @property
    def sizes(self) -> Ints:
        """Number of features that each group lists (in a forest: owns)."""
        return np.diff(self.ptr)

    def members(self, g: int) -> Ints:
        """Return the features that group g lists."""
        return self.index[self.ptr[g] : self.ptr[g + 1]]

    @classmethod
    def from_lists(
        cls, groups: Iterable[ArrayLike], n_features: int, weight: ArrayLike | None = None
    ) -> Groups:
        """Return groups from one list of features per group; `weight` defaults to sqrt(size)."""
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
        """Return a forest from parents in any order.

        `own` lists the features that each node owns; `weight` defaults to the square root of the
        size of the node's whole group.
        """
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
        """Return all groups of several collections over the same features.

        All of them must be flat, or all of them forests.
        """
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
        """Return the same groups over weights (n_features, n_outputs).

        A group then holds the weights of its features for all outputs.
        """
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


def _frozen(values: ArrayLike, dtype: type) -> AnyArray:
    """Return a read-only vector that nobody else can write to: a copy, unless it is read-only."""
    given = np.asarray(values)
    if given.dtype == dtype:
        array = np.array(given) if given.flags.writeable else given
    else:
        with np.errstate(invalid="ignore"):
            array = np.array(given, dtype=dtype)
    rounded = (
        given.dtype.kind == "f" and array.dtype.kind == "i" and not np.array_equal(array, given)
    )
    if array.ndim != 1 or rounded:
        raise ValueError(
            f"a vector of {np.dtype(dtype).name} expected, "
            f"got {given.dtype.name} of shape {given.shape}"
        )
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def parents_first(parent: Integers) -> Ints:
    """Return an order of the nodes in which every parent comes before its children.

    A cycle is a ValueError.
    """
    n = len(parent)
    if n and (parent.min() < -1 or parent.max() >= n):
        raise ValueError(f"a forest of {n} nodes has parents from 0 to {n - 1}, or -1 for a root")
    # Pointer doubling: after k rounds `above` is 2^k steps up (n: past a root) and `depth` counts
    # those steps, so that a chain of a million nodes takes twenty rounds. Nodes that have not left
    # the forest by then are on a cycle or below one.
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


def subtree_sums(parent: Integers, values: AnyArray) -> Array:
    """Return the sum of values over each node's subtree; nodes are stored parents first."""
    total = np.array(values, dtype=np.float64)
    for g in range(len(parent) - 1, -1, -1):
        if parent[g] >= 0:
            total[parent[g]] += total[g]
    return total
