"""Variational inference of weights that move over time: L-BFGS on loss(w) - B(w), the bound B with b and kappa at their best given w.

    direction = -H gradient,   H from the last `memory` steps, beginning at (diag(second derivatives of the loss) + E[1/lambda_i] E[A_i])^-1

The scales E[1/lambda_i] of features that matter and of those that do not differ by many orders, on which plain L-BFGS would starve.
The matrix it begins with is a tridiagonal solve a trajectory, so that a pass is O(entries of X + features x steps). The bound is smooth
but not concave: every step raises it (Armijo), pairs of steps along which it bends the other way are left out, and what is reached is
a local optimum near the start. `SmoothRidge`, whose optimum is global and comes with a duality gap, is solved the same way.

A step's error is the largest entry of the gradient relative to that at zero weights (for `SmoothRidge`: the relative duality gap).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.problem import GapProblem
from laconic.core.report import Event
from laconic.core.solvers.base import Result, Solver, StepSolver
from laconic.time.trajectories import AdaptivePrior, Local, Trajectories


class VariationalState(NamedTuple):
    """x, the gradient of the objective over the weights there, the prior's local form, diagonal of the loss's Hessian, last steps."""

    x: Array
    value: float
    error: float
    gradient: Array
    local: Local
    curvature: Array
    pairs: tuple[tuple[Array, Array], ...]
    n_steps: int
    stuck: bool


class Variational(StepSolver[GapProblem, VariationalState]):
    """Quasi-Newton steps for trajectories (`AdaptivePrior`, `SmoothRidge`) over the design `Steps`."""

    needs_problem = (GapProblem,)
    needs_penalty = (Trajectories,)
    takes = "an AdaptivePrior or SmoothRidge penalty"

    def __init__(self, tol: float = 1e-4, max_iter: int = 500, memory: int = 10):
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory

    def init(self, problem: Any, x: Array) -> VariationalState:
        """See Solver."""
        value, gradient, local = objective(problem, x)
        return VariationalState(
            x, value, problem.certificate(x), gradient, local, curvature(problem, x), (), 0, False
        )

    def stuck(self, state: VariationalState) -> bool:
        """See Solver."""
        return state.stuck

    def step(self, problem: Any, state: VariationalState) -> VariationalState:
        """A direction from the last steps and the tridiagonal solves, then backtracking."""
        direction = -self._invert(problem, state)
        slope = float(state.gradient @ direction)
        if slope >= 0:
            state = state._replace(pairs=())
            direction = -self._invert(problem, state)
            slope = float(state.gradient @ direction)
        t = 1.0
        for _ in range(40):
            x = state.x.copy()
            problem.parts(x)[0][:] += t * direction
            value, gradient, local = objective(problem, x)
            # Near the optimum values differ by rounding alone, while gradients still tell better from worse.
            if value <= state.value + 1e-4 * t * slope + 1e-14 * abs(state.value):
                break
            t *= 0.5
        else:
            return state._replace(
                pairs=(),
                error=problem.certificate(state.x),
                stuck=not state.pairs,
                n_steps=state.n_steps + 1,
            )
        moved, turned = t * direction, gradient - state.gradient
        pairs = state.pairs
        if float(moved @ turned) > 1e-10 * float(np.linalg.norm(moved) * np.linalg.norm(turned)):
            pairs = (*pairs, (moved, turned))[-self.memory :]
        bend = curvature(problem, x) if state.n_steps % 10 == 9 else state.curvature
        error = (
            flatness(problem, gradient)
            if not problem.penalty.convex
            else problem.certificate(x)
            if state.n_steps % 5 == 4
            else np.inf
        )
        return VariationalState(
            x, value, error, gradient, local, bend, pairs, state.n_steps + 1, False
        )

    def _invert(self, problem: Any, state: VariationalState) -> Array:
        """H gradient by the two loops of L-BFGS."""
        q = state.gradient.copy()
        shares = []
        for moved, turned in reversed(state.pairs):
            share = float(moved @ q) / float(moved @ turned)
            q -= share * turned
            shares.append(share)
        q = self._scale(problem, state) * problem.penalty.solve(q, state.curvature, state.local)
        for (moved, turned), share in zip(state.pairs, reversed(shares), strict=True):
            q += moved * (share - float(turned @ q) / float(moved @ turned))
        return q

    def _scale(self, problem: Any, state: VariationalState) -> float:
        """What fits the matrix it begins with to the last step: features that occur together bend the loss more than its diagonal says."""
        if not state.pairs:
            return 1.0
        moved, turned = state.pairs[-1]
        return float(moved @ turned) / float(
            turned @ problem.penalty.solve(turned, state.curvature, state.local)
        )


def objective(problem: Any, x: Array) -> tuple[float, Array, Local]:
    """Loss + penalty, the gradient over the weights and the penalty's local form at x, whose intercept is fitted."""
    loss, gradient = problem.fitted_smooth(x)
    local = problem.penalty.at(problem.parts(x)[0])
    return loss + local.value, problem.parts(gradient)[0] + local.gradient, local


def flatness(problem: Any, gradient: Array) -> float:
    """The largest entry of the gradient relative to that of the loss at the start: the problem's certificate where nothing is convex."""
    return float(np.max(np.abs(gradient), initial=0.0)) / problem.gradient_scale()


def curvature(problem: Any, x: Array) -> Array:
    """The diagonal of the loss's Hessian over the weights, and a little where no row has the feature at that step."""
    diagonal = problem.diagonal(x)
    return diagonal + 1e-12 * (1 + float(diagonal.max(initial=0.0)))


class Fitted(NamedTuple):
    """A run with tau fitted, and the prior it ended with."""

    result: Result
    prior: AdaptivePrior


def run_empirical(
    solver: Solver,
    problem: Any,
    x0: Array | None = None,
    callback: Any = None,
    max_rounds: int = 30,
) -> Fitted:
    """Weights and tau by turns (empirical Bayes): with q(alpha) fixed the best tau has a closed form, and each turn raises the bound."""
    trace: list[Event] = []
    n_iter = 0
    for _ in range(max_rounds):
        result = solver.run(problem, x0, callback)
        trace += [replace(line, done=line.done + n_iter) for line in result.trace]
        n_iter += result.n_iter
        prior, x0 = problem.penalty, result.x
        tau = prior.best_tau(problem.parts(x0)[0])
        if result.interrupted or abs(tau - prior.tau) <= 1e-2 * (1 + abs(prior.tau)):
            break
        problem.penalty = prior.replace(tau=tau)
    return Fitted(result._replace(n_iter=n_iter, trace=trace), problem.penalty)
