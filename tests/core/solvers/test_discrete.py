"""DC-ADMM: residuals, points of the set, both settings, and what it refuses."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Logistic
from laconic.core.penalties import L1, Discrete, value_set
from laconic.core.penalties.value_sets import nearest
from laconic.core.problem import Problem
from laconic.core.problem.biased import Biased
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.core.solvers.working_set import WorkingSet

VALUES = value_set(0.2, 2)


def problem(n_features: int = 40, penalty: L1 | Discrete | None = None, seed: int = 0) -> Problem:
    rng = np.random.default_rng(seed)
    X = sp.csr_matrix(rng.poisson(0.4, size=(200, n_features)).astype(float))
    target = (X @ rng.normal(size=n_features) + rng.normal(size=200) > 0.3).astype(float)
    return Problem(
        Rows(X, 1, True),
        Logistic(),
        Gold(target, np.ones(200), 1),
        penalty or Discrete(VALUES, 0.5),
    )


@pytest.mark.parametrize("lasso", ["w", "u"])
def test_point_of_the_set_and_falling_residuals(lasso: str) -> None:
    at = problem()
    result = DiscreteAdmm(lasso=lasso).run(at)
    assert set(at.parts(result.x)[0].tolist()) <= set(VALUES)
    assert result.converged and result.error <= 1e-2
    residuals = np.array(result.extra["residuals"])
    assert len(residuals) == result.n_iter
    third = result.n_iter // 3
    assert np.all(residuals[-5:].mean(axis=0) < 0.3 * residuals[:third].mean(axis=0))
    assert np.isfinite(at.value(result.x))


def test_both_settings_reach_like_objectives_far_below_quantization() -> None:
    at = problem()
    relaxed = problem(penalty=L1(0.5))
    lasso = WorkingSet(tol=1e-6).run(relaxed).x
    quantized = lasso.copy()
    at.parts(quantized)[0][:] = nearest(VALUES, at.parts(lasso)[0])
    at.fit_tail(quantized)
    found = [at.value(DiscreteAdmm(lasso=step).run(at, lasso).x) for step in ("w", "u")]
    least = relaxed.value(lasso)
    assert all(value >= least for value in found)
    assert abs(found[0] - found[1]) < 0.25 * (at.value(quantized) - least)
    assert max(found) - least < 0.7 * (at.value(quantized) - least)


def test_near_the_best_of_all_points_when_they_can_be_counted() -> None:
    at = problem(6, Discrete((-0.8, 0.8), 0.5))
    values = []
    for weights in product((-0.8, 0.0, 0.8), repeat=6):
        x = np.append(np.array(weights), 0.0)
        at.fit_tail(x)
        values.append(at.value(x))
    found = at.value(DiscreteAdmm().run(at).x)
    assert min(values) - 1e-6 <= found <= np.quantile(values, 0.02)


def test_any_solver_makes_the_step_of_the_weights() -> None:
    at = problem()
    values = [at.value(DiscreteAdmm(inner=inner).run(at).x) for inner in (Owlqn(), Fista())]
    assert abs(values[0] - values[1]) < 0.05 * values[0]


def test_start_is_not_written_to_and_the_result_never_worse_than_its_rounding() -> None:
    at = problem()
    start = np.random.default_rng(1).normal(size=at.n_weights)
    given = start.copy()
    rounded = start.copy()
    at.parts(rounded)[0][:] = nearest(VALUES, at.parts(start)[0])
    at.fit_tail(rounded)
    result = DiscreteAdmm(max_iter=1).run(at, start)
    assert np.array_equal(start, given)
    assert at.value(result.x) <= at.value(rounded)


def test_callback_stops_and_keeps_the_best() -> None:
    at = problem()
    result = DiscreteAdmm().run(at, callback=lambda progress: progress.done == 3)
    assert result.interrupted and result.n_iter == 3
    assert set(at.parts(result.x)[0].tolist()) <= set(VALUES)


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        (DiscreteAdmm(rho=0), "rho must be positive"),
        (DiscreteAdmm(growth=0.5), "growth at least 1"),
        (DiscreteAdmm(lasso="v"), "lasso must be 'w' or 'u'"),
    ],
)
def test_impossible_parameters_are_refused(solver: DiscreteAdmm, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solver.run(problem())


def test_other_penalties_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a Discrete penalty, got L1"):
        DiscreteAdmm().run(problem(penalty=L1()))


def test_biased_problem_is_the_problem_with_a_quadratic() -> None:
    base = problem(penalty=L1(0.5))
    rng = np.random.default_rng(2)
    x, centre = rng.normal(size=(2, base.n_weights))
    biased = Biased(base, L1(0.5), 3.0, centre[:-1])
    pull = 1.5 * np.sum((x[:-1] - centre[:-1]) ** 2)
    assert biased.value(x) == pytest.approx(base.value(x) + pull)
    loss, gradient = biased.smooth(x)
    assert loss == pytest.approx(biased.loss_value(x))
    for i in (0, 7, base.n_weights - 1):
        moved = x.copy()
        moved[i] += 1e-5
        assert (biased.loss_value(moved) - loss) / 1e-5 == pytest.approx(gradient[i], abs=1e-2)
    exact = [solver.run(biased).x for solver in (Owlqn(tol=1e-7), Fista(tol=1e-7))]
    assert np.allclose(*exact, atol=1e-4)
    assert biased.certificate(exact[0]) < 1e-6 < biased.certificate(x)
