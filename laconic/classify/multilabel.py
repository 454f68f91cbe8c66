"""Several labels per document: one output per label against the rest, each with its threshold.

    p_k = 1 / (1 + exp(-(x W_k + b_k)))         label k is given where x W_k + b_k > t_k

Inside, the labels of a document are a sorted tuple, so that an array of documents' labels has one
entry per document, as where each has one label.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from laconic.core.arrays import AnyArray, Array, Bools, Ints

CROWD = 2.0
FEW = 5  # documents of a label below which its threshold stays that of probability 1/2


class LabelSetScores(NamedTuple):
    """Scores of predicted sets of labels.

    F1 over all decisions (micro) and as a mean over labels (macro), and the share of documents
    whose labels are all right (subset accuracy). The arrays have one entry per label.
    """

    labels: AnyArray
    micro_f1: float
    macro_f1: float
    subset_accuracy: float
    precision: Array
    recall: Array
    f1: Array
    support: Ints


def as_labels(given: Any) -> AnyArray:
    """Return one entry per document: its label, or the sorted tuple of its labels."""
    if hasattr(given, "toarray"):  # a sparse matrix
        given = np.asarray(given.toarray())
    if getattr(given, "ndim", 1) == 2:
        given = [np.flatnonzero(row).tolist() for row in np.asarray(given)]
    rows = list(given)
    several = [isinstance(row, list | tuple | set | frozenset | np.ndarray) for row in rows]
    if not any(several):
        return np.asarray(given)
    if not all(several):
        row = several.index(not several[0])
        raise ValueError(
            f"document {row} has {'one label' if several[0] else 'a list of labels'}, those before "
            f"it have {'lists' if several[0] else 'one'}: give a list for every document, or none"
        )
    found = np.empty(len(rows), dtype=object)
    for number, row in enumerate(rows):
        found[number] = tuple(sorted({_plain(label) for label in row}))
    if not any(found):
        raise ValueError("no document has a label: there is nothing to learn")
    return found


def _plain(label: object) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def is_multilabel(labels: AnyArray) -> bool:
    """Return whether documents have sets of labels."""
    return labels.dtype == object and len(labels) > 0 and isinstance(labels[0], tuple)


def names_of(labels: AnyArray) -> AnyArray:
    """Return the different labels, sorted."""
    if not is_multilabel(labels):
        return np.unique(labels)
    return np.unique([label for row in labels for label in row])


def indicator(labels: AnyArray, names: AnyArray) -> Array:
    """Return which documents have which of the named labels, (n, K); others are left out."""
    place = {name: k for k, name in enumerate(names.tolist())}
    found = np.zeros((len(labels), len(place)))
    pairs = [
        (row, place[label])
        for row, own in enumerate(labels.tolist())
        for label in (own if isinstance(own, tuple) else (own,))
        if label in place
    ]
    if pairs:
        found[tuple(np.array(pairs).T)] = 1.0
    return found


def known_to(held: AnyArray, train: AnyArray) -> Bools:
    """Return which documents can be judged by a model that saw `train`."""
    if is_multilabel(train):
        return np.ones(len(held), dtype=bool)
    return np.asarray(np.isin(held, train))


def unknown_labels(labels: AnyArray, train: AnyArray) -> list[str]:
    """Return the labels that training data lacks."""
    return sorted(map(str, set(names_of(labels).tolist()) - set(names_of(train).tolist())))


def best_thresholds(scores: Array, gold: Array) -> Array:
    """Return the threshold of each label at which its F1 on held-out documents is largest.

        F1(t) = 2 right(t) / (given(t) + gold)        given(t): documents with a score above t

    It lies midway between two scores, and gives a label to at most CROWD times as many documents as
    have it: where nothing tells a rare label, giving it to all would score best. A label with few
    documents keeps 0, a probability of 1/2; documents without a finite score do not count.
    """
    thresholds = np.zeros(scores.shape[1])
    for k, (column, target) in enumerate(zip(scores.T, gold.T, strict=True)):
        known = np.isfinite(column)
        column, target = column[known], target[known]
        total = target.sum()
        if total < FEW or total == len(target):
            continue
        order = np.argsort(-column, kind="stable")
        ranked, right = column[order], np.cumsum(target[order])
        f1 = 2 * right / (np.arange(1, len(ranked) + 1) + total)
        ends = np.append(ranked[:-1] > ranked[1:], True)  # documents of equal scores go together
        ends &= np.arange(1, len(ranked) + 1) <= CROWD * total
        if not ends.any():
            continue
        last = int(np.argmax(np.where(ends, f1, -1.0)))
        below = ranked[last + 1] if last + 1 < len(ranked) else ranked[last] - 1.0
        thresholds[k] = 0.5 * (ranked[last] + below)
    return thresholds


def lists_of(chosen: Bools, names: AnyArray) -> AnyArray:
    """Return an array of lists of labels from decisions (n, K)."""
    found = np.empty(len(chosen), dtype=object)
    for number, row in enumerate(chosen):
        found[number] = names[row].tolist()
    return found


def label_set_scores(
    gold: Sequence[Iterable[Any]], predicted: Sequence[Iterable[Any]]
) -> LabelSetScores:
    """Return the scores of predicted sets of labels.

    >>> found = label_set_scores([["a"], ["a", "b"]], [["a"], ["a"]])
    >>> round(found.micro_f1, 2), round(found.macro_f1, 2), found.subset_accuracy
    (0.8, 0.5, 0.5)
    """
    from laconic.text.metrics import precision_recall_f1  # scores are for evaluation alone

    true, guessed = [set(row) for row in gold], [set(row) for row in predicted]
    if len(true) != len(guessed) or not true:
        raise ValueError(f"there are {len(true)} documents but predictions for {len(guessed)}")
    names = np.array(sorted(set().union(*true, *guessed)), dtype=object)
    given, target = (indicator(as_pairs, names) for as_pairs in (_tuples(guessed), _tuples(true)))
    right, n_given, n_gold = (given * target).sum(0), given.sum(0), target.sum(0)
    precision, recall, f1 = precision_recall_f1(right, n_gold, n_given)
    micro = precision_recall_f1(*(np.array([one.sum()]) for one in (right, n_gold, n_given)))[2]
    return LabelSetScores(
        names,
        float(micro[0]),
        float(f1.mean()) if len(f1) else 0.0,
        float(np.mean([a == b for a, b in zip(true, guessed, strict=True)])),
        precision,
        recall,
        f1,
        n_gold.astype(np.int64),
    )


def _tuples(rows: Sequence[set[Any]]) -> AnyArray:
    found = np.empty(len(rows), dtype=object)
    for number, row in enumerate(rows):
        found[number] = tuple(row)
    return found
