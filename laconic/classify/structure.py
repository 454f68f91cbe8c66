"""From words to groups: what each penalty of TextClassifier knows about the training text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from laconic.core import grouping
from laconic.core.arrays import Array, Ints
from laconic.core.groups import Groups, subtree_sums
from laconic.core.ragged import pointers
from laconic.text.documents import DocumentLike, Encoded, sentences_of
from laconic.text.io import PathLike
from laconic.text.trees import Tree
from laconic.text.vocab import Vocab

if TYPE_CHECKING:
    import scipy.sparse as sp

    from laconic.classify.topics import Topics
    from laconic.text.clusters import Clusters

STRUCTURED = ("sentence", "tree", "topics", "brown")
LATENT = {f"latent {name}": name for name in STRUCTURED}
# Power of the size in the cost of a latent group: below the usual 1/2, so that whole sentences are
# chosen and not headings of two words.
LATENT_POWER = 0.25
ClusterSource: TypeAlias = "PathLike | tuple[Vocab, Clusters]"


class Family(NamedTuple):
    """The groups of one penalty, and what each group is in the text: one row of `source` per group.

    sentence (sentence,)   tree (sentence, node)   topics (topic,)   brown (cluster node,)

    Groups of words that a penalty states itself may have names.
    """

    name: str
    groups: Groups
    source: Ints
    names: tuple[str, ...] = ()


class Training(NamedTuple):
    """Encoded training documents with the vocabulary of their features.

    `lengths` are the numbers of words of the documents, those that were dropped included.
    """

    documents: Sequence[DocumentLike]
    encoded: Encoded
    counts: sp.csr_matrix
    vocab: Vocab
    lengths: Array


def sentence_family(training: Training) -> Family:
    """Return one group per sentence of the training data."""
    encoded, n_features = training.encoded, len(training.vocab)
    groups = grouping.by_sentence(encoded.feature, encoded.sentence_ptr, n_features)
    return Family(
        "sentence", groups, grouping.nonempty_sentences(encoded.feature, encoded.sentence_ptr)
    )


def tree_family(training: Training, neutral_label: str | None) -> Family:
    """Return one group per constituent of the parse trees.

    With a `neutral_label` only constituents with that label are groups.
    """
    shapes, keep, sentence_of = [], [], []
    for sentence, tree in _trees(training):
        shapes.append((tree.parent, tree.owner, training.encoded.words_of(sentence)))
        sentence_of.append(sentence)
        if neutral_label is not None:
            keep.append(np.array([label == neutral_label for label in tree.label]))
    if not shapes:
        raise ValueError(
            "the tree penalty needs documents that are trees: "
            "a bracketed file, or the trees that laconic.text_trees makes from texts"
        )
    groups, source = grouping.by_constituent(
        shapes, len(training.vocab), keep if neutral_label is not None else None
    )
    source[:, 0] = np.array(sentence_of)[source[:, 0]]
    return Family("tree", groups, source)


def _trees(training: Training) -> Iterator[tuple[int, Tree]]:
    """Yield the trees among the sentences of the documents, with the number of each sentence."""
    for document, first in zip(
        training.documents, training.encoded.document_ptr[:-1].tolist(), strict=True
    ):
        if not isinstance(document, str):
            for k, sentence in enumerate(sentences_of(document)):
                if isinstance(sentence, Tree):
                    yield first + k, sentence


def topic_family(topics: Topics, n_features: int) -> Family:
    """Return one group per topic: its most probable words."""
    groups = grouping.by_topic(topics.words, topics.ptr, n_features)
    return Family("topics", groups, np.arange(len(groups)))


def latent_family(family: Family) -> Family:
    """Return the flat groups of a family, for a penalty that chooses a union of few of them.

    A node of a forest becomes the group of all distinct features below it. Of groups with the same
    features the first one stays: they could not be told apart.
    """
    whole = _flat(family.groups)
    random = np.random.default_rng(0).integers(2**63, size=(2, whole.n_features), dtype=np.uint64)
    sums = np.cumsum(np.pad(random[:, whole.index], ((0, 0), (1, 0))), axis=1, dtype=np.uint64)
    keys = sums[:, whole.ptr[1:]] - sums[:, whole.ptr[:-1]]  # alike for equal sets, modulo 2^64
    first = np.sort(np.unique(keys, axis=1, return_index=True)[1])
    first = first[whole.sizes[first] > 0]
    sizes = whole.sizes[first]
    ptr = pointers(sizes)
    index = whole.index[np.repeat(whole.ptr[first] - ptr[:-1], sizes) + np.arange(ptr[-1])]
    groups = Groups(index, ptr, sizes.astype(float) ** LATENT_POWER, whole.n_features)
    source = family.source[first]
    return family._replace(name=f"latent {family.name}", groups=groups, source=source)


def _flat(g: Groups) -> Groups:
    """Return the distinct features of every group, of a node of a forest all those below it."""
    below = np.ones(len(g), dtype=np.int64)
    if g.parent is not None:
        below = subtree_sums(g.parent, below).astype(np.int64)
    first = g.ptr[:-1]
    lengths = g.ptr[np.arange(len(g)) + below] - first  # subtrees are successive: preorder
    ptr = pointers(lengths)
    group = np.repeat(np.arange(len(g)), lengths)
    place = np.repeat(first - ptr[:-1], lengths) + np.arange(ptr[-1])
    pairs = group * g.n_features + g.index[place]
    # The order within a group stays: that of probability, for topics.
    pairs = pairs[np.sort(np.unique(pairs, return_index=True)[1])]
    sizes = np.bincount(pairs // g.n_features, minlength=len(g))
    return Groups(pairs % g.n_features, pointers(sizes), np.sqrt(sizes), g.n_features)


def brown_family(clusters: Clusters, n_features: int) -> Family:
    """Return one group per node of the cluster hierarchy."""
    groups, nodes = grouping.by_cluster(clusters.parent, clusters.leaf, n_features)
    return Family("brown", groups, nodes)


def given_clusters(vocab: Vocab, clusters: ClusterSource) -> Clusters:
    """Return clusters of other text, or of a file, over the words of a vocabulary."""
    from laconic.text.clusters import Clusters, read_paths  # none but these two need clusters

    known, tree = clusters if isinstance(clusters, tuple) else read_paths(clusters)
    place = known.ids(vocab.words)
    leaf = np.where(place >= 0, tree.leaf[np.maximum(place, 0)], -1).astype(np.int32)
    count = np.where(place >= 0, tree.count[np.maximum(place, 0)], 0)
    return Clusters(tree.parent, tree.bit, leaf, count)


def topic_features(topics: Topics, n_features: int) -> sp.csr_matrix:
    """Return a matrix (features, topics) with 1 for the top words of each topic.

    Counts times this matrix are topic features.
    """
    column = np.repeat(np.arange(len(topics)), np.diff(topics.ptr))
    import scipy.sparse as sp

    return sp.csr_matrix(
        (np.ones(len(column)), (topics.words, column)), shape=(n_features, len(topics))
    )


def cluster_features(clusters: Clusters, n_features: int, largest: int = 50) -> sp.csr_matrix:
    """Return a matrix (features, clusters) with 1 for the words of each cluster (Table 5.8).

    Only clusters of fewer than `largest` words are columns.
    """
    rows, columns, width = [], [], 0
    node_of = clusters.leaf.astype(np.int64).copy()
    below: list[list[int]] = [[] for _ in clusters.parent]
    for word in np.flatnonzero(node_of >= 0):
        below[node_of[word]].append(int(word))
    for node in range(len(clusters.parent) - 1, -1, -1):
        members = below[node]
        if 2 <= len(members) < largest:
            rows.extend(members)
            columns.extend([width] * len(members))
            width += 1
        above = clusters.parent[node]
        if above >= 0 and len(below[above]) < largest:
            below[above].extend(members)
    import scipy.sparse as sp

    return sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n_features, width))
