"""The scales eta of overlapping groups, for iterative reweighting (see reweighted.py)."""

from __future__ import annotations

from copy import copy

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties import CopyTerm, GroupLasso


class Scales:
    """eta of one overlapping term, and the ridge weights that follow from it."""

    def __init__(self, term: CopyTerm, n_weights: int, first: float):
        self.index, self.inner = term
        self.n_weights = n_weights
        groups = self.inner.over(len(self.index))
        self.mass = self.inner.strength * groups.weight
        self.eta = np.full(len(groups), first)
        self.sizes = groups.sizes
        flat = isinstance(self.inner, GroupLasso)
        self.copies = _core.Copies(groups.ptr, self.index, n_weights) if flat else None

    def norms(self, weights: Array) -> Array:
        """Return |w_g| of every group (in a forest: of every node's whole group)."""
        if self.copies is None:
            return self.inner.norms(weights[self.index])
        out = np.empty(len(self.mass))
        self.copies.norms(weights, out)
        return out

    def reweigh(self, weights: Array, relax: float, floor: float) -> tuple[Array, float]:
        """Move eta by the ratio of the norms to it, to the power `relax`.

        Return the ridge weight of every weight, and the largest ratio.
        """
        if self.copies is not None:
            ridge = np.empty(self.n_weights)
            return ridge, self.copies.reweigh(weights, self.mass, relax, floor, self.eta, ridge)
        ratio = self.norms(weights) / self.eta
        self.eta = np.maximum(floor, self.eta * np.clip(ratio**relax, 0.1, 3.0))
        return self.ridge(), float(ratio.max(initial=0.0))

    def with_eta(self, eta: Array) -> Scales:
        """Return the same groups with another eta."""
        other = copy(self)
        other.eta = eta
        return other

    def ridge(self) -> Array:
        """Return the sum of mass_g / eta_g over the groups of each weight."""
        copies = self.on_copies(self.mass / self.eta)
        return np.bincount(self.index, weights=copies, minlength=self.n_weights).astype(
            np.float64, copy=False
        )

    def on_copies(self, values: Array) -> Array:
        """Return the sum of `values` over the groups of each copy: one, or all nodes above it."""
        if isinstance(self.inner, GroupLasso):
            return np.repeat(values, self.sizes)
        sums = np.empty(len(self.index))
        self.inner.kernel(len(self.index)).path_sums(values, sums)
        return sums
