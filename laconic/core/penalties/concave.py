"""Penalties that are concave in |w|: large weights cost no more, or little more, than smaller ones.

They are not convex: a solver reaches a local optimum. Every one lies below its tangents in |w|,

    rho(|w|)  <=  rho(|v|) + rho'(|v|) (|w| - |v|)      for all v,

and a tangent is a lasso with its own factor per weight, which is convex.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import Blockwise, Penalty, factor_vector, spread_factors
from laconic.core.penalties.separable import L1


class Concave(Penalty):
    """A penalty with convex tangents: Omega(w) <= Omega(v) + T_v(w) - T_v(v), T_v = tangent(v)."""

    convex = False

    @abstractmethod
    def tangent(self, w: Array) -> Blockwise:
        """Return the convex penalty whose differences bound those of this one around w."""


class ConcaveLasso(Concave):
    """sum_i rho(|w_i|; strength f_i), rho concave, over w >= 0 if positive."""

    strength: float
    factors: ArrayLike | None
    positive: bool

    @abstractmethod
    def cost(self, size: Array, rate: Array) -> Array:
        """Return rho of every size |w_i|, for rates strength f_i."""

    @abstractmethod
    def slope(self, size: Array, rate: Array) -> Array:
        """Return rho' of every size |w_i|."""

    @abstractmethod
    def minima(self, size: Array, rate: Array, step: float) -> Sequence[Array]:
        """Return points v >= 0 of which one minimises (v - size)^2 / 2 + step rho(v), unless 0."""

    def rates(self, n_weights: int) -> Array:
        """Return strength f_i, of size 1 or n_weights."""
        return self.strength * factor_vector(self.factors, n_weights)

    def value(self, w: Array) -> float:
        """See Penalty."""
        if self.positive and np.any(w < 0):
            return np.inf
        return float(np.sum(self.cost(np.abs(w), self.rates(len(w)))))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the best of the points where the derivative vanishes, and 0."""
        rate = self.rates(len(w))
        size = np.maximum(w, 0.0) if self.positive else np.abs(w)
        best, lowest = np.zeros(len(w)), 0.5 * size * size
        for v in self.minima(size, rate, step):
            reached = 0.5 * (v - size) ** 2 + step * self.cost(v, rate)
            best = np.where(reached < lowest, v, best)
            lowest = np.minimum(lowest, reached)
        return np.copysign(best, w) if not self.positive else best

    def tangent(self, w: Array) -> Blockwise:
        """Return the lasso with factors rho'(|w_i|)."""
        slope = self.slope(np.abs(w), np.broadcast_to(self.rates(len(w)), w.shape))
        return L1(1.0, factors=slope, positive=self.positive)

    def conjugate(self, c: Array) -> float:
        """Return 0 at 0, infinity elsewhere: large weights cost too little to bound <c, w>."""
        return 0.0 if not np.any(c) else np.inf

    def gauge(self, gradient: Array) -> float:
        """Return the least t with |gradient_i| <= t rho'(0): there w = 0 is a local optimum."""
        size = np.maximum(-gradient, 0) if self.positive else np.abs(gradient)
        rate = np.broadcast_to(self.rates(len(gradient)), size.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(size > 0, size / self.slope(np.zeros_like(size), rate), 0.0)
        return float(ratio.max(initial=0.0))

    def strength_max(self, gradient: Array) -> float:
        """Return the strength from which on w = 0 is a local optimum."""
        return float(self.check().replace(strength=1.0).gauge(gradient))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(factors=spread_factors(self.factors, n_outputs))
