"""Losses in Python: the laws, every solver, and the same answers as kernels give."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from laconic import (
    L0,
    L1,
    Admm,
    Discrete,
    ElasticNet,
    Fista,
    GroupLasso,
    Huber,
    Logistic,
    Loss,
    OverlapGroupLasso,
    Owlqn,
    Reweighted,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    Squared,
    StrengthCV,
    TreeGroupLasso,
    WorkingSet,
    regularization_path,
)
from laconic.core.checks import check_loss
from laconic.core.losses import Gold

OVERLAP = [[0, 1, 2], [2, 3, 4], [4, 5, 6, 7]]


class PlainHuber(Loss):
    """The Huber loss as a user would write it."""

    classifies: ClassVar[bool] = False

    def __init__(self, delta: float = 1.0):
        self.delta = delta

    def value_residual(self, scores: Any, gold: Gold) -> Any:
        off = scores - gold.target
        size = np.abs(off)
        value = np.where(size <= self.delta, off * off / 2, self.delta * (size - self.delta / 2))
        return gold.weight @ value, gold.weight * np.clip(off, -self.delta, self.delta)

    def curvature(self, scores: Any, gold: Gold) -> Any:
        size = np.abs(scores - gold.target)
        return gold.weight * np.minimum(1.0, self.delta / np.maximum(size, 1e-300))


class PlainLogistic(Loss):
    """The logistic loss as a user would write it, with its conjugate."""

    def value_residual(self, scores: Any, gold: Gold) -> Any:
        value = np.logaddexp(0, scores) - gold.target * scores
        p = 1 / (1 + np.exp(-scores))
        return gold.weight @ value, gold.weight * (p - gold.target)

    def curvature(self, scores: Any, gold: Gold) -> Any:
        p = 1 / (1 + np.exp(-scores))
        return gold.weight * p * (1 - p)

    def conjugate(self, residual: Any, gold: Gold) -> float:
        p = np.clip(residual / gold.weight + gold.target, 0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(p > 0, p * np.log(p), 0) + np.where(p < 1, (1 - p) * np.log1p(-p), 0)
        return float(gold.weight @ terms)


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8)) * (rng.random((90, 8)) < 0.7)
    y = X[:, :3] @ [2.0, -1.0, 0.5] + 0.3 * rng.standard_t(2, size=90) + 1.0
    return X, y, rng.uniform(0, 2, 90) * (rng.random(90) < 0.9)


@pytest.mark.parametrize("loss", [PlainHuber(0.7), PlainLogistic()], ids=repr)
def test_laws(loss: Loss) -> None:
    check_loss(loss, np.random.default_rng(1))


SOLVED = [
    (L1(1.0), WorkingSet(tol=1e-7)),
    (L1(1.0), Fista(tol=1e-7)),
    (L1(1.0), Owlqn(tol=1e-7)),
    (ElasticNet(1.0, factors=np.arange(8)), WorkingSet(tol=1e-7)),
    (Ridge(1.0), Owlqn(tol=1e-7)),
    (GroupLasso([[0, 3], [1, 2, 4], [5, 6, 7]], 2.0), WorkingSet(tol=1e-7)),
    (OverlapGroupLasso(OVERLAP, 1.0), Reweighted(tol=1e-5)),
    (OverlapGroupLasso(OVERLAP, 1.0), Admm(tol=1e-5)),
    (OverlapGroupLasso(OVERLAP, 1.0, norm="inf"), Admm(tol=1e-5)),
    (L0(1.0), Fista(tol=1e-6)),
    (L1(1.0), None),
    (TreeGroupLasso([[0, 1, 2], [3, 4, 5], [6, 7]], 1.0), None),
]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("penalty", "solver"), SOLVED, ids=str)
def test_every_solver_takes_it(
    data: Any, penalty: Any, solver: Any, intercept: bool, form: Any
) -> None:
    X, y, weight = data
    given = {"fit_intercept": intercept, "tol": 1e-6}
    kernel, plain = (
        SparseRegressor(penalty, loss, clone(solver, safe=False), **given).fit(
            form(X), y, sample_weight=weight
        )
        for loss in (Huber(0.5), PlainHuber(0.5))
    )
    assert plain.converged_ and kernel.converged_
    assert plain.objective_ == pytest.approx(kernel.objective_, rel=1e-4)
    np.testing.assert_allclose(plain.coef_, kernel.coef_, atol=2e-2)
    assert plain.intercept_ == pytest.approx(kernel.intercept_, abs=2e-2)


def test_sets_of_values(data: Any) -> None:
    X, y, _ = data
    penalty = Discrete((-1.0, 0.5, 1.0, 2.0), 0.1)
    plain = SparseRegressor(penalty, PlainHuber(0.5)).fit(X, y)
    assert set(plain.coef_) <= {-1.0, 0.0, 0.5, 1.0, 2.0} and plain.coef_[0] == 2.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_takes_it(data: Any, n_classes: int) -> None:
    X, y, weight = data
    labels = np.digitize(y, [1.0] if n_classes == 2 else [0.0, 2.0])
    kernel, plain = (
        SparseClassifier(L1(0.5), loss, tol=1e-7).fit(X, labels, weight)
        for loss in (Logistic(), PlainLogistic())
    )
    np.testing.assert_allclose(plain.coef_, kernel.coef_, atol=1e-3)
    assert np.mean(plain.predict(X) == kernel.predict(X)) > 0.98
    assert not hasattr(plain, "predict_proba")


def test_paths_searches_and_cross_validation(data: Any) -> None:
    X, y, _ = data
    model = SparseRegressor(L1(), PlainHuber(0.5))
    assert regularization_path(model, X, y, n_strengths=5).certificates.max() <= 1e-4
    assert StrengthCV(model, n_strengths=4, cv=3).fit(X, y).score(X, y) > 0.5
    search = GridSearchCV(model, {"loss__delta": [1e-3, 0.5]}, cv=3).fit(X, y)
    assert search.best_estimator_.loss.delta == search.best_params_["loss__delta"]
    assert model.loss.delta == 0.5


class Doubled(Squared):
    """A subclass that computes something else must not get its parent's kernel."""

    def value_residual(self, scores: Any, gold: Gold) -> Any:
        value, residual = super().value_residual(scores, gold)
        return 2 * value, 2 * residual

    def curvature(self, scores: Any, gold: Gold) -> Any:
        return 2 * super().curvature(scores, gold)

    def conjugate(self, residual: Any, gold: Gold) -> float:
        return 2 * super().conjugate(residual / 2, gold)


def test_a_subclass_of_a_kernel_loss(data: Any) -> None:
    X, y, _ = data
    half = SparseRegressor(L1(1.0), Squared(), tol=1e-9).fit(X, y)
    whole = SparseRegressor(L1(2.0), Doubled(), tol=1e-9).fit(X, y)
    np.testing.assert_allclose(whole.coef_, half.coef_, atol=1e-5)
    assert whole.objective_ == pytest.approx(2 * half.objective_)


class WrongShape(PlainHuber):
    def value_residual(self, scores: Any, gold: Gold) -> Any:
        return 1.0, np.zeros(3)


def test_mistakes_get_one_sentence(data: Any) -> None:
    X, y, _ = data
    with pytest.raises(ValueError, match=r"WrongShape.value_residual must return 90 numbers"):
        SparseRegressor(L1(), WrongShape()).fit(X, y)
    with pytest.raises(TypeError, match="Loss must define value_residual"):
        SparseClassifier(L1(), Loss()).fit(X, y > 0)
    with pytest.raises(ValueError, match="delta must be a positive number, got -1"):
        SparseRegressor(L1(), Huber(-1)).fit(X, y)
