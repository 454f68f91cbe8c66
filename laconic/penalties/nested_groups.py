"""Norms of the weights of each context: which contexts matter at all."""

from __future__ import annotations

import numpy as np

from laconic.penalties.base import Array
from laconic.penalties.nested import NestedPenalty, NestedTerms, NestedWeights, rates_of


class NestedGroups(NestedPenalty):
    """sum over contexts c of s_d sqrt(k_c |w_c|^2 + (k_c rounding)^2), and a ridge on the weights of the empty context.

    Contexts after which words come as they do elsewhere are kept out as a whole, and what does matter is shrunk the less the more of it there is.
    The root is rounded off near zero: then the norm is a minimum over ridges, sqrt(a) = min over e of (a / e + e) / 2, and has a good ridge at every point.
    """

    def __init__(self, strength: float = 0.65, growth: float = 1.2, rounding: float = 0.5, ridge: float = 0.15):
        self.strength = strength
        self.growth = growth
        self.rounding = rounding
        self.ridge = ridge

    def check(self) -> NestedPenalty:
        """See NestedPenalty."""
        if not 0 < self.rounding < np.inf or not 0 <= self.ridge < np.inf:
            raise ValueError(f"rounding must be positive and ridge not negative, not {self.rounding!r} and {self.ridge!r}")
        return super().check()

    @property
    def collapses(self) -> bool:
        """Contexts of a path have groups of their own."""
        return False

    def on(self, weights: NestedWeights) -> NestedTerms:
        """See NestedPenalty."""
        return _Groups(rates_of(self.strength, self.growth, weights), weights, self.rounding, self.ridge)


class _Groups(NestedTerms):
    """Steps are those of the ridge that touches the penalty from above at the last point of `renew`."""

    exact = False

    def __init__(self, rates: Array, weights: NestedWeights, rounding: float, ridge: float):
        super().__init__(rates, weights)
        self.starts = weights.ptr[:-1]
        self.sizes = np.diff(weights.ptr).astype(np.float64)
        self.mass = rates[self.starts] * np.sqrt(self.sizes)
        self.rounding = rounding * np.sqrt(self.sizes)
        self.mass[0], self.root = 0.0, slice(0, int(weights.ptr[1]))
        self.root_ridge = ridge
        self.touching = np.empty(len(rates))
        self.renew(np.zeros(len(rates)))

    def renew(self, w: Array) -> None:
        """Touch the penalty at w."""
        self.touching = np.repeat(self.mass / self._lengths(w), self.sizes.astype(np.int64))
        self.touching[self.root] = self.root_ridge

    def _lengths(self, w: Array) -> Array:
        return np.sqrt(np.add.reduceat(w * w, self.starts) + self.rounding**2)

    def value(self, w: Array) -> float:
        return float(self.mass @ (self._lengths(w) - self.rounding)) + 0.5 * self.root_ridge * float(w[self.root] @ w[self.root])

    def prox(self, w: Array, curvature: Array) -> Array:
        return np.maximum(w, 0) / (1 + self.touching / curvature)

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        over = np.maximum(slope, 0)
        lengths = np.sqrt(np.add.reduceat(over * over, self.starts))
        beyond = lengths[1:] > self.mass[1:]
        t = min(1.0, float(np.min(self.mass[1:][beyond] / lengths[1:][beyond], initial=1.0)))
        below = self.rounding[1:] @ (self.mass[1:] - np.sqrt(np.maximum(self.mass[1:] ** 2 - (t * lengths[1:]) ** 2, 0)))
        square = 0.5 * t**2 * float(lengths[0] ** 2) / self.root_ridge if self.root_ridge else 0.0
        return (0.0 if not self.root_ridge and lengths[0] > 0 else t), float(below) + square
