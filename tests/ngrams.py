"""A back-off model as dictionaries, the definition of its tables, and random tables."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from laconic.lm.arpa import Arpa, NgramTable

Ngram = tuple[int, ...]


class NaiveBackoff:
    """log10 p(v | x): that of the n-gram x v, or else that of x backed off by its oldest word."""

    def __init__(self, arpa: Arpa) -> None:
        self.order = len(arpa.tables)
        self.prob: dict[Ngram, float] = {}
        self.backoff: dict[Ngram, float] = {}
        for table in arpa.tables:
            for words, prob, backoff in zip(
                table.words.tolist(), table.log10_prob, table.log10_backoff, strict=True
            ):
                self.prob[tuple(words)] = float(prob)
                self.backoff[tuple(words)] = float(backoff)

    def log10_prob(self, history: Ngram, word: int) -> float:
        history = history[max(0, len(history) - self.order + 1) :]
        if (*history, word) in self.prob:
            return self.prob[(*history, word)]
        return self.backoff.get(history, 0.0) + self.log10_prob(history[1:], word)


@st.composite
def arpas(draw: st.DrawFn) -> Arpa:
    """Draw any tables: n-grams may lack prefixes or suffixes, and nothing sums to 1."""
    n_words, order = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    words = st.integers(0, n_words - 1)
    numbers = st.floats(-5, 2).map(lambda x: round(x, 6))
    tables = []
    for k in range(1, order + 1):
        rows = (
            [(w,) for w in range(n_words)]
            if k == 1
            else draw(st.lists(st.tuples(*[words] * k), unique=True, max_size=6))
        )
        prob, backoff = (np.array([draw(numbers) for _ in rows], float) for _ in range(2))
        tables.append(
            NgramTable(
                np.array(rows, np.int32).reshape(-1, k), prob, backoff if k < order else 0 * backoff
            )
        )
    return Arpa([f"w{i}" for i in range(n_words)], tables)


def as_dictionaries(arpa: Arpa) -> list[dict[Ngram, tuple[float, float]]]:
    """Return the tables without the order of their rows."""
    return [
        {
            tuple(w): (round(p, 9), round(b, 9) + 0.0)
            for w, p, b in zip(t.words.tolist(), t.log10_prob, t.log10_backoff, strict=True)
        }
        for t in arpa.tables
    ]
