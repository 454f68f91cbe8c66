"""How good a model is on labelled documents: confusion, calibration, scores by label, learning.

    ECE = sum_b n_b / n * |accuracy_b - confidence_b|      b: documents of about equal confidence

(Naeini et al. 2015; the bins have equal widths.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array, Ints
from laconic.text.documents import DocumentLike
from laconic.text.metrics import LabelScores, label_scores

if TYPE_CHECKING:
    from laconic.classify.predict import TextPredictor

N_BINS = 10
SMALLEST = 1e-300  # probability, so that a logarithm is finite


class Reliability(NamedTuple):
    """Bins of the probability of the predicted label: ends, documents, mean, share of right ones.

    confidence and accuracy of an empty bin are NaN.
    """

    low: Array
    high: Array
    documents: Ints
    confidence: Array
    accuracy: Array

    @property
    def error(self) -> float:
        """Expected calibration error."""
        full = self.documents > 0
        gap = np.abs(self.accuracy[full] - self.confidence[full])
        return float(gap @ self.documents[full] / max(1, self.documents.sum()))


class Quality(NamedTuple):
    """Scores of a model on labelled documents.

    confusion[i, j] is the number of documents of labels[i] that were predicted as labels[j].
    """

    labels: NDArray[Any]
    confusion: Ints
    accuracy: float
    log_loss: float
    brier: float
    by_label: LabelScores
    reliability: Reliability

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        names = ("label", *self.by_label._fields[1:])
        bins = ("low", "high", "documents", "confidence", "accuracy")
        return {
            "documents": int(self.confusion.sum()),
            "accuracy": self.accuracy,
            "log_loss": self.log_loss,
            "brier": self.brier,
            "calibration_error": self.reliability.error,
            "labels": _rows(names, self.by_label),
            "confusion": self.confusion.tolist(),
            "calibration": _rows(bins, self.reliability),
        }


def _rows(names: Sequence[str], columns: Sequence[NDArray[Any]]) -> list[dict[str, Any]]:
    values = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]


def assess(
    model: TextPredictor, documents: Sequence[DocumentLike], labels: Sequence[object]
) -> Quality:
    """Return how good a model is on documents whose labels are known.

    Labels are compared as text, as they stand in files. A label that the model does not know counts
    as missed; its documents have no part in log-loss and Brier score.
    """
    if model.thresholds_ is not None:
        raise ValueError(
            "confusion and calibration are for one label per document; of several labels "
            "`laconic evaluate` gives the scores"
        )
    chances = np.exp(model.predict_log_proba(documents))
    known = np.array([str(label) for label in model.classes_.tolist()], dtype=object)
    gold = np.array([str(label) for label in labels], dtype=object)
    # By the model's own rule, which a tie or thresholds may make another than the largest chance.
    predicted = np.array([str(label) for label in model.predict(documents).tolist()], dtype=object)
    names = np.array(sorted({*known, *gold}), dtype=object)
    place = {name: k for k, name in enumerate(names)}
    pair = [[place[a], place[b]] for a, b in zip(gold, predicted, strict=True)]
    confusion = np.zeros((len(names), len(names)), np.int64)
    np.add.at(confusion, tuple(np.array(pair).T), 1)
    column = {name: k for k, name in enumerate(known)}
    own = np.array([column.get(name, -1) for name in gold])
    rows = np.flatnonzero(own >= 0)
    of_gold = chances[rows, own[rows]]
    target = np.zeros_like(chances[rows])
    target[np.arange(len(rows)), own[rows]] = 1
    right = predicted == gold
    return Quality(
        names,
        confusion,
        float(right.mean()),
        float(-np.log(np.maximum(of_gold, SMALLEST)).mean()) if len(rows) else float("nan"),
        float(np.sum((chances[rows] - target) ** 2, axis=1).mean()) if len(rows) else float("nan"),
        label_scores(gold, predicted),
        reliability(chances.max(axis=1), right),
    )


def reliability(confidence: Array, right: NDArray[np.bool_], n_bins: int = N_BINS) -> Reliability:
    """Return bins of equal width of the confidence of predictions, and the share of right ones.

    >>> import numpy as np
    >>> found = reliability(np.array([0.9, 0.9, 0.6, 0.6]), np.array([True, True, True, False]))
    >>> found.documents.tolist(), round(found.error, 3)
    ([0, 0, 0, 0, 0, 0, 2, 0, 0, 2], 0.1)
    """
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    # A confidence of 0.6 is in the bin that begins there, though 0.6 * 10 is a little less than 6.
    place = np.clip(np.floor(confidence * n_bins + 1e-9).astype(np.int64), 0, n_bins - 1)
    count = np.bincount(place, minlength=n_bins)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(place, weights=confidence, minlength=n_bins) / count
        share = np.bincount(place, weights=right, minlength=n_bins) / count
    return Reliability(edges[:-1], edges[1:], count, mean, share)
