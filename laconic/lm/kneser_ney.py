"""Kneser-Ney: interpolated absolute discounting of adjusted counts, of any order.

    p(v | c) = (a(c v) - D(a(c v))) / a(c .)  +  gamma(c) p(v | c without its oldest word),     p(v | nothing) = 1 / |V|

gamma(c) is what the discounts D leave. Adjusted counts a are numbers of different words before an n-gram; n-grams of the highest order
and those that begin a sentence keep their counts. The rules, down to the discounts of each order, are those of KenLM's lmplz.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic.core.report import Callback, FitReport, in_one_line
from laconic.lm.backoff import summed
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts, Text
from laconic.lm.learn import LearnedNgrams

Float64 = NDArray[np.float64]
LEAST = 1e-100  # what would have no probability gets this much
FEW = 5  # orders that a warning names one by one


class KneserNey(BaseEstimator):
    """Learn a back-off model by Kneser-Ney smoothing.

    modified: discounts for n-grams seen once, twice and more often, each from the counts of counts of its order (Chen and Goodman 1998);
        False: one discount for each order
    discount_fallback: discounts of orders whose counts of counts are too few to give any, with a warning that says so; None: an error
    """

    def __init__(
        self,
        modified: bool = True,
        discount_fallback: tuple[float, float, float] | None = (0.5, 1.0, 1.5),
    ):
        self.modified = modified
        self.discount_fallback = discount_fallback

    def learn(self, text: Text, order: int, callback: Callback | None = None) -> LearnedNgrams:
        """Return the model of n-grams up to `order`.

        It is counted at once, so that a callback receives no events.
        """
        contexts = Contexts.build(text, order)
        model = ContextModel(
            contexts.parent, contexts.word, contexts.ptr, contexts.target, *self._values(contexts)
        )
        report = FitReport(
            in_one_line(self),
            converged=True,
            features_total=len(contexts.target),
            groups_total=len(contexts.parent),
        )
        return LearnedNgrams(model, report)

    def discounts(self, contexts: Contexts, adjusted: NDArray[np.int64]) -> Float64:
        """D of adjusted counts 1, 2 and more (columns) of n-grams of every order (rows)."""
        self._check()
        order_of = contexts.of_pairs(contexts.depth)
        found, missing = [], []
        for order in range(1, int(contexts.depth.max()) + 2):
            n = np.bincount(np.minimum(adjusted[order_of == order - 1], 5), minlength=6)[
                1:5
            ].astype(float)
            estimated = _estimated(n) if self.modified else _one_estimated(n)
            found.append(estimated if estimated is not None else self.discount_fallback)
            if estimated is None:
                missing.append(order)
        if missing:
            in_a_row = len(missing) > FEW and missing[-1] - missing[0] == len(missing) - 1
            orders = f"{missing[0]} to {missing[-1]}" if in_a_row else ", ".join(map(str, missing))
            what = (
                f"the text has too few n-grams of order {orders} to estimate their discounts from"
            )
            if self.discount_fallback is None:
                raise ValueError(f"{what}; set discount_fallback, or take a smaller order")
            warnings.warn(
                f"{what}; discount_fallback {self.discount_fallback} is used", stacklevel=4
            )
        return np.array(found, float)

    def _values(self, contexts: Contexts) -> tuple[Float64, Float64]:
        """Gains of pairs and bases of contexts."""
        adjusted = adjusted_counts(contexts)
        discounts = self.discounts(contexts, adjusted)
        n_contexts = len(contexts.parent)
        context = contexts.of_pairs(np.arange(n_contexts))
        depth = contexts.depth[context]
        discount = np.where(adjusted == 0, 0.0, discounts[depth, np.clip(adjusted, 1, 3) - 1])
        total = np.bincount(context, adjusted, n_contexts)
        gamma = np.bincount(context, discount, n_contexts) / total
        prob = (adjusted - discount) / total[context]
        by_depth = np.argsort(depth, kind="stable")
        bounds = np.searchsorted(depth[by_depth], np.arange(depth.max() + 2))
        prob[: contexts.n_words] += gamma[0] / contexts.n_words
        for at in range(1, int(depth.max()) + 1):
            pairs = by_depth[bounds[at] : bounds[at + 1]]
            prob[pairs] += gamma[context[pairs]] * prob[contexts.shorter[pairs]]
        weight = np.log(np.maximum(gamma, LEAST))
        weight[0] = 0
        base = summed(contexts.parent, weight)
        return np.log(np.maximum(prob, LEAST)) - base[context], base

    def _check(self) -> None:
        if self.discount_fallback is None:
            return
        values = np.asarray(self.discount_fallback, float)
        if values.shape != (3,) or not np.all((values >= 0) & (values <= [1, 2, 3])):
            raise ValueError(
                f"discount_fallback must be three discounts from 0 to 1, 2 and 3, or None, got {self.discount_fallback!r}"
            )


def adjusted_counts(contexts: Contexts) -> NDArray[np.int64]:
    """How many different words come before each n-gram; how often it occurs if it begins a sentence or is of the highest order."""
    inner = contexts.shorter[contexts.n_words :]
    adjusted = np.bincount(inner, minlength=len(contexts.target)).astype(np.int64)
    whole = (contexts.depth == contexts.order - 1) | (contexts.word == contexts.n_words)
    return np.where(contexts.of_pairs(whole), contexts.count, adjusted)


def _estimated(n: Float64) -> Float64 | None:
    """The discounts of counts 1, 2 and more, from how many n-grams have the counts 1, 2, 3 and 4; None if these give none."""
    if not n[:3].all():
        return None
    counts = np.arange(1, 4)
    found = counts - (counts + 1) * n[0] / (n[0] + 2 * n[1]) * n[1:] / n[:3]
    return found if np.all((found >= 0) & (found <= counts)) else None


def _one_estimated(n: Float64) -> Float64 | None:
    """The same with one discount for all counts."""
    return np.full(3, n[0] / (n[0] + 2 * n[1])) if n[:2].all() else None
