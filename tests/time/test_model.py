"""TemporalRegressor and TemporalClassifier: scikit-learn's contract, steps, baselines, input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import (
    L1,
    AdaptivePrior,
    FusedLasso,
    Multinomial,
    Poisson,
    Ridge,
    SmoothGroupLasso,
    SmoothRidge,
    SparseRegressor,
    TemporalClassifier,
    TemporalRegressor,
)


@parametrize_with_checks(
    [
        TemporalRegressor(),
        TemporalClassifier(),
        TemporalRegressor(SmoothRidge(strength=0.1)),
        TemporalClassifier(SmoothGroupLasso(strength=0.1)),
    ]
)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def stream(
    n_years: int = 12, per_year: int = 40, seed: int = 0
) -> tuple[sp.csr_matrix, np.ndarray, np.ndarray]:
    """Return rows of ten features.

    The first stands still, the second rises from -1 to 1, the others have no effect.
    """
    rng = np.random.default_rng(seed)
    years = np.repeat(np.arange(1990, 1990 + n_years), per_year)
    X = sp.csr_matrix((rng.random((len(years), 10)) < 0.4).astype(float))
    rise = np.linspace(-1, 1, n_years)[years - 1990]
    y = (
        1.0
        + X[:, [0]].toarray().ravel() * 1.0
        + X[:, [1]].toarray().ravel() * rise
        + 0.3 * rng.normal(size=len(years))
    )
    return X, y, years


@pytest.mark.parametrize(
    "penalty",
    [
        AdaptivePrior(strength=0.1, floor=1e-4),
        SmoothRidge(strength=0.3, smoothness=10.0),
        FusedLasso(strength=0.5),
        SmoothGroupLasso(strength=0.3, smoothness=3.0),
    ],
    ids=repr,
)
def test_what_rises_is_followed_and_the_last_step_is_what_forecasts(penalty: Any) -> None:
    X, y, years = stream()
    model = TemporalRegressor(penalty).fit(X, y, times=years)
    assert (
        model.trajectories_.shape == (10, 12)
        and model.steps_[0] == "1990"
        and model.steps_[-1] == "2001"
    )
    still, rise = model.trajectories_[:2]
    assert np.all(np.abs(still - 1) < 0.35) and rise[0] < -0.5 and rise[-1] > 0.5
    assert (
        np.array_equal(model.coef_, model.trajectories_[:, -1])
        and model.intercept_ == model.drift_[-1]
    )
    assert np.allclose(model.predict(X[:5]), X[:5] @ model.coef_ + model.intercept_)
    pooled = clone(model).set_params(mode="pooled").fit(X, y, times=years)
    fresh, target, _ = stream(seed=1)
    late = np.arange(len(target) - 40, len(target))
    assert model.score(fresh[late], target[late]) > pooled.score(fresh[late], target[late]) + 0.05
    assert model.certificate_ <= model.tol and model.converged_


def test_the_autocorrelations_tell_what_moves() -> None:
    X, y, years = stream()
    model = TemporalRegressor(AdaptivePrior(strength=0.1, floor=1e-5)).fit(X, y, times=years)
    assert model.alpha_.shape == (10,) and model.alpha_[0] < model.alpha_[1] < -0.3
    assert np.abs(model.trajectories_[2:]).max() < 0.2 < np.abs(model.trajectories_[:2]).max()


def test_whole_trajectories_are_exactly_zero() -> None:
    X, y, years = stream()
    for penalty in (
        SmoothGroupLasso(strength=4.0, smoothness=3.0),
        FusedLasso(strength=2.0, lasso=0.1, group=2.0),
    ):
        model = TemporalRegressor(penalty).fit(X, y, times=years)
        assert model.n_selected_ == 2 and not model.trajectories_[2:].any()
    single = TemporalRegressor(FusedLasso(strength=3.0)).fit(X, y, times=years)
    assert np.any(single.trajectories_[1] == 0) and np.any(single.trajectories_[1] != 0)


def test_the_baselines_are_plain_regressions() -> None:
    X, y, years = stream()
    for penalty in (Ridge(2.0), L1(2.0)):
        pooled = TemporalRegressor(penalty, mode="pooled", tol=1e-8).fit(X, y, times=years)
        assert np.allclose(
            pooled.coef_, SparseRegressor(penalty, tol=1e-8).fit(X, y).coef_, atol=1e-5
        ) and pooled.steps_ == ["2001"]
        last = TemporalRegressor(penalty, mode="last", tol=1e-8).fit(X, y, times=years)
        rows = years == 2001
        assert np.allclose(
            last.coef_, SparseRegressor(penalty, tol=1e-8).fit(X[rows], y[rows]).coef_, atol=1e-5
        )


def test_the_model_of_a_named_step() -> None:
    X, y, years = stream()
    model = TemporalRegressor(SmoothRidge(strength=0.3)).fit(X, y, times=years)
    early = model.at("1991")
    assert isinstance(early, SparseRegressor) and np.array_equal(
        early.coef_, model.trajectories_[:, 1]
    )
    assert np.allclose(early.predict(X), X @ model.trajectories_[:, 1] + model.drift_[1])
    assert np.allclose(model.at(2001).predict(X), model.predict(X))
    with pytest.raises(ValueError, match="there is no step '2002': steps go from 1990 to 2001"):
        model.at("2002")


def test_steps_without_rows_one_step_and_dates() -> None:
    X, y, years = stream()
    gone = ~np.isin(years, [1993, 1994])
    holes = TemporalRegressor(SmoothRidge(strength=0.3)).fit(X[gone], y[gone], times=years[gone])
    assert holes.trajectories_.shape == (10, 12)
    assert (
        holes.trajectories_[1, 2]
        < holes.trajectories_[1, 3]
        < holes.trajectories_[1, 4]
        < holes.trajectories_[1, 5]
    )
    one = TemporalRegressor(SmoothRidge(strength=0.3)).fit(X, y, times=np.full(len(y), 7))
    assert one.trajectories_.shape == (10, 1) and one.steps_ == ["7"]
    dates = np.array(
        [
            f"{year}-{month:02d}-15"
            for year, month in zip(years, 1 + np.arange(len(years)) % 12, strict=True)
        ]
    )
    quarters = TemporalRegressor(SmoothRidge(strength=0.3), step="quarter").fit(X, y, times=dates)
    assert quarters.steps_[:3] == ["1990Q1", "1990Q2", "1990Q3"] and len(quarters.steps_) == 48
    yearly = TemporalRegressor(SmoothRidge(strength=0.3), step="year").fit(
        X, y, times=dates.astype("datetime64[D]")
    )
    assert np.allclose(
        yearly.trajectories_,
        TemporalRegressor(SmoothRidge(strength=0.3)).fit(X, y, times=years).trajectories_,
    )


def test_without_drift_only_the_features_move() -> None:
    X, y, years = stream()
    y = y + 0.5 * (years - 1990)
    firm, loose = (
        TemporalRegressor(SmoothRidge(strength=0.3), drift=drift).fit(X, y, times=years).drift_
        for drift in (False, True)
    )
    assert np.ptp(firm) == 0 and loose[-1] - loose[0] > 3


def test_classes_and_counts_that_move() -> None:
    X, y, years = stream(per_year=80)
    rng = np.random.default_rng(2)
    labels = np.where(y + 0.3 * rng.normal(size=len(y)) > 1.5, "high", "low")
    two = TemporalClassifier(AdaptivePrior(strength=0.3)).fit(X, labels, times=years)
    assert (
        two.trajectories_.shape == (10, 12)
        and two.trajectories_[1, 0] * two.trajectories_[1, -1] < 0
    )
    last = years == 2001
    assert two.score(X[last], labels[last]) > 0.7 and np.allclose(
        two.predict_proba(X).sum(axis=1), 1
    )
    three = np.digitize(y, [1.0, 1.8])
    many = TemporalClassifier(SmoothRidge(strength=0.5)).fit(X, three, times=years)
    assert (
        many.trajectories_.shape == (10, 12, 3)
        and many.drift_.shape == (12, 3)
        and many.coef_.shape == (3, 10)
    )
    shared = TemporalClassifier(AdaptivePrior(strength=0.3, shared=True), loss=Multinomial()).fit(
        X, three, times=years
    )
    assert shared.alpha_.shape == (10,) and shared.score(X[last], three[last]) > 0.6
    counts = rng.poisson(np.exp(y / 2))
    poisson = TemporalRegressor(AdaptivePrior(strength=0.5), loss=Poisson()).fit(
        X, counts, times=years
    )
    assert (
        np.all(poisson.predict(X) > 0)
        and poisson.trajectories_[1, 0] < poisson.trajectories_[1, -1]
    )


def test_weights_of_rows_count_like_repeated_rows() -> None:
    X, y, years = stream(n_years=4)
    twice = np.concatenate([np.arange(len(y)), np.arange(20)])
    weight = np.ones(len(y))
    weight[:20] = 2
    given = TemporalRegressor(SmoothRidge(strength=0.3), tol=1e-10).fit(
        X, y, times=years, sample_weight=weight
    )
    repeated = TemporalRegressor(SmoothRidge(strength=0.3), tol=1e-10).fit(
        X[twice], y[twice], times=years[twice]
    )
    assert np.allclose(given.trajectories_, repeated.trajectories_, atol=1e-4)


def test_a_start_that_does_not_move() -> None:
    X, y, years = stream()
    prior = AdaptivePrior(strength=0.1, floor=1e-6)
    model = TemporalRegressor(prior, start=L1(5.0)).fit(X, y, times=years)
    # The feature that rises from -1 to 1 has no weight on average: such a start leaves it at zero,
    # where the prior keeps it.
    assert model.converged_ and np.all(np.abs(model.trajectories_[0] - 1) < 0.5)
    assert np.abs(model.trajectories_[1]).max() < 0.01
    problem = model.build_problem(X, y, times=years)
    table = problem.parts(model.begin(problem))[0].reshape(-1, 12)
    lasso = SparseRegressor(L1(5.0), tol=1e-3).fit(X, y)
    assert np.allclose(table[:10], lasso.coef_[:, None], atol=1e-3) and np.all(
        np.ptp(table, axis=1) == 0
    )


def test_tau_is_fitted_where_it_is_asked_for() -> None:
    X, y, years = stream()
    model = TemporalRegressor(AdaptivePrior(strength=0.1), fit_tau=True).fit(X, y, times=years)
    fixed = TemporalRegressor(AdaptivePrior(strength=0.1)).fit(X, y, times=years)
    assert model.penalty_.tau != 1.0 and model.objective_ < fixed.objective_


def test_threads_do_not_change_the_model() -> None:
    X, y, years = stream()
    one, two = (
        TemporalRegressor(AdaptivePrior(strength=0.1), n_jobs=n).fit(X, y, times=years)
        for n in (1, 2)
    )
    assert np.allclose(one.trajectories_, two.trajectories_, atol=1e-6)


@pytest.mark.parametrize(
    ("changed", "times", "words"),
    [
        ({"mode": "first"}, None, "mode must be 'moving', 'pooled', 'last', got 'first'"),
        ({"step": "decade"}, [1990] * 6, "step must be 'year', 'quarter'"),
        ({"step": -1.0}, [1990] * 6, "step must be a positive number"),
        ({}, [1990, 1991], "there are 6 rows, but 2 times"),
        (
            {},
            ["1990-05", "x", "y", "z", "a", "b"],
            "times must be numbers, got '1990-05': for dates give step=",
        ),
        (
            {"step": "year"},
            ["1990-05", "1991", "May 1990", "1990", "1990", "1990"],
            "time number 3 is no date: 'May 1990'",
        ),
        (
            {"step": "year"},
            np.array(["1990", "NaT"] * 3, dtype="datetime64[D]"),
            "time number 2 is missing",
        ),
        ({}, [1990, np.nan, 1990, 1990, 1990, 1990], "times must be finite, but number 2 is not"),
        ({}, [1990.5] * 6, "need the width of a step"),
        ({"step": "day"}, ["0001-01-01", *["9999-01-01"] * 5], "use a larger step"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    changed: dict[str, Any], times: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        TemporalRegressor(**changed).fit(np.eye(6), np.arange(6.0), times=times)
    assert "\n" not in str(caught.value)


def test_missing_targets_are_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        TemporalRegressor().fit(np.eye(3), [1.0, np.nan, 2.0], times=[0, 1, 2])


def test_it_goes_into_cross_validation_over_time() -> None:
    from laconic import RollingOrigin

    X, y, years = stream()
    origin = RollingOrigin(first=1998)
    scores = cross_val_score(
        TemporalRegressor(Ridge(1.0), mode="pooled"), X, y, groups=years, cv=origin
    )
    assert len(scores) == 4
