"""Tree-structured groups: exact prox in one sweep up and one down, any forest, inner norm 2 or infinity."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties.base import Penalty, factor_vector
from laconic.core.penalties.grouped import Grouped, norm_code

LARGE = 32_768  # nodes from which the kernel sweeps subtrees on several threads; the result is the same to the last digit


class TreeGroupLasso(Grouped):
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
        super().__init__(groups, strength, l1_ratio, norm, factors, positive)

    def _make_kernel(self) -> Any:
        g = self.groups
        assert g.parent is not None  # see `check`
        return _core.Forest(g.parent, g.ptr, g.index, g.weight, g.n_features)

    def check(self) -> Penalty:
        """See Penalty.check."""
        if self.groups.parent is None:
            raise ValueError(
                "a forest expected, got groups without parents: use GroupLasso or OverlapGroupLasso"
            )
        return super().check()

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """The proxes of single entries, then of the groups from the leaves to the roots: their composition is exact."""
        lasso = (
            step
            * self.strength
            * self.l1_ratio
            * factor_vector(self.factors, self.groups.n_features)
        )
        scale = step * self.strength * (1 - self.l1_ratio)
        out = np.empty(len(w))
        threads = joblib.cpu_count() if len(self.groups) >= LARGE else 1
        values = np.ascontiguousarray(w, dtype=np.float64)
        self.kernel().prox(values, lasso, scale, norm_code(self.norm), self.positive, out, threads)
        return out
