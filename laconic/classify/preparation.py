"""What a fit of TextClassifier needs and no strength changes: documents as counts, groups, and maps of added features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.classify import structure
from laconic.classify.structure import Family, Training
from laconic.classify.topics import Topics
from laconic.text.clusters import Clusters
from laconic.text.documents import DocumentEncoder
from laconic.text.trees import Tree


class Examples(NamedTuple):
    """Further training examples with their labels, such as the phrases of parse trees: counts, and rows as weighted."""

    counts: sp.csr_matrix
    labels: NDArray
    X: sp.csr_matrix


class Prepared(NamedTuple):
    """Everything of a fit that does not depend on strengths: matrix, labels, groups, and maps of added features.

    `contrast` scales the words before they are penalised; `examples` join the documents in the loss alone.
    """

    X: sp.csr_matrix
    labels: NDArray
    families: tuple[Family, ...]
    added: tuple[sp.csr_matrix, ...]
    training: Training
    encoder: DocumentEncoder
    idf: NDArray[np.float64] | None
    contrast: NDArray[np.float64] | None = None
    examples: Examples | None = None


class Lexicon(NamedTuple):
    """What is known about words beyond their counts: topics and clusters, each None where nothing asks for it."""

    topics: Topics | None
    clusters: Clusters | None


def encode_training(
    documents: Sequence[Any], labels: Sequence[Any], encoder: DocumentEncoder, min_count: int
) -> Training:
    """The documents as ids and counts; the encoder's vocabulary grows by the features seen `min_count` times."""
    documents = list(documents)
    if len(documents) != len(labels):
        raise ValueError(f"there are {len(documents)} documents but {len(labels)} labels")
    if not documents:
        raise ValueError("there are no documents to learn from")
    encoded = encoder.grow(documents, min_count)
    n = len(encoder.vocab)
    if n == 0:
        raise ValueError("the documents hold no words (tokens of two or more letters or digits)")
    return Training(documents, encoded, encoded.counts(n), encoder.vocab)


def families_of(
    names: Sequence[str], training: Training, lexicon: Lexicon, neutral_label: str | None
) -> tuple[Family, ...]:
    """The groups of each structured regularizer among `names`."""
    n = len(training.vocab)
    families: list[Family] = []
    for name in names:
        if name == "sentence":
            families.append(structure.sentence_family(training))
        elif name == "tree":
            families.append(structure.tree_family(training, neutral_label))
        elif name == "topics" and lexicon.topics is not None:
            families.append(structure.topic_family(lexicon.topics, n))
        elif name == "brown" and lexicon.clusters is not None:
            families.append(structure.brown_family(lexicon.clusters, n))
    return tuple(families)


def added_features(
    names: Sequence[str], lexicon: Lexicon, n_features: int
) -> tuple[sp.csr_matrix, ...]:
    """Words x added features, a matrix for each of `names`: "topics" and "brown"."""
    added = []
    for name in names:
        if name == "topics" and lexicon.topics is not None:
            added.append(structure.topic_features(lexicon.topics, n_features))
        elif name == "brown" and lexicon.clusters is not None:
            added.append(structure.cluster_features(lexicon.clusters, n_features))
        else:
            raise ValueError(f"features is a tuple of 'topics' and 'brown'; got {name!r}")
    return tuple(added)


def constituent_examples(training: Training, labels: NDArray, encoder: DocumentEncoder) -> Examples:
    """Every distinct phrase below the root of a tree whose label tells its class, as counts; X is left as counts.

    A label tells the class if it is the root's label of training trees of one class only: on a treebank of sentiment, labels
    0 and 1 are roots of negative sentences, so that phrases with them are negative, and neutral phrases are left out.
    """
    root_classes: dict[str, set[Any]] = {}
    for document, label in zip(training.documents, labels.tolist(), strict=True):
        if isinstance(document, Tree):
            root_classes.setdefault(document.label[0], set()).add(label)
    class_of = {name: classes.pop() for name, classes in root_classes.items() if len(classes) == 1}
    phrases: dict[tuple[bytes, Any], list[str]] = {}
    for d, document in enumerate(training.documents):
        if isinstance(document, Tree):
            words = training.encoded.words_of(int(training.encoded.document_ptr[d]))
            for node in np.flatnonzero(document.parent >= 0).tolist():
                start, end = int(document.start[node]), int(document.end[node])
                if document.label[node] in class_of:
                    phrases.setdefault(
                        (words[start:end].tobytes(), class_of[document.label[node]]),
                        document.words[start:end],
                    )
    if not phrases:
        raise ValueError(
            "constituents need trees with labels below the root that are root labels of one class as well"
        )
    counts = encoder.encode([[phrase] for phrase in phrases.values()]).counts(len(training.vocab))
    return Examples(counts, np.array([label for _, label in phrases], dtype=labels.dtype), counts)


def training_rows(
    prepared: Prepared, constituents: float
) -> tuple[sp.csr_matrix, NDArray, NDArray[np.float64] | None]:
    """Rows, labels and weights of all examples: documents, then phrases, which weigh `constituents` each."""
    X = _with_added(prepared.X, prepared)
    if prepared.examples is None:
        return X, prepared.labels, None
    examples = _with_added(prepared.examples.X, prepared)
    weight = np.concatenate([np.ones(X.shape[0]), np.full(examples.shape[0], constituents)])
    labels = np.concatenate([prepared.labels, prepared.examples.labels])
    return sp.vstack([X, examples], format="csr"), labels, weight


def _with_added(X: sp.csr_matrix, prepared: Prepared) -> sp.csr_matrix:
    """Words scaled by their contrast, and the added features beside them."""
    words = X if prepared.contrast is None else sp.csr_matrix(X @ sp.diags(prepared.contrast))
    return (
        sp.hstack([words, *(X @ part for part in prepared.added)], format="csr")
        if prepared.added
        else words
    )
