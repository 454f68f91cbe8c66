"""Counts of the corpora and of the problems built from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers import tune, vectorizer_for
from benchmarks.problems import newsgroup_counts, random_tree, sentence_groups, sentence_objective, spams_tree

from benchmarks import corpora

SIZES = {"science": (1187, 790), "sports": (1197, 796), "religion": (1079, 717), "computer": (1168, 777)}
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
    kept, stripped = (corpora.load("science", data, stripped=choice).train.texts for choice in (False, True))
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
    assert sentence_objective(counts, groups, np.zeros(23_261), 0.0) == pytest.approx(949 * np.log(2))
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
    spams = pytest.importorskip("spams")
    tree = spams_tree(np.array([-1, 0]), np.ones(2))
    found = spams.proximalTree(np.asfortranarray([[3.0], [4.0]]), tree, False, lambda1=1.0, regul="tree-l2")
    child = np.array([3.0, 3.0])
    np.testing.assert_allclose(found.ravel(), child * (1 - 1 / np.linalg.norm(child)))


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
    models = {"poor": Constant(5, 1), "big": Constant(8, 9), "small": Constant(8, 3), "late": Constant(8, 3)}
    outcome = tune(lambda name, train: models[name], list(models), task)
    assert (outcome.chosen, outcome.nonzeros, outcome.accuracy) == ("small", 3, 0.8)
    assert tune(lambda name, train: models[name], list(models), task, sparse=False).chosen == "big"
