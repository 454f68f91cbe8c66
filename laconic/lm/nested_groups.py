"""Norms of the weights of each context, and of the ways to extend each n-gram: which of them matter at all.

What a weight pays near its optimum is what its n-gram's count exceeds its expected count by: the penalty is a discount. Kneser and Ney's is the default.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array
from laconic.lm.nested import (
    NestedPenalty,
    NestedTerms,
    NestedWeights,
    check_strength,
    counted,
    rates_of,
)


class NestedGroups(NestedPenalty):
    """sum over groups g of s_d sqrt(k_g |w_g|^2 + (k_g rounding)^2), and a ridge on the weights of the empty context.

    A group is either the weights of all words after one context, or those of all n-grams that extend a shorter one by a word in front. `extensions` is the share of
    the strength that the second kind gets; k_g is the size of a group. Contexts after which words come as they do elsewhere, and n-grams that are as likely
    whatever stood before them, are kept out as a whole; what does matter is shrunk the less the more of it there is.
    The root is rounded off near zero: then the norm is a minimum over ridges, sqrt(a) = min over e of (a / e + e) / 2, and has a good ridge at every point.

    growth: s_d = strength growth^d; None: s_d = strength times the discount of n-grams of d + 1 words, n_1 / (n_1 + 2 n_2), where n_k of them occur k times. Then
        strength 1 suits texts that repeat themselves much and texts that do so little.
    repeats: s_d is multiplied by 1 + repeats j where a context always comes with the one j words shorter, and is no news after it
    """

    def __init__(
        self,
        strength: float = 1.0,
        growth: float | None = None,
        rounding: float = 0.4,
        ridge: float = 0.012,
        extensions: float = 0.3,
        repeats: float = 0.4,
    ):
        self.strength = strength
        self.growth = growth
        self.rounding = rounding
        self.ridge = ridge
        self.extensions = extensions
        self.repeats = repeats

    def check(self) -> NestedPenalty:
        """See NestedPenalty."""
        if not 0 < self.rounding < np.inf or not 0 <= self.ridge < np.inf:
            raise ValueError(
                f"rounding must be positive and ridge not negative, not {self.rounding!r} and {self.ridge!r}"
            )
        if not 0 <= self.extensions <= 1:
            raise ValueError(f"extensions must be from 0 to 1, not {self.extensions!r}")
        if not 0 <= self.repeats < np.inf:
            raise ValueError(f"repeats must not be negative, not {self.repeats!r}")
        check_strength(self.strength, self.growth)
        return self

    @property
    def collapses(self) -> bool:
        """Contexts of a path have groups of their own."""
        return False

    def on(self, weights: NestedWeights) -> NestedTerms:
        """See NestedPenalty."""
        if self.growth is None:
            rates = self.strength * discounts(weights)[weights.depth]
        else:
            rates = rates_of(self.strength, self.growth, weights)
        return _Groups(rates * (1 + self.repeats * repeated(weights)), weights, self)


class _Family:
    """sum over groups of rate sqrt(k |w_g|^2 + (k rounding)^2) - its value at 0, the groups parting all weights."""

    def __init__(self, group: NDArray[np.intp], rates: Array, rounding: float):
        self.group = group
        sizes = np.bincount(group).astype(np.float64)
        self.mass = np.bincount(group, rates) / np.sqrt(sizes)
        self.rounding = rounding * np.sqrt(sizes)

    def _squares(self, w: Array) -> Array:
        return np.asarray(np.bincount(self.group, w * w), np.float64)

    def _lengths(self, w: Array) -> Array:
        return np.sqrt(self._squares(w) + self.rounding**2)

    def value(self, w: Array) -> float:
        return float(self.mass @ (self._lengths(w) - self.rounding))

    def touching(self, w: Array) -> Array:
        """The strengths of the ridge that touches from above at w."""
        return (self.mass / self._lengths(w))[self.group]

    def scale(self, slope: Array) -> float:
        """The largest t <= 1 with a finite conjugate at t slope."""
        squares = self._squares(slope)
        beyond = squares > self.mass**2
        return min(1.0, float(np.min(self.mass[beyond] / np.sqrt(squares[beyond]), initial=1.0)))

    def conjugate(self, slope: Array) -> float:
        """Its value at a slope where it is finite, but for rounding errors."""
        return float(
            self.rounding
            @ (self.mass - np.sqrt(np.maximum(self.mass**2 - self._squares(slope), 0)))
        )


class _Groups(NestedTerms):
    """Steps are those of the ridge that touches the penalty from above at the last point of `renew`."""

    exact = False

    def __init__(self, rates: Array, weights: NestedWeights, penalty: NestedGroups):
        super().__init__(rates, weights)
        self.n_words = int(weights.ptr[1])  # weights of the empty context come first
        self.root_ridge = penalty.ridge
        after, share = rates[self.n_words :], penalty.extensions
        contexts = np.repeat(np.arange(len(weights.ptr) - 2), np.diff(weights.ptr[1:]))
        families = [(contexts, 1 - share), (_numbered(weights.parent[self.n_words :]), share)]
        self.families = [
            _Family(group, part * after, penalty.rounding) for group, part in families if part
        ]
        self.touching = np.empty(len(rates))
        self.renew(np.zeros(len(rates)))

    def renew(self, w: Array) -> None:
        """Touch the penalty at w."""
        self.touching[: self.n_words] = self.root_ridge
        self.touching[self.n_words :] = sum(
            family.touching(w[self.n_words :]) for family in self.families
        )

    def value(self, w: Array) -> float:
        root, after = w[: self.n_words], w[self.n_words :]
        return sum(family.value(after) for family in self.families) + 0.5 * self.root_ridge * float(
            root @ root
        )

    def prox(self, w: Array, curvature: Array) -> Array:
        return np.maximum(w, 0) / (1 + self.touching / curvature)

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        """Families share the slope as they do at the optimum: each takes of it what it pulls at w."""
        over = np.maximum(slope, 0)
        root, after = float(over[: self.n_words] @ over[: self.n_words]), over[self.n_words :]
        if root > 0 and not self.root_ridge:
            return 0.0, 0.0
        pulls = [family.touching(w[self.n_words :]) for family in self.families]
        total = np.maximum(sum(pulls), np.finfo(np.float64).tiny)
        parts = [pull / total * after for pull in pulls]
        t = min(family.scale(part) for family, part in zip(self.families, parts, strict=True))
        below = sum(
            family.conjugate(t * part) for family, part in zip(self.families, parts, strict=True)
        )
        return t, below + (0.5 * t**2 * root / self.root_ridge if root else 0.0)


def _numbered(labels: NDArray[np.int64]) -> NDArray[np.intp]:
    """Numbers from 0 for labels that are not negative, none left out."""
    present = np.zeros(int(labels.max(initial=-1)) + 1, np.intp)
    present[labels] = 1
    return (np.cumsum(present) - 1)[labels]


def discounts(weights: NestedWeights) -> Array:
    """n_1 / (n_1 + 2 n_2) of the n-grams of each depth; one more of each kind keeps it above 0 where there are few."""
    once, twice = counted(weights)
    return once / (once + 2 * twice)


def repeated(weights: NestedWeights) -> NDArray[np.int64]:
    """For each weight how many words shorter its context could be and still occur in the same places."""
    starts, sizes = weights.ptr[:-1], np.diff(weights.ptr)
    context = np.repeat(np.arange(len(sizes)), sizes)
    shorter = context[weights.parent[starts]]  # of the empty context any, which does not count
    occurrences = np.add.reduceat(weights.count.astype(np.int64), starts)
    same = occurrences == occurrences[shorter]
    same[0] = False
    words = np.zeros(len(sizes), np.int64)
    by_depth = np.argsort(weights.depth[starts], kind="stable")
    for level in np.split(by_depth, np.cumsum(np.bincount(weights.depth[starts]))[:-1]):
        words[level] = np.where(same[level], words[shorter[level]] + 1, 0)
    return words[context]
