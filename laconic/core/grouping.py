"""Builders of Groups from structure given as ids.

Sentences, constituents, topics, clusters, and features across outputs. Every builder weights a
group by the square root of its size, as in chapter 5 of Yogatama (2015).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.core.arrays import Bools, Integers, Ints
from laconic.core.groups import Groups, subtree_sums
from laconic.core.ragged import pointers


def by_label(n_features: int) -> Groups:
    """Return one group per feature.

    Spread over K outputs, the weights of a feature for all labels become zero together.
    """
    return Groups(np.arange(n_features), np.arange(n_features + 1), np.ones(n_features), n_features)


def by_template(template: Integers, n_features: int) -> Groups:
    """Return one group per template; template[f] is the template that made feature f."""
    order = np.argsort(template, kind="stable")
    sizes = np.bincount(template)
    sizes = sizes[sizes > 0]
    return Groups(order, pointers(sizes), np.sqrt(sizes), n_features)


def by_sentence(feature: Integers, sentence_ptr: Integers, n_features: int) -> Groups:
    """Return one group per sentence: its distinct features; sentences without any have none."""
    sentence = np.repeat(np.arange(len(sentence_ptr) - 1, dtype=np.int64), np.diff(sentence_ptr))
    known = feature >= 0
    pairs = np.unique(sentence[known] * n_features + feature[known])
    sizes = np.bincount(pairs // n_features, minlength=len(sentence_ptr) - 1)
    sizes = sizes[sizes > 0]
    return Groups(pairs % n_features, pointers(sizes), np.sqrt(sizes), n_features)


def nonempty_sentences(feature: Integers, sentence_ptr: Integers) -> Ints:
    """Return the sentence that each group of `by_sentence` came from."""
    known = np.concatenate([[0], np.cumsum(feature >= 0)])
    return np.flatnonzero(known[sentence_ptr[1:]] > known[sentence_ptr[:-1]])


def by_topic(words: Integers, ptr: Integers, n_features: int) -> Groups:
    """Return one group per topic: its most probable words.

    Empty topics have an empty group, so that numbers stay aligned.
    """
    return Groups(words.astype(np.int64), ptr.astype(np.int64), np.sqrt(np.diff(ptr)), n_features)


def by_cluster(parent: Integers, leaf: Integers, n_features: int) -> tuple[Groups, Ints]:
    """Return a forest of the clusters with two or more words, and the cluster node of each group.

    leaf[w] is the node of word w, -1 for none. Nodes with the same words as a single child are left
    out.
    """
    sizes = subtree_sums(parent, np.bincount(leaf[leaf >= 0], minlength=len(parent))).astype(
        np.int64
    )
    above = np.where(parent >= 0, parent, 0)
    # A node has the same group as its parent when both have the same size: the lower one stays.
    repeated = np.zeros(len(parent), dtype=bool)
    same = (parent >= 0) & (sizes == sizes[above])
    repeated[parent[same]] = True
    kept = (sizes >= 2) & ~repeated
    owner = nearest_kept(parent, kept)
    node_of_word = np.where(leaf >= 0, owner[np.maximum(leaf, 0)], -1)
    return _forest(parent, kept, owner, node_of_word, np.arange(n_features), n_features)


def by_constituent(
    trees: Sequence[tuple[Integers, Integers, Integers]],
    n_features: int,
    keep: Sequence[Bools] | None = None,
) -> tuple[Groups, Ints]:
    """Return a forest of the constituents with two or more words, and (tree, node) of each group.

    The forest is over one copy per token. A tree is (parent of each node, owner node of each word,
    feature of each word or -1). `keep` restricts the nodes (say, to neutral phrases): words and
    kept nodes are then attached to the nearest kept node above them.
    """
    node_shift = pointers(np.array([len(tree[0]) for tree in trees], dtype=np.int64))
    parent = np.concatenate(
        [np.where(t[0] >= 0, t[0] + s, -1) for t, s in zip(trees, node_shift[:-1], strict=True)]
    )
    owner = np.concatenate([t[1] + s for t, s in zip(trees, node_shift[:-1], strict=True)])
    feature = np.concatenate([t[2] for t in trees])
    owner, feature = owner[feature >= 0], feature[feature >= 0]
    sizes = subtree_sums(parent, np.bincount(owner, minlength=len(parent)))
    kept = sizes >= 2
    if keep is not None:
        kept &= np.concatenate(list(keep))
    up = nearest_kept(parent, kept)
    groups, node = _forest(parent, kept, up, up[owner], feature, n_features)
    tree_of = np.searchsorted(node_shift, node, side="right") - 1
    return groups, np.stack([tree_of, node - node_shift[tree_of]], axis=1)


def nearest_kept(parent: Integers, kept: Bools) -> Ints:
    """Return the nearest kept node at or above each node, or -1; nodes are parents first."""
    up = np.where(kept, np.arange(len(parent)), -1)
    for v in np.flatnonzero(~kept):
        if parent[v] >= 0:
            up[v] = up[parent[v]]
    return up


def _forest(
    parent: Integers,
    kept: Bools,
    up: Ints,
    node_of_copy: Integers,
    feature: Integers,
    n_features: int,
) -> tuple[Groups, Ints]:
    """Return the kept nodes as a forest over copies of features, and their numbers."""
    nodes = np.flatnonzero(kept)
    number = np.full(len(parent), -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    above = parent[nodes]
    up_of_parent = np.where(above >= 0, up[np.maximum(above, 0)], -1)
    new_parent = np.where(up_of_parent >= 0, number[np.maximum(up_of_parent, 0)], -1)
    inside = node_of_copy >= 0
    home = number[node_of_copy[inside]]
    order = np.argsort(home, kind="stable")
    own_sizes = np.bincount(home, minlength=len(nodes))
    whole = subtree_sums(new_parent, own_sizes)
    groups = Groups(
        feature[inside][order].astype(np.int64),
        pointers(own_sizes),
        np.sqrt(whole),
        n_features,
        new_parent,
    )
    return groups, nodes
