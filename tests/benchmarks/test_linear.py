"""The page of linear models: problems are what they say, formulas agree, lies are found."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("cvxpy")

from benchmarks import linear_campaign, linear_races, linear_scales
from benchmarks.linear_campaign import ENDED, FALSE, RAISED, WRONG, outcomes, run_case
from benchmarks.linear_losses import LOSSES
from benchmarks.linear_oracle import at_zero, objective, optimum, steepest_slope
from benchmarks.linear_penalties import PENALTIES
from benchmarks.linear_random import DATA, FORMS, WEIGHTS, Case, draw
from laconic import SparseRegressor
from laconic.core.losses import Gold

pytestmark = pytest.mark.slow
EASY: dict[str, Any] = {
    "penalty": "lasso",
    "loss": "squared",
    "data": "plain",
    "weights": "random",
    "share": 0.1,
}


@pytest.mark.parametrize("name", PENALTIES)
def test_formulas_of_penalties_are_those_of_laconic(name: str):
    for p in (1, 7, 12):
        rng = np.random.default_rng(p)
        drawn = PENALTIES[name](rng, p)
        for K in (1, 3):
            W = rng.normal(size=(p, K)) * (rng.random((p, K)) < 0.7)
            values = np.array(getattr(drawn.penalty, "values", [0.0]))
            if len(values) > 1:
                W = rng.choice(values, size=(p, K))
            for V in (W, np.abs(W)):
                ours = drawn.penalty.replace(strength=0.3).spread(K).value(V.ravel())
                assert np.isclose(drawn.formula(0.3).value(V), ours, rtol=1e-8), (name, p, K)


@pytest.mark.parametrize("name", PENALTIES)
def test_formulas_in_cvxpy_are_those_in_numpy(name: str):
    import cvxpy as cp

    rng = np.random.default_rng(5)
    formula = PENALTIES[name](rng, 12).formula(0.3)
    if not formula.convex:
        return
    V, scale = cp.Variable((12, 2)), rng.uniform(0.1, 10.0, size=12)
    V.value = np.abs(rng.normal(size=(12, 2)))
    expected = formula.value(scale[:, None] * V.value)
    fixed = [V.value == V]
    found = cp.Problem(cp.Minimize(formula.convex_value(V, scale)), fixed).solve(solver="CLARABEL")
    assert np.isclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_formulas_of_losses_are_those_of_laconic_and_of_cvxpy(name: str):
    import cvxpy as cp

    case = draw(3, **{**EASY, "loss": name})
    formula = case.formula
    rng = np.random.default_rng(0)
    S = rng.normal(size=(len(case.y), formula.n_outputs))
    gold = Gold(case.y.ravel(), case.weight, formula.n_outputs)
    expected = formula.value(S, case.y, case.weight)
    assert np.isclose(formula.loss.bind(gold).value_residual(S.ravel())[0], expected)
    scores = cp.Variable(S.shape)
    scores.value = S
    assert np.isclose(formula.convex(scores, case.y, case.weight).value, expected)


def test_a_number_draws_one_problem_and_its_format():
    for form in FORMS:
        first, second = draw(7, form=form), draw(7, form=form)
        assert str(first) == str(second) and np.array_equal(first.y, second.y)
        assert np.array_equal(first.dense, second.dense)
        indices = first.X.indices.dtype if sp.issparse(first.X) else None
        assert (first.X.dtype == np.float32) == ("float32" in form)
        assert indices == (None if "dense" in form else np.int64 if "int64" in form else np.int32)


@pytest.mark.parametrize("data", DATA)
def test_every_kind_of_data_has_every_class_with_weight(data: str):
    for loss, weights in zip(LOSSES, list(WEIGHTS) * 3, strict=False):
        case = draw(11, data=data, loss=loss, weights=weights)
        if case.formula.n_classes:
            classes = set(case.y[case.weight > 0].tolist())
            assert classes == set(range(case.formula.n_classes))
        assert case.weight.sum() > 0 and np.isfinite(at_zero(case, 1.0))


def test_the_oracle_is_sure_of_a_lasso_that_scikit_learn_solves():
    from sklearn.linear_model import Lasso

    case = draw(5, **{**EASY, "weights": "none", "intercept": True})
    strength = case.strength()
    low, high = optimum(case, strength)
    model = Lasso(strength / len(case.y), tol=1e-12).fit(case.dense, case.y)
    theirs = objective(case, strength, model.coef_[:, None], np.array([model.intercept_]))
    assert low - 1e-8 * high <= theirs <= high + 1e-8 * high and high - low <= 1e-7 * high


class Liar(SparseRegressor):
    """A regressor that stops early and claims the optimum."""

    def _keep_report(self, problem: Any, result: Any) -> None:
        super()._keep_report(problem, result._replace(error=0.0, converged=True))


def lying(case: Case, change: str) -> Case:
    """Return a problem whose estimator lies, or fails."""

    class Told(Case):
        def estimator(self, strength: float = 1.0, **options: Any) -> Any:
            if change == "raise":
                raise ZeroDivisionError("for a test")
            if change == "die":
                os._exit(3)
            return Liar(self.drawn.penalty.replace(strength=strength), max_iter=1)

    return Told(*case)


def test_what_goes_wrong_is_found_and_ends_nothing():
    hard = {**EASY, "data": "wide", "intercept": True, "share": 0.01, "penalty": "tree"}
    changes = {1: "lie", 2: "raise", 3: "die"}

    def cases(seed: int) -> Case:
        return lying(draw(seed, **hard), changes[seed]) if seed in changes else draw(seed, **hard)

    found = {one.seed: one.failure for one in outcomes(range(5), cases)}
    assert found == {0: "", 1: FALSE, 2: RAISED, 3: ENDED, 4: ""}


def test_a_wrong_objective_is_found(monkeypatch: pytest.MonkeyPatch):
    case = draw(5, **EASY)
    assert run_case(case).failure == ""
    monkeypatch.setattr(linear_campaign, "objective", lambda *given: 2 * objective(*given))
    assert run_case(case).failure == WRONG


def test_problems_over_the_limit_are_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linear_campaign, "LIMIT", 0.2)
    monkeypatch.setattr(linear_campaign, "run_case", lambda case: exec("while True: pass"))
    assert [one.failure for one in outcomes([1])] == [ENDED]


def test_slopes_are_zero_at_an_optimum_alone():
    case = draw(5, **{**EASY, "loss": "logistic, 2 classes", "intercept": True})
    strength = case.strength()
    model = case.estimator(strength, tol=1e-12).fit(case.X, case.y, case.sample_weight)
    assert steepest_slope(case, strength, model.coef_.T, model.intercept_) < 1e-4
    assert steepest_slope(case, strength, 0.9 * model.coef_.T, model.intercept_) > 1e-2


def test_a_peer_gets_the_loosest_tolerance_that_is_near_the_best_everywhere():
    best = np.array([1.0, 2.0])
    runs = [
        {"tol": 1e-3, "objectives": [1.0, 2.1]},
        {"tol": 1e-4, "objectives": [1.00001, 2.0]},
        {"tol": 1e-5, "objectives": [1.0, 2.0]},
    ]
    near = linear_races.above(1e-4)
    assert linear_races.loosest(runs, best, near) is runs[1]
    assert linear_races.loosest(runs[:1], best, near) is None


def test_dense_lassos_race_beside_celer():
    pytest.importorskip("celer")
    assert "| 0.1 of the largest strength | " in linear_races.dense_table((40, 80))


def test_sections(data):
    campaign = linear_campaign.section(data, quick=True)
    assert "| all | 40 |" in campaign and "### By kind of data" in campaign
    scales = linear_scales.section(data, quick=True)
    assert "Converged: " in scales and "| lasso |" in scales
