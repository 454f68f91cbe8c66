"""Kneser-Ney: interpolated absolute discounting of adjusted counts, of any order.

    p(v | c) = (a(c v) - D(a(c v))) / a(c .)  +  gamma(c) p(v | c without its oldest word)

where the recursion ends with 1 / |V|, and gamma(c) is the mass that the discounts D leave. Adjusted
counts a are numbers of different words before an n-gram; n-grams of the highest order and those
that begin a sentence keep their counts. The rules, down to the discounts of each order, are those
of KenLM's lmplz.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator

from laconic.core.arrays import Array, Ints
from laconic.core.report import Callback, FitReport, in_one_line
from laconic.lm.backoff import summed
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts, Text
from laconic.lm.learn import LearnedNgrams

LEAST = 1e-100  # lower bound of every probability
FEW = 5  # up to this number of orders a warning names each of them


class KneserNey(BaseEstimator):
    """p(v | c) = discounted count + gamma(c) p(v | shorter c): Kneser-Ney smoothing.

    Parameters
    ----------
    modified : bool, default=True
        Whether n-grams seen once, twice and more often have different discounts. Each is estimated
        from the counts of counts of its order (Chen and Goodman 1998). Otherwise there is one
        discount per order.
    discount_fallback : tuple of three floats or None, default=(0.5, 1.0, 1.5)
        Discounts of orders with too few n-grams to estimate them. They are used with a warning;
        with None such orders are an error.

    Examples
    --------
    >>> from laconic import KneserNey, LanguageModel
    >>> learner = KneserNey(modified=False)
    >>> model = LanguageModel(order=2, learner=learner).fit(["a b a b a", "b a b", "a c"])
    >>> model.complete("a", k=1)[0][0]
    'b'
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

    def discounts(self, contexts: Contexts, adjusted: Ints) -> Array:
        """Return D of adjusted counts 1, 2 and more (columns) of n-grams of every order (rows)."""
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
            what = f"the text has too few n-grams of order {orders} to estimate their discounts"
            if self.discount_fallback is None:
                raise ValueError(f"{what}; set discount_fallback or use a smaller order")
            warnings.warn(
                f"{what}; discount_fallback {self.discount_fallback} is used", stacklevel=4
            )
        return np.array(found, float)

    def _values(self, contexts: Contexts) -> tuple[Array, Array]:
        """Return the gains of pairs and the bases of contexts."""
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
        """Raise a ValueError if a parameter cannot be used."""
        if self.discount_fallback is None:
            return
        values = np.asarray(self.discount_fallback, float)
        if values.shape != (3,) or not np.all((values >= 0) & (values <= [1, 2, 3])):
            raise ValueError(
                "discount_fallback must be three discounts from 0 to 1, 2 and 3, or None, "
                f"got {self.discount_fallback!r}"
            )


def adjusted_counts(contexts: Contexts) -> Ints:
    """Return the number of different words before each n-gram.

    N-grams of the highest order, and those that begin a sentence, keep their counts.
    """
    inner = contexts.shorter[contexts.n_words :]
    adjusted = np.bincount(inner, minlength=len(contexts.target)).astype(np.int64)
    whole = (contexts.depth == contexts.order - 1) | (contexts.word == contexts.n_words)
    return np.where(contexts.of_pairs(whole), contexts.count, adjusted)


def _estimated(n: Array) -> Array | None:
    """Return the discounts of the counts 1, 2 and more; None if they cannot be estimated.

    n[k - 1] is the number of n-grams that occur k times.
    """
    if not n[:3].all():
        return None
    counts = np.arange(1, 4)
    found = counts - (counts + 1) * n[0] / (n[0] + 2 * n[1]) * n[1:] / n[:3]
    return found if np.all((found >= 0) & (found <= counts)) else None


def _one_estimated(n: Array) -> Array | None:
    """Return one discount for all counts; None if it cannot be estimated."""
    return np.full(3, n[0] / (n[0] + 2 * n[1])) if n[:2].all() else None
