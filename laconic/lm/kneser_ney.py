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

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.parameters import HasParameters
from laconic.core.report import Callback, FitReport, in_one_line
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import MOST_ORDER, Text
from laconic.lm.learn import LearnedNgrams

FEW = 5  # up to this number of orders a warning names each of them


class KneserNey(HasParameters):
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
        counts, discounts = self.estimate(text, order)
        model = ContextModel(*counts.model(discounts))
        return LearnedNgrams(model, self.report(counts))

    def estimate(
        self, text: Text, order: int, memory: int = 0, folder: str = ""
    ) -> tuple[_core.KneserNeyCounts, Array]:
        """Return the counted n-grams of a text, and D of each order as one flat array.

        With a `memory` in bytes, what does not fit goes through files in `folder`.
        """
        self._check()
        if not 1 <= order <= MOST_ORDER:
            raise ValueError(f"order must be from 1 to {MOST_ORDER}, not {order!r}")
        if not len(text.tokens):
            raise ValueError("expected a text with at least one word, got an empty one")
        counts = _core.KneserNeyCounts(text.tokens, text.ptr, text.n_words, order, memory, folder)
        used = np.count_nonzero(counts.n_pairs())
        discounts = np.zeros((order, 3))
        discounts[:used] = self.discounts(counts.counts().reshape(order, -1)[:used])
        return counts, discounts.ravel()

    def report(self, counts: _core.KneserNeyCounts) -> FitReport:
        """Return the fit report of a model of these counts."""
        n_ngrams, n_contexts = int(counts.n_pairs().sum()), int(counts.n_contexts().sum())
        return FitReport(
            in_one_line(self),
            converged=True,
            features_total=n_ngrams,
            features_kept=n_ngrams,
            groups_total=n_contexts,
            groups_kept=n_contexts,
        )

    def discounts(self, counts: Ints) -> Array:
        """Return D of adjusted counts 1, 2 and more (columns) of n-grams of every order (rows).

        counts[k, a] is the number of n-grams of k + 1 words whose adjusted count is a, up to 4.
        """
        found, missing = [], []
        for order, n in enumerate(counts[:, 1:5].astype(float), 1):
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
                f"{what}; discount_fallback {self.discount_fallback} is used", stacklevel=5
            )
        return np.array(found, float)

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
