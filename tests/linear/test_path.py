"""Regularization paths."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import (
    L0,
    L1,
    ElasticNet,
    GroupLasso,
    Groups,
    OverlapGroupLasso,
    SparseGroupLasso,
    SparseRegressor,
    TreeGroupLasso,
    regularization_path,
)

FLAT = Groups.from_lists([[0, 1, 2], [3, 4], [5, 6, 7]], 8)
FOREST = Groups.forest([-1, 0, 0], [[0, 1], [2, 3, 4], [5, 6, 7]], 8)


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 8))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + 0.1 * rng.normal(size=80)


@pytest.mark.parametrize(
    "penalty",
    [
        L1(),
        ElasticNet(),
        GroupLasso(FLAT),
        SparseGroupLasso(FLAT),
        TreeGroupLasso(FOREST),
        OverlapGroupLasso(FLAT),
    ],
)
def test_a_path_starts_empty_and_grows(regression, penalty):
    path = regularization_path(
        SparseRegressor(penalty, tol=1e-6), *regression, n_strengths=8, ratio=1e-3
    )
    assert path.selected[0] == 0 and path.selected[-1] >= 3
    assert np.all(np.diff(path.objectives) <= 1e-6 * path.objectives[:-1])
    assert np.all(path.certificates <= 1e-6) and sp.issparse(path.weights)


def test_each_point_of_a_path_is_a_fit_of_its_own(regression):
    X, y = regression
    path = regularization_path(SparseRegressor(L1(), tol=1e-10), X, y, strengths=[10.0, 1.0])
    for k, strength in enumerate(path.strengths):
        alone = SparseRegressor(L1(strength), tol=1e-10).fit(X, y)
        np.testing.assert_allclose(path.weights[k].toarray().ravel(), alone.coef_, atol=1e-5)


def test_a_path_of_counted_weights(regression):
    path = regularization_path(SparseRegressor(L0()), *regression, strengths=[1000.0, 1.0])
    assert path.selected[0] <= path.selected[-1] <= 8
