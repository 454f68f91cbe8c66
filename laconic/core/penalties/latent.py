"""Latent overlapping groups: the support of the weights is a union of groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.groups import Groups
from laconic.core.groups_like import GroupsLike, group_names, spread_groups
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.group import GroupLasso, group_sums
from laconic.core.penalties.grouped import OverGroups
from laconic.core.penalties.partwise import PartPenalty, Partwise
from laconic.core.ragged import pointers


class LatentGroupLasso(OverGroups, Partwise):
    """min strength sum_g d_g |v_g| over v_g on the features of group g with sum_g v_g = w.

    (Jacob, Obozinski and Vert 2009.) The features with weights that are not zero are a union of
    groups, so that it means something to say that a group was chosen. OverlapGroupLasso is the
    opposite: there the features that are zero are a union of groups. The result of a fit has the
    chosen groups and the norms of their v_g (`result_.extra`), `chosen_groups` has them for given
    weights.

    Parameters
    ----------
    groups : Groups, list of lists, dict or array
        Flat groups of features that may overlap, also as lists of features or by name; features in
        no group have the weight zero.
    strength : float, default=1.0
        Weight of the penalty against the summed loss.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import LatentGroupLasso
    >>> penalty = LatentGroupLasso({"a": [0, 1], "b": [1, 2]}, strength=1.0)
    >>> w = penalty.prox(np.array([4.0, 3.0, 0.1]))
    >>> w.round(2).tolist(), list(penalty.chosen_groups(w))
    ([2.87, 2.15, 0.0], ['a'])
    """

    def __init__(self, groups: GroupsLike, strength: float = 1.0):
        self.groups = groups
        self.strength = strength

    def check(self) -> Penalty:
        """See Penalty."""
        if isinstance(self.groups, Groups) and self.groups.parent is not None:
            raise ValueError("flat groups expected, got a forest: use TreeGroupLasso")
        return super().check()

    def restricted(self, parts: Ints, n_weights: int) -> PartPenalty:
        """See Partwise: disjoint groups of copies."""
        return PartPenalty(*self._copies(parts, n_weights))

    def _copies(self, parts: Ints, n_weights: int) -> tuple[Ints, GroupLasso]:
        g = self.over(n_weights)
        sizes = g.sizes[parts]
        ptr = pointers(sizes)
        index = g.index[np.repeat(g.ptr[parts] - ptr[:-1], sizes) + np.arange(ptr[-1])]
        copies = Groups(np.arange(len(index)), ptr, g.weight[parts], len(index))
        return index, GroupLasso(copies, strength=self.strength)

    def _dual_norms(self, gradient: Array) -> Array:
        """Return |gradient_g| of every group."""
        return np.sqrt(group_sums(self.over(len(gradient)), gradient * gradient))

    def violations(self, gradient: Array) -> Array:
        """See Partwise: |gradient_g| - strength d_g."""
        mass = self.strength * self.over(len(gradient)).weight
        return np.maximum(self._dual_norms(gradient) - mass, 0.0)

    def part_sizes(self, parts: Ints, n_weights: int) -> Ints:
        """See Partwise."""
        return self.over(n_weights).sizes[parts]

    def part_norms(self, parts: Ints, v: Array, n_weights: int) -> Array:
        """See Partwise."""
        sizes = self.over(n_weights).sizes[parts]
        return np.sqrt(np.bincount(np.repeat(np.arange(len(parts)), sizes), v * v, len(parts)))

    def gauge(self, gradient: Array) -> float:
        """Return max_g |gradient_g| / (strength d_g): the dual norm, exactly."""
        dual, mass = self._dual_norms(gradient), self.strength * self.over(len(gradient)).weight
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(dual > 0, dual / mass, 0.0).max(initial=0.0))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the prox, exact to 1e-12, on the groups that take part in it."""
        index, v = self._nearest(w, step, np.zeros(0, np.int64), np.zeros(0))[1:]
        return _gathered(index, v, len(w))

    def value(self, w: Array) -> float:
        """Return the cost of the best decomposition; infinite if w has weights in no group."""
        covered = np.zeros(len(w), dtype=bool)
        covered[self.over(len(w)).index] = True
        if np.any(w[~covered] != 0):
            return np.inf
        parts, v = self.decompose(w)
        mass = self.strength * self.over(len(w)).weight[parts]
        return float(mass @ self.part_norms(parts, v, len(w)))

    def decompose(self, w: Array, precision: float = 1e-12) -> tuple[Ints, Array]:
        """Return the groups that make up w at the least cost, and their v_g.

        A v_g has no weight where w has none, since it would cost less without it: groups matter
        only by what they share with the support of w, which is little.
        """
        support = np.flatnonzero(w)
        g = self.over(len(w))
        place = np.full(len(w), -1)
        place[support] = np.arange(len(support))
        inside = place[g.index] >= 0
        sizes = np.diff(np.concatenate([[0], np.cumsum(inside)])[g.ptr])
        touched = np.flatnonzero(sizes)
        narrow = Groups(
            place[g.index[inside]], pointers(sizes[touched]), g.weight[touched], len(support)
        )
        chosen, v = self.replace(groups=narrow)._decomposed(w[support], precision)
        parts = touched[chosen]
        starts = np.repeat(g.ptr[parts], g.sizes[parts])
        within = np.arange(len(starts)) - np.repeat(pointers(g.sizes[parts])[:-1], g.sizes[parts])
        whole = np.zeros(len(starts))
        whole[inside[starts + within]] = v
        return parts, whole

    def _decomposed(self, w: Array, precision: float) -> tuple[Ints, Array]:
        """Return the groups and their v_g, by the method of multipliers.

        u <- u + w - M'v, v the nearest decomposition of w + u
        """
        parts, v, off = np.zeros(0, np.int64), np.zeros(0), np.zeros(len(w))
        largest = self.gauge(w) if self.strength > 0 else 0.0
        if not 0 < largest < np.inf:
            return self._free_parts(w)
        step = 0.05 * largest
        for _ in range(500):
            parts, index, v = self._nearest(w + off, step, parts, v, 0.1 * precision)
            left = w - _gathered(index, v, len(w))
            off += left
            if np.max(np.abs(left), initial=0.0) <= precision * np.max(np.abs(w), initial=0.0):
                break
        return self._alive(parts, v, len(w))

    def _free_parts(self, w: Array) -> tuple[Ints, Array]:
        """Return a decomposition that costs nothing, or that of zero."""
        g = self.over(len(w))
        parts = np.flatnonzero(np.sqrt(group_sums(g, w * w)) > 0)
        index = self.restricted(parts, len(w)).index
        first = np.unique(index, return_index=True)[1]
        v = np.zeros(len(index))
        v[first] = w[index[first]]
        return self._alive(parts, v, len(w))

    def _alive(self, parts: Ints, v: Array, n_weights: int) -> tuple[Ints, Array]:
        """Return the parts whose v_g is not zero."""
        alive = self.part_norms(parts, v, n_weights) > 0
        return parts[alive], v[np.repeat(alive, self.over(n_weights).sizes[parts])]

    def _nearest(
        self, w: Array, step: float, parts: Ints, v: Array, precision: float = 1e-13
    ) -> tuple[Ints, Ints, Array]:
        """Return v = argmin |w - M'v|^2 / 2 + step sum_g mass_g |v_g|: its groups, index and v.

        From a start on some groups. What is left, w - M'v, lies in step times the dual ball at the
        optimum: groups outside of it are added, none is taken out again, until there are none.
        """
        parts, v = self._alive(parts, v, len(w))
        mass = step * self.strength * self.over(len(w)).weight
        scale = float(np.max(np.abs(w), initial=0.0))
        while True:
            index, inner = self._copies(parts, len(w))
            v = _least_squares(w, index, inner, v, step, 0.3 * precision * scale)
            excess = self._dual_norms(_gathered(index, v, len(w)) - w) - mass
            excess[parts] = -np.inf
            missing = np.flatnonzero(excess > precision * scale)
            if len(missing) == 0:
                return parts, index, v
            size = max(32, 2 * len(parts))
            missing = missing[np.argsort(-excess[missing], kind="stable")[:size]]
            added = int(self.over(len(w)).sizes[missing].sum())
            parts, v = np.concatenate([parts, missing]), np.concatenate([v, np.zeros(added)])

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty; a group is kept if the best decomposition of w uses it."""
        return len(self.over(len(w))), len(self.decompose(w)[0])

    def chosen_groups(self, w: Array) -> dict[Any, float]:
        """Return the norm |v_g| of every group that the best decomposition of w uses, by its name.

        Groups without names go by their numbers.

        Parameters
        ----------
        w : array of shape (n_features,)
            Weights.

        Returns
        -------
        dict
            Norms by the names or numbers of the groups, the largest norm first.
        """
        parts, v = self.decompose(w)
        norms = self.part_norms(parts, v, len(w))
        names = group_names(self.groups, len(self.over(len(w))))
        order = np.argsort(-norms, kind="stable")
        return {names[parts[k]]: float(norms[k]) for k in order}

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(groups=spread_groups(self.groups, n_outputs))


def _gathered(index: Ints, v: Array, n_weights: int) -> Array:
    """Return M'v: for each weight, the sum over its copies."""
    return np.bincount(index, weights=v, minlength=n_weights).astype(np.float64, copy=False)


def _least_squares(
    w: Array, index: Ints, inner: GroupLasso, v: Array, step: float, tolerance: float
) -> Array:
    """Return argmin_v |w - M'v|^2 / 2 + step inner(v), by exact steps of one group at a time."""
    if len(v) == 0:
        return v
    groups, zero = inner.over(len(v)), np.zeros(1)
    copies = np.arange(len(v) + 1)
    matrix = _core.Matrix.from_compressed(
        copies, index.astype(np.int32), np.ones(len(v)), len(w), False
    )
    rows = _core.LossRows(_core.LossKind.squared, w, np.ones(len(w)), 1)
    blocks = _core.Blocks(groups.ptr, groups.index, len(v))
    v, mass = v.copy(), step * inner.strength * groups.weight
    largest = float(mass.max(initial=0.0))  # the kernel's tolerance is relative to the masses
    _core.Descent(matrix, rows, blocks, mass).descend(
        np.arange(len(groups)),
        _core.SeparableTerms(lasso=zero, ridge=zero, centre=zero),
        v,
        np.zeros(0),
        _gathered(index, v, len(w)),
        _core.DescentLimits(
            tolerance=tolerance / largest if largest > 0 else tolerance,
            max_rounds=5,
            max_passes=10_000,
        ),
    )
    return v
