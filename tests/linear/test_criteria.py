"""StrengthIC: the criteria by hand, degrees of freedom by their formulas."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import (
    L0,
    L1,
    ElasticNet,
    GroupLasso,
    Groups,
    Poisson,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    SquaredHinge,
    StrengthIC,
)
from laconic.linear.freedom import degrees_of_freedom


@parametrize_with_checks(
    [StrengthIC(SparseClassifier(tol=1e-11), n_strengths=5, ratio=0.1)],
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def freedom(estimator, X, y):
    problem = estimator.build_problem(X, y)
    return degrees_of_freedom(problem, estimator.solve(problem).x), problem


@pytest.mark.parametrize("name", ["aic", "bic", "ebic"])
def test_the_criteria_by_hand(diabetes, name):
    X, y = diabetes
    found = StrengthIC(SparseRegressor(tol=1e-9), criterion=name, n_strengths=15).fit(X, y)
    n, df = len(y), found.n_selected_ + 1  # with the intercept
    residual = y - SparseRegressor(L1(found.best_strength_), tol=1e-9).fit(X, y).predict(X)
    cost = {"aic": 2 * df, "bic": np.log(n) * df}.get(name)
    if cost is None:
        cost = np.log(n) * df + np.log(comb(10, found.n_selected_))  # 2 gamma = 1
    assert found.best_score_ == pytest.approx(n * np.log(np.mean(residual**2)) + cost, rel=1e-6)
    np.testing.assert_array_equal(found.degrees_of_freedom_, 1 + found.ic_results_["selected"])
    assert found.best_score_ == found.criterion_.min()


def test_the_deviance_of_classes_is_twice_the_log_loss(diabetes):
    X, y = diabetes
    found = StrengthIC(SparseClassifier(), "aic", n_strengths=8).fit(X, y > 140)
    loss = log_loss(y > 140, found.predict_proba(X), normalize=False)
    assert found.best_score_ == pytest.approx(2 * loss + 2 * (found.n_selected_ + 1), rel=1e-6)


def test_a_ridge_counts_the_trace_of_its_hat_matrix(diabetes):
    X, y = diabetes
    found, _ = freedom(SparseRegressor(Ridge(50.0), tol=1e-10), X, y)
    values = np.linalg.eigvalsh(X.T @ X)
    assert found == pytest.approx(1 + np.sum(values / (values + 50.0)), rel=1e-5)


def test_an_elastic_net_counts_on_its_support(diabetes):
    X, y = diabetes
    penalty = ElasticNet(2000.0, l1_ratio=0.5)
    found, _ = freedom(SparseRegressor(penalty, tol=1e-10), X, y)
    w = SparseRegressor(penalty, tol=1e-10).fit(X, y).coef_
    values = np.linalg.eigvalsh(X[:, w != 0].T @ X[:, w != 0])
    assert 1 < (w != 0).sum() < X.shape[1]
    assert found == pytest.approx(1 + np.sum(values / (values + 1000.0)), rel=1e-5)


def test_groups_of_orthogonal_features_count_as_yuan_and_lin_say():
    """Df = sum_g [alive] + (d_g - 1) |w_g| / |w_g of least squares| for X'X = I."""
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(60, 6)) - 0.0)[0]
    X = np.linalg.qr(X - X.mean(axis=0))[0]
    y = X @ [3.0, 2.0, 1.0, 0.2, 0.1, 0.1] + 0.1 * rng.normal(size=60)
    groups = Groups.from_lists([[0, 1, 2], [3, 4, 5]], 6, weight=[1.0, 1.0])
    model = SparseRegressor(GroupLasso(groups, strength=1.0), tol=1e-12)
    found, _ = freedom(model, X, y)
    least = X.T @ (y - y.mean())
    expected = 1.0
    for g in ([0, 1, 2], [3, 4, 5]):
        size = np.linalg.norm(least[g])
        if size > 1.0:
            expected += 1 + 2 * (size - 1.0) / size
    assert found == pytest.approx(expected, rel=1e-3)


def test_large_supports_are_estimated(diabetes, monkeypatch):
    X, y = diabetes
    exact, _ = freedom(SparseRegressor(Ridge(50.0), tol=1e-10), X, y)
    monkeypatch.setattr("laconic.linear.freedom.MOST_EXACT", 3)
    monkeypatch.setattr("laconic.linear.freedom.N_PROBES", 200)
    estimated, _ = freedom(SparseRegressor(Ridge(50.0), tol=1e-10), X, y)
    assert estimated == pytest.approx(exact, rel=0.05)


def test_criteria_choose_the_true_features():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 200))
    score = X[:, :3] @ [1.5, -1.5, 1.0]
    for estimator, y in (
        (SparseRegressor(relax=1.0), score + rng.normal(size=300)),
        (SparseClassifier(relax=1.0), score + rng.logistic(size=300) > 0),
        (SparseRegressor(loss=Poisson(), relax=1.0), rng.poisson(np.exp(score / 2))),
    ):
        found = StrengthIC(estimator, "ebic", gamma=1.0, n_strengths=25, ratio=0.02).fit(X, y)
        chosen = np.flatnonzero(found.coef_).tolist()
        assert chosen[:3] == [0, 1, 2] and len(chosen) <= 4
        assert is_classifier(found) == is_classifier(estimator)


def test_parameters_and_callbacks(diabetes):
    events = []
    found = StrengthIC(
        SparseRegressor("elastic"), n_strengths=6, parameters={"l1_ratio": [0.5, 1.0]}
    ).fit(*diabetes, callback=lambda event: bool(events.append(event)))
    assert len(events) == len(found.ic_results_["criterion"]) == 12
    assert found.best_score_ == found.ic_results_["criterion"].min()
    stopped = StrengthIC(SparseRegressor(L0())).fit(*diabetes, callback=lambda event: True)
    assert stopped.interrupted_ and len(stopped.strengths_) == 1


def test_what_has_no_likelihood_says_so(diabetes):
    X, y = diabetes
    with pytest.raises(ValueError, match="SquaredHinge is not a likelihood"):
        StrengthIC(SparseClassifier(loss=SquaredHinge())).fit(X, y > 100)
    with pytest.raises(ValueError, match="criterion is one of"):
        StrengthIC(SparseRegressor(), criterion="cp").fit(X, y)
