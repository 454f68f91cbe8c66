"""The problem of word counts: value and gradient by hand, duality gaps, other solvers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import log_softmax

from laconic import L1, AdaptivePrior, Fista, FusedLasso, Owlqn, Ridge, SmoothRidge, Variational
from laconic.core.checks import check_solver
from laconic.core.checks.law import near
from laconic.core.designs.effects import Effects
from laconic.core.penalties import Penalty
from laconic.core.solvers.base import Solver
from laconic.time.problem import CountProblem

N, J, T, V = 12, 3, 2, 7


def make(penalty: Penalty, seed: int = 0) -> CountProblem:
    rng = np.random.default_rng(seed)
    X = sp.random(N, J, density=0.7, random_state=rng, format="csr")
    design = Effects(X, rng.integers(T, size=N), rng.normal(size=(T, V)))
    counts = rng.poisson(1.0, size=(N, V)).astype(float)
    counts[3] = 0.0  # a document without words
    return CountProblem(design, sp.csr_matrix(counts), penalty.spread(V))


def plain(problem: CountProblem, x: np.ndarray) -> float:
    design = problem.design
    scores = design.score(x).reshape(N, V) + design.background[design.steps]
    return -float((problem.counts.toarray() * log_softmax(scores, axis=1)).sum())


def test_value_gradient_and_curvature() -> None:
    problem = make(Ridge(0.3))
    rng = np.random.default_rng(1)
    x = rng.normal(size=problem.n_weights)
    value, gradient = problem.smooth(x)
    assert near(value, plain(problem, x)) and near(problem.loss_value(x), value)
    width = 1e-5
    for along in np.eye(problem.n_weights):
        assert near(
            (plain(problem, x + width * along) - plain(problem, x - width * along)) / (2 * width),
            gradient @ along,
            1e-6,
        )
    bend = problem.diagonal(x)
    along = rng.normal(size=len(x))
    second = (
        (problem.smooth(x + width * along)[1] - problem.smooth(x - width * along)[1])
        @ along
        / (2 * width)
    )
    assert second >= 0 and np.all(bend >= 0)
    for one in np.eye(len(x))[::5]:
        exact = (
            (problem.smooth(x + width * one)[1] - problem.smooth(x - width * one)[1])
            @ one
            / (2 * width)
        )
        assert exact <= one @ bend + 1e-6


@pytest.mark.parametrize("scale", [0.0, 0.3, 1.0])
def test_fenchel_young(scale: float) -> None:
    """loss(y) + loss*(scale r(x)) >= <scale r(x), scores of y>; equal at y = x and scale 1."""
    problem = make(Ridge(0.3))
    rng = np.random.default_rng(2)
    x = rng.normal(size=problem.n_weights)
    conjugate = problem.loss_conjugate(x, scale)
    gradient = problem.smooth(x)[1]
    for y in (x, np.zeros_like(x), 3 * rng.normal(size=len(x))):
        assert problem.loss_value(y) + conjugate >= scale * gradient @ y - 1e-9
    if scale == 1.0:
        assert near(problem.loss_value(x) + conjugate, gradient @ x)


SOLVED: list[tuple[Penalty, Solver]] = [
    (Ridge(0.5), Owlqn(1e-7)),
    (L1(0.4), Owlqn(1e-6)),
    (FusedLasso(T, 0.3), Fista(1e-6)),
    (SmoothRidge(T, 0.4, 3.0), Variational(1e-7)),
]


@pytest.mark.parametrize(("penalty", "solver"), SOLVED, ids=repr)
def test_laws_of_solvers(penalty: Penalty, solver: Solver) -> None:
    check_solver(solver, make(penalty), warm=not isinstance(solver, Variational))


def test_ridge_by_another_optimizer_and_a_stationary_point_of_the_prior() -> None:
    problem = make(Ridge(0.5))
    found = Owlqn(1e-10, 2000).run(problem).x
    other = minimize(
        lambda x: plain(problem, x) + 0.25 * x @ x,
        np.zeros(problem.n_weights),
        method="BFGS",
        options={"gtol": 1e-6},
    ).x
    assert near(found, other, 1e-4)
    prior = make(AdaptivePrior(T, floor=0.5))
    result = Variational(1e-6, 500, memory=5).run(prior, found)
    gradient = prior.smooth(result.x)[1] + prior.penalty.gradient(result.x)
    assert result.converged and np.abs(gradient).max() <= 1e-5 * prior.gradient_scale()
    with pytest.raises(ValueError, match="counts must be rows x words"):
        CountProblem(problem.design, sp.csr_matrix((N, V + 1)), Ridge())
    with pytest.raises(ValueError, match="finite and not negative"):
        CountProblem(problem.design, sp.csr_matrix(-np.ones((N, V))), Ridge())
