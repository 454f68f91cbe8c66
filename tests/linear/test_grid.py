"""Where paths begin: at the model of what nothing penalises, and on the scale of the data."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import (
    L1,
    ElasticNet,
    GroupLasso,
    Groups,
    LayeredGroupLasso,
    Multinomial,
    OverlapGroupLasso,
    PenaltySum,
    Poisson,
    Ridge,
    SparseClassifier,
    SparseGroupLasso,
    SparseRegressor,
    TreeGroupLasso,
    regularization_path,
)
from laconic.linear.grid import path_start, unpenalised

N = 8
FACTORS = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0])
SOME = Groups.from_lists([[1, 2], [4, 5], [6, 7]], N)  # 0 and 3 are in no group
OVERLAPS = Groups.from_lists([[1, 2, 4], [4, 5], [6, 7]], N)
FOREST = Groups.forest([-1, 0, -1], [[1], [2, 4], [5, 6, 7]], N)
FREE = {
    "l1": L1(factors=FACTORS),
    "elastic": ElasticNet(l1_ratio=0.3, factors=FACTORS),
    "group": GroupLasso(SOME),
    "sparse group": SparseGroupLasso(SOME, l1_ratio=0.4, factors=FACTORS),
    "tree": TreeGroupLasso(FOREST),
    "overlap": OverlapGroupLasso(OVERLAPS),
    "layers": LayeredGroupLasso(OVERLAPS),
    "sum": PenaltySum([OverlapGroupLasso(OVERLAPS), L1(0.1, factors=FACTORS)]),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, N))
    X[:, 1] += 2 * X[:, 0]  # what is penalised leans on what is not
    return X, 2 * X[:, 0] - X[:, 3] + 0.5 * X[:, 5] + 0.3 * rng.normal(size=80)


@pytest.mark.parametrize("name", FREE)
def test_free_features_are_found(name):
    expected = np.zeros(N, dtype=bool)
    expected[[0, 3]] = True
    np.testing.assert_array_equal(unpenalised(FREE[name], N), expected)


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("loss", ["squared", "logistic", "multinomial", "poisson"])
def test_a_path_begins_at_the_model_of_free_features_alone(data, name, loss):
    X, y = data
    labels = np.digitize(y, [-1.0, 1.0])
    estimator, target = {
        "squared": (SparseRegressor(FREE[name]), y),
        "logistic": (SparseClassifier(FREE[name]), labels > 0),
        "multinomial": (SparseClassifier(FREE[name], loss=Multinomial()), labels),
        "poisson": (SparseRegressor(FREE[name], loss=Poisson()), np.round(np.exp(y / 2))),
    }[loss]
    estimator.set_params(tol=1e-5)
    path = regularization_path(estimator, X, target, n_strengths=4, ratio=0.5)
    K = path.intercepts.shape[1]
    table = path.weights.toarray().reshape(4, N, K)
    at_start = np.any(np.abs(table[0]) > 1e-3, axis=1)
    assert at_start[[0, 3]].all()
    # Upper bounds of dual norms, of overlaps, may start above the first feature; no path below it.
    assert not np.abs(np.delete(table[0], [0, 3], axis=0)).max() > 0.05
    problem = estimator.build_problem(X, target)
    start = path_start(estimator, problem)
    assert 0 < start.highest < 1e4
    if not isinstance(FREE[name], OverlapGroupLasso | PenaltySum):
        assert path.selected[-1] > 2


def test_the_start_of_a_plain_lasso_is_its_largest_gradient(data):
    X, y = data
    centred = X - X.mean(axis=0)
    estimator = SparseRegressor(L1())
    start = path_start(estimator, estimator.build_problem(X, y))
    assert start.highest == pytest.approx(np.abs(centred.T @ (y - y.mean())).max())


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_the_grid_of_a_ridge_follows_the_scale_of_the_data(data, scale):
    X, y = data
    estimator = SparseRegressor(Ridge())
    plain = path_start(estimator, estimator.build_problem(X, y))
    scaled = path_start(estimator, estimator.build_problem(scale * X, y))
    assert scaled.highest == pytest.approx(plain.highest * scale**2, rel=0.1)
    grid, values = plain.grid(30, None), np.linalg.eigvalsh(np.cov(X.T) * (len(X) - 1))
    assert grid[0] > 10 * values.max() and grid[-1] < 0.01 * values.min()


def test_no_gradient_no_trouble(data):
    X, _ = data
    path = regularization_path(SparseRegressor(L1()), X, np.ones(len(X)), n_strengths=3)
    assert np.isfinite(path.strengths).all() and path.selected.tolist() == [0, 0, 0]
    empty = regularization_path(SparseRegressor(Ridge()), np.zeros((5, 2)), np.arange(5.0))
    assert np.isfinite(empty.strengths).all()


def test_a_callback_ends_a_path(data):
    events = []
    path = regularization_path(
        SparseRegressor(),
        *data,
        n_strengths=9,
        callback=lambda event: events.append(event) or event.features >= 2,
    )
    assert len(path.strengths) == len(events) < 9 and events[-1].features == path.selected[-1] >= 2
