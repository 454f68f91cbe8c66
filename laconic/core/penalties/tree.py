"""Tree-structured groups: exact prox in one sweep up and one down, inner norm 2 or infinity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.groups_like import GroupsLike
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.grouped import Grouped, NormName, norm_code
from laconic.core.threads import thread_count

# Number of nodes from which the kernel sweeps subtrees on several threads; no digit of the result
# changes.
LARGE = 32_768


class TreeGroupLasso(Grouped[_core.Forest]):
    """strength (l1_ratio sum_i f_i |w_i| + (1 - l1_ratio) sum_g d_g |w_g|), g nodes of a forest.

    A weight can differ from zero only if the groups of all nodes above it do.

    Parameters
    ----------
    groups : Groups, list of lists, dict or array
        Forest of groups, see `Groups.forest`; or nested lists of features, also by name: of two
        that share a feature one holds the other.
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    l1_ratio : float, default=0.0
        Share of the lasso, from 0 (groups alone) to 1 (lasso alone).
    norm : 2 or "inf", default=2
        Norm of the weights of a group.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's lasso; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Groups, TreeGroupLasso
    >>> groups = Groups.forest([-1, 0], [[0], [1, 2]], n_features=3, weight=[1.0, 2.0])
    >>> TreeGroupLasso(groups, strength=1.0).prox(np.array([3.0, 1.0, 1.0])).tolist()
    [2.0, 0.0, 0.0]
    >>> TreeGroupLasso([[0, 1, 2], [1, 2]]).prox(np.array([3.0, 1.0, 1.0])).round(2).tolist()
    [1.27, 0.0, 0.0]
    """

    def __init__(
        self,
        groups: GroupsLike,
        strength: float = 1.0,
        l1_ratio: float = 0.0,
        norm: NormName = 2,
        factors: ArrayLike | None = None,
        positive: bool = False,
    ):
        super().__init__(groups, strength, l1_ratio, norm, factors, positive)

    nested = True

    def _make_kernel(self, groups: Groups) -> _core.Forest:
        g = groups
        assert g.parent is not None  # see `check`
        return _core.Forest(g.parent, g.ptr, g.index, g.weight, g.n_features)

    def check(self) -> Penalty:
        """See Penalty."""
        if isinstance(self.groups, Groups) and self.groups.parent is None:
            raise ValueError(
                "a forest expected, got groups without parents: use GroupLasso or OverlapGroupLasso"
            )
        return super().check()

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the proxes of entries, then of groups from leaves to roots: this is exact."""
        lasso = step * self._rates(len(w))[0]
        scale = step * self.strength * (1 - self.l1_ratio)
        out = np.empty(len(w))
        threads = thread_count(-1) if len(self.over(len(w))) >= LARGE else 1
        values = np.ascontiguousarray(w, dtype=np.float64)
        kernel = self.kernel(len(w))
        kernel.prox(values, lasso, scale, norm_code(self.norm), self.positive, out, threads)
        return out
