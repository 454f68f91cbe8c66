"""Algorithm 2 of Yogatama (2015) as published: a fixed rho, raw weights, few steps."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.core.designs.rows import Rows
from laconic.core.groups import Groups
from laconic.core.losses import Gold, Logistic
from laconic.core.penalties import L1, OverlapGroupLasso, PenaltySum
from laconic.core.problem import Problem
from laconic.core.solvers.admm import Admm
from laconic.core.solvers.reweighted import Reweighted

LISTS = [[0, 1, 2], [2, 3], [3, 4, 5, 0], [6, 7], [1, 6]]
LASSO, GROUP = 0.3, 0.5


def problem() -> Problem:
    random = np.random.default_rng(4)
    X = random.normal(size=(40, 8))
    y = (X[:, 0] + X[:, 3] - X[:, 6] + random.normal(size=40) > 0).astype(float)
    groups = Groups.from_lists(LISTS, 8)
    penalty = PenaltySum([OverlapGroupLasso(groups, GROUP), L1(LASSO)])
    return Problem(Rows(X, 1), Logistic(), Gold(y, np.ones(40), 1), penalty)


def published(rho: float, steps: int) -> np.ndarray:
    """The three updates of Algorithm 2 in plain NumPy; the w-step by proximal gradient steps."""
    posed = problem()
    X, y = posed.design.score, posed
    weight = np.sqrt([len(group) for group in LISTS])
    n, w, b = 8, np.zeros(8), 0.0
    v = [np.zeros(len(group)) for group in LISTS]
    u = [np.zeros(len(group)) for group in LISTS]
    counts = np.bincount(np.concatenate(LISTS), minlength=n)
    for _ in range(steps):
        pull = np.zeros(n)
        for group, vg, ug in zip(LISTS, v, u, strict=True):
            np.add.at(pull, group, vg + ug / rho)  # N_i mu_i
        for _ in range(5_000):
            residual = y.residuals(X(np.append(w, b)))[1]
            gradient = posed.design.pull(residual)
            step = 1.0 / (60.0 + rho * counts.max())
            z = w - step * (gradient[:n] + rho * (counts * w - pull))
            w = np.sign(z) * np.maximum(np.abs(z) - step * LASSO, 0.0)
            b -= gradient[n] / 10.0
        for k, group in enumerate(LISTS):
            z = w[group] - u[k] / rho
            norm = np.linalg.norm(z)
            v[k] = z * max(0.0, 1.0 - GROUP * weight[k] / rho / norm) if norm > 0 else z
            u[k] = u[k] + rho * (v[k] - w[group])
    return w


@pytest.mark.parametrize("rho", [0.1, 10.0])
@pytest.mark.parametrize("steps", [1, 3])
def test_weights_are_those_of_the_published_updates(rho: float, steps: int) -> None:
    solver = Admm(1e-12, max_iter=steps, rho=rho, relax=1.0, stop="change")
    found = solver.run(problem())
    assert found.n_iter == steps and not found.converged
    np.testing.assert_allclose(found.x[:8], published(rho, steps), atol=2e-5)


def test_it_stops_on_the_change_and_reports_the_gap() -> None:
    posed = problem()
    best = posed.value(Reweighted(tol=1e-9).run(posed).x)
    found = Admm(1e-1, max_iter=100, rho=10.0, relax=1.0, stop="change").run(posed)
    assert found.converged and found.n_iter < 100
    assert found.trace[-1].certificate <= 1e-1
    value = posed.value(found.x)
    assert 0 < (value - best) / value <= found.error


def test_an_unknown_rule_of_stopping_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="stop is 'gap' or 'change'"):
        Admm(stop="time").run(problem())  # type: ignore[arg-type]
