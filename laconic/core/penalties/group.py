"""Disjoint groups: group lasso and sparse group lasso, inner norm 2 or infinity."""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.groups_like import GroupsLike, spread_groups
from laconic.core.penalties.base import Blockwise, Penalty, Terms
from laconic.core.penalties.grouped import Grouped, NormName, norm_code


class SparseGroupLasso(Grouped[_core.Blocks], Blockwise):
    """strength (l1_ratio sum_i f_i |w_i| + (1 - l1_ratio) sum_g d_g |w_g|) over disjoint groups.

    d_g are the weights of the groups. Whole groups become zero, and single weights within those
    that stay.

    Parameters
    ----------
    groups : Groups, list of lists, dict or array
        Disjoint groups of features, as `Groups`, as lists of features, also by name, or as one
        label per feature; features in no group have the lasso alone.
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    l1_ratio : float, default=0.5
        Share of the lasso, from 0 (group lasso alone) to 1 (lasso alone).
    norm : 2 or "inf", default=2
        Norm of the weights of a group.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's lasso; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Groups, SparseGroupLasso
    >>> groups = Groups.from_lists([[0, 1], [2, 3]], n_features=4, weight=[1.0, 1.0])
    >>> penalty = SparseGroupLasso(groups, strength=2.0, l1_ratio=0.5)
    >>> penalty.prox(np.array([3.0, 0.5, 1.5, 1.5])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """

    def _make_kernel(self, groups: Groups) -> _core.Blocks:
        return groups.blocks

    def check(self) -> Penalty:
        """See Penalty."""
        if isinstance(self.groups, Groups) and self.groups.parent is not None:
            raise ValueError("disjoint groups expected, got a forest: use TreeGroupLasso")
        return super().check()

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the soft threshold of the entries, then the shrinkage of the groups.

        This is exact, since the entries are leaves of the groups.
        """
        lasso, mass = self._rates(len(w))
        out = np.empty(len(w))
        source = np.ascontiguousarray(w, dtype=np.float64)
        self.kernel(len(w)).prox(
            source, step * lasso, step * mass, norm_code(self.norm), self.positive, out
        )
        return out

    def gauge(self, gradient: Array) -> float:
        """See Penalty.

        For l1_ratio = 0 it is the largest dual norm of a group over its mass, otherwise it is
        found by bisection.
        """
        if self._ratio() > 0:
            return self._gauge_by_prox(gradient)
        size = np.maximum(-gradient, 0) if self.positive else np.abs(gradient)
        groups = self.over(len(size))
        if np.any(size[groups.alone] > 0):
            return np.inf
        if norm_code(self.norm) == _core.Norm.two:
            dual = np.empty(len(groups))
            groups.blocks.norms(size, _core.Norm.two, dual)
        else:
            dual = group_sums(groups, size)
        mass = self._rates(len(size))[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(dual > 0, dual / mass, 0.0).max(initial=0.0))

    def terms(self, n_weights: int) -> Terms:
        """See Blockwise; the infinity norm has no block form."""
        if norm_code(self.norm) != _core.Norm.two:
            raise ValueError(
                "coordinate descent needs the 2-norm inside groups: use Fista for the infinity norm"
            )
        groups, (lasso, mass) = self.over(n_weights), self._rates(n_weights)
        ptr, index, blocks = groups.covering
        mass = np.concatenate([mass, np.zeros(len(groups.alone))])
        return Terms(lasso, np.zeros(1), self.positive, ptr, index, mass, blocks)


class GroupLasso(SparseGroupLasso):
    """strength sum_g d_g |w_g| over disjoint groups, d_g their weights: whole groups become zero.

    Parameters
    ----------
    groups : Groups, list of lists, dict or array
        Disjoint groups of features, as `Groups`, as lists of features, also by name, or as one
        label per feature; features in no group are not penalised.
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    norm : 2 or "inf", default=2
        Norm of the weights of a group.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import GroupLasso, Groups
    >>> groups = Groups.from_lists([[0, 1], [2, 3]], n_features=4, weight=[1.0, 1.0])
    >>> GroupLasso(groups, strength=2.5).prox(np.array([3.0, 4.0, 1.0, 1.0])).tolist()
    [1.5, 2.0, 0.0, 0.0]
    >>> GroupLasso([[0, 1], [2, 3]]).prox(np.array([3.0, 4.0, 1.0, 0.0])).round(2).tolist()
    [2.15, 2.87, 0.0, 0.0]
    """

    def __init__(
        self, groups: GroupsLike, strength: float = 1.0, norm: NormName = 2, positive: bool = False
    ):
        self.groups = groups
        self.strength = strength
        self.norm = norm
        self.positive = positive

    factors = None

    def _ratio(self) -> float:
        return 0.0

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(groups=spread_groups(self.groups, n_outputs))


def group_sums(groups: Groups, values: Array) -> Array:
    """Return sum_{i in g} values_i of every group."""
    sums = np.zeros(len(groups))
    filled = groups.ptr[1:] > groups.ptr[:-1]  # reduceat takes an empty group for one of one
    sums[filled] = np.add.reduceat(values[groups.index], groups.ptr[:-1][filled])
    return sums
