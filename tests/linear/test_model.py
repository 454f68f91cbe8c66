"""SparseClassifier and SparseRegressor: scikit-learn's contract, and what it does not check."""

from __future__ import annotations

import io

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import (
    L1,
    Fista,
    GroupLasso,
    Groups,
    Loss,
    Multinomial,
    Owlqn,
    Poisson,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    SquaredHinge,
)


@parametrize_with_checks(
    [
        SparseClassifier(),
        SparseRegressor(),
        SparseClassifier(Ridge(0.1)),
        SparseRegressor(Ridge(0.1)),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def problem():
    X, y = make_classification(120, 20, n_informative=6, random_state=0)
    return np.round(X, 2), y


def test_the_lasso_is_that_of_liblinear(problem):
    X, y = problem
    ours = SparseClassifier(L1(2.0), fit_intercept=False, tol=1e-9).fit(X, y)
    peer = LogisticRegression(C=0.5, solver="liblinear", fit_intercept=False, tol=1e-8)
    lasso = {"penalty": "l1"} if peer.penalty == "l2" else {"l1_ratio": 1}  # from 1.8 on
    peer.set_params(**lasso).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, np.asfortranarray])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_the_form_of_the_matrix_does_not_matter(problem, form, index):
    X, y = problem
    given = form(X)
    if sp.issparse(given) and given.format != "coo":
        given.indices, given.indptr = given.indices.astype(index), given.indptr.astype(index)
    dense = SparseClassifier(L1(1.0), tol=1e-8).fit(X, y)
    np.testing.assert_allclose(
        SparseClassifier(L1(1.0), tol=1e-8).fit(given, y).coef_, dense.coef_, atol=1e-6
    )


def test_grid_search_reaches_the_strength_of_the_penalty(problem):
    X, y = problem
    search = GridSearchCV(
        SparseClassifier(L1()), {"penalty__strength": [0.1, 1.0, 1000.0]}, cv=3
    ).fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    assert search.best_estimator_.penalty.strength == search.best_params_["penalty__strength"]
    assert "strength=1000" in repr(
        clone(search.best_estimator_).set_params(penalty__strength=1000.0)
    )


def test_pipeline_select_from_model_and_joblib(problem):
    texts = ["good fine film", "bad poor film", "fine acting", "poor acting bad"] * 5
    labels = [1, 0, 1, 0] * 5
    pipe = make_pipeline(CountVectorizer(), SparseClassifier(L1(0.1))).fit(texts, labels)
    assert pipe.score(texts, labels) == 1.0
    stream = io.BytesIO()
    joblib.dump(pipe, stream)
    stream.seek(0)
    assert np.array_equal(joblib.load(stream).predict(texts), pipe.predict(texts))
    X, y = problem
    kept = SelectFromModel(SparseClassifier(L1(5.0))).fit(X, y).transform(X)
    assert 0 < kept.shape[1] < X.shape[1]


def test_three_classes_and_row_groups(problem):
    X, _ = problem
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    groups = Groups.from_lists([[j] for j in range(X.shape[1])], X.shape[1])
    model = SparseClassifier(GroupLasso(groups, strength=3.0), tol=1e-6).fit(X, y)
    rows = np.any(model.coef_ != 0, axis=0)
    assert model.coef_.shape == (3, X.shape[1]) and 0 < rows.sum() < X.shape[1]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, y) > 0.7


def test_two_classes_as_multinomial_are_logistic_with_half_the_ridge(problem):
    X, y = problem
    softmax = SparseClassifier(Ridge(2.0), loss=Multinomial(), tol=1e-10).fit(X, y)
    logistic = SparseClassifier(Ridge(1.0), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(softmax.predict_proba(X), logistic.predict_proba(X), atol=1e-5)


def test_class_weights_are_sample_weights(problem):
    X, y = problem
    by_class = SparseClassifier(L1(1.0), class_weight={0: 1.0, 1: 3.0}, tol=1e-9).fit(X, y)
    by_sample = SparseClassifier(L1(1.0), tol=1e-9).fit(
        X, y, sample_weight=np.where(y == 1, 3.0, 1.0)
    )
    np.testing.assert_allclose(by_class.coef_, by_sample.coef_, atol=1e-6)


def test_solvers_are_interchangeable(problem):
    X, y = problem
    best = SparseClassifier(L1(1.0), tol=1e-9).fit(X, y)
    for solver in (Fista(tol=1e-8), Owlqn(tol=1e-8)):
        other = SparseClassifier(L1(1.0), solver=solver).fit(X, y)
        assert other.objective_ == pytest.approx(best.objective_, rel=1e-6)
        assert other.certificate_ <= 1e-8


def test_a_fit_that_does_not_converge_says_so(problem):
    X, y = problem
    with pytest.warns(ConvergenceWarning, match="certificate"):
        SparseClassifier(L1(0.01), solver=Fista(tol=1e-12, max_iter=2)).fit(X, y)


@pytest.mark.parametrize(
    ("penalty", "message"),
    [
        (L1(-1.0), "strength"),
        (L1(np.nan), "strength"),
        (L1(factors=[1.0]), "factors"),
        (L1(strength="much"), "strength"),
    ],
)
def test_bad_penalties_get_one_sentence(problem, penalty, message):
    with pytest.raises(ValueError, match=message):
        SparseClassifier(penalty).fit(*problem)


def test_bad_data_get_one_sentence(problem):
    X, y = problem
    with pytest.raises(ValueError, match="NaN"):
        SparseClassifier().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="only one class"):
        SparseClassifier().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="features"):
        SparseClassifier(GroupLasso(Groups.from_lists([[0, 1]], 3))).fit(X, y)


def test_probabilities_of_a_hinge_are_those_of_which_its_scores_are_the_best(problem):
    X, y = problem
    model = SparseClassifier(Ridge(1.0), loss=SquaredHinge()).fit(X, y)
    scores = model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], (1 + np.tanh(scores)) / 2)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    for share in (0.4, 0.5, 0.6):  # a column of ones, of which this share are of the second class
        ones, labels = np.ones((100, 1)), np.arange(100) < 100 * share
        constant = SparseClassifier(Ridge(0.0), SquaredHinge(), fit_intercept=False, tol=1e-8)
        found = constant.fit(ones, labels).predict_proba(ones)[0, 1]
        assert abs(found - share) < 5e-3


def test_no_probabilities_from_a_loss_that_knows_none(problem):
    class Margin(SquaredHinge):
        log_probabilities = Loss.log_probabilities

    X, y = problem
    model = SparseClassifier(Ridge(1.0), loss=Margin()).fit(X, y)
    assert not hasattr(model, "predict_proba") and model.score(X, y) > 0.8


def test_warm_start_begins_at_the_last_fit(problem):
    X, y = problem
    model = SparseClassifier(L1(1.0), warm_start=True).fit(X, y)
    assert model.n_iter_ > 0 and model.fit(X, y).n_iter_ == 0
    assert clone(model).get_params()["warm_start"] is True


def test_counts_are_regressed_by_their_logarithms() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = rng.poisson(np.exp(0.5 + X @ np.array([0.6, -0.4, 0.0])))
    fitted = SparseRegressor(Ridge(1e-3), loss=Poisson()).fit(X, y)
    assert (
        np.allclose(fitted.coef_, [0.6, -0.4, 0.0], atol=0.1) and abs(fitted.intercept_ - 0.5) < 0.1
    )
    assert np.allclose(fitted.predict(X), np.exp(X @ fitted.coef_ + fitted.intercept_))
    assert fitted.predict(X).sum() == pytest.approx(y.sum(), rel=1e-2)
    with pytest.raises(ValueError, match="targets must be finite and not negative"):
        SparseRegressor(loss=Poisson()).fit(X, -1.0 - y)
