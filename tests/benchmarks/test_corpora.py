"""Counts of the corpora and of the problems built from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks import corpora
from benchmarks.peers import tune, vectorizer_for
from benchmarks.problems import (
    Counts,
    lasso_strength_max,
    newsgroup_counts,
    random_tree,
    row_objective,
    row_strength_max,
    sentence_groups,
    sentence_objective,
    spams_tree,
)
from benchmarks.solvers import liblinear_lasso, spams_tree_prox

pytestmark = pytest.mark.slow

SIZES = {
    "science": (1187, 790),
    "sports": (1197, 796),
    "religion": (1079, 717),
    "computer": (1168, 777),
}
GROUPS = {
    "science": (54_284, 285_342),
    "computer": (36_898, 177_926),
    "sst": (6_920, 122_429),
}


@pytest.mark.parametrize("name", SIZES)
def test_newsgroups_and_their_dev_split(name: str, data: Path) -> None:
    task = corpora.load(name, data)
    assert task.pool is not None
    assert (len(task.pool), len(task.test)) == SIZES[name]
    assert len(task.train) + len(task.dev) == len(task.pool)
    assert sorted(task.train.texts + task.dev.texts) == sorted(task.pool.texts)
    labels = np.unique(task.pool.labels)
    shares = [np.mean(part.labels == labels[0]) for part in (task.train, task.dev)]
    assert shares[0] == pytest.approx(shares[1], abs=0.005)
    again, other = task.split(0), task.split(1)
    assert again.dev.texts == task.dev.texts
    assert other.dev.texts != task.dev.texts


def test_stripping_removes_headers_and_quotes(data: Path) -> None:
    kept, stripped = (
        corpora.load("science", data, stripped=choice).train.texts for choice in (False, True)
    )
    # A few messages are forwarded whole: the header inside them is text.
    for mark in ("Subject: ", "\n>"):
        assert sum(mark in text for text in kept) > 400
        assert sum(mark in text for text in stripped) < 50
    with pytest.raises(ValueError, match="sst has no headers"):
        corpora.load("sst", data, stripped=True)


def test_sst_is_binary_with_its_trees(data: Path) -> None:
    task = corpora.load("sst", data)
    assert [len(part) for part in (task.train, task.dev, task.test)] == [6920, 872, 1821]
    assert task.train.trees is not None
    assert all(tree.startswith("(") and tree[1] in "0134" for tree in task.train.trees)
    assert task.split(3) is task


def test_convote_gives_its_sentences(data: Path) -> None:
    task = corpora.load("convote", data)
    assert [len(part) for part in (task.train, task.dev, task.test)] == [2740, 257, 860]
    assert task.train.sentences is not None
    assert len(task.train.sentences) == 2740
    assert task.train.sentences[0][1].startswith("it is outrageous")


def test_unknown_task_is_named(data: Path) -> None:
    with pytest.raises(ValueError, match="no task 'sience': expected one of science"):
        corpora.load("sience", data)


@pytest.mark.parametrize("name", GROUPS)
def test_sentence_groups_are_those_of_the_known_optimum(name: str, data: Path) -> None:
    task = corpora.load(name, data)
    groups = sentence_groups(task.train, vectorizer_for(task).fit(task.train.texts))
    assert (len(groups.weight), len(groups.index)) == GROUPS[name]
    assert np.diff(groups.ptr).min() >= 1
    np.testing.assert_allclose(groups.weight**2, np.diff(groups.ptr))


def test_objective_at_zero_is_one_bit_a_document(data: Path) -> None:
    counts = newsgroup_counts(data)
    assert counts.rows.shape == (949, 23_261)
    groups = sentence_groups(corpora.load("science", data).train, counts.vectorizer)
    assert sentence_objective(counts, groups, np.zeros(23_261), 0.0) == pytest.approx(
        949 * np.log(2)
    )
    one = np.zeros(23_261)
    one[0] = 2.0
    holding = np.add.reduceat(groups.index == 0, groups.ptr[:-1]) > 0
    lost = np.logaddexp(0.0, -counts.labels * (counts.rows @ one)).sum()
    expected = lost + 0.1 * 2.0 * groups.weight[holding].sum()
    assert sentence_objective(counts, groups, one, 0.0) == pytest.approx(expected)


def test_random_tree_is_depth_first() -> None:
    parent = random_tree(2_000, seed=5)
    assert parent[0] == -1
    assert (parent[1:] < np.arange(1, 2_000)).all()
    last = np.arange(2_000)
    size = np.ones(2_000, dtype=int)
    for node in range(1_999, 0, -1):
        last[parent[node]] = max(last[parent[node]], last[node])
        size[parent[node]] += size[node]
    np.testing.assert_array_equal(last - np.arange(2_000) + 1, size)


def test_spams_agrees_on_a_chain_of_two_nodes() -> None:
    pytest.importorskip("spams")
    found = spams_tree_prox(
        np.array([3.0, 4.0]), spams_tree(np.array([-1, 0]), np.ones(2)), 1.0, "l2"
    )
    child = np.array([3.0, 3.0])
    np.testing.assert_allclose(found, child * (1 - 1 / np.linalg.norm(child)))


@pytest.mark.parametrize("factor", [1.001, 0.9])
def test_lasso_strength_max_is_where_words_enter(factor: float) -> None:
    rng = np.random.default_rng(0)
    rows = csr_matrix(rng.poisson(0.3, (80, 30)).astype(float))
    counts = Counts(rows, np.where(rng.random(80) < 0.5, -1.0, 1.0), CountVectorizer())
    solution = liblinear_lasso(
        counts, factor * lasso_strength_max(counts), tol=1e-9, scaling=1000.0
    )
    assert np.any(solution.weights != 0) == (factor < 1)


def test_row_objective_at_zero_is_the_entropy_of_a_uniform_guess() -> None:
    rng = np.random.default_rng(0)
    counts = Counts(
        csr_matrix(rng.poisson(0.5, (60, 7)).astype(float)), np.arange(60.0) % 3, CountVectorizer()
    )
    strength, zero = row_strength_max(counts), np.zeros((7, 3))
    at_zero = row_objective(counts, strength, zero, np.zeros(3))
    assert at_zero == pytest.approx(np.log(3))
    # At the largest strength no small step from zero helps; well below it, the steepest one does.
    residual = np.eye(3)[counts.labels.astype(int)] - 1 / 3
    step = 1e-3 * (counts.rows.T @ residual) / 60
    step[np.linalg.norm(step, axis=1) < np.linalg.norm(step, axis=1).max()] = 0.0
    assert row_objective(counts, strength, step, np.zeros(3)) >= at_zero
    assert row_objective(counts, 0.9 * strength, step, np.zeros(3)) < at_zero


class Constant:
    """A model that is right on a given number of documents."""

    def __init__(self, right: int, weights: int) -> None:
        self.right, self.weights = right, weights

    def predict(self, part: corpora.Part) -> np.ndarray:
        return np.where(np.arange(len(part)) < self.right, part.labels, "wrong")

    def nonzeros(self) -> int:
        return self.weights


def test_ties_on_dev_go_to_the_smallest_model() -> None:
    part = corpora.Part(["x"] * 10, np.array(["a"] * 10))
    task = corpora.Task("toy", part, part, part)
    models = {
        "poor": Constant(5, 1),
        "big": Constant(8, 9),
        "small": Constant(8, 3),
        "late": Constant(8, 3),
    }
    outcome = tune(lambda name, train: models[name], list(models), task)
    assert (outcome.chosen, outcome.nonzeros, outcome.accuracy) == ("small", 3, 0.8)
    assert tune(lambda name, train: models[name], list(models), task, sparse=False).chosen == "big"
