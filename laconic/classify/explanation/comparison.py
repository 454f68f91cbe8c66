"""Two models on the same documents: words of only one, agreement, McNemar's exact test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from laconic.classify.explanation.words import word_table
from laconic.text.documents import DocumentLike

if TYPE_CHECKING:
    from laconic.classify.predict import TextPredictor


class Comparison(NamedTuple):
    """What two models share and where they part.

    only_first, only_second   words that have a weight in one of them alone, largest weight first
    shared                    number of words of both
    agreement                 share of documents with the same prediction
    accuracy                  that of each; NaN without labels
    first_right, second_right documents that just one of the two has right
    p_value                   McNemar's exact test: is that share 1/2?
    """

    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    shared: int
    documents: int
    agreement: float
    accuracy: tuple[float, float]
    first_right: int
    second_right: int
    p_value: float

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers and words by name."""
        return self._asdict()


def compare(
    first: TextPredictor,
    second: TextPredictor,
    documents: Sequence[DocumentLike],
    labels: Sequence[object],
) -> Comparison:
    """Return what two models share, and where they differ on documents whose labels are known.

    Labels are compared as text, as they stand in files.
    """
    words = [_words(model) for model in (first, second)]
    guessed = [
        np.array([str(label) for label in model.predict(documents).tolist()], dtype=object)
        for model in (first, second)
    ]
    gold = np.array([str(label) for label in labels], dtype=object)
    right = [np.asarray(one == gold) for one in guessed]
    counts = [int(np.sum(right[k] & ~right[1 - k])) for k in (0, 1)]
    decided = sum(counts)
    return Comparison(
        tuple(word for word in words[0] if word not in words[1]),
        tuple(word for word in words[1] if word not in words[0]),
        len(words[0].keys() & words[1].keys()),
        len(gold),
        float(np.mean(guessed[0] == guessed[1])),
        (float(right[0].mean()), float(right[1].mean())),
        counts[0],
        counts[1],
        float(binomtest(counts[0], decided).pvalue) if decided else 1.0,
    )


def _words(model: TextPredictor) -> dict[str, None]:
    """Return the words with a weight, the largest first."""
    table = word_table(model)
    order = np.argsort(-np.abs(table["weight"]), kind="stable")
    return dict.fromkeys(table["word"][order].tolist())
