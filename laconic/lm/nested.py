"""Penalties of non-negative weights on nested contexts.

Every predicted word has a tree of weights: the longer the context, the deeper the weight. With
s_d = strength growth^d the strength at depth d (the empty context has depth 0), over w >= 0:

    NestedRidge   sum_i s_d(i) w_i^2 / 2
    NestedLasso   sum_i s_d(i) w_i
    NestedTree    sum_i s_d(i) |w_g(i)|,   g(i) the weight i and all below it, | | the 2-norm or the
                  infinity norm; optionally plus a ridge with its own strength and growth
    NestedGroups  sum_g s_d(g) sqrt(k_g) |w_g|,   w_g the k_g weights of a context, or of all
                  n-grams that extend a shorter one by one word

A growth above 1 penalises longer contexts more. The best value depends on the text: in one that
repeats its phrases, long contexts are more informative. With growth None, where it is allowed, the
strengths follow from the numbers n_k of n-grams of d + 1 words that occur k times, from which
Kneser and Ney take their discount n_1 / (n_1 + 2 n_2):

    NestedRidge                s_d = strength (n_1 / (2 n_2))^1.25, the odds of that discount
    NestedLasso                s_d = strength discount^1.5
    all others                 s_d = strength times the discount

for longer contexts than the empty one. The weights of single words, whose frequencies are known
well, have hardly any penalty of their own (`roots`, `ridge`): ten times as much costs 5 to 10 % of
perplexity where words are many.

In the terms of Nelakanti et al. (2013), who multiply features at depth d by alpha^d instead, a
ridge has growth 1 / alpha^2 and a lasso 1 / alpha.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.penalties import Penalty

# Powers that suit repetitive and varied texts alike, chosen on six texts.
STEEPER_ODDS, STEEPER_DISCOUNTS = 1.25, 1.5


class NestedWeights(NamedTuple):
    """Trees of weights, as flat arrays.

    parent   of each weight, -1 for roots
    depth    of each weight; the empty context has depth 0
    length   number of equal weights that each one stands for: those of the depths from
             depth - length + 1 to depth
    count    number of occurrences of the n-gram
    ptr      the weights of context c are ptr[c]:ptr[c+1]
    """

    parent: Ints
    depth: Ints32
    length: Ints32
    count: Ints32  # type: ignore[assignment]  # shadows tuple.count, which nobody calls
    ptr: Ints

    def roots(self) -> Ints:
        """Return the root of each weight's tree."""
        root = np.where(self.parent < 0, np.arange(len(self.parent)), self.parent)
        while np.any(root[root] != root):
            root = root[root]
        return root

    def trees(self, which: NDArray[np.intp]) -> NestedWeights:
        """Return whole trees, given by increasing numbers of their weights; ptr is left empty."""
        place = np.full(len(self.parent) + 1, -1)  # the last entry is for -1, the parent of roots
        place[which] = np.arange(len(which))
        parent = place[self.parent[which]]
        return NestedWeights(
            parent, self.depth[which], self.length[which], self.count[which], np.empty(0, np.int64)
        )


class NestedPenalty(Penalty):
    """Omega(w) over w >= 0, with the scale of every weight, which step sizes follow.

    It is stated over contexts, which a learner of language models knows: `on` binds it to them.
    """

    growth: float | None

    def check(self) -> NestedPenalty:
        """Return self; ValueError if a parameter cannot be used."""
        check_strength(self.strength, self.growth)
        return self

    @property
    @abstractmethod
    def collapses(self) -> bool:
        """Whether equal weights on a path stay equal, so that one can stand for all."""

    @abstractmethod
    def on(self, weights: NestedWeights) -> NestedTerms:
        """Return the penalty of given trees."""

    def before(self, weights: NestedWeights) -> Iterator[NestedTerms]:
        """Yield easier penalties of the same trees whose solutions lead to that of this one."""
        return iter(())

    def value(self, w: Array) -> float:
        """Raise a ValueError: without contexts there is no value."""
        self._refuse(w)

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Raise a ValueError: without contexts there is no prox."""
        self._refuse(w, step)

    def spread(self, n_outputs: int) -> Penalty:
        """Raise a ValueError: the weights are those of n-grams."""
        self._refuse(n_outputs)

    def _refuse(self, *_: object) -> NoReturn:
        raise ValueError(
            f"{type(self).__name__} is over the contexts of a language model: give it to LogLinear"
        )


class NestedTerms(ABC):
    """A penalty bound to its trees. Sums run over all weights that an entry stands for.

    scale     curvature of the loss along each weight, up to a factor: its number of occurrences.
              Step sizes are 1 / (factor scale).
    ridge     weights of squares that belong to the smooth part of the objective, or None
    exact     whether `prox` is that of the penalty, not of a quadratic bound that touches it
    threads   number of threads of proximal steps of large trees; they change no digit
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
        """Prepare for steps from w: an upper bound that stands for the penalty touches it here."""
        return None

    def curvature(self, factor: float, least: float = 0.0) -> Array:
        """Return factor * max(scale, least) plus the ridge, in the form that `prox` takes."""
        curvature = factor * np.maximum(self.scale, least)
        return curvature if self.ridge is None else curvature + self.ridge

    def part(self, which: NDArray[np.intp]) -> NestedTerms:
        """Return the penalty of whole trees, given by increasing numbers of their weights."""
        raise ValueError(
            "a solver that steps tree by tree needs the penalty NestedRidge, NestedLasso or "
            "NestedTree"
        )

    @abstractmethod
    def value(self, w: Array) -> float:
        """Return Omega(w), without the ridge of the smooth part."""

    @abstractmethod
    def prox(self, w: Array, curvature: Array) -> Array:
        """Return argmin_v sum_i curvature_i (v_i - w_i)^2 / 2 + Omega(v) over v >= 0."""

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        """Return (t, c): a large t <= 1 such that Omega's conjugate at t * slope is at most c.

        slope is minus the gradient of the loss at w. This default always holds.
        """
        return 0.0, 0.0

    def excess(self, slope: Array, w: Array) -> Array:
        """Return what of the slope lies outside of the dual ball, >= 0; zero where nothing must."""
        return np.zeros(len(slope))

    def bound(self, slope: Array, w: Array, most: float) -> float:
        """Return an upper bound of <slope, v> - Omega(v) - ridge over 0 <= v <= most.

        What lies outside of the dual ball costs `most` each, where a conjugate would be infinite.
        """
        inside = slope - self.excess(slope, w)
        t, conjugate = self.dual(inside, w)
        return conjugate + most * float(self.length @ np.maximum(slope - t * inside, 0))


class WrappedTerms(NestedTerms):
    """Another penalty, changed by a subclass: all but its prox and its bound is that penalty's."""

    def __init__(self, terms: NestedTerms) -> None:
        super().__init__(terms.rates, terms.weights)
        self.terms = terms
        self.scale, self.ridge, self.exact = terms.scale, terms.ridge, terms.exact

    def renew(self, w: Array) -> None:
        """See NestedTerms."""
        self.terms.renew(w)

    def curvature(self, factor: float, least: float = 0.0) -> Array:
        """See NestedTerms."""
        return self.terms.curvature(factor, least)

    def value(self, w: Array) -> float:
        """See NestedTerms."""
        return self.terms.value(w)


class Entrywise(NestedTerms):
    """A sum over single weights."""

    def part(self, which: NDArray[np.intp]) -> NestedTerms:
        """Return the penalty of whole trees."""
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

    def excess(self, slope: Array, w: Array) -> Array:
        return np.maximum(slope - self.rates / self.length, 0.0)


class NestedEntrywise(NestedPenalty):
    """A penalty of single weights, which differ only in their depth."""

    terms: type[Entrywise]
    roots: float

    def check(self) -> NestedPenalty:
        """Return self; ValueError if a parameter cannot be used."""
        if not 0 <= self.roots < np.inf:
            raise ValueError(f"roots must be at least 0, got {self.roots!r}")
        return super().check()

    @property
    def collapses(self) -> bool:
        """Whether all depths have the same strength, so that equal weights stay equal."""
        return self.growth == 1

    def on(self, weights: NestedWeights) -> NestedTerms:
        """Return the penalty of given trees."""
        rates = (
            self.by_counts(weights)
            if self.growth is None
            else rates_of(self.strength, self.growth, weights)
        )
        return self.terms(rates, weights)

    @abstractmethod
    def by_counts(self, weights: NestedWeights) -> Array:
        """Return the strengths that follow from counts of n-grams."""


class NestedRidge(NestedEntrywise):
    """sum_i s_d w_i^2 / 2 over w >= 0, with s_d the strength at depth d.

    Parameters
    ----------
    strength : float, default=0.05
        Strength of the penalty: larger values keep weights smaller.
    growth : float or None, default=None
        Factor of the strength per word of a context; None estimates it from counts of n-grams.
    roots : float, default=0.03
        Strength for the weights of single words where growth is None.

    Examples
    --------
    >>> from laconic import LanguageModel, LogLinear, NestedRidge
    >>> learner = LogLinear(NestedRidge(strength=0.5))
    >>> model = LanguageModel(order=2, learner=learner).fit(["a b a b a", "b a b", "a c"])
    >>> model.complete("a", k=1)[0][0]
    'b'
    """

    terms = _Ridge

    def __init__(self, strength: float = 0.05, growth: float | None = None, roots: float = 0.03):
        self.strength = strength
        self.growth = growth
        self.roots = roots

    def by_counts(self, weights: NestedWeights) -> Array:
        """See NestedEntrywise."""
        return by_odds(self.strength, weights, self.roots, STEEPER_ODDS)


class NestedLasso(NestedEntrywise):
    """sum_i s_d w_i over w >= 0, with s_d the strength at depth d: many weights become zero.

    Parameters
    ----------
    strength : float, default=1.1
        Strength of the penalty: larger values give fewer and smaller weights.
    growth : float or None, default=None
        Factor of the strength per word of a context; None estimates it from counts of n-grams.
    roots : float, default=0.02
        Strength for the weights of single words where growth is None.

    Examples
    --------
    >>> from laconic import LanguageModel, LogLinear, NestedLasso
    >>> text = ["a b a b a", "b a b", "a c"]
    >>> weak, strong = (
    ...     LanguageModel(order=2, learner=LogLinear(NestedLasso(strength))).fit(text)
    ...     for strength in (0.01, 1.0)
    ... )
    >>> weak.n_features_selected_ > strong.n_features_selected_
    True
    """

    terms = _Lasso

    def __init__(self, strength: float = 1.1, growth: float | None = None, roots: float = 0.02):
        self.strength = strength
        self.growth = growth
        self.roots = roots

    def by_counts(self, weights: NestedWeights) -> Array:
        """See NestedEntrywise."""
        return by_discount(self.strength, weights, self.roots, STEEPER_DISCOUNTS)


def check_strength(strength: float, growth: float | None) -> None:
    """Raise a ValueError unless strength is >= 0 and growth > 0."""
    if not 0 <= strength < np.inf:
        raise ValueError(f"strength must be a number of at least 0, got {strength!r}")
    if growth is not None and not 0 < growth < np.inf:
        raise ValueError(f"growth must be positive, got {growth!r}")


def rates_of(strength: float, growth: float, weights: NestedWeights) -> Array:
    """Return strength times the sum of growth^d over the depths that a weight stands for."""
    if growth == 1:
        return strength * weights.length.astype(np.float64)
    powers: Array = growth ** np.arange(int(weights.depth.max()) + 2.0)
    sums: Array = powers[weights.depth + 1] - powers[weights.depth + 1 - weights.length]
    return strength * sums / (growth - 1)


def counted(weights: NestedWeights) -> tuple[Array, Array]:
    """Return n_1 and n_2 of the n-grams of each depth, plus one each, so that ratios are finite.

    n_1 is raised to n_2 where it is smaller. That happens only in texts that hold sentences several
    times, which would otherwise get no penalty at all.
    """
    n_depths = int(weights.depth.max()) + 1
    once, twice = (1 + np.bincount(weights.depth, weights.count == k, n_depths) for k in (1, 2))
    return np.maximum(once, twice, dtype=np.float64), np.asarray(twice, np.float64)


def discounts(weights: NestedWeights) -> Array:
    """Return n_1 / (n_1 + 2 n_2) of the n-grams of each depth, each number plus one."""
    once, twice = counted(weights)
    return once / (once + 2 * twice)


def by_discount(
    strength: float, weights: NestedWeights, roots: float | None = None, power: float = 1.0
) -> Array:
    """Return strength discount^power of each weight's depth; `roots`, if given, at depth 0."""
    rates = strength * discounts(weights) ** power
    if roots is not None:
        rates[0] = roots
    return rates[weights.depth]


def by_odds(strength: float, weights: NestedWeights, roots: float, power: float = 1.0) -> Array:
    """Return strength (n_1 / (2 n_2))^power of each weight's depth, `roots` at depth 0."""
    once, twice = counted(weights)
    odds = strength * (once / (2 * twice)) ** power
    odds[0] = roots
    return odds[weights.depth]
