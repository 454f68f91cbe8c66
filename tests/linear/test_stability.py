"""Stability selection and bootstrap intervals: what they promise, on data made to test it."""

from __future__ import annotations

import io
from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import bootstrap
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import (
    L1,
    GroupLasso,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    StabilitySelection,
    bootstrap_intervals,
)
from laconic.linear.plots import plot_intervals, plot_stability
from laconic.linear.stability import pair_constant


@parametrize_with_checks(
    [StabilitySelection(SparseClassifier(), n_pairs=2, n_strengths=5, n_first=2)]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 100))
    return X, X[:, :3] @ [1.0, -1.0, 0.8] + rng.normal(size=200)


def test_true_features_are_stable_and_the_bound_holds(data):
    X, y = data
    stable = StabilitySelection(SparseRegressor(), n_pairs=20).fit(X, y)
    assert stable.get_support(indices=True).tolist() == [0, 1, 2]
    assert stable.mean_selected_ <= stable.n_first_
    assert 0 < stable.expected_false_ <= 1.0 < 1.01 * stable.expected_false_any_ * 2.1
    assert stable.transform(X).shape == (200, 3)


def test_noise_is_selected_no_more_often_than_the_bound_says() -> None:
    false = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 60)), rng.normal(size=80)
        found = StabilitySelection(
            SparseRegressor(), n_pairs=15, threshold=0.6, n_strengths=20, random_state=seed
        ).fit(X, y)
        false.append(found.get_support().sum())
    assert np.mean(false) <= 1.0


def test_the_constants_of_shah_and_samworth() -> None:
    """Their constant is below that of Meinshausen and Buehlmann, and continuous at 3/4."""
    assert pair_constant(0.75, 50) == pytest.approx(pair_constant(0.75 + 1e-9, 50), rel=0.03)
    for threshold in (0.6, 0.75, 0.9):
        assert pair_constant(threshold, 50) < 1 / (2 * threshold - 1)


def test_halves_are_complementary_and_keep_classes(data):
    from laconic.linear.rows import RowData

    X, _ = data
    y = np.array(["rare"] * 4 + ["common"] * 196)
    selection = StabilitySelection(SparseClassifier(), n_pairs=3)
    halves = selection._halves(RowData.of(X, y))
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert sorted([*first, *second]) == list(range(200))
        assert (y[first] == "rare").sum() == (y[second] == "rare").sum() == 2


def test_sparse_data_groups_threads_and_pipelines(data):
    X, y = data
    y = y > 0
    groups = [list(range(k, k + 5)) for k in range(0, 100, 5)]
    settings = {"n_pairs": 4, "n_strengths": 20, "n_first": 10}
    estimator = SparseClassifier(GroupLasso(groups))
    one = StabilitySelection(estimator, **settings).fit(sp.csr_matrix(X), y)
    two = StabilitySelection(estimator, n_jobs=2, **settings).fit(X, y)
    np.testing.assert_array_equal(one.frequencies_, two.frequencies_)
    assert one.frequencies_[0] == one.frequencies_[4]  # a group enters as a whole
    pipe = make_pipeline(StabilitySelection(SparseClassifier(), n_pairs=5), SparseClassifier())
    assert pipe.fit(X, y).score(X, y) > 0.7


def test_callbacks_and_bad_parameters(data):
    X, y = data
    stopped = StabilitySelection(SparseRegressor(), n_strengths=10).fit(
        X, y, callback=lambda event: event.done >= 3
    )
    assert stopped.entered_.shape == (4, 100)  # whole pairs
    for wrong in ({"threshold": 0.5}, {"n_pairs": 0}, {"n_first": 0}, {"max_false": 0}):
        with pytest.raises(ValueError, match="must be"):
            StabilitySelection(SparseRegressor(), **wrong).fit(X, y)


@pytest.mark.parametrize("method", ["bayesian", "pairs"])
@pytest.mark.parametrize("interval", ["percentile", "basic", "bca"])
def test_intervals_of_least_squares_cover_the_truth(method, interval):
    """Without a penalty they are confidence intervals: 90 % of them hold the truth."""
    rng = np.random.default_rng(0)
    covered = []
    for seed in range(8):
        X = rng.normal(size=(150, 4))
        y = X @ [1.0, 0.0, -1.0, 0.5] + rng.normal(size=150)
        found = bootstrap_intervals(
            SparseRegressor(Ridge(1e-6)),
            X,
            y,
            n_samples=80,
            method=method,
            interval=interval,
            random_state=seed,
        )
        covered += list((found.low < [1.0, 0.0, -1.0, 0.5]) & (found.high > [1.0, 0.0, -1.0, 0.5]))
    assert 0.78 <= np.mean(covered) <= 0.99


def test_bca_intervals_are_those_of_scipy():
    y = np.random.default_rng(1).exponential(size=20)  # of a mean, which is skewed
    mean = SparseRegressor(Ridge(1e-9), fit_intercept=False, tol=1e-9)
    ones = np.ones((20, 1))
    found = bootstrap_intervals(mean, ones, y, 1000, method="pairs", interval="bca")
    seed = {"rng" if "rng" in signature(bootstrap).parameters else "random_state": 0}
    peer = bootstrap((y,), np.mean, n_resamples=20_000, confidence_level=0.9, **seed)
    low, high = peer.confidence_interval
    assert abs(found.low[0] - low) < 0.05 * (high - low)
    assert abs(found.high[0] - high) < 0.05 * (high - low)
    plain = np.quantile(found.samples.toarray(), [0.05, 0.95])
    assert found.low[0] - plain[0] > 0.03 * (high - low) and found.high[0] > plain[1]


def test_intervals_of_a_lasso_are_about_the_shrunken_weight(data):
    X, y = data
    plain = bootstrap_intervals(SparseRegressor(L1(40.0)), X, y, n_samples=60)
    relaxed = bootstrap_intervals(SparseRegressor(L1(40.0), relax=1.0), X, y, n_samples=60)
    assert plain.high[0] < 1.0 < relaxed.high[0]  # the truth is 1
    assert (plain.nonzero[:3] == 1).all() and np.median(plain.nonzero[3:]) < 0.5
    assert np.array_equal(plain.low[plain.nonzero == 0], plain.high[plain.nonzero == 0])


def test_intervals_of_classes_keep_the_form_of_the_weights(data):
    X, y = data
    labels = np.digitize(y, [-1.0, 1.0])
    one = bootstrap_intervals(SparseClassifier(L1(5.0)), X, labels, 12, method="pairs")
    two = bootstrap_intervals(SparseClassifier(L1(5.0)), X, labels, 12, method="pairs", n_jobs=2)
    assert one.estimate.shape == one.low.shape == one.nonzero.shape == (3, 100)
    np.testing.assert_array_equal(one.samples.toarray(), two.samples.toarray())
    assert (one.low <= one.high).all()
    mine = one.samples.toarray().reshape(12, 3, 100)
    np.testing.assert_allclose(one.nonzero, (mine != 0).mean(axis=0))


def test_bad_intervals_get_one_sentence(data):
    for wrong in ({"level": 1.0}, {"n_samples": 1}, {"method": "jackknife"}, {"interval": "t"}):
        with pytest.raises(ValueError, match=r"got"):
            bootstrap_intervals(SparseRegressor(), *data, **wrong)


def test_plots_name_what_is_stable(data):
    X, y = data
    names = [f"x{k}" for k in range(100)]
    selection = StabilitySelection(SparseRegressor(), n_pairs=5, n_strengths=15).fit(X, y)
    figure = plot_stability(selection, names, n_named=3, title="stable")
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert sorted(labels) == ["x0", "x1", "x2"]
    found = bootstrap_intervals(SparseRegressor(L1(40.0)), X, y, n_samples=20)
    shown = plot_intervals(found, names, n_shown=3)
    ticks = {text.get_text() for text in shown.axes[0].get_yticklabels()}
    assert ticks == {"x0", "x1", "x2"}
    for one in (figure, shown):
        stream = io.BytesIO()
        one.savefig(stream, format="svg")
        assert b"<svg" in stream.getvalue()
