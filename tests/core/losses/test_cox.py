"""Cox's partial likelihood: laws, an explicit sum, an outside solver, and the estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laconic import L1, Cox, Fista, GroupLasso, Ridge, SparseRegressor, StrengthCV, WorkingSet
from laconic.core.checks.losses import check_fenchel_young, check_residual, check_tangents
from laconic.core.losses import Gold


def explicit(scores: Any, pairs: Any, weight: Any) -> float:
    """Return the loss as a sum over events, straight from its definition."""
    total = 0.0
    for time in np.unique(pairs[pairs[:, 1] == 1, 0]):
        now = (pairs[:, 0] == time) & (pairs[:, 1] == 1)
        deaths = weight[now].sum()
        if deaths > 0:
            at_risk = pairs[:, 0] >= time
            total += deaths * np.log(weight[at_risk] @ np.exp(scores[at_risk]) / deaths)
            total -= weight[now] @ scores[now]
    return total


def survival(n: int = 80, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    times = np.ceil(10 * rng.exponential(np.exp(-X[:, 0] + 0.5 * X[:, 1])))  # with ties
    return X, np.column_stack([times, rng.random(n) < 0.7]).astype(float), rng.uniform(0, 2, n)


@pytest.mark.parametrize("seed", range(5))
def test_laws(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, pairs, weight = survival(15, seed)
    weight[seed] = 0.0
    bound = Cox().bind(Gold(pairs.ravel(), weight))
    for size in (0.5, 5.0):
        scores = size * rng.normal(size=15)
        value, residual = bound.value_residual(scores)
        assert value == pytest.approx(explicit(scores, pairs, weight))
        assert residual[seed] == 0 and residual.sum() == pytest.approx(0, abs=1e-9)
        assert bound.value_residual(scores + 700)[0] == pytest.approx(value)
        check_tangents(bound, scores, rng)
        check_residual(bound, scores, rng)
        check_fenchel_young(bound, scores, rng)
    doubled = Cox().bind(Gold(pairs.ravel(), 2 * weight)).value_residual(scores)
    assert doubled[0] == pytest.approx(2 * value)


def test_the_optimum_is_that_of_cvxpy() -> None:
    cp = pytest.importorskip("cvxpy")
    X, pairs, weight = survival(40)
    w = cp.Variable(6)
    terms = []
    for time in np.unique(pairs[pairs[:, 1] == 1, 0]):
        now = (pairs[:, 0] == time) & (pairs[:, 1] == 1)
        at_risk = pairs[:, 0] >= time
        deaths = weight[now].sum()
        terms.append(deaths * cp.log_sum_exp(X[at_risk] @ w + np.log(weight[at_risk] / deaths)))
        terms.append(-(weight[now] @ X[now]) @ w)
    problem = cp.Problem(cp.Minimize(sum(terms) + 2.0 * cp.norm1(w)))
    best = problem.solve()
    for solver in (None, WorkingSet(tol=1e-6), Fista(tol=1e-6)):
        ours = SparseRegressor(L1(2.0), Cox(), solver).fit(X, pairs, weight)
        assert ours.converged_ and ours.objective_ >= best * (1 - 1e-6)
        assert (ours.objective_ - best) / ours.objective_ <= ours.certificate_ + 1e-6
        assert np.allclose(ours.coef_, w.value, atol=2e-2)


def test_targets_in_any_form_and_what_is_predicted() -> None:
    X, pairs, _ = survival()
    named = np.array(
        [(bool(event), time) for time, event in pairs], dtype=[("event", "?"), ("time", "f8")]
    )
    one, other = (SparseRegressor(L1(1.0), "cox").fit(X, y) for y in (pairs, named))
    assert np.array_equal(one.coef_, other.coef_) and one.intercept_ == 0
    assert one.score(X, pairs) == one.score(X, named) > 0.6
    curves = one.predict_survival(X, [0.0, 5.0, 20.0, 1e9])
    assert np.all(np.diff(curves, axis=1) <= 0) and np.all(curves[:, 0] == 1)
    riskier = np.argsort(one.predict(X))
    assert np.all(np.diff(curves[riskier, 1]) <= 0)
    assert not hasattr(SparseRegressor(), "predict_survival")


def test_concordance_counts_pairs() -> None:
    X, pairs, _ = survival(60)
    model = SparseRegressor(Ridge(1.0), Cox()).fit(X, pairs)
    scores = model.predict(X).round(1)
    from laconic.linear.survival import concordance

    told = comparable = 0.0
    for i in range(60):
        for j in range(60):
            later = pairs[j, 0] > pairs[i, 0] or (
                pairs[j, 0] == pairs[i, 0] and pairs[j, 1] == 0 and i != j
            )
            if pairs[i, 1] and later:
                comparable += 1
                told += 1.0 if scores[i] > scores[j] else 0.5 * (scores[i] == scores[j])
    assert concordance(scores, pairs) == pytest.approx(told / comparable)


def test_groups_cross_validation_and_mistakes() -> None:
    X, pairs, _ = survival()
    assert SparseRegressor(GroupLasso([[0, 1, 2], [3, 4, 5]], 2.0), Cox()).fit(X, pairs).converged_
    found = StrengthCV(SparseRegressor(L1(), Cox()), n_strengths=4, cv=3).fit(X, pairs)
    assert found.best_strength_ > 0
    for bad, words in (
        (pairs[:, 0], "pairs"),
        (np.column_stack([pairs[:, 0], pairs[:, 0]]), "events must be 0"),
        (np.column_stack([pairs[:, 0], 0 * pairs[:, 0]]), "no row has an event"),
    ):
        with pytest.raises(ValueError, match=words):
            SparseRegressor(L1(), Cox()).fit(X, bad)


@pytest.mark.parametrize("ties", ["breslow"])
def test_lifelines_agrees(ties: str) -> None:
    lifelines = pytest.importorskip("lifelines")
    pandas = pytest.importorskip("pandas")
    X, pairs, _ = survival()
    frame = pandas.DataFrame(np.column_stack([X, pairs]), columns=[*"abcdef", "time", "event"])
    peer = lifelines.CoxPHFitter().fit(frame, "time", "event")  # Efron's ties: near, not equal
    ours = SparseRegressor(Ridge(1e-6), Cox(), tol=1e-8).fit(X, pairs)
    assert np.allclose(ours.coef_, peer.params_.to_numpy(), atol=0.15)
