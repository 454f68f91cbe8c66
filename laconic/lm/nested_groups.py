"""Norms of the weights of each context, and of the extensions of each n-gram, as penalty.

Near the optimum the slope of the penalty is the excess of an n-gram's count over its expected
count: the penalty acts as a discount. That of Kneser and Ney is the default.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array, Ints
from laconic.lm.nested import (
    NestedPenalty,
    NestedTerms,
    NestedWeights,
    by_discount,
    check_strength,
    rates_of,
)


class NestedGroups(NestedPenalty):
    """sum over groups g of s_d sqrt(k_g |w_g|^2 + (k_g rounding)^2), over w >= 0.

    A group is either the weights of all words after one context, or those of all n-grams that
    extend a shorter one by one word in front; k_g is its size. Contexts that do not change which
    words follow, and n-grams whose probability does not depend on the word in front, are left out
    as a whole. The weights of the empty context have a ridge instead.

    The root is rounded off near zero. Then the norm is a minimum over ridges,
    sqrt(a) = min over e of (a / e + e) / 2, and has a good quadratic bound at every point.

    Parameters
    ----------
    strength : float, default=1.0
        Strength of the penalty: larger values keep fewer n-grams.
    growth : float or None, default=None
        Factor of the strength per word of a context; None estimates it from counts of n-grams.
        Then s_d is strength times the discount n_1 / (n_1 + 2 n_2) of n-grams of d + 1 words, n_k
        of which occur k times, and strength 1 suits repetitive and varied texts alike.
    rounding : float, default=0.4
        Size of weights below which norms are rounded off.
    ridge : float, default=0.012
        Strength of the ridge on the weights of single words.
    extensions : float, default=0.3
        Share of the strength for groups of extensions of n-grams, from 0 to 1.
    repeats : float, default=0.4
        Additional strength, per word, for contexts that always occur with a shorter one. The
        strength of a context that occurs exactly where the one j words shorter does is multiplied
        by 1 + repeats j.

    Examples
    --------
    >>> from laconic import LanguageModel, LogLinear, NestedGroups
    >>> learner = LogLinear(NestedGroups(strength=0.5))
    >>> model = LanguageModel(order=3, learner=learner).fit(["a b a b a", "b a b", "a c"])
    >>> model.complete("a", k=1)[0][0]
    'b'
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
        """Return self; ValueError if a parameter cannot be used."""
        if not 0 < self.rounding < np.inf or not 0 <= self.ridge < np.inf:
            raise ValueError(
                "rounding must be positive and ridge at least 0, "
                f"got {self.rounding!r} and {self.ridge!r}"
            )
        if not 0 <= self.extensions <= 1:
            raise ValueError(f"extensions must be from 0 to 1, got {self.extensions!r}")
        if not 0 <= self.repeats < np.inf:
            raise ValueError(f"repeats must be at least 0, got {self.repeats!r}")
        check_strength(self.strength, self.growth)
        return self

    @property
    def collapses(self) -> bool:
        """Whether equal weights stay equal: contexts on a path have groups of their own."""
        return False

    def on(self, weights: NestedWeights) -> NestedTerms:
        """Return the penalty of given trees."""
        if self.growth is None:
            rates = by_discount(self.strength, weights)
        else:
            rates = rates_of(self.strength, self.growth, weights)
        return _Groups(rates * (1 + self.repeats * repeated(weights)), weights, self)


class _Family:
    """sum over a partition of rate sqrt(k |w_g|^2 + (k rounding)^2), minus its value at 0."""

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
        """Return the strengths of the ridge that touches from above at w."""
        return (self.mass / self._lengths(w))[self.group]

    def excess(self, slope: Array) -> Array:
        """Return what of the slope lies outside of the balls where its conjugate is finite."""
        lengths = np.sqrt(self._squares(slope))
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(lengths > self.mass, 1 - self.mass / lengths, 0.0)
        return part[self.group] * slope

    def conjugate(self, slope: Array) -> float:
        """Return the conjugate at a slope where it is finite up to rounding errors."""
        return float(
            self.rounding
            @ (self.mass - np.sqrt(np.maximum(self.mass**2 - self._squares(slope), 0)))
        )


class _Groups(NestedTerms):
    """Steps use the ridge that touches the penalty from above at the last point of `renew`."""

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
        """Make the ridge touch the penalty at w."""
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

    def bound(self, slope: Array, w: Array, most: float) -> float:
        """See NestedTerms; families share the slope in proportion to their pulls at w."""
        over = np.maximum(slope, 0)
        root = over[: self.n_words]
        total = (
            0.5 * float(root @ root) / self.root_ridge
            if self.root_ridge
            else most * float(root.sum())
        )
        for family, part in zip(self.families, self._shared(over[self.n_words :], w), strict=True):
            outside = family.excess(part)
            total += family.conjugate(part - outside) + most * float(outside.sum())
        return total

    def excess(self, slope: Array, w: Array) -> Array:
        out = np.zeros(len(slope))
        parts = self._shared(np.maximum(slope, 0)[self.n_words :], w)
        out[self.n_words :] = sum(
            family.excess(part) for family, part in zip(self.families, parts, strict=True)
        )
        return out

    def _shared(self, after: Array, w: Array) -> list[Array]:
        """Return the parts of the slope of longer contexts that the families take."""
        pulls = [family.touching(w[self.n_words :]) for family in self.families]
        total = np.maximum(sum(pulls), np.finfo(np.float64).tiny)
        return [pull / total * after for pull in pulls]


def _numbered(labels: Ints) -> NDArray[np.intp]:
    """Return labels >= 0 renumbered from 0 without gaps."""
    present = np.zeros(int(labels.max(initial=-1)) + 1, np.intp)
    present[labels] = 1
    return (np.cumsum(present) - 1)[labels]


def repeated(weights: NestedWeights) -> Ints:
    """Return by how many words each weight's context can be shortened without occurring more."""
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
