"""Norms of trees of weights on nested contexts: exact steps, and rounded norms to start with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties.grouped import norm_code
from laconic.lm.nested import (
    NestedPenalty,
    NestedTerms,
    NestedWeights,
    by_discount,
    by_odds,
    rates_of,
)

ROOT_RIDGE = 0.012  # on single words, where a ridge follows counts
ROUNDINGS = (0.1, 0.01, 0.001)  # of norms, before exact ones


class NestedTree(NestedPenalty):
    """sum_i s_d |w_g(i)| + ridge sum_i ridge_growth^d w_i^2 / 2 over w >= 0.

    g(i) is the weight i and all below it, those of longer contexts with the same predicted word: a
    longer context is used only where the shorter one is.

    With 2-norms a tree has one step size for all its weights, which is as small as its root, the
    most frequent of them, requires: exact steps converge slowly. A ridge that touches rounded norms
    from above has a step size per weight and is solved first. Infinity norms have a step size per
    weight as they are.

    Parameters
    ----------
    strength : float, default=0.6
        Strength of the penalty: larger values keep fewer n-grams.
    growth : float or None, default=None
        Factor of the strength per word of a context; None estimates it from counts of n-grams.
    norm : 2 or "inf", default=2
        Norm of the weights of a tree.
    fade : float, default=1.0
        Divisor of a weight in norms, per word of its context. A weight at depth d counts as
        w / fade^d, as if features had values fade^d (the alpha of Nelakanti et al. 2013). With an
        infinity norm and no fade, weights of long contexts can grow as large as those of short
        ones at no cost.
    ridge : float, default=0.02
        Strength of an additional ridge on all weights.
    ridge_growth : float or None, default=None
        Factor of the strength of the ridge per word of a context; None estimates it from counts of
        n-grams.
    roots : float, default=0.0
        Factor of the strength of whole trees, of which every word has one.

    Examples
    --------
    >>> from laconic import LanguageModel, LogLinear, NestedTree
    >>> learner = LogLinear(NestedTree(strength=0.1))
    >>> model = LanguageModel(order=3, learner=learner).fit(["a b a b a", "b a b", "a c"])
    >>> model.complete("a", k=1)[0][0]
    'b'
    """

    def __init__(
        self,
        strength: float = 0.6,
        growth: float | None = None,
        norm: Literal[2, "inf"] = 2,
        fade: float = 1.0,
        ridge: float = 0.02,
        ridge_growth: float | None = None,
        roots: float = 0.0,
    ):
        self.strength = strength
        self.growth = growth
        self.norm = norm
        self.fade = fade
        self.ridge = ridge
        self.ridge_growth = ridge_growth
        self.roots = roots

    def check(self) -> NestedPenalty:
        """Return self; ValueError if a parameter cannot be used."""
        norm_code(self.norm)
        grown = self.ridge_growth is None or 0 < self.ridge_growth < np.inf
        if not 0 <= self.ridge < np.inf or not grown:
            raise ValueError(
                "ridge must be at least 0 and ridge_growth positive, "
                f"got {self.ridge!r} and {self.ridge_growth!r}"
            )
        if not 0 < self.fade < np.inf:
            raise ValueError(f"fade must be positive, got {self.fade!r}")
        if not 0 <= self.roots < np.inf:
            raise ValueError(f"roots must be at least 0, got {self.roots!r}")
        return super().check()

    @property
    def collapses(self) -> bool:
        """Whether equal weights stay equal, which they do only under some infinity norms."""
        return (
            norm_code(self.norm) == _core.Norm.infinity
            and self.growth is not None
            and self.growth <= 1 <= self.roots
            and self.fade == 1
            and self.ridge == 0
        )

    def on(self, weights: NestedWeights) -> NestedTerms:
        """Return the penalty of given trees."""
        return _TreeNorms(
            self._rates(weights),
            weights,
            norm_code(self.norm),
            self._size(weights),
            self._squares(weights),
        )

    def before(self, weights: NestedWeights) -> Iterator[NestedTerms]:
        """Yield rounded 2-norms, which are easier to solve for."""
        if norm_code(self.norm) == _core.Norm.two and self.strength:
            rates = self._rates(weights)
            trees = _TreeByTree(rates, weights)
            for rounding in ROUNDINGS:
                yield _RoundedTree(
                    rates, weights, rounding, self._size(weights), self._squares(weights), trees
                )

    def _rates(self, weights: NestedWeights) -> Array:
        rates = (
            by_discount(self.strength, weights)
            if self.growth is None
            else rates_of(self.strength, self.growth, weights)
        )
        rates[weights.parent < 0] *= self.roots
        return rates

    def _size(self, weights: NestedWeights) -> Array:
        return self.fade ** weights.depth.astype(np.float64) if self.fade != 1 else np.ones(1)

    def _squares(self, weights: NestedWeights) -> Array | None:
        if not self.ridge:
            return None
        if self.ridge_growth is None:
            return by_odds(self.ridge, weights, ROOT_RIDGE)
        return rates_of(self.ridge, self.ridge_growth, weights)


class _TreeNorms(NestedTerms):
    def __init__(
        self,
        rates: Array,
        weights: NestedWeights,
        norm: _core.Norm,
        size: Array,
        ridge: Array | None,
    ):
        super().__init__(rates, weights)
        self.norm = norm
        self.size = size
        self.ridge = ridge
        self.trees = _TreeByTree(rates, weights)
        if norm == _core.Norm.two:  # one scale per tree
            self.scale = self.scale[weights.roots()] / size**2

    def part(self, which: NDArray[np.intp]) -> NestedTerms:
        size = self.size if len(self.size) == 1 else self.size[which]
        ridge = None if self.ridge is None else self.ridge[which]
        return _TreeNorms(self.rates[which], self.weights.trees(which), self.norm, size, ridge)

    def curvature(self, factor: float, least: float = 0.0) -> Array:
        if self.norm != _core.Norm.two:
            return super().curvature(factor, least)
        ridge = 0.0 if self.ridge is None else np.max(self.ridge * self.size**2)
        return (factor * np.maximum(self.scale * self.size**2, least) + ridge) / self.size**2

    def value(self, w: Array) -> float:
        return self.trees.value(w / self.size, self.norm)

    def prox(self, w: Array, curvature: Array) -> Array:
        return self.size * self.trees.prox(
            w / self.size, self.length * curvature * self.size**2, self.norm, self.threads
        )

    def bound(self, slope: Array, w: Array, most: float) -> float:
        """Return an upper bound of <slope, v> - Omega(v) - ridge over 0 <= v <= most.

        Of slope = u + taken with u in the dual ball the ridge takes `taken`. Both are those of one
        proximal step on ridge v^2 / 2 - <slope, v> + Omega(v) from w, which for infinity norms,
        where each weight has its own curvature, minimises it.
        """
        if self.ridge is None:
            return super().bound(slope, w, most)
        curvature = self.ridge
        if self.norm == _core.Norm.two:  # one per tree, up to the sizes
            largest = np.zeros(len(w))
            root = self.weights.roots()
            np.maximum.at(largest, root, self.ridge * self.size**2)
            curvature = largest[root] / self.size**2
        off = self.ridge * w - slope
        v = self.prox(w - off / curvature, curvature)
        taken = np.maximum(self.ridge * w - curvature * (w - v), 0.0)
        best = np.minimum(taken / self.ridge, most)
        return float(best @ (taken - 0.5 * self.ridge * best))

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        """Return (t, 0) such that t * slope lies in the dual ball; for trees without a ridge."""
        size, everywhere = self.size**2, np.ones(len(w)) / self.size**2
        slope = slope * size
        if not self.prox(slope, everywhere).any():
            return 1.0, 0.0
        low, high = 0.0, 1.0
        while high - low > 1e-7 * high and high > 1e-12:
            middle = 0.5 * (low + high)
            low, high = (
                (low, middle) if self.prox(middle * slope, everywhere).any() else (middle, high)
            )
        return low, 0.0

    def excess(self, slope: Array, w: Array) -> Array:
        size = self.size**2
        return self.prox(slope * size, np.ones(len(w)) / size) / size


class _RoundedTree(NestedTerms):
    """sum_i s_d sqrt(|w_g(i)|^2 + rounding^2) + ridge.

    Steps use the ridge that touches it from above at the last point of `renew`.
    """

    exact = False

    def __init__(
        self,
        rates: Array,
        weights: NestedWeights,
        rounding: float,
        size: Array,
        ridge: Array | None,
        trees: _TreeByTree,
    ):
        super().__init__(rates, weights)
        self.squares = np.zeros(1) if ridge is None else ridge
        self.rounding = rounding
        self.size = size
        self.trees = trees
        self.touching = np.empty(len(rates))
        self.renew(np.zeros(len(rates)))

    def renew(self, w: Array) -> None:
        self.touching = (
            self.trees.touching(w / self.size, self.rounding) / self.size**2 + self.squares
        )

    def value(self, w: Array) -> float:
        return self.trees.value(w / self.size, _core.Norm.two, self.rounding) + 0.5 * float(
            (self.squares * w) @ w
        )

    def prox(self, w: Array, curvature: Array) -> Array:
        return np.maximum(w, 0) / (1 + self.touching / curvature)


class _TreeByTree:
    """sum_i rate_i |w_g(i)| by `_core.Forest`, with the weights of each tree side by side.

    That makes the kernel about twice as fast as the weights of each context side by side.
    """

    def __init__(self, rates: Array, weights: NestedWeights):
        n = len(rates)
        self.order = np.argsort(weights.roots(), kind="stable")
        self.rates = rates[self.order]
        place = np.empty(n + 1, np.int64)
        # The last entry is for -1, the parent of roots.
        place[self.order], place[-1] = np.arange(n), -1
        numbers = np.arange(n + 1)
        self.kernel = _core.Forest(
            place[weights.parent[self.order]], numbers, numbers[:-1], self.rates, n
        )

    def value(self, w: Array, norm: _core.Norm, rounding: float = 0.0) -> float:
        """Return the sum, with sqrt(|w_g|^2 + rounding^2) for |w_g|."""
        return float(self.rates @ self._lengths(w, norm, rounding))

    def prox(self, w: Array, curvature: Array, norm: _core.Norm, threads: int) -> Array:
        """Return argmin_v sum_i curvature_i (v_i - w_i)^2 / 2 + sum_i rate_i |v_g(i)|, v >= 0."""
        out = w[self.order]
        self.kernel.prox_curved(out, curvature[self.order], norm, out, threads)
        return self._back(out)

    def touching(self, w: Array, rounding: float) -> Array:
        """Return the strengths of the ridge that touches the rounded sum of 2-norms at w.

        They are sums of rate / length over the path from the root.
        """
        out = np.empty(len(w))
        self.kernel.path_sums(self.rates / self._lengths(w, _core.Norm.two, rounding), out)
        return self._back(out)

    def _lengths(self, w: Array, norm: _core.Norm, rounding: float) -> Array:
        out = np.empty(len(w))
        self.kernel.norms(w[self.order], norm, out)
        return np.hypot(out, rounding) if rounding else out

    def _back(self, ordered: Array) -> Array:
        out = np.empty(len(ordered))
        out[self.order] = ordered
        return out
