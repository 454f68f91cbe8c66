"""Scores of predicted labels: accuracy, and precision, recall and F1 of each label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class LabelScores(NamedTuple):
    """One entry a label, for all labels of the gold and the predicted ones, sorted; 0 where a ratio is 0/0."""

    labels: NDArray[Any]
    precision: Array
    recall: Array
    f1: Array
    support: NDArray[np.int64]


def accuracy(gold: ArrayLike, predicted: ArrayLike) -> float:
    """The share of documents whose predicted label is the gold one."""
    gold, predicted = _pair(gold, predicted)
    return float(np.mean(gold == predicted))


def label_scores(gold: ArrayLike, predicted: ArrayLike) -> LabelScores:
    """Precision = right / predicted, recall = right / gold, F1 = 2 right / (predicted + gold), for each label."""
    gold, predicted = _pair(gold, predicted)
    labels, code = np.unique(np.concatenate([gold, predicted]), return_inverse=True)
    n = len(labels)
    gold_code, predicted_code = code[: len(gold)], code[len(gold) :]
    right = np.bincount(gold_code[gold_code == predicted_code], minlength=n)
    n_gold, n_predicted = np.bincount(gold_code, minlength=n), np.bincount(predicted_code, minlength=n)
    f1 = _ratio(2 * right, n_gold + n_predicted)
    return LabelScores(labels, _ratio(right, n_predicted), _ratio(right, n_gold), f1, n_gold)


def macro_f1(gold: ArrayLike, predicted: ArrayLike) -> float:
    """The mean over labels of their F1."""
    return float(label_scores(gold, predicted).f1.mean())


def _pair(gold: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    if gold.shape != predicted.shape or gold.ndim != 1 or len(gold) == 0:
        raise ValueError(f"expected as many predicted as gold labels and at least one, got {predicted.shape} and {gold.shape}")
    return gold, predicted


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Array:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
