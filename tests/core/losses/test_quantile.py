"""Losses with kinks: quantiles, their certificates, and solvers of the smoothed problem."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import QuantileRegressor

from laconic import (
    L0,
    L1,
    Fista,
    GroupLasso,
    Loss,
    OverlapGroupLasso,
    Owlqn,
    Quantile,
    Ridge,
    Smoothing,
    SparseRegressor,
    StrengthCV,
    WorkingSet,
    regularization_path,
)
from laconic.core.checks import check_loss
from laconic.core.losses import Gold


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + rng.standard_t(2, size=200) + 3.0


def pinball(model: Any, X: Any, y: Any, q: float) -> float:
    off = y - X @ model.coef_ - model.intercept_
    return float(np.sum(np.maximum(q * off, (q - 1) * off)))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 10.0])
def test_the_lasso_is_that_of_scikit_learn(data: Any, q: float, alpha: float, intercept: bool):
    X, y = data
    peer = QuantileRegressor(quantile=q, alpha=alpha, fit_intercept=intercept).fit(X, y)
    ours = SparseRegressor(L1(len(y) * alpha), Quantile(q), fit_intercept=intercept).fit(X, y)
    best, found = (
        pinball(model, X, y, q) + len(y) * alpha * np.abs(model.coef_).sum()
        for model in (peer, ours)
    )
    assert ours.converged_ and ours.objective_ == pytest.approx(found)
    assert (found - best) / found <= ours.certificate_ + 1e-9
    assert found <= best * (1 + 2e-4)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_no_scale_is_special(data: Any, scale: float) -> None:
    X, y = data
    plain = SparseRegressor(L1(5.0), Quantile(0.7)).fit(X, y)
    scaled = SparseRegressor(L1(5.0), Quantile(0.7)).fit(X, scale * y)
    assert scaled.converged_
    assert scaled.objective_ == pytest.approx(scale * plain.objective_, rel=2e-4)
    weighted = SparseRegressor(L1(5.0 * scale), Quantile(0.7)).fit(X, y, np.full(len(y), scale))
    assert weighted.objective_ == pytest.approx(scale * plain.objective_, rel=2e-4)


@pytest.mark.parametrize(
    ("penalty", "solver"),
    [
        (L1(3.0), Smoothing(inner=WorkingSet())),
        (L1(3.0), Smoothing(inner=Owlqn())),
        (GroupLasso([[0, 3], [1, 2, 4], [5, 6, 7]], 5.0), Smoothing(inner=Fista())),
        (Ridge(1.0), None),
        (OverlapGroupLasso([[0, 1, 2], [2, 3, 4], [4, 5, 6, 7]], 3.0), Smoothing(tol=1e-3)),
        (L0(3.0), None),
    ],
    ids=str,
)
def test_solvers_of_smooth_losses(data: Any, penalty: Any, solver: Any) -> None:
    X, y = data
    model = SparseRegressor(penalty, Quantile(0.5), solver).fit(sp.csr_matrix(X), y)
    assert model.converged_ and abs(np.mean(model.predict(X) > y) - 0.5) < 0.1
    again = SparseRegressor(penalty, Quantile(0.5), solver).fit(X, y)
    assert again.objective_ == pytest.approx(model.objective_, rel=1e-3)


@pytest.mark.parametrize(
    "penalty",
    [
        L1(),
        GroupLasso([[0, 3, 6], [1, 2, 4], [5, 7, 8, 9]]),
        OverlapGroupLasso([[0, 1, 2], [2, 3, 4, 5], [5, 6, 7, 8, 9], [3, 9]]),
    ],
    ids=lambda penalty: type(penalty).__name__,
)
@pytest.mark.parametrize("norm", [1.0, 1e-8])
def test_rows_that_the_model_meets_exactly(penalty: Any, norm: float) -> None:
    # More columns than rows under a weak penalty: every residual is far from both of its ends.
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(7, 10)), rng.normal(size=7)
    weight = np.full(7, norm)
    strongest = strongest_of(SparseRegressor(penalty, Quantile(0.5)), X, y, weight)
    model = SparseRegressor(penalty, Quantile(0.5), strength=1e-4 * strongest).fit(X, y, weight)
    assert model.converged_ and model.report_.certificate_kind == "duality gap"
    assert np.abs(model.predict(X) - y).max() < 1e-3


def strongest_of(estimator: Any, X: Any, y: Any, weight: Any) -> float:
    return float(estimator.build_problem(X, y, weight).strength_max())


def test_a_solver_of_smooth_losses_says_what_to_do(data: Any) -> None:
    with pytest.raises(ValueError, match=r"use Smoothing\(inner=WorkingSet\(\)\)"):
        SparseRegressor(L1(3.0), Quantile(0.5), WorkingSet()).fit(*data)
    with pytest.raises(ValueError, match="q must be a number between 0 and 1, got 2"):
        SparseRegressor(L1(3.0), Quantile(2)).fit(*data)


def test_paths_and_cross_validation(data: Any) -> None:
    X, y = data
    path = regularization_path(SparseRegressor(L1(), Quantile(0.8)), X, y, n_strengths=5)
    assert path.selected[0] <= 1 and path.certificates.max() <= 1e-4
    search = StrengthCV(
        SparseRegressor(L1(), Quantile(0.5)), n_strengths=4, cv=3, scoring="neg_mean_absolute_error"
    ).fit(X, y)
    assert search.best_strength_ < search.strengths_[0]


class Margin(Loss):
    """max(0, 1 - t s), t = -1 or 1: only values and slopes are given."""

    classifies: ClassVar[bool] = True

    def value_residual(self, scores: Any, gold: Gold) -> Any:
        sign = 2 * gold.target - 1
        gap = 1 - sign * scores
        return gold.weight @ np.maximum(gap, 0), np.where(gap > 0, -sign * gold.weight, 0.0)


def test_a_loss_with_kinks_needs_values_and_slopes_only(data: Any) -> None:
    from sklearn.svm import LinearSVC

    from laconic import SparseClassifier

    check_loss(Margin(), np.random.default_rng(0))
    X, y = data
    labels = (y > 3).astype(int)
    ours = SparseClassifier(Ridge(1.0), Margin(), fit_intercept=False).fit(X, labels)
    peer = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-8, max_iter=10**6).fit(X, labels)
    assert ours.converged_ and np.allclose(ours.coef_, peer.coef_, atol=0.02)
