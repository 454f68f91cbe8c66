"""Scores of predicted labels: accuracy, and precision, recall and F1 of each label or of chunks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.core.arrays import Array, Bools, Ints
from laconic.text.labels import Spans, spans


class LabelScores(NamedTuple):
    """Scores per label, of all gold and predicted labels, sorted; 0 where a ratio is 0/0."""

    labels: NDArray[Any]
    precision: Array
    recall: Array
    f1: Array
    support: Ints


class ChunkScores(NamedTuple):
    """Scores of chunks as conlleval counts them: overall and by type.

    `accuracy` is the share of right tokens, `complete` that of sentences without a mistake.
    """

    precision: float
    recall: float
    f1: float
    accuracy: float
    complete: float
    by_type: LabelScores
    n_gold: int
    n_predicted: int
    n_right: int


def accuracy(gold: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of documents whose predicted label is the gold one."""
    right, guessed = _pair(gold, predicted)
    return float(np.mean(right == guessed))


def label_scores(gold: ArrayLike, predicted: ArrayLike) -> LabelScores:
    """Return precision, recall and F1 of each label.

    Precision = right / predicted, recall = right / gold, F1 = 2 right / (predicted + gold).

    >>> label_scores(["a", "a", "b"], ["a", "b", "b"]).f1.round(2).tolist()
    [0.67, 0.67]
    """
    true, guessed = _pair(gold, predicted)
    labels, code = np.unique(np.concatenate([true, guessed]), return_inverse=True)
    n = len(labels)
    gold_code, predicted_code = code[: len(true)], code[len(true) :]
    right = np.bincount(gold_code[gold_code == predicted_code], minlength=n)
    n_gold, n_predicted = (
        np.bincount(gold_code, minlength=n),
        np.bincount(predicted_code, minlength=n),
    )
    return LabelScores(labels, *precision_recall_f1(right, n_gold, n_predicted), n_gold)


def macro_f1(gold: ArrayLike, predicted: ArrayLike) -> float:
    """Return the mean F1 of all labels."""
    return float(label_scores(gold, predicted).f1.mean())


def chunk_scores(
    gold: Sequence[Any], predicted: Sequence[Any], ptr: ArrayLike | None = None
) -> ChunkScores:
    """Return the scores of chunks; labels in IOB1, IOB2 or BIOES, one list per sentence.

    A chunk is right if its first token, last token and type are. With `ptr` labels come in one flat
    list, sentence s being ptr[s]:ptr[s+1]. A sentence is complete if all its labels are right;
    empty ones do not count.
    """
    if ptr is None:
        lengths = [len(sentence) for sentence in gold]
        if lengths != [len(sentence) for sentence in predicted]:
            raise ValueError("expected predicted sentences with as many labels as the gold ones")
        gold, predicted = list(chain.from_iterable(gold)), list(chain.from_iterable(predicted))
        ptr = np.cumsum([0, *lengths])
    pointer = np.asarray(ptr, dtype=np.int64)
    if not len(gold) == len(predicted) == pointer[-1] > 0:
        raise ValueError(
            f"expected {pointer[-1]} gold and predicted labels and at least one, "
            f"got {len(gold)} and {len(predicted)}"
        )
    labels = sorted({*gold, *predicted})
    code = {label: k for k, label in enumerate(labels)}
    ids = [
        np.fromiter(map(code.__getitem__, given), np.int64, len(given))
        for given in (gold, predicted)
    ]
    true, guessed = (spans(given, pointer, labels) for given in ids)
    return _chunk_scores(true, guessed, ids[0] == ids[1], pointer[:-1][np.diff(pointer) > 0])


def complete(gold: Sequence[Any], predicted: Sequence[Any], ptr: ArrayLike) -> float:
    """Return the share of sentences ptr[s]:ptr[s+1], empty ones aside, with all labels right."""
    gold_labels, predicted_labels = _pair(gold, predicted)
    pointer = np.asarray(ptr, dtype=np.int64)
    return _complete(gold_labels == predicted_labels, pointer[:-1][np.diff(pointer) > 0])


def _complete(token_right: Bools, starts: Ints) -> float:
    return float(np.logical_and.reduceat(token_right, starts).mean())


def _chunk_scores(true: Spans, guessed: Spans, token_right: Bools, starts: Ints) -> ChunkScores:
    n_types, n_tokens = len(true.types), len(token_right)
    keys = [
        (found.start * (n_tokens + 1) + found.end) * n_types + found.kind
        for found in (true, guessed)
    ]
    matched = np.isin(keys[0], keys[1], assume_unique=True)
    counts = [
        np.bincount(kind, minlength=n_types)
        for kind in (true.kind[matched], true.kind, guessed.kind)
    ]
    right, n_gold, n_predicted = counts
    by_type = LabelScores(
        np.array(true.types, dtype=object),
        *precision_recall_f1(right, n_gold, n_predicted),
        n_gold,
    )
    precision, recall, f1 = (
        float(ratio[0]) for ratio in precision_recall_f1(*(c.sum(keepdims=True) for c in counts))
    )
    return ChunkScores(
        precision=precision,
        recall=recall,
        f1=f1,
        accuracy=float(token_right.mean()),
        complete=_complete(token_right, starts),
        by_type=by_type,
        n_gold=len(true.start),
        n_predicted=len(guessed.start),
        n_right=int(matched.sum()),
    )


def precision_recall_f1(
    right: NDArray[Any], n_gold: NDArray[Any], n_predicted: NDArray[Any]
) -> tuple[Array, Array, Array]:
    """Return precision, recall and F1 from numbers of right, gold and predicted items."""
    return (
        _ratio(right, n_predicted),
        _ratio(right, n_gold),
        _ratio(2 * right, n_gold + n_predicted),
    )


def _pair(gold: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    true, guessed = np.asarray(gold), np.asarray(predicted)
    if true.shape != guessed.shape or true.ndim != 1 or len(true) == 0:
        raise ValueError(
            "expected as many predicted as gold labels and at least one, "
            f"got {guessed.shape} and {true.shape}"
        )
    return true, guessed


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Array:
    ratio: Array = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return ratio
