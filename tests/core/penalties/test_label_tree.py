"""Trees over outputs: definition, forms of trees, solvers, branches that are dropped, scale."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from laconic import (
    ByFeature,
    Fista,
    GroupLasso,
    Groups,
    LabelTree,
    Multinomial,
    SparseClassifier,
    TreeGroupLasso,
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


def test_one_small_tree_is_the_forest_of_all_features() -> None:
    table = np.random.default_rng(3).normal(size=(30, 5))
    table[::3] = 0
    flat, penalty = table.ravel(), LabelTree(TREE, 0.4)
    copies = TreeGroupLasso(penalty.over(len(flat)), strength=0.4)
    np.testing.assert_allclose(penalty.prox(flat, 0.7), copies.prox(flat, 0.7), atol=1e-14)
    assert np.isclose(penalty.value(flat), copies.value(flat))
    largest = penalty.gauge(flat)
    assert not np.any(LabelTree(TREE, 0.4 * largest * (1 + 1e-9)).prox(flat))
    assert np.any(LabelTree(TREE, 0.4 * largest * (1 - 1e-6)).prox(flat))
    with pytest.raises(ValueError, match=r"weights, got 4 weights"):
        penalty.prox(np.ones(4))


@pytest.mark.parametrize("loss", ["multinomial", "logistic"])
def test_descent_by_features_is_exact_and_takes_weights_of_rows(loss: str) -> None:
    X, y = classes_in_branches()
    weight = np.random.default_rng(4).integers(0, 3, len(y)).astype(float)
    fits = [
        SparseClassifier(LabelTree(TREE, 1.0), loss=loss, solver=solver).fit(X, y, weight)
        for solver in (ByFeature(tol=1e-8), Fista(tol=1e-8))
    ]
    assert fits[0].converged_ and fits[0].certificate_ <= 1e-8
    np.testing.assert_allclose(fits[0].coef_, fits[1].coef_, atol=1e-3)
    np.testing.assert_allclose(fits[0].intercept_, fits[1].intercept_, atol=1e-3)
    drops = np.diff([event.value for event in fits[0].result_.trace])
    assert np.all(drops <= 1e-9 * fits[0].objective_)


def test_what_descent_by_features_does_not_take() -> None:
    X, y = classes_in_branches(50)
    with pytest.raises(ValueError, match="ByFeature does not take LabelTree with norm='inf'"):
        SparseClassifier(LabelTree(TREE, norm="inf"), solver=ByFeature()).fit(X, y)
    assert SparseClassifier(LabelTree(TREE, norm="inf"), tol=1e-3).fit(X, y).converged_


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
