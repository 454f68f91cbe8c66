"""Tree-structured groups: exact prox in one sweep up and one down, any forest, inner norm 2 or infinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic import _core
from laconic.groups import Groups
from laconic.penalties.base import Array, Penalty, factor_vector, spread_factors
from laconic.penalties.group import check_size, norm_code


class TreeGroupLasso(Penalty):
    """strength (l1_ratio sum_i f_i |w_i| + (1 - l1_ratio) sum_g d_g |w_g|), g the nodes of a forest, over w >= 0 if positive.

    A weight can differ from zero only if the groups of all nodes above it do.
    """

    def __init__(
        self,
        groups: Groups,
        strength: float = 1.0,
        l1_ratio: float = 0.0,
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
        if self.groups.parent is None:
            raise ValueError("a forest expected, got groups without parents: use GroupLasso or OverlapGroupLasso")
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio must be from 0 to 1, got {self.l1_ratio!r}")
        return super().check()

    def _rates(self) -> tuple[Array, Array]:
        lasso = self.strength * self.l1_ratio * factor_vector(self.factors, self.groups.n_features)
        return lasso, self.strength * (1 - self.l1_ratio) * self.groups.weight

    def _forest(self) -> Any:
        cached = self.__dict__.get("_cached_forest")
        if cached is None or cached[0] is not self.groups:
            g = self.groups
            cached = (g, _core.Forest(g.parent, g.ptr, g.index, g.weight, g.n_features))
            self.__dict__["_cached_forest"] = cached
        return cached[1]

    def __getstate__(self) -> dict:
        return {name: value for name, value in super().__getstate__().items() if name != "_cached_forest"}

    def norms(self, w: Array) -> Array:
        """|w_g| of every node's whole group."""
        out = np.empty(len(self.groups))
        self._forest().norms(np.ascontiguousarray(w, dtype=np.float64), norm_code(self.norm), out)
        return out

    def value(self, w: Array) -> float:
        """See the class."""
        check_size(self.groups, w)
        if self.positive and np.any(w < 0):
            return np.inf
        lasso, mass = self._rates()
        return float(np.sum(lasso * np.abs(w)) + np.sum(mass * self.norms(w)))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """The proxes of single entries, then of the groups from the leaves to the roots: their composition is exact."""
        lasso = step * self.strength * self.l1_ratio * factor_vector(self.factors, self.groups.n_features)
        scale = step * self.strength * (1 - self.l1_ratio)
        out = np.empty(len(w))
        self._forest().prox(np.ascontiguousarray(w, dtype=np.float64), lasso, scale, norm_code(self.norm), self.positive, out)
        return out

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(groups=self.groups.spread(n_outputs), factors=spread_factors(self.factors, n_outputs))
