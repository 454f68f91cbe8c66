"""Accelerated proximal gradient with backtracking and restart.

    x_next = prox(z - gradient(z) / L, 1 / L),    z = x_next + m (x_next - x)

(Beck and Teboulle 2009; O'Donoghue and Candes 2015.) It works for any loss with any penalty that
has a prox. L follows the local curvature up and, slowly, down; momentum starts again whenever it
points uphill. An intercept is at its optimum at every point (problem.fit_tail), so that steps are
over the weights alone: columns of another scale than the intercept's ones would otherwise make L
far too large for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.problem import Objective
from laconic.core.solvers.base import StepSolver

MAX_DOUBLINGS = 100  # of L per step


class FistaState(NamedTuple):
    """x and the point z where the next gradient is taken."""

    x: Array
    value: float
    error: float
    z: Array
    momentum: float
    lipschitz: float
    n_steps: int


class Fista(StepSolver[Objective, FistaState]):
    """x <- prox(z - gradient(z) / L, 1 / L): accelerated proximal gradient, for any penalty.

    Parameters
    ----------
    tol : float, default=1e-6
        Certificate at which to stop.
    max_iter : int, default=5000
        Number of steps, at most.
    check_every : int, default=20
        Number of steps from one measurement of the certificate to the next.

    Examples
    --------
    >>> from laconic import L0, Fista, SparseRegressor
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> model = SparseRegressor(L0(0.2), solver=Fista(tol=1e-8)).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.converged_
    ([1.95, 0.0], True)
    """

    def __init__(self, tol: float = 1e-6, max_iter: int = 5000, check_every: int = 20):
        self.tol = tol
        self.max_iter = max_iter
        self.check_every = check_every

    def init(self, problem: Objective, x: Array) -> FistaState:
        """Return the state at x; L starts from the change of the gradient along itself."""
        gradient = problem.fitted_smooth(x)[1].copy()
        size = float(np.linalg.norm(gradient))
        loss, lipschitz = problem.fitted_loss(x), 0.0
        if size > 0 and loss > 0:
            probe = 1e-3 * loss / size**2  # a step that the loss notices, whatever its scale
            lipschitz = float(
                np.linalg.norm(problem.fitted_smooth(x - probe * gradient)[1] - gradient)
            ) / (probe * size)
        # A count of weights has a local minimum at zero, which is no reason to stay there.
        error = problem.certificate(x) if problem.penalty.convex else np.inf
        return FistaState(
            x, problem.value(x), error, x, 1.0, lipschitz if lipschitz > 0 else 1.0, 0
        )

    def step(self, problem: Objective, state: FistaState) -> FistaState:
        """Take one accelerated step; L doubles until the quadratic bound holds."""
        z = state.z.copy()
        loss, gradient = problem.fitted_smooth(z)
        lipschitz = state.lipschitz
        for _ in range(MAX_DOUBLINGS):
            x = z - gradient / lipschitz
            weights = problem.parts(x)[0]
            weights[:] = problem.penalty.prox(weights, 1.0 / lipschitz)
            move = x - z
            new_loss = problem.fitted_loss(x)
            bound = loss + float(gradient @ move) + 0.5 * lipschitz * float(move @ move)
            if new_loss <= bound + 1e-12 * abs(loss):
                break
            lipschitz *= 2
        value = new_loss + problem.penalty.value(weights)
        # Near the optimum values differ by rounding alone, which must not stop the momentum.
        rose = value > state.value + 1e-13 * abs(value)
        uphill = float(problem.parts(z - x)[0] @ problem.parts(x - state.x)[0]) > 0 or (
            problem.penalty.convex and rose
        )
        momentum = 1.0 if uphill else 0.5 * (1 + np.sqrt(1 + 4 * state.momentum**2))
        z = x if uphill else x + (state.momentum - 1) / momentum * (x - state.x)
        if not problem.penalty.convex:
            z = x
        n_steps = state.n_steps + 1
        error = problem.certificate(x) if n_steps % self.check_every == 0 else np.inf
        return FistaState(x, value, error, z, momentum, 0.97 * lipschitz, n_steps)
