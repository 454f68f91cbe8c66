"""What is done to rows before a fit: scaled features, offsets, and refits on what was selected."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.preprocessing import StandardScaler

from laconic import (
    L0,
    L1,
    Admm,
    ElasticNet,
    Fista,
    GroupLasso,
    Groups,
    OverlapGroupLasso,
    Owlqn,
    PenaltySum,
    Poisson,
    Reweighted,
    Ridge,
    SparseClassifier,
    SparseGroupLasso,
    SparseRegressor,
    WorkingSet,
    regularization_path,
)

OVERLAPS = Groups.from_lists([[0, 1, 2], [2, 3, 4], [5, 6, 7]], 8)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8)) * np.geomspace(0.01, 100, 8) + 3.0
    y = X[:, 2] - 0.02 * X[:, 7] + rng.normal(size=90)
    return X, y


def test_standardized_features_are_those_of_a_scaler(data):
    X, y = data
    weight = np.linspace(0.5, 2.0, len(y))
    scaler = StandardScaler().fit(X, sample_weight=weight)
    theirs = SparseRegressor(L1(5.0), tol=1e-10).fit(scaler.transform(X), y, weight)
    for form in (np.asarray, sp.csr_matrix, sp.csc_array):
        ours = SparseRegressor(L1(5.0), tol=1e-10, standardize=True).fit(form(X), y, weight)
        np.testing.assert_allclose(ours.coef_ * scaler.scale_, theirs.coef_, atol=1e-5)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(scaler.transform(X)), atol=1e-4)
    path = regularization_path(
        SparseRegressor(L1(), tol=1e-10, standardize=True), X, y, [5.0], sample_weight=weight
    )
    np.testing.assert_allclose(path.weights.toarray()[0], ours.coef_, atol=1e-6)


def test_a_constant_feature_has_no_weight(data):
    X, y = data
    wide = np.column_stack([X, np.full(len(y), 7.0)])
    assert SparseRegressor(L1(1.0), standardize=True).fit(wide, y).coef_[-1] == 0


def test_sparse_input_stays_sparse_and_unchanged(data, monkeypatch):
    stored = sp.random(300, 5000, 0.01, "csr", random_state=0)
    before = stored.data.copy()
    monkeypatch.setattr(sp.csr_matrix, "toarray", None)
    SparseRegressor(L1(50.0), standardize=True).fit(stored, np.arange(300.0))
    np.testing.assert_array_equal(stored.data, before)


def test_exposure_is_an_offset() -> None:
    rng = np.random.default_rng(1)
    X, exposure = rng.normal(size=(300, 4)), rng.uniform(0.5, 20, size=300)
    y = rng.poisson(exposure * np.exp(X @ [0.5, -0.3, 0.0, 0.2] - 1))
    ours = SparseRegressor(Ridge(1e-6), loss=Poisson(), tol=1e-10).fit(
        X, y, offset=np.log(exposure)
    )
    # Counts with an exposure are rates with weights.
    rates = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000)
    rates.fit(X, y / exposure, sample_weight=exposure)
    np.testing.assert_allclose(ours.coef_, rates.coef_, atol=1e-4)
    np.testing.assert_allclose(
        ours.predict(X, offset=np.log(exposure)), exposure * rates.predict(X), rtol=1e-3
    )


@pytest.mark.parametrize(
    ("penalty", "solver"),
    [
        (L1(2.0), WorkingSet(tol=1e-8)),
        (L1(2.0), Fista(tol=1e-8)),
        (L1(2.0), Owlqn(tol=1e-7)),
        (Ridge(2.0), None),
        (ElasticNet(2.0), None),
        (L0(2.0), None),
        (GroupLasso(Groups.from_lists([[0, 1], [2, 3]], 8)), None),
        (SparseGroupLasso(Groups.from_lists([[0, 1], [2, 3]], 8)), None),
        (OverlapGroupLasso(OVERLAPS), Reweighted(tol=1e-5)),
        (PenaltySum([OverlapGroupLasso(OVERLAPS), L1()]), Admm(tol=1e-5)),
    ],
)
def test_every_solver_minds_the_offset(penalty, solver):
    """A squared loss with an offset is one of other targets, and the certificate is as true."""
    rng = np.random.default_rng(2)
    X, offset = rng.normal(size=(60, 8)), 5 * rng.normal(size=60)
    y = X[:, 0] + rng.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = SparseRegressor(penalty, solver=solver).fit(X, y + offset, offset=offset)
    plain = SparseRegressor(penalty, solver=solver).fit(X, y)
    np.testing.assert_allclose(given.coef_, plain.coef_, atol=2e-3)
    assert given.objective_ == pytest.approx(plain.objective_, rel=1e-3)


def test_offsets_of_classes(data):
    X, _ = data
    y = np.arange(len(X)) % 3
    offset = np.zeros((len(X), 3))
    offset[:, 1] = 2.0
    shifted = SparseClassifier(L1(5.0), tol=1e-10).fit(X, y, offset=offset)
    plain = SparseClassifier(L1(5.0), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(
        shifted.predict_proba(X, offset=offset), plain.predict_proba(X), atol=1e-5
    )
    for wrong in (np.zeros(len(X)), np.full((len(X), 3), np.nan)):
        with pytest.raises(ValueError, match=r"offset must hold finite numbers of shape \(90, 3\)"):
            SparseClassifier().fit(X, y, offset=wrong)


def test_the_relaxed_lasso_is_the_refit_on_its_support(data):
    X, y = data
    kept = SparseRegressor(L1(5.0), standardize=True).fit(X, y)
    support = kept.coef_ != 0
    assert 0 < support.sum() < 8
    refit = LinearRegression().fit(X[:, support], y)
    relaxed = SparseRegressor(L1(5.0), standardize=True, relax=1.0).fit(X, y)
    assert np.array_equal(relaxed.coef_ != 0, support)
    np.testing.assert_allclose(relaxed.coef_[support], refit.coef_, rtol=1e-3)
    half = SparseRegressor(L1(5.0), standardize=True, relax=0.5).fit(X, y)
    np.testing.assert_allclose(half.coef_, (kept.coef_ + relaxed.coef_) / 2, rtol=1e-6)
    assert half.objective_ == kept.objective_
    with pytest.raises(ValueError, match="relax must be from 0"):
        SparseRegressor(relax=2.0).fit(X, y)


def test_a_relaxed_classifier_is_an_unpenalised_one(data):
    X, y = data
    labels = y + 2 * np.sin(np.arange(len(y))) > 3
    model = SparseClassifier(L1(3.0), standardize=True, relax=1.0, tol=1e-9).fit(X, labels)
    support = model.coef_[0] != 0
    scaled = StandardScaler().fit_transform(X[:, support])
    peer = LogisticRegression(C=1e8, tol=1e-10, max_iter=5000).fit(scaled, labels)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], peer.predict_proba(scaled)[:, 1], atol=1e-3
    )
    # Separable classes have a finite refit too.
    certain = SparseClassifier(L1(0.1), relax=1.0, standardize=True).fit(X, X[:, 2] > 3)
    assert np.isfinite(certain.coef_).all() and certain.score(X, X[:, 2] > 3) == 1.0
