"""Trees over outputs: definition, forms of trees, solvers, branches that are dropped, scale."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from laconic import (
    Fista,
    GroupLasso,
    Groups,
    LabelTree,
    Multinomial,
    SparseClassifier,
    regularization_path,
)

TREE = [[0, 1], [2, [3, 4]]]
NODES = [[0, 1, 2, 3, 4], [0, 1], [2, 3, 4], [3, 4], [0], [1], [2], [3], [4]]


def classes_in_branches(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return ten features and five classes: 0 tells branches, 1 and 2 labels inside of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    scores = np.zeros((n, 5))
    scores[:, :2] += 3 * X[:, :1]
    scores[:, 0] += 3 * X[:, 1]
    scores[:, 3] += 3 * X[:, 2]
    return X, (scores + rng.gumbel(size=(n, 5))).argmax(axis=1)


def test_values_are_sums_of_norms_over_nodes() -> None:
    w = np.random.default_rng(1).normal(size=(4, 5))
    expected = 0.3 * sum(
        np.sqrt(len(node)) * np.linalg.norm(row[node]) for row in w for node in NODES
    )
    assert np.isclose(LabelTree(TREE, 0.3).value(w.ravel()), expected)


@pytest.mark.parametrize(
    "tree",
    [
        TREE,
        ((0, 1), (2, (3, 4))),
        Groups.forest([-1, 0, 0, 2, 1, 1, 2, 3, 3], [[]] * 4 + [[k] for k in range(5)], 5),
        Groups.from_lists(NODES, 5),
    ],
    ids=["lists", "tuples", "forest", "sets"],
)
def test_every_form_of_a_tree_is_the_same_penalty(tree: Any) -> None:
    w = np.random.default_rng(2).normal(size=20)
    expected = LabelTree(TREE, 0.3)
    assert np.isclose(LabelTree(tree, 0.3).value(w), expected.value(w))
    assert np.allclose(LabelTree(tree, 0.3).prox(w), expected.prox(w))


def test_a_root_alone_is_a_group_per_feature() -> None:
    w = np.random.default_rng(3).normal(size=20)
    root = LabelTree(Groups.forest([-1], [[0, 1, 2, 3, 4]], 5), 0.3)
    groups = GroupLasso([[j] for j in range(4)], 0.3).spread(5)
    assert np.isclose(root.value(w), groups.value(w))
    assert np.allclose(root.prox(w), groups.prox(w))
    assert np.isclose(root.gauge(w), groups.gauge(w))


def test_the_dual_norm_is_that_of_bisection() -> None:
    g = np.random.default_rng(4).normal(size=40) * np.repeat(np.arange(8), 5)
    penalty = LabelTree(TREE, 0.3)
    assert np.isclose(penalty.gauge(g), penalty._gauge_by_prox(g))
    assert penalty.gauge(np.zeros(40)) == 0


def test_growing_sets_and_all_features_reach_the_same_optimum() -> None:
    X, y = classes_in_branches()
    whole = SparseClassifier(LabelTree(TREE, 2.0), solver=Fista(tol=1e-8)).fit(X, y)
    for tol in (1e-2, 1e-7):
        grown = SparseClassifier(LabelTree(TREE, 2.0), tol=tol).fit(X, y)
        off = (grown.objective_ - whole.objective_) / whole.objective_
        assert grown.converged_ and -1e-8 <= off <= grown.certificate_ + 1e-8
    assert np.allclose(grown.coef_, whole.coef_, atol=1e-3)


def test_features_are_dropped_for_whole_branches() -> None:
    X, y = classes_in_branches(1000)
    model = SparseClassifier(LabelTree(TREE, 14.0), tol=1e-4).fit(X, y)
    coef = model.coef_.T
    assert model.result_.extra["parts"].tolist() == [0, 1, 2]
    assert np.all(coef[3:] == 0)
    assert np.all(coef[1, [2, 3, 4]] == 0) and coef[1, 0] > 0
    assert coef[2, 3] > 0


def test_paths_begin_empty() -> None:
    X, y = classes_in_branches()
    path = regularization_path(SparseClassifier(LabelTree(TREE)), X, y, n_strengths=4, ratio=0.05)
    assert path.selected[0] == 0 and path.selected[-1] >= 3
    assert np.all(path.certificates <= 1e-4)


def test_twenty_thousand_features_and_thirty_nodes() -> None:
    tree = [list(range(2 * k, 2 * k + 2)) for k in range(9)] + [[18, 19]]
    w = np.random.default_rng(5).normal(size=20_000 * 20)
    penalty = LabelTree(tree, 0.5)
    assert len(penalty.outputs()) == 31
    penalty.prox(w)
    began = time.process_time()
    penalty.prox(w)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ([[0, 1], [1, 2]], "every output from 0 on once"),
        ([[0, 1], [3]], "every output from 0 on once"),
        ([["a", "b"], ["c"]], "lists and numbers of outputs, got 'a'"),
        ([], "every output from 0 on once"),
    ],
)
def test_what_is_no_tree_is_refused(tree: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        LabelTree(tree).check()


def test_labels_are_counted() -> None:
    X, y = classes_in_branches()
    with pytest.raises(ValueError, match="tree has 3 labels, but the model has 5 outputs"):
        SparseClassifier(LabelTree([[0, 1], 2])).fit(X, y)
    with pytest.raises(ValueError, match=r"2 labels, but the model has 1 output: .*Multinomial"):
        SparseClassifier(LabelTree([0, 1])).fit(X, y > 1)
    model = SparseClassifier(LabelTree([0, 1]), loss=Multinomial()).fit(X, y > 1)
    assert model.converged_
