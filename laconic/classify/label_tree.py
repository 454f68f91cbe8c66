"""Trees over labels: given, read from dotted names, or learned from confusions; paths and scores.

    comp.sys.mac.hardware   has the path   comp > comp.sys > comp.sys.mac.hardware

A node with one label below it is left out, so that every group holds several labels. Hierarchical
precision and recall compare paths (Kiritchenko, Matwin and Famili 2005):

    P = sum_i |path(predicted_i) & path(gold_i)| / sum_i |path(predicted_i)|,    R likewise
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from laconic.classify.multilabel import indicator, is_multilabel, names_of
from laconic.core import penalties
from laconic.core.arrays import AnyArray, Array, Bools

if TYPE_CHECKING:
    import scipy.sparse as sp

DOTS, CONFUSION = "dots", "confusion"
PENALTY = "label-tree"  # what settings call the penalty over the tree
N_FOLDS = 3  # of the confusions
Taxonomy: TypeAlias = str | Mapping[str, str] | None


class Branches(NamedTuple):
    """The inner nodes of a tree over K labels: names, and members (n, K); parents come first."""

    names: tuple[str, ...]
    members: Bools

    def path(self, label: int, name: str) -> tuple[str, ...]:
        """Return the nodes from the top down to a label, the label last."""
        return (*(self.names[u] for u in np.flatnonzero(self.members[:, label])), name)

    def nested(self) -> list[Any]:
        """Return nested lists of the numbers of labels, as `LabelTree` takes them."""
        lists: list[list[Any]] = [[] for _ in self.names]
        top: list[Any] = []
        for u, members in enumerate(self.members):
            above = np.flatnonzero(np.all(self.members[:u] >= members, axis=1))
            (lists[above[-1]] if len(above) else top).append(lists[u])
        for label in range(self.members.shape[1]):
            own = np.flatnonzero(self.members[:, label])
            (lists[own[-1]] if len(own) else top).append(label)
        return top


class PathScores(NamedTuple):
    """Hierarchical precision, recall and F1."""

    precision: float
    recall: float
    f1: float


def parents_of(taxonomy: Mapping[str, str] | str, labels: Sequence[str]) -> dict[str, str]:
    """Return the parent of every label and node that has one; ValueError if that is no tree."""
    if isinstance(taxonomy, Mapping):
        parents = {str(child): str(parent) for child, parent in taxonomy.items()}
        if not set(labels) & parents.keys():
            raise ValueError(
                f"none of the labels {', '.join(map(repr, labels[:4]))} has a parent in label_tree"
            )
        for child in parents:
            seen = {child}
            while (child := parents.get(child, "")) != "":
                if child in seen:
                    raise ValueError(f"label_tree goes in a circle at {child!r}")
                seen.add(child)
        return parents
    if taxonomy != DOTS:
        raise ValueError(
            f"label_tree is {DOTS!r}, {CONFUSION!r} or the parent of each label; got {taxonomy!r}"
        )
    if not any("." in label for label in labels):
        raise ValueError("label_tree='dots' needs labels such as comp.sys.mac: no label has a dot")
    prefixes = {label: label.split(".") for label in labels}
    return {
        ".".join(parts[: depth + 1]): ".".join(parts[:depth])
        for parts in prefixes.values()
        for depth in range(1, len(parts))
    }


def branches_of(taxonomy: Mapping[str, str] | str, classes: AnyArray) -> Branches:
    """Return the inner nodes of a tree that hold several labels, but not all; none twice."""
    labels = [str(label) for label in classes.tolist()]
    parents = parents_of(taxonomy, labels)
    members: dict[str, list[int]] = {}
    inner = set(parents.values())
    for k, label in enumerate(labels):
        # A label that others are below is in the group of its own name.
        node = label if label in inner else parents.get(label)
        while node is not None:
            members.setdefault(node, []).append(k)
            node = parents.get(node)
    found: dict[tuple[int, ...], str] = {}
    for name, own in members.items():
        if 1 < len(set(own)) < len(labels):
            found.setdefault(tuple(sorted(set(own))), name)
    order = sorted(found, key=lambda own: (-len(own), own))
    table = np.zeros((len(order), len(labels)), dtype=bool)
    for u, below in enumerate(order):
        table[u, list(below)] = True
    return Branches(tuple(found[below] for below in order), table)


def tree_penalty(taxonomy: Taxonomy, classes: AnyArray, strength: object) -> penalties.LabelTree:
    """Return the penalty under which sister labels share words."""
    if taxonomy is None:
        raise ValueError("the penalty label-tree needs label_tree=")
    if len(classes) < 3:
        raise ValueError("a tree over two labels has no groups: leave label_tree out")
    if strength is not None and not isinstance(strength, int | float):
        raise ValueError(f"the penalty label-tree has one strength, got {strength!r}")
    nested = branches_of(taxonomy, classes).nested()
    return penalties.LabelTree(nested, 1.0 if strength is None else float(strength))


def learned_taxonomy(counts: sp.csr_matrix, labels: AnyArray, seed: int) -> dict[str, str]:
    """Return a tree of one level: groups of labels that are confused more than pairs on average.

    Naive Bayes is asked for held-out documents; labels are joined while the mean confusion between
    two groups is above the mean of all pairs.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform
    from sklearn.model_selection import KFold
    from sklearn.naive_bayes import MultinomialNB

    if is_multilabel(labels):
        raise ValueError(
            "label_tree='confusion' is for one label per document: give the parent of each label"
        )
    classes = names_of(labels)
    gold = np.searchsorted(classes, labels)
    chances = np.zeros((len(labels), len(classes)))
    for train, held in KFold(N_FOLDS, shuffle=True, random_state=seed).split(gold):
        model = MultinomialNB(alpha=0.01).fit(counts[train], gold[train])
        # Logarithms per word: the chances of long documents are all 0 or 1.
        scores = model.predict_log_proba(counts[held])
        scores /= np.sqrt(np.maximum(1.0, np.asarray(counts[held].sum(axis=1))))
        row = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances[held[:, None], model.classes_] = row / row.sum(axis=1, keepdims=True)
    confused = indicator(labels, classes).T @ chances
    confused /= np.maximum(confused.sum(axis=1, keepdims=True), 1e-300)
    alike = 0.5 * (confused + confused.T)
    np.fill_diagonal(alike, 0.0)
    pairs = squareform(alike, checks=False)
    joined = linkage(pairs.max() - pairs, "average")
    group = fcluster(joined, pairs.max() - pairs.mean(), "distance")
    names = [str(label) for label in classes.tolist()]
    found: dict[str, str] = {}
    for g in np.unique(group):
        sisters = [name for name, own in zip(names, group, strict=True) if own == g]
        if len(sisters) > 1:
            found |= dict.fromkeys(sisters, " | ".join(sisters))
    return found


def path_scores(paths: Sequence[tuple[Sequence[str], Sequence[str]]]) -> PathScores:
    """Return the scores of pairs of paths, gold and predicted.

    >>> path_scores([(("comp", "comp.mac"), ("comp", "comp.pc")), (("sci",), ("sci",))])
    PathScores(precision=0.6666666666666666, recall=0.6666666666666666, f1=0.6666666666666666)
    """
    both = sum(len(set(gold) & set(guess)) for gold, guess in paths)
    n_gold, n_guess = (sum(len(set(pair[side])) for pair in paths) for side in (0, 1))
    precision, recall = both / max(n_guess, 1), both / max(n_gold, 1)
    return PathScores(precision, recall, 2 * both / max(n_gold + n_guess, 1))


def sure_paths(branches: Branches, classes: AnyArray, chances: Array, least: float) -> AnyArray:
    """Return the path of each document as far down as nodes have a probability of at least `least`.

    The way down takes the most probable node of each level.
    """
    members = np.vstack([branches.members, np.eye(len(classes), dtype=bool)])
    names = [*branches.names, *map(str, classes.tolist())]
    sums = chances @ members.T
    size = members.sum(axis=1)
    found = np.empty(len(chances), dtype=object)
    for number, row in enumerate(sums):
        path: list[int] = []
        inside = np.ones(members.shape[1], dtype=bool)
        while True:
            below = [
                u
                for u in np.flatnonzero((members <= inside).all(axis=1)).tolist()
                if u not in path and row[u] >= least
            ]
            tops = [u for u in below if not any(_above(members, v, u, size) for v in below)]
            if not tops:
                break
            path.append(max(tops, key=lambda u: row[u]))
            inside = members[path[-1]]
            if size[path[-1]] == 1:
                break
        found[number] = [names[u] for u in path]
    return found


def _above(members: Bools, v: int, u: int, size: AnyArray) -> bool:
    """Return whether node v is above node u."""
    return v != u and size[v] > size[u] and bool((members[u] <= members[v]).all())
