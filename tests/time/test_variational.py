"""L-BFGS with tridiagonal solves: closed forms, other solvers, and the bound along the way."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from laconic.core.checks import check_solver
from laconic.core.designs.steps import Steps
from laconic.core.losses import Gold, Logistic, Loss, Multinomial, Poisson, Squared
from laconic.core.penalties import L1, Penalty
from laconic.core.problem import Problem
from laconic.time.adaptive import AdaptivePrior
from laconic.time.learn import run_empirical
from laconic.time.trajectories import SmoothRidge
from laconic.time.variational import Variational

LOSSES: list[Loss] = [Squared(), Logistic(), Poisson(), Multinomial()]
N_STEPS, N_FEATURES = 6, 4


def problem(
    loss: Loss, penalty: Penalty, n_rows: int = 120, silent: tuple[int, ...] = ()
) -> Problem:
    """Return a problem of four features.

    One stands still, one moves, one turns, one has no effect; silent steps have no rows.
    """
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.8, size=(n_rows, N_FEATURES)).astype(float))
    steps = rng.choice(np.setdiff1d(np.arange(N_STEPS), silent), n_rows)
    truth = np.array(
        [
            np.full(N_STEPS, 0.5),
            np.linspace(-0.5, 0.7, N_STEPS),
            np.sin(np.arange(N_STEPS)),
            np.zeros(N_STEPS),
        ]
    )
    scores = np.einsum("np,pn->n", X.toarray(), truth[:, steps])
    noise = rng.normal(size=n_rows)
    target = {
        Squared: scores + 0.3 * noise,
        Logistic: (scores + noise > 0.5).astype(float),
        Poisson: rng.poisson(np.exp(0.5 * scores)).astype(float),
        Multinomial: np.clip(np.floor(scores + noise), 0, 2),
    }[type(loss)]
    n_outputs = 3 if isinstance(loss, Multinomial) else 1
    design = Steps(X, steps, N_STEPS, n_outputs)
    return Problem(
        design,
        loss,
        Gold(target, np.ones(n_rows), n_outputs),
        penalty.replace(n_steps=N_STEPS).spread(n_outputs),
    )


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_laws_of_solvers_with_the_smooth_ridge(loss: Loss) -> None:
    check_solver(
        Variational(tol=1e-6),
        problem(loss, SmoothRidge(strength=2.0, smoothness=3.0)),
        monotone=True,
    )


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("ends", ["free", "zero"])
def test_the_bound_rises_to_a_point_without_slope(loss: Loss, ends: str) -> None:
    made = problem(loss, AdaptivePrior(tau=1.0, strength=0.3, floor=1e-2, ends=ends))
    start = np.full(made.n_weights, 0.1)
    result = Variational(tol=1e-6).run(made, start)
    values = [made.value(made.start(start)), *(line.value for line in result.trace)]
    assert result.converged and np.all(np.diff(values) <= 1e-9 * np.abs(values[:-1]))
    again = minimize(
        lambda x: (
            made.value(x),
            made.smooth(x)[1]
            + np.append(made.penalty.gradient(made.parts(x)[0]), made.parts(x)[1] * 0),
        ),
        result.x,
        jac=True,
        method="L-BFGS-B",
    )
    assert made.value(result.x) <= again.fun + 1e-6 * abs(again.fun)


def test_the_smooth_ridge_in_closed_form() -> None:
    made = problem(Squared(), SmoothRidge(strength=2.0, smoothness=3.0))
    A = np.stack([made.design.score(one) for one in np.eye(made.n_weights)], axis=1)
    P = np.zeros((made.n_weights, made.n_weights))
    for e in range(made.design.n_penalised):
        P[: made.design.n_penalised, e] = made.penalty.gradient(np.eye(made.design.n_penalised)[e])
    exact = np.linalg.solve(A.T @ A + P, A.T @ made.gold.target)
    assert np.allclose(Variational(tol=1e-12).run(made).x, exact, atol=1e-5)


def test_a_step_without_rows_lies_between_its_neighbours() -> None:
    made = problem(Squared(), AdaptivePrior(tau=1.0, strength=0.1, floor=1e-3), silent=(2, 5))
    result = Variational(tol=1e-6).run(made, np.full(made.n_weights, 0.1))
    still, rising = made.parts(result.x)[0].reshape(N_FEATURES, N_STEPS)[:2]
    assert np.all(np.abs(still - 0.5) < 0.15)
    assert rising[1] <= rising[2] <= rising[3]
    assert (
        still[5] == pytest.approx(still[4], rel=0.02) and 0 < rising[5] < rising[4]
    )  # what moves falls back towards zero


def test_features_without_effect_go_to_zero_and_others_hardly_shrink() -> None:
    made = problem(Squared(), AdaptivePrior(tau=1.0, strength=0.1, floor=1e-6), n_rows=400)
    w = made.parts(Variational(tol=1e-5).run(made, np.full(made.n_weights, 0.2)).x)[0].reshape(
        N_FEATURES, N_STEPS
    )
    assert np.abs(w[3]).max() < 0.01 and np.abs(w[0] - 0.5).max() < 0.1
    alpha = made.penalty.posterior(w.ravel()).alpha
    assert alpha[0] < -0.49 and alpha[0] < alpha[1] < alpha[2]


def test_fitting_tau_raises_the_bound_beyond_any_fixed_one() -> None:
    made = problem(Squared(), AdaptivePrior(tau=1.0, strength=0.3, floor=1e-2))
    start = np.full(made.n_weights, 0.1)
    plain = made.value(Variational(tol=1e-6).run(made, start).x)
    fitted = run_empirical(Variational(tol=1e-6), made, start)
    assert isinstance(made.penalty, AdaptivePrior) and made.penalty.tau != 1.0
    assert made.value(fitted.x) < plain
    values = [line.value for line in fitted.trace]
    assert np.all(np.diff(values) <= 1e-9 * np.abs(values[:-1])) and fitted.n_iter == len(values)


def test_other_penalties_are_refused() -> None:
    rows = problem(Squared(), SmoothRidge())
    rows.penalty = L1()
    with pytest.raises(
        ValueError, match="Variational needs an AdaptivePrior or SmoothRidge penalty, got L1"
    ):
        Variational().run(rows)
