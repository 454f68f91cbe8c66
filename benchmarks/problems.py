"""Optimisation problems for the speed pages: matrices, sentence groups, trees.

No tuning and no test set here.

The overlapping problem is  min_{w, b}  sum_i log(1 + exp(-y_i (x_i w + b))) + 0.1 * sum_g sqrt(|g|)
||w_g||_2 on the 949 training documents of science (dev seed 0) with one group a sentence: 54,284
groups, 285,342 copies of 23,261 words. The intercept b is free. Clarabel, to a relative gap of
2e-9: 341.646529; without b it would be 341.857122.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix
from scipy.special import expit, logsumexp, xlogy
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.corpora import Part, load, newsgroups
from benchmarks.peers import vectorizer_for

SENTENCE_OPTIMUM = 341.646529
SENTENCE_STRENGTH = 0.1
SENTENCE_END = re.compile(r"[.\n]")


class Counts(NamedTuple):
    """Word counts, documents x words, in float64, with labels -1 and +1 (or class numbers where
    there are more).
    """

    rows: csr_matrix
    labels: NDArray[np.float64]
    vectorizer: CountVectorizer


class GroupPath(NamedTuple):
    """Groups of neighbouring columns, labels 0 and 1, and a path of strengths for the problem

    mean log-loss + strength * sum_g sqrt(|g|) ||w_g||_2, the intercept free.
    """

    X: Any  # CSC, or dense by columns
    y: NDArray[np.float64]
    starts: NDArray[np.int64]  # first column of each group
    strengths: NDArray[np.float64]  # from the largest, where all weights are zero


@dataclass(frozen=True)
class SentenceGroups:
    """Group g holds the distinct words index[ptr[g]:ptr[g + 1]].

    Its weight is the square root of its size.
    """

    index: NDArray[np.int64]
    ptr: NDArray[np.int64]
    weight: NDArray[np.float64]


def newsgroup_counts(data: Path, name: str = "science", whole: bool = False) -> Counts:
    """Counts of a pair of newsgroups: of train alone as the groups have it, or of the whole pool
    (train and dev).
    """
    task = load(name, data)
    part = task.pool if whole and task.pool is not None else task.train
    vectorizer = vectorizer_for(task)
    rows = csr_matrix(vectorizer.fit_transform(part.texts), dtype=np.float64)
    return Counts(rows, np.where(part.labels == np.unique(part.labels)[-1], 1.0, -1.0), vectorizer)


def twenty_newsgroup_counts(data: Path) -> Counts:
    """All twenty groups, 11,314 x 130,103 counts.

    Labels are 0..19 in the order of the sorted names.
    """
    part = newsgroups(data, "train")
    vectorizer = CountVectorizer()
    rows = csr_matrix(vectorizer.fit_transform(part.texts), dtype=np.float64)
    return Counts(
        rows, np.unique(part.labels, return_inverse=True)[1].astype(np.float64), vectorizer
    )


def sentence_groups(part: Part, vectorizer: CountVectorizer) -> SentenceGroups:
    """One group of distinct words for every piece between full stops and line ends that has a word.

    Repeats are kept.

    The crude cut is on purpose: anyone can redo it, so that the optimum can be compared. Trees are
    one sentence each.
    """
    texts = part.texts
    pieces = (
        texts
        if part.trees is not None
        else [piece for text in texts for piece in SENTENCE_END.split(text)]
    )
    present = csr_matrix(vectorizer.transform(pieces))
    present.sort_indices()
    sizes = np.diff(present.indptr)
    ptr = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    return SentenceGroups(present.indices.astype(np.int64), ptr, np.sqrt(np.diff(ptr)))


def sentence_objective(
    counts: Counts, groups: SentenceGroups, weights: NDArray[np.float64], intercept: float
) -> float:
    """Value of the overlapping problem at (w, b), for any solver's answer."""
    loss = np.logaddexp(0.0, -counts.labels * (counts.rows @ weights + intercept)).sum()
    norms = np.sqrt(np.add.reduceat(weights[groups.index] ** 2, groups.ptr[:-1]))
    return float(loss + SENTENCE_STRENGTH * groups.weight @ norms)


def lasso_strength_max(counts: Counts) -> float:
    """Smallest strength of  mean log-loss + strength * ||w||_1  (free intercept) whose solution is
    w = 0.
    """
    positive = np.mean(counts.labels > 0)
    residual = (counts.labels > 0) - positive
    return float(np.abs(counts.rows.T @ residual).max() / len(residual))


def lasso_objective(
    counts: Counts, strength: float, weights: NDArray[np.float64], intercept: float
) -> float:
    """`mean log-loss + strength * ||w||_1` at (w, b)."""
    margins = counts.labels * (counts.rows @ weights + intercept)
    return float(np.logaddexp(0.0, -margins).mean() + strength * np.abs(weights).sum())


def row_strength_max(counts: Counts) -> float:
    """Smallest strength of  mean multinomial log-loss + strength * sum_j ||W_j||_2  (free
    intercepts) with W = 0.
    """
    residual = np.eye(int(counts.labels.max()) + 1)[counts.labels.astype(int)]
    residual -= residual.mean(axis=0)
    return float(np.linalg.norm(counts.rows.T @ residual, axis=1).max() / len(residual))


def row_objective(
    counts: Counts, strength: float, weights: NDArray[np.float64], intercepts: NDArray[np.float64]
) -> float:
    """`mean multinomial log-loss + strength * sum_j ||W_j||_2` at (W, b); W is words x classes."""
    scores = counts.rows @ weights + intercepts
    gold = scores[np.arange(len(scores)), counts.labels.astype(int)]
    return float(
        np.mean(logsumexp(scores, axis=1) - gold) + strength * np.linalg.norm(weights, axis=1).sum()
    )


def group_path(data: Path, dense: bool, size: int = 10, n_strengths: int = 32) -> GroupPath:
    """Return words of science in groups of neighbours in the alphabet, or a dense random problem.

    The dense one has 300 rows and 2,000 normal columns, of whose groups ten make the labels.
    """
    if dense:
        rng = np.random.default_rng(0)
        X = np.asfortranarray(rng.normal(size=(300, 2000)))
        true = np.zeros(2000)
        true[: 10 * size] = rng.normal(size=10 * size)
        y = (X @ true + 5 * rng.normal(size=300) > 0).astype(float)
    else:
        counts = newsgroup_counts(data)
        X, y = csc_matrix(counts.rows), (counts.labels > 0).astype(float)
    starts = np.arange(0, X.shape[1], size)
    gradient = X.T @ (y - y.mean()) / len(y)
    sizes = np.diff(np.append(starts, X.shape[1]))
    largest = np.max(np.sqrt(np.add.reduceat(gradient**2, starts) / sizes))
    return GroupPath(X, y, starts, largest * np.geomspace(1, 0.01, n_strengths))


def group_objectives(
    problem: GroupPath, weights: csr_matrix, intercepts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the objective at every strength, for any solver's path (strengths, columns)."""
    sizes = np.diff(np.append(problem.starts, problem.X.shape[1]))
    found = []
    for strength, w, b in zip(problem.strengths, weights, np.ravel(intercepts), strict=True):
        w = w.toarray().ravel()
        scores = problem.X @ w + b
        loss = np.mean(np.logaddexp(0.0, np.where(problem.y > 0, -scores, scores)))
        norms = np.sqrt(np.add.reduceat(w * w, problem.starts))
        found.append(loss + strength * np.sqrt(sizes) @ norms)
    return np.array(found)


def group_gaps(
    problem: GroupPath, weights: csr_matrix, intercepts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the relative duality gap at every strength, by the formula, for any solver's path.

    The dual point is the residual p - y, whose larger side is scaled down until it sums to zero,
    scaled into the ball of the dual norm; the conjugate of the log-loss is a negative entropy.
    """
    n = len(problem.y)
    sizes = np.diff(np.append(problem.starts, problem.X.shape[1]))
    values = group_objectives(problem, weights, intercepts)
    gaps = []
    for strength, w, b, value in zip(
        problem.strengths, weights, np.ravel(intercepts), values, strict=True
    ):
        residual = expit(problem.X @ w.toarray().ravel() + b) - problem.y
        up, down = residual[residual > 0].sum(), -residual[residual < 0].sum()
        least = min(up, down)
        residual = np.where(residual > 0, residual * (least / up), residual * (least / down))
        pulled = problem.X.T @ residual / n
        length = np.sqrt(np.add.reduceat(pulled * pulled, problem.starts) / sizes).max()
        residual *= min(1.0, strength / length)
        chance = residual + problem.y
        dual = -np.mean(xlogy(chance, chance) + xlogy(1 - chance, 1 - chance))
        gaps.append((value - dual) / value)
    return np.array(gaps)


def random_tree(n_nodes: int, seed: int = 0) -> NDArray[np.int64]:
    """Parents of a random recursive tree in depth-first order (root first, -1): every subtree is a
    contiguous range.

    Node k's parent is drawn among all nodes before it, so that depth grows as log n and leaves are
    half of the nodes.
    """
    draw = np.random.default_rng(seed).random(n_nodes)
    parent = (draw * np.arange(n_nodes)).astype(np.int64)
    parent[0] = -1
    size = np.ones(n_nodes, dtype=np.int64).tolist()
    above = parent.tolist()
    for node in range(n_nodes - 1, 0, -1):
        size[above[node]] += size[node]
    # The next free place under each node: children take ranges as long as their subtrees in turn.
    place, free = [0] * n_nodes, [1] * n_nodes
    for node in range(1, n_nodes):
        place[node] = free[above[node]]
        free[above[node]] += size[node]
        free[node] = place[node] + 1
    order = np.array(place)
    depth_first = np.full(n_nodes, -1, dtype=np.int64)
    depth_first[order[1:]] = order[parent[1:]]
    return depth_first


def spams_tree(parent: NDArray[np.int64], weight: NDArray[np.float64]) -> dict[str, Any]:
    """Return the tree as `spams.proximalTree` takes it, with one variable per node.

    Nodes must be in depth-first order. groups[child, parent] is true, own_variables is where a
    node's own variables start, N_own_variables their number. Anything else, including other integer
    types, makes SPAMS end the process.
    """
    n_nodes = len(parent)
    children = np.arange(1, n_nodes)
    edges = csc_matrix(
        (np.ones(n_nodes - 1, dtype=bool), (children, parent[1:])), shape=(n_nodes, n_nodes)
    )
    return {
        "eta_g": np.ascontiguousarray(weight, dtype=np.float64),
        "groups": edges,
        "own_variables": np.arange(n_nodes, dtype=np.int32),
        "N_own_variables": np.ones(n_nodes, dtype=np.int32),
    }
