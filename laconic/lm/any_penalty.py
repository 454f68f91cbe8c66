"""Penalties of core on the weights of n-grams, w >= 0.

A lasso, a ridge and their sum have a step size per weight, as nested penalties have, and equal
weights on a path stay equal. All others have one step size for all weights, which is that of the
most frequent one; and their weights are not merged, so that they take the memory of all n-grams.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import Penalty
from laconic.core.penalties.elastic import ElasticRates, elastic_rates, simplest
from laconic.core.penalties.names import Strength, as_penalty
from laconic.lm.nested import (
    NestedLasso,
    NestedPenalty,
    NestedRidge,
    NestedTerms,
    NestedWeights,
)
from laconic.lm.nested_groups import NestedGroups
from laconic.lm.nested_tree import NestedTree

DEFAULT = "nested-groups"
NESTED: dict[str, Callable[[], Penalty]] = {
    DEFAULT: NestedGroups,
    "nested-ridge": NestedRidge,
    "nested-lasso": NestedLasso,
    "nested-tree": NestedTree,
    "nested-tree-inf": partial(NestedTree, norm="inf"),
}


def nested_penalty(given: Penalty | str | None, strength: Strength | None) -> NestedPenalty:
    """Return the penalty of n-grams that an object, a name or None (nested-groups) means."""
    penalty = as_penalty(given, strength, DEFAULT, NESTED)
    if isinstance(penalty, NestedPenalty):
        return penalty
    return CorePenalty(simplest(penalty)).check()


class CorePenalty(NestedPenalty):
    """Any penalty of core that does not depend on signs, on the weights of all n-grams.

    Parameters
    ----------
    penalty : Penalty
        The penalty.
    """

    growth = 1.0

    def __init__(self, penalty: Penalty) -> None:
        self.penalty = penalty

    @property
    def strength(self) -> float:  # type: ignore[override]
        """Strength of the penalty."""
        return self.penalty.strength

    def check(self) -> NestedPenalty:
        """Return self; ValueError if the penalty cannot be used."""
        self.penalty.check()
        for term in self.penalty.get_params(deep=False).get("terms", ()):
            if isinstance(term, NestedPenalty):
                raise ValueError(
                    f"{type(term).__name__} is no term of a sum: nested penalties stand alone, "
                    "with a ridge of their own"
                )
        if "n_steps" in self.penalty.get_params(deep=False):
            raise ValueError(
                f"LogLinear has no steps of time, which {type(self.penalty).__name__} is about: "
                "use L1, or a nested penalty such as NestedGroups"
            )
        return self

    @property
    def collapses(self) -> bool:
        """Whether equal weights stay equal: under penalties of single weights, all alike."""
        return elastic_rates(self.penalty) is not None

    def on(self, weights: NestedWeights) -> NestedTerms:
        """Return the penalty of given trees."""
        rates = elastic_rates(self.penalty)
        if rates is None:
            return CoreTerms(self.penalty, weights)
        if not rates.ridge:
            return NestedLasso(rates.lasso, growth=1.0).on(weights)
        if not rates.lasso:
            return NestedRidge(rates.ridge, growth=1.0).on(weights)
        return ElasticTerms(rates, weights)


class ElasticTerms(NestedTerms):
    """sum_i lasso w_i + ridge w_i^2 / 2 over w >= 0."""

    def __init__(self, elastic: ElasticRates, weights: NestedWeights) -> None:
        super().__init__(elastic.lasso * weights.length.astype(np.float64), weights)
        self.elastic = elastic

    def value(self, w: Array) -> float:
        """See NestedTerms."""
        return float(self.rates @ w) + 0.5 * self.elastic.ridge * float((self.length * w) @ w)

    def prox(self, w: Array, curvature: Array) -> Array:
        """See NestedTerms."""
        lasso, ridge = self.elastic
        return np.maximum(w - lasso / curvature, 0) / (1 + ridge / curvature)

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        """See NestedTerms; the ridge takes what is above the lasso."""
        over = np.maximum(slope * self.length - self.rates, 0)
        return 1.0, 0.5 * float(np.sum(over**2 / (self.elastic.ridge * self.length)))


class CoreTerms(NestedTerms):
    """Omega(w) over w >= 0; its prox there is that at max(w, 0), since signs do not matter."""

    def __init__(self, penalty: Penalty, weights: NestedWeights) -> None:
        super().__init__(np.zeros(len(weights.parent)), weights)
        self.penalty = penalty
        self.scale = np.full(len(self.scale), float(self.scale.max()))

    def value(self, w: Array) -> float:
        """See NestedTerms."""
        return self.penalty.value(w)

    def prox(self, w: Array, curvature: Array) -> Array:
        """See NestedTerms; all curvatures are the same."""
        return np.maximum(self.penalty.prox(np.maximum(w, 0), 1.0 / float(curvature[0])), 0)

    def dual(self, slope: Array, w: Array) -> tuple[float, float]:
        """See NestedTerms."""
        if not self.penalty.convex:
            return 0.0, 0.0
        above = np.maximum(slope, 0)
        conjugate = self.penalty.conjugate(above)
        if np.isfinite(conjugate):
            return 1.0, conjugate
        t = (1 - 1e-12) / max(1.0, self.penalty.gauge(-above))
        conjugate = self.penalty.conjugate(t * above)
        return (t, conjugate) if np.isfinite(conjugate) else (0.0, 0.0)
