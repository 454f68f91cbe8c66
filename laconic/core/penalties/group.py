"""Disjoint groups: group lasso and sparse group lasso, inner norm 2 or infinity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties.base import Blockwise, Penalty, Terms
from laconic.core.penalties.grouped import Grouped, norm_code


class SparseGroupLasso(Grouped, Blockwise):
    """strength (l1_ratio sum_i f_i |w_i| + (1 - l1_ratio) sum_g d_g |w_g|), d_g the groups' weights, over w >= 0 if positive."""

    def _make_kernel(self) -> Any:
        return _core.Blocks(self.groups.ptr, self.groups.index, self.groups.n_features)

    def check(self) -> Penalty:
        """See Penalty.check."""
        if self.groups.parent is not None:
            raise ValueError("disjoint groups expected, got a forest: use TreeGroupLasso")
        return super().check()

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Soft threshold of the entries, then shrinkage of the groups: exact, since the entries are leaves of the groups."""
        lasso, mass = self._rates()
        out = np.empty(len(w))
        source = np.ascontiguousarray(w, dtype=np.float64)
        self.kernel().prox(
            source, step * lasso, step * mass, norm_code(self.norm), self.positive, out
        )
        return out

    def gauge(self, gradient: Array) -> float:
        """For l1_ratio = 0 the largest dual norm of a group over its mass; otherwise by bisection."""
        if self._ratio() > 0:
            return self._gauge_by_prox(gradient)
        size = np.maximum(-gradient, 0) if self.positive else np.abs(gradient)
        covered = np.zeros(len(size), dtype=bool)
        covered[self.groups.index] = True
        if np.any(size[~covered] > 0):
            return np.inf
        if norm_code(self.norm) == _core.Norm.two:
            dual = np.sqrt(group_sums(self.groups, size * size))
        else:
            dual = group_sums(self.groups, size)
        mass = self._rates()[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(dual > 0, dual / mass, 0.0).max(initial=0.0))

    def terms(self, n_weights: int) -> Terms:
        """See Blockwise; the infinity norm has no block form."""
        if norm_code(self.norm) != _core.Norm.two:
            raise ValueError(
                "coordinate descent needs the 2-norm inside groups: use Fista for the infinity norm"
            )
        lasso, mass = self._rates()
        covered = np.zeros(n_weights, dtype=bool)
        covered[self.groups.index] = True
        alone = np.flatnonzero(~covered)
        ptr = np.concatenate([self.groups.ptr, self.groups.ptr[-1] + 1 + np.arange(len(alone))])
        index = np.concatenate([self.groups.index, alone])
        return Terms(
            lasso,
            np.zeros(1),
            self.positive,
            ptr,
            index,
            np.concatenate([mass, np.zeros(len(alone))]),
        )


class GroupLasso(SparseGroupLasso):
    """strength sum_g d_g |w_g| over disjoint groups, d_g their weights; w >= 0 if positive."""

    def __init__(
        self, groups: Groups, strength: float = 1.0, norm: Any = 2, positive: bool = False
    ):
        self.groups = groups
        self.strength = strength
        self.norm = norm
        self.positive = positive

    factors = None

    def _ratio(self) -> float:
        return 0.0

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(groups=self.groups.spread(n_outputs))


def group_sums(groups: Groups, values: Array) -> NDArray[np.float64]:
    """sum_{i in g} values_i of every group."""
    running = np.concatenate([[0.0], np.cumsum(values[groups.index])])
    return np.maximum(running[groups.ptr[1:]] - running[groups.ptr[:-1]], 0.0)
