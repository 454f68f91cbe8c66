"""A tree over the outputs of a model: every feature pays for the branches of labels it serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.groups import Groups
from laconic.core.groups_like import as_forest
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.grouped import NormName, norm_code
from laconic.core.penalties.partwise import PartPenalty, Partwise
from laconic.core.penalties.tree import TreeGroupLasso


class LabelTree(TreeGroupLasso, Partwise):
    """strength sum_j sum_u d_u |w_{j, outputs(u)}|: a tree over outputs, for every feature j.

    A feature is dropped for all labels, for all labels of a branch (a super-class), or for one
    label. Every list of the tree is a node over all outputs in it, and every output a leaf; d_u is
    the square root of the number of outputs. The outputs of a classifier are its classes in order
    (`classes_`).

    Parameters
    ----------
    tree : nested lists of int, or Groups
        The tree, such as [[0, 1], [2, [3, 4]]]; or a forest over the outputs, whose weights d_u may
        be any (see `Groups.forest`, which takes parents).
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    norm : 2 or "inf", default=2
        Norm of the weights of a node.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import LabelTree
    >>> w = np.array([[3.0, 3.0, 0.1], [0.1, 0.2, 0.1]])  # two features, three labels
    >>> LabelTree([[0, 1], 2], strength=0.2).prox(w.ravel()).round(2).reshape(2, 3).tolist()
    [[2.36, 2.36, 0.0], [0.0, 0.0, 0.0]]
    """

    alike = False
    l1_ratio = 0.0
    factors = None

    def __init__(
        self,
        tree: Sequence[Any] | Groups,
        strength: float = 1.0,
        norm: NormName = 2,
        positive: bool = False,
    ):
        self.tree = tree
        self.strength = strength
        self.norm = norm
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        self.outputs()
        return super(TreeGroupLasso, self).check()

    def outputs(self) -> Groups:
        """Return the forest over the outputs."""
        if isinstance(self.tree, Groups):
            return self.tree if self.tree.parent is not None else as_forest(self.tree)
        nodes: list[list[int]] = []
        leaves = _leaves(self.tree, nodes)
        if not leaves or sorted(leaves) != list(range(len(leaves))):
            raise ValueError(
                "a tree of labels holds every output from 0 on once, such as [[0, 1], [2, 3]], "
                f"got {self.tree!r}"
            )
        flat = Groups.from_lists([*nodes, *([k] for k in sorted(leaves))], len(leaves))
        return as_forest(flat)

    def over(self, n_weights: int) -> Groups:
        """Return one copy of the tree per feature, over weights (n_features, n_outputs)."""
        cached: tuple[object, Groups] | None = self.__dict__.get("_over")
        if cached is None or cached[0] is not self.tree or cached[1].n_features != n_weights:
            cached = (self.tree, _per_feature(self.outputs(), n_weights))
            self.__dict__["_over"] = cached
        return cached[1]

    def _rates(self, n_weights: int) -> tuple[Array, Array]:
        return np.zeros(1), self.strength * self.over(n_weights).weight

    @property
    def plain(self) -> bool:
        """Whether one small tree serves all features: Euclidean norms, weights of any sign."""
        return norm_code(self.norm) == _core.Norm.two and not self.positive

    def output_tree(self) -> _core.OutputTree:
        """Return the kernel of the tree over the outputs, made once."""
        cached: tuple[object, _core.OutputTree] | None = self.__dict__.get("_outputs")
        if cached is None or cached[0] is not self.tree:
            g = self.outputs()
            assert g.parent is not None  # see `outputs`
            kernel = _core.OutputTree(g.parent, g.ptr, g.index, g.weight, g.n_features)
            cached = (self.tree, kernel)
            self.__dict__["_outputs"] = cached
        return cached[1]

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the prox of every feature, by one sweep up and one down the tree."""
        if not self.plain:
            return super().prox(w, step)
        self._count_features(w)
        out = np.empty(len(w))
        table = np.ascontiguousarray(w, dtype=np.float64)
        self.output_tree().prox(table, step * self.strength, out)
        return out

    def value(self, w: Array) -> float:
        """See Penalty."""
        if not self.plain:
            return super().value(w)
        self._count_features(w)
        table = np.ascontiguousarray(w, dtype=np.float64)
        return self.strength * self.output_tree().value(table)

    def _count_features(self, w: Array) -> None:
        n_outputs = self.outputs().n_features
        if len(w) % n_outputs:
            raise ValueError(_uneven(n_outputs, len(w)))

    def __getstate__(self) -> dict[str, object]:
        return {name: v for name, v in super().__getstate__().items() if name != "_outputs"}

    def _by_feature(self, w: Array) -> Array:
        return w.reshape(-1, self.outputs().n_features)

    def violations(self, gradient: Array) -> Array:
        """See Partwise; parts are features."""
        left = self._by_feature(self.prox(-gradient, 1.0))
        return np.asarray(np.linalg.norm(left, axis=1))

    def restricted(self, parts: Ints, n_weights: int) -> PartPenalty:
        """See Partwise: the same trees over fewer features."""
        n_outputs = self.outputs().n_features
        index = (parts[:, None] * n_outputs + np.arange(n_outputs)).ravel()
        return PartPenalty(index, self.replace())

    def part_sizes(self, parts: Ints, n_weights: int) -> Ints:
        """See Partwise."""
        return np.full(len(parts), self.outputs().n_features)

    def part_norms(self, parts: Ints, v: Array, n_weights: int) -> Array:
        """See Partwise."""
        return np.asarray(np.linalg.norm(self._by_feature(v), axis=1))

    def decompose(self, w: Array, precision: float = 1e-12) -> tuple[Ints, Array]:
        """See Partwise: features are disjoint."""
        table = self._by_feature(w)
        parts = np.flatnonzero(np.any(table != 0, axis=1))
        return parts, table[parts].ravel()

    def gauge(self, gradient: Array) -> float:
        """Return the largest over features, by bisection on those that can still be it."""
        if self.plain:
            flat = np.ascontiguousarray(gradient, dtype=np.float64)
            largest = self.output_tree().gauge(flat)
            if self.strength == 0:
                return 0.0 if largest == 0 else np.inf
            return largest / self.strength
        table = self._by_feature(gradient)
        rows = table[np.any(table != 0, axis=1)]
        if len(rows) == 0 or self.strength == 0:
            return 0.0 if len(rows) == 0 else np.inf
        high = 1.0
        while len(left := rows[self._stays(rows, high)]):
            high, rows = 2 * high, left
            if high > 1e30:
                return np.inf
        low = 0.5 * high if high > 1 else 0.0
        while high - low > 1e-12 * high and high > 1e-300:
            middle = 0.5 * (low + high)
            left = rows[self._stays(rows, middle)]
            if len(left):
                low, rows = middle, left
            else:
                high = middle
        return high

    def _stays(self, rows: Array, step: float) -> Array:
        """Return which rows of gradients are not zero after the prox at a step."""
        moved = self.replace().prox(-np.ascontiguousarray(rows).ravel(), step)
        return np.asarray(np.any(moved.reshape(rows.shape) != 0, axis=1))

    def spread(self, n_outputs: int) -> Penalty:
        """Return the same penalty, which is over all outputs already; their number must fit."""
        n_leaves = self.outputs().n_features
        if n_outputs != n_leaves:
            way_out = ": with two classes use loss=Multinomial()" if n_outputs == 1 else ""
            raise ValueError(
                f"the tree has {n_leaves} labels, but the model has {n_outputs} output"
                f"{'s' * (n_outputs != 1)}{way_out}"
            )
        return self.replace()


def _leaves(node: object, nodes: list[list[int]]) -> list[int]:
    """Return the outputs below a node, and add all lists with more than one to `nodes`."""
    if isinstance(node, int | np.integer) and not isinstance(node, bool):
        return [int(node)]
    if isinstance(node, str) or not isinstance(node, Sequence | np.ndarray):
        raise ValueError(f"a tree of labels is made of lists and numbers of outputs, got {node!r}")
    found = [leaf for child in node for leaf in _leaves(child, nodes)]
    if len(found) > 1:
        nodes.append(found)
    return found


def _per_feature(outputs: Groups, n_weights: int) -> Groups:
    """Return a copy of a forest over K outputs for every row of (n_weights / K, K) weights."""
    n_outputs, n_nodes = outputs.n_features, len(outputs)
    if n_weights % n_outputs:
        raise ValueError(_uneven(n_outputs, n_weights))
    features = np.arange(n_weights // n_outputs)
    parent = outputs.parent
    assert parent is not None  # see `LabelTree.outputs`
    above = np.where(parent >= 0, parent + n_nodes * features[:, None], -1)
    index = outputs.index + n_outputs * features[:, None]
    starts = outputs.ptr[:-1] + len(outputs.index) * features[:, None]
    ptr = np.append(starts.ravel(), index.size)
    weight = np.tile(outputs.weight, len(features))
    return Groups(index.ravel(), ptr, weight, n_weights, above.ravel())


def _uneven(n_outputs: int, n_weights: int) -> str:
    return (
        f"a tree over {n_outputs} labels is over (n_features, {n_outputs}) weights, got "
        f"{n_weights} weights"
    )
