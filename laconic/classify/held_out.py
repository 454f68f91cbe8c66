"""Documents with the parts of them that are held out in turn, to choose by."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from laconic.classify.multilabel import (
    as_labels,
    is_multilabel,
    known_to,
    names_of,
    unknown_labels,
)
from laconic.classify.preparation import DocumentLabels
from laconic.core.arrays import AnyArray, Array, Ints
from laconic.text.documents import DocumentLike
from laconic.text.frames import labels_of

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier

FEW = (
    "there are too few documents to hold some out, so that nothing was chosen by data: give more "
    "documents per label, or strength="
)


class FoldedDocuments(NamedTuple):
    """Documents with labels, the folds: pairs of rows (train, held-out), and weights if any."""

    documents: Sequence[DocumentLike]
    labels: AnyArray
    folds: Sequence[tuple[Ints, Ints]]
    weight: Array | None = None
    unlabelled: Sequence[DocumentLike] = ()


def split(labels: AnyArray, n_folds: int, seed: int) -> list[tuple[Ints, Ints]]:
    """Return (train, held-out) rows of each fold; the classes are spread evenly over the folds.

    HeldOutRows-out documents with a label that training lacks are left out.
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(labels), dtype=np.int64)
    fold_of[order] = np.arange(len(labels)) % n_folds
    found = []
    for fold in range(n_folds):
        train, held = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        held = held[known_to(labels[held], labels[train])]
        if len(names_of(labels[train])) > 1 and len(held):
            found.append((train, held))
    return found


def folded(
    model: TextClassifier,
    documents: Sequence[DocumentLike],
    labels: AnyArray,
    dev: tuple[Any, DocumentLabels] | None = None,
    weight: Array | None = None,
) -> FoldedDocuments:
    """Return documents with folds of them, or with `dev` as the only held-out part."""
    if len(documents) != len(labels):
        raise ValueError(f"there are {len(documents)} documents but {len(labels)} labels")
    if model.refit is not None and not 0 <= model.refit < np.inf:
        raise ValueError(
            f"refit must be the strength of a ridge, or 0 for none; got {model.refit!r}"
        )
    if model.folds < 2:
        raise ValueError(f"folds must be a number of at least 2, got {model.folds!r}")
    if len(names_of(labels)) < 2:
        raise ValueError(
            "the training data has only one class; expected documents of at least two labels"
        )
    if dev is None:
        folds = split(labels, model.folds, model.random_state)
        if not folds:
            warnings.warn(FEW, UserWarning, stacklevel=3)
        return FoldedDocuments(documents, labels, folds, weight)
    more, gold = model.read(dev[0]), as_labels(labels_of(*dev))
    if is_multilabel(gold) != is_multilabel(labels):
        raise ValueError(
            "documents have lists of labels in the training data or in the development data, but "
            "not in both"
        )
    unknown = unknown_labels(gold, labels)
    if unknown:
        raise ValueError(
            "the development data has labels that are not in the training data: "
            f"{', '.join(unknown[:5])}"
        )
    if len(more) != len(gold) or not more:
        raise ValueError(f"there are {len(more)} development documents and {len(gold)} labels")
    n, both = len(documents), np.concatenate([labels, gold])
    folds = [(np.arange(n), np.arange(n, n + len(more)))]
    if weight is not None:
        weight = np.concatenate([weight, np.full(len(more), weight.mean())])
    return FoldedDocuments(_joined(documents, more), both, folds, weight)


def _joined(
    documents: Sequence[DocumentLike], more: Sequence[DocumentLike]
) -> Sequence[DocumentLike]:
    """Return both, with their columns if they have any."""
    first: Any = documents
    joined: Sequence[DocumentLike] = first + more
    return joined
