"""Penalties that are concave in |w|, by their tangents: weighted lassos, one after the other.

    w  <-  argmin_v  loss(v) + T_w(v),    T_w: the tangent of the penalty at w

(Zou and Li 2008; Candes, Wakin and Boyd 2008.) The objective never rises. At w = 0 the tangent is a
plain lasso, so that the path begins at the lasso, and every further step starts from a solution
that is nearly its own: it makes a few rounds of coordinate descent on a working set. What is
reached is a local optimum. The certificate is the residual of a proximal gradient step with the
penalty itself; where the tangents have come to rest but a weight would gain by a jump, that step is
taken, and the tangents go on from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties.base import Terms
from laconic.core.penalties.concave import Concave
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver
from laconic.core.solvers.working_set import violations


class MajorizedState(NamedTuple):
    """x with its scores and gradient, the kernel, and the curvature that certificates use."""

    x: Array
    value: float
    error: float
    scores: Array
    gradient: Array
    kernel: _core.Descent
    curvature: float
    size: int
    at_rest: bool = False


class Majorized(StepSolver[Problem, MajorizedState]):
    """w <- argmin loss + tangent(w): weighted lassos, for MCP, SCAD and LogSum.

    A local optimum: `result_.extra["optimum"]` says so, and the certificate is the residual of a
    proximal gradient step, no bound of the distance from the best optimum.

    Parameters
    ----------
    tol : float, default=1e-4
        Residual of a proximal gradient step at which to stop, relative to the gradient at the
        start.
    max_iter : int, default=500
        Number of lassos, at most.
    first_size : int, default=64
        Number of weights in the first working set.
    max_rounds : int, default=12
        Number of Newton rounds per lasso, at most.

    Examples
    --------
    >>> from laconic import MCP, Majorized, SparseRegressor
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> model = SparseRegressor(MCP(0.2), solver=Majorized(tol=1e-8)).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.result_.extra["optimum"]
    ([1.95, 0.0], 'local')
    """

    needs_problem = (Problem,)
    needs_penalty = (Concave,)
    takes = "a penalty that is concave in |w|: MCP, SCAD or LogSum"

    def __init__(
        self, tol: float = 1e-4, max_iter: int = 500, first_size: int = 64, max_rounds: int = 12
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.first_size = first_size
        self.max_rounds = max_rounds

    def init(self, problem: Problem, x: Array) -> MajorizedState:
        """Return the state at x; zero is a local optimum too often to stop there unseen."""
        terms = self._tangent(problem, x)
        kernel = problem.descent(terms.ptr, terms.index, terms.mass)
        nothing = np.zeros(0)
        state = MajorizedState(
            x, np.inf, np.inf, problem.design.score(x), nothing, kernel, 0.0, self.first_size
        )
        state = self._measure(problem, state)
        started = bool(problem.parts(x)[0].any())
        return state if started else state._replace(error=np.inf)

    @staticmethod
    def _tangent(problem: Problem, x: Array) -> Terms:
        """Return the tangent at x as coordinate descent takes it."""
        assert isinstance(problem.penalty, Concave)  # needs_penalty
        return problem.penalty.tangent(problem.parts(x)[0]).terms(problem.design.n_penalised)

    def _measure(self, problem: Problem, state: MajorizedState) -> MajorizedState:
        """Measure value, gradient and certificate; one that suffices with its own curvature."""
        x = state.x
        problem.fit_intercept(x, state.scores)
        loss, residual = problem.residuals(state.scores)
        gradient = problem.parts(problem.design.pull(residual))[0]
        value = loss + problem.penalty.value(problem.parts(x)[0])
        curvature, error = state.curvature, np.inf
        if curvature > 0:
            error = problem.prox_residual(x, gradient, 1 / curvature)
        if error <= self.tol or not curvature > 0:
            curvature = problem.curvature(x)
            curvature = curvature if curvature > 0 else 1.0
            error = problem.prox_residual(x, gradient, 1 / curvature)
        return state._replace(value=value, gradient=gradient, error=error, curvature=curvature)

    def step(self, problem: Problem, state: MajorizedState) -> MajorizedState:
        """Solve the lasso that touches the penalty at x, or jump where that is at rest."""
        terms = self._tangent(problem, state.x)
        weights, intercept = problem.parts(state.x)
        active, violation = violations(terms, weights, state.gradient)
        pull = np.abs(state.gradient + terms.lasso * np.sign(weights))
        worst = max(float(np.max(pull[active], initial=0.0)), float(violation.max(initial=0.0)))
        target = 0.3 * self.tol * problem.gradient_scale()
        if state.at_rest or worst <= target:
            return self._jump(problem, state)
        size = min(max(2 * int(active.sum()), state.size), len(violation))
        priority = np.where(active, np.inf, violation)
        chosen = np.argpartition(priority, -size)[-size:]
        largest = float(terms.lasso.max(initial=0.0)) + float(terms.mass.max(initial=0.0))
        wanted = max(0.03 * worst, target) / largest if largest > 0 else 1e-3
        state.kernel.descend(
            np.sort(chosen[priority[chosen] > 0]),
            _core.SeparableTerms(
                lasso=terms.lasso, ridge=terms.ridge, centre=np.zeros(1), positive=terms.positive
            ),
            weights,
            intercept,
            state.scores,
            _core.DescentLimits(tolerance=wanted, max_rounds=self.max_rounds),
        )
        found = self._measure(problem, state._replace(size=size))
        return found._replace(at_rest=state.value - found.value <= 1e-13 * abs(found.value))

    def _jump(self, problem: Problem, state: MajorizedState) -> MajorizedState:
        """Take a proximal gradient step with the penalty itself, if that gains anything."""
        step = 1.0 / state.curvature
        for _ in range(40):
            moved = state.x.copy()
            weights = problem.parts(moved)[0]
            weights[:] = problem.penalty.prox(weights - step * state.gradient, step)
            scores = problem.design.score(moved)
            found = self._measure(problem, state._replace(x=moved, scores=scores))
            if found.value < state.value:
                return found._replace(at_rest=False)
            step *= 0.5
        return state._replace(at_rest=True, gradient=np.zeros(0))

    def stuck(self, state: MajorizedState) -> bool:
        """See StepSolver: neither a lasso nor a jump gains anything."""
        return len(state.gradient) == 0

    def finish(
        self, problem: Problem, state: MajorizedState
    ) -> tuple[Array, float, dict[str, object]]:
        """See StepSolver; the optimum is a local one."""
        x, error, _ = super().finish(problem, state)
        return x, error, {"optimum": "local"}
