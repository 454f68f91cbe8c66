"""Several targets per row, several labels per row, and losses by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import GammaRegressor, HuberRegressor, TweedieRegressor
from sklearn.multiclass import OneVsRestClassifier

import laconic
from laconic import (
    L1,
    GroupLasso,
    Huber,
    Multinomial,
    Quantile,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    Tweedie,
)


@pytest.fixture(scope="module")
def regression() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    W = rng.normal(size=(6, 3)) * (rng.random((6, 1)) < 0.5)
    return X, X @ W + 0.5 * rng.standard_t(3, size=(120, 3)) + [1.0, 2.0, 3.0]


@pytest.mark.parametrize("loss", ["squared", Huber(0.5), Quantile(0.7)], ids=str)
def test_outputs_without_groups_are_models_of_their_own(regression: Any, loss: Any) -> None:
    X, Y = regression
    both = SparseRegressor(L1(3.0), loss, tol=1e-6).fit(sp.csr_matrix(X), Y)
    assert both.coef_.shape == (3, 6) and both.intercept_.shape == (3,)
    assert both.predict(X).shape == Y.shape
    for k in range(3):
        alone = SparseRegressor(L1(3.0), loss, tol=1e-6).fit(X, Y[:, k])
        np.testing.assert_allclose(both.coef_[k], alone.coef_, atol=0.02)
        assert both.intercept_[k] == pytest.approx(alone.intercept_, abs=0.05)


def test_rows_of_outputs_are_grouped(regression: Any) -> None:
    X, Y = regression
    model = SparseRegressor(GroupLasso([[j] for j in range(6)], 8.0), tol=1e-7).fit(X, Y)
    used = np.any(model.coef_ != 0, axis=0)
    assert 0 < used.sum() < 6 and np.all(model.coef_[:, used] != 0)
    assert model.score(X, Y) > 0.3


def test_huber_is_that_of_scikit_learn(regression: Any) -> None:
    X, Y = regression
    peer = HuberRegressor(epsilon=1.35, alpha=0.5, tol=1e-9, max_iter=10000).fit(X, Y[:, 0])
    # Theirs: sum sigma H((y - s) / sigma) + alpha |w|^2, H = 2 Huber; ours in units of y.
    ridge, delta = peer.scale_ * 0.5, 1.35 * peer.scale_
    ours = SparseRegressor(Ridge(ridge), Huber(delta), tol=1e-10).fit(X, Y[:, 0])
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-3)


@pytest.mark.parametrize("power", [1, 1.5, 2])
def test_tweedie_is_that_of_scikit_learn(regression: Any, power: float) -> None:
    X, Y = regression
    y = np.random.default_rng(1).poisson(np.exp(0.3 * Y[:, 0])) + (power == 2)
    given = {"alpha": 0.1, "tol": 1e-8, "max_iter": 10000}
    peer = (GammaRegressor(**given) if power == 2 else TweedieRegressor(power=power, **given)).fit(
        X, y
    )
    ours = SparseRegressor(Ridge(0.1 * len(y)), Tweedie(power), tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-2)


def test_labels_are_models_of_their_own() -> None:
    X, Y = make_multilabel_classification(150, 12, n_classes=4, random_state=0)
    ours = SparseClassifier(L1(1.0), tol=1e-8).fit(X, Y)
    peer = OneVsRestClassifier(SparseClassifier(L1(1.0), tol=1e-8)).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-3)
    assert np.array_equal(ours.predict(X), peer.predict(X))
    assert ours.decision_function(X).shape == Y.shape
    assert ours.score(X, Y) == pytest.approx(peer.score(X, Y))
    sparse = SparseClassifier(L1(1.0), tol=1e-8).fit(X, sp.csr_matrix(Y))
    np.testing.assert_allclose(sparse.coef_, ours.coef_)


def test_lists_of_labels_come_back_as_lists() -> None:
    X, Y = make_multilabel_classification(150, 12, n_classes=3, random_state=0)
    names = np.array(["art", "law", "sport"])
    lists = [names[row == 1].tolist() for row in Y]
    model = SparseClassifier(L1(1.0)).fit(X, lists)
    assert model.classes_.tolist() == names.tolist()
    expected = SparseClassifier(L1(1.0)).fit(X, Y).predict(X)
    assert model.predict(X) == [names[row == 1].tolist() for row in expected]
    assert 0.3 < model.score(X, lists) <= 1.0
    with pytest.raises(ValueError, match="'music' is not among"):
        model.score(X, [["music"]] * 150)
    with pytest.raises(ValueError, match="Multinomial has one class per row"):
        SparseClassifier(L1(1.0), Multinomial()).fit(X, lists)
    with pytest.raises(ValueError, match="class_weight is for one class per row"):
        SparseClassifier(L1(1.0), class_weight="balanced").fit(X, lists)


def test_losses_by_name(regression: Any) -> None:
    X, Y = regression
    for name in ("squared", "squared_error", "huber", "quantile"):
        assert SparseRegressor("l1", name).fit(X, Y[:, 0]).converged_
    for name in ("poisson", "tweedie"):
        assert SparseRegressor("l1", name).fit(X, np.abs(Y[:, 0]).round()).converged_
    for name in ("logistic", "log_loss", "multinomial", "squared_hinge"):
        model = SparseClassifier("l1", name).fit(X, Y[:, 0] > 0)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="there is no loss called 'hubert': expected one of cox"):
        SparseRegressor("l1", "hubert").fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="takes a loss of a real target"):
        SparseRegressor("l1", "logistic").fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="takes a classification loss"):
        SparseClassifier("l1", "squared").fit(X, Y[:, 0] > 0)


def test_model_files_keep_losses_outputs_labels_and_hazards(tmp_path: Any, regression: Any) -> None:
    X, Y = regression
    lists = [["a"] * int(row[0] > 1) + ["b"] * int(row[1] > 2) for row in Y]
    pairs = np.column_stack([np.exp(Y[:, 0]), Y[:, 1] > 1])
    for model, y in (
        (SparseRegressor(L1(1.0), Huber(0.3)), Y),
        (SparseRegressor(L1(1.0), Quantile(0.3)), Y[:, 0]),
        (SparseRegressor(L1(1.0), Tweedie(1.2)), np.abs(Y[:, 0])),
        (SparseRegressor(L1(1.0), "cox"), pairs),
        (SparseClassifier(L1(1.0)), lists),
        (SparseClassifier(L1(1.0)), (Y > 1).astype(int)),
    ):
        model.fit(X, y).save(tmp_path / "model")
        read = laconic.load(tmp_path / "model")
        assert np.array_equal(np.array(read.predict(X), object), np.array(model.predict(X), object))
        assert repr(read.loss) == repr(model.loss) and read.score(X, y) == model.score(X, y)
        if hasattr(model, "baseline_"):
            curves = model.predict_survival(X, [1.0, 2.0])
            assert np.array_equal(read.predict_survival(X, [1.0, 2.0]), curves)
