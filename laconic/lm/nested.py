"""Penalties of non-negative weights on nested contexts: every predicted word has a tree of weights, the longer a context the deeper.

With s_d = strength growth^d the strength at depth d (the empty context has depth 0), over w >= 0:

    NestedRidge   sum_i s_d(i) w_i^2 / 2
    NestedLasso   sum_i s_d(i) w_i
    NestedTree    sum_i s_d(i) |w_g(i)|,   g(i) the weight i and all below it, | | the 2-norm or the infinity norm;
                  and beside it, if wanted, a ridge of its own strength and growth
    NestedGroups  sum_g s_d(g) sqrt(k_g) |w_g|,   w_g the k_g weights of a context, or of all n-grams that extend one by a word

growth above 1 asks more of longer contexts. How much more depends on the text: in one that repeats its phrases, long contexts tell more. With growth None, where it may be,
the text says so itself, by its numbers n_k of n-grams of d + 1 words that occur k times, from which Kneser and Ney take their discount n_1 / (n_1 + 2 n_2):

    NestedRidge, NestedLasso   s_d = strength n_1 / (2 n_2), the odds of that discount; s_0 = strength
    NestedGroups               s_d = strength times the discount

In the terms of Nelakanti et al. (2013), who multiply features at depth d by alpha^d instead, a ridge has
growth 1 / alpha^2 and a lasso 1 / alpha.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic.core.arrays import Array


class NestedWeights(NamedTuple):
    """The trees: parent (-1 for roots), depth and count (of occurrences) of each weight; length: how many equal weights each stands for.

    A weight of length n stands for the depths from depth - n + 1 to depth. The weights of a context are ptr[c]:ptr[c+1].
    """

    parent: NDArray[np.int64]
    depth: NDArray[np.int32]
    length: NDArray[np.int32]
    count: NDArray[np.int32]  # type: ignore[assignment]  # shadows tuple.count, which nobody calls
    ptr: NDArray[np.int64]

    def roots(self) -> NDArray[np.int64]:
        """The root of each weight's tree. Roots come first, so a few rounds reach them from everywhere."""
        root = np.where(self.parent < 0, np.arange(len(self.parent)), self.parent)
        while np.any(root[root] != root):
            root = root[root]
        return root

    def trees(self, which: NDArray[np.intp]) -> NestedWeights:
        """Those of whole trees alone, by increasing number. They have no contexts in common that could be told apart: ptr is empty."""
        place = np.full(len(self.parent) + 1, -1)  # the last entry is for -1, the parent of roots
        place[which] = np.arange(len(which))
        parent = place[self.parent[which]]
        return NestedWeights(
            parent, self.depth[which], self.length[which], self.count[which], np.empty(0, np.int64)
        )


class NestedPenalty(BaseEstimator):
    """Omega(w) over w >= 0, in a form that says how weights are to be scaled before steps of one size are taken."""

    strength: float
    growth: float | None

    def check(self) -> NestedPenalty:
        """Raise a ValueError in the user's words if a parameter cannot be used; otherwise self."""
        check_strength(self.strength, self.growth)
        return self

    @property
    @abstractmethod
    def collapses(self) -> bool:
        """Whether equal weights of a path stay equal, so that one may stand for all."""

    @abstractmethod
    def on(self, weights: NestedWeights) -> NestedTerms:
        """The penalty of given trees."""

    def before(self, weights: NestedWeights) -> Iterator[NestedTerms]:
        """Easier penalties of the same trees whose solutions, one after the other, lead near that of this one."""
        return iter(())


class NestedTerms(ABC):
    """A penalty bound to its trees. Sums run over all weights that an entry stands for.

    scale      how curved the loss may be along each weight, up to a factor: occurrences. Steps are 1 / (factor scale).
    ridge      of a square that belongs to the smooth part of the objective, or None
    exact      whether `prox` is that of the penalty, not of a square that touches it from above
    threads    that proximal steps of large trees may take; they change no digit
    """

    exact = True
    threads = 1

    def __init__(self, rates: Array, weights: NestedWeights):
        self.rates = rates
        self.weights = weights
        self.length = weights.length
        self.scale: Array = np.maximum(weights.count, 0.5)
        self.ridge: Array | None = None

    def renew(self, w: Array) -> None:
        """Be ready for steps from w: what takes steps by an upper bound of itself makes it touch here."""
        return None

    def curvature(self, factor: float, least: float = 0.0) -> Array:
        """Scales of at least `least`, times factor, with what the ridge adds: of a form that `prox` can take."""
        curvature = factor * np.maximum(self.scale, least)
        return curvature if self.ridge is None else curvature + self.ridge

    def part(self, which: NDArray[np.intp]) -> NestedTerms:
        """The penalty of whole trees, by increasing number of their weights."""
        raise ValueError(
            "a solver that steps tree by tree needs a ridge, a lasso or a norm of trees as penalty"
        )

    @abstractmethod
    def value(self, w: Array) -> float:
        """Omega(w), without the ridge of the smooth part."""

    @abstractmethod
    def prox(self, w: Array, curvature: Array) -> Array:
        """argmin_v sum_i curvature_i (v_i - w_i)^2 / 2 + Omega(v) over v >= 0."""

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        """(t, c): a t <= 1, large, with Omega's conjugate at t slope at most c, finite; slope = - gradient of the loss at w. Here what always holds."""
        return 0.0, 0.0


class Entrywise(NestedTerms):
    """A sum over single weights: any of them can do without the others."""

    def part(self, which: NDArray[np.intp]) -> NestedTerms:
        """See NestedTerms."""
        return type(self)(self.rates[which], self.weights.trees(which))


class _Ridge(Entrywise):
    def value(self, w: Array) -> float:
        return 0.5 * float((self.rates * w) @ w)

    def prox(self, w: Array, curvature: Array) -> Array:
        return np.maximum(w, 0) / (1 + self.rates / (self.length * curvature))

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        over = np.maximum(slope, 0) * self.length
        if np.any(over[self.rates == 0] > 0):
            return 0.0, 0.0
        used = self.rates > 0
        return 1.0, 0.5 * float(np.sum(over[used] ** 2 / self.rates[used]))


class _Lasso(Entrywise):
    def value(self, w: Array) -> float:
        return float(self.rates @ w)

    def prox(self, w: Array, curvature: Array) -> Array:
        return np.maximum(w - self.rates / (self.length * curvature), 0)

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        over = slope * self.length > self.rates
        return (
            1.0 if not over.any() else float(np.min(self.rates[over] / (slope * self.length)[over]))
        ), 0.0


class NestedEntrywise(NestedPenalty):
    """A penalty of single weights, which differ in their depth alone."""

    terms: type[Entrywise]

    @property
    def collapses(self) -> bool:
        """Equal weights stay equal where all depths cost the same."""
        return self.growth == 1

    def on(self, weights: NestedWeights) -> NestedTerms:
        """See NestedPenalty."""
        rates = (
            by_odds(self.strength, weights)
            if self.growth is None
            else rates_of(self.strength, self.growth, weights)
        )
        return self.terms(rates, weights)


class NestedRidge(NestedEntrywise):
    """sum_i s_d w_i^2 / 2; growth None: by the text's own counts of n-grams."""

    terms = _Ridge

    def __init__(self, strength: float = 0.1, growth: float | None = None):
        self.strength = strength
        self.growth = growth


class NestedLasso(NestedEntrywise):
    """sum_i s_d w_i; growth None: by the text's own counts of n-grams."""

    terms = _Lasso

    def __init__(self, strength: float = 0.25, growth: float | None = None):
        self.strength = strength
        self.growth = growth


def check_strength(strength: float, growth: float | None) -> None:
    """Raise a ValueError if strength growth^d cannot be."""
    if not 0 <= strength < np.inf:
        raise ValueError(f"strength must be a number that is not negative, not {strength!r}")
    if growth is not None and not 0 < growth < np.inf:
        raise ValueError(f"growth must be positive, not {growth!r}")


def rates_of(strength: float, growth: float, weights: NestedWeights) -> Array:
    """Strength times the sum of growth^d over the depths that a weight stands for."""
    if growth == 1:
        return strength * weights.length.astype(np.float64)
    powers = growth ** np.arange(int(weights.depth.max()) + 2.0)
    return (
        strength
        * (powers[weights.depth + 1] - powers[weights.depth + 1 - weights.length])
        / (growth - 1)
    )


def counted(weights: NestedWeights) -> tuple[Array, Array]:
    """n_1 and n_2 of the n-grams of each depth, one more of each so that what is made of them is finite where there are few.

    n_1 is at least n_2, as it is in all texts but those that hold sentences several times, which would seem to need no penalty at all.
    """
    n_depths = int(weights.depth.max()) + 1
    once, twice = (1 + np.bincount(weights.depth, weights.count == k, n_depths) for k in (1, 2))
    return np.maximum(once, twice, dtype=np.float64), np.asarray(twice, np.float64)


def by_odds(strength: float, weights: NestedWeights) -> Array:
    """Strength n_1 / (2 n_2) of each weight's depth, strength at depth 0; weights must stand for themselves alone."""
    once, twice = counted(weights)
    odds = once / (2 * twice)
    odds[0] = 1
    return (strength * odds)[weights.depth]
