"""Disjoint groups: group lasso and sparse group lasso, inner norm 2 or infinity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.groups import Groups
from laconic.penalties.base import Array, Blockwise, Penalty, Terms, factor_vector, spread_factors

NORMS = {2: 2, "2": 2, "inf": 0, np.inf: 0}


def norm_code(norm: Any) -> int:
    """2 for the 2-norm, 0 for infinity: the kernels' code."""
    if norm not in NORMS:
        raise ValueError(f"norm must be 2 or 'inf', got {norm!r}")
    return NORMS[norm]


class SparseGroupLasso(Blockwise):
    """strength (l1_ratio sum_i f_i |w_i| + (1 - l1_ratio) sum_g d_g |w_g|), d_g the groups' weights, over w >= 0 if positive."""

    def __init__(
        self,
        groups: Groups,
        strength: float = 1.0,
        l1_ratio: float = 0.5,
        norm: Any = 2,
        factors: Any = None,
        positive: bool = False,
    ):
        self.groups = groups
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.norm = norm
        self.factors = factors
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty.check."""
        norm_code(self.norm)
        if self.groups.parent is not None:
            raise ValueError("disjoint groups expected, got a forest: use TreeGroupLasso")
        if not 0 <= self._ratio() <= 1:
            raise ValueError(f"l1_ratio must be from 0 to 1, got {self._ratio()!r}")
        return super().check()

    def _ratio(self) -> float:
        return self.l1_ratio

    def _rates(self) -> tuple[Array, Array]:
        lasso = self.strength * self._ratio() * factor_vector(self.factors, self.groups.n_features)
        return lasso, self.strength * (1 - self._ratio()) * self.groups.weight

    def _blocks(self) -> Any:
        cached = self.__dict__.get("_cached_blocks")
        if cached is None or cached[0] is not self.groups:
            groups = self.groups
            cached = (groups, _core.Blocks(groups.ptr, groups.index, groups.n_features))
            self.__dict__["_cached_blocks"] = cached
        return cached[1]

    def __getstate__(self) -> dict:
        return {name: value for name, value in super().__getstate__().items() if name != "_cached_blocks"}

    def norms(self, w: Array) -> Array:
        """|w_g| of every group."""
        out = np.empty(len(self.groups))
        self._blocks().norms(np.ascontiguousarray(w, dtype=np.float64), norm_code(self.norm), out)
        return out

    def value(self, w: Array) -> float:
        """See the class."""
        check_size(self.groups, w)
        if self.positive and np.any(w < 0):
            return np.inf
        lasso, mass = self._rates()
        return float(np.sum(lasso * np.abs(w)) + np.sum(mass * self.norms(w)))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Soft threshold of the entries, then shrinkage of the groups: exact, since the entries are leaves of the groups."""
        lasso, mass = self._rates()
        out = np.empty(len(w))
        source = np.ascontiguousarray(w, dtype=np.float64)
        self._blocks().prox(source, step * lasso, step * mass, norm_code(self.norm), self.positive, out)
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
        if norm_code(self.norm) == 2:
            dual = np.sqrt(group_sums(self.groups, size * size))
        else:
            dual = group_sums(self.groups, size)
        mass = self._rates()[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(dual > 0, dual / mass, 0.0).max(initial=0.0))

    def terms(self, n_weights: int) -> Terms:
        """See Blockwise; the infinity norm has no block form."""
        if norm_code(self.norm) != 2:
            raise ValueError("coordinate descent needs the 2-norm inside groups: use Fista for the infinity norm")
        lasso, mass = self._rates()
        covered = np.zeros(n_weights, dtype=bool)
        covered[self.groups.index] = True
        alone = np.flatnonzero(~covered)
        ptr = np.concatenate([self.groups.ptr, self.groups.ptr[-1] + 1 + np.arange(len(alone))])
        index = np.concatenate([self.groups.index, alone])
        return Terms(lasso, np.zeros(1), self.positive, ptr, index, np.concatenate([mass, np.zeros(len(alone))]))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(groups=self.groups.spread(n_outputs), factors=spread_factors(self.factors, n_outputs))


class GroupLasso(SparseGroupLasso):
    """strength sum_g d_g |w_g| over disjoint groups, d_g their weights; w >= 0 if positive."""

    def __init__(self, groups: Groups, strength: float = 1.0, norm: Any = 2, positive: bool = False):
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


def check_size(groups: Groups, w: Array) -> None:
    """Groups must be over all weights; Groups.spread makes them so where a feature has several."""
    if len(w) != groups.n_features:
        raise ValueError(f"the groups are over {groups.n_features} features, but there are {len(w)} weights")


def group_sums(groups: Groups, values: Array) -> NDArray[np.float64]:
    """sum_{i in g} values_i of every group."""
    running = np.concatenate([[0.0], np.cumsum(values[groups.index])])
    return np.maximum(running[groups.ptr[1:]] - running[groups.ptr[:-1]], 0.0)
