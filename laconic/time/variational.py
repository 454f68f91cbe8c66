"""Variational inference of weights that move over time: L-BFGS on loss(w) - B(w).

    direction = -H gradient,   H from the last `memory` steps, beginning at
    H_0 = (diag(second derivatives of the loss) + E[1/lambda_i] E[A_i])^-1

B is the bound of laconic.time.adaptive with b and kappa at their best given w. The scales
E[1/lambda_i] of features that matter and of those that do not differ by many orders of magnitude,
on which plain L-BFGS would make no progress. H_0 is one tridiagonal solve per trajectory, so that a
pass is O(entries of X + features x steps). The bound is smooth but not concave: every step raises
it (Armijo), pairs of steps along which it curves the other way are left out, and the result is a
local optimum near the start. `SmoothRidge`, whose optimum is global and comes with a duality gap,
is solved in the same way.

The error of a step is the largest entry of the gradient relative to that at zero weights (for
`SmoothRidge`: the relative duality gap).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.problem import GapProblem
from laconic.core.solvers.base import StepSolver
from laconic.time.trajectories import Local, Trajectories


class VariationalState(NamedTuple):
    """A point, its objective, and what the next step needs.

    gradient: of the objective over the weights; local: the prior at x; curvature: diagonal of the
    Hessian of the loss; pairs: changes of weights and of gradients of the last steps.
    """

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
    """Quasi-Newton steps for penalties of trajectories: `AdaptivePrior` and `SmoothRidge`.

    Parameters
    ----------
    tol : float, default=1e-4
        Certificate to reach: relative size of the gradient, or duality gap.
    max_iter : int, default=500
        Maximum number of steps.
    memory : int, default=10
        Number of last steps that shape the direction.

    Examples
    --------
    >>> import laconic
    >>> X, years = np.ones((6, 1)), [2001, 2002, 2003, 2004, 2005, 2006]
    >>> penalty = laconic.SmoothRidge(strength=0.1, smoothness=10.0)
    >>> model = laconic.TemporalRegressor(penalty, solver=Variational(tol=1e-8), drift=False)
    >>> model = model.fit(X, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], times=years)
    >>> model.converged_, bool(model.trajectories_[0, 5] > model.trajectories_[0, 0])
    (True, True)
    """

    needs_problem = (GapProblem,)
    needs_penalty = (Trajectories,)
    takes = "an AdaptivePrior or SmoothRidge penalty"

    def __init__(self, tol: float = 1e-4, max_iter: int = 500, memory: int = 10) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory

    def init(self, problem: GapProblem, x: Array) -> VariationalState:
        """See Solver."""
        penalty = trajectories_penalty(problem)
        value, gradient, local = objective(problem, penalty, x)
        bend = curvature(problem, x)
        certificate = problem.certificate(x)
        return VariationalState(x, value, certificate, gradient, local, bend, (), 0, False)

    def stuck(self, state: VariationalState) -> bool:
        """See Solver."""
        return state.stuck

    def step(self, problem: GapProblem, state: VariationalState) -> VariationalState:
        """Take a direction from the last steps and the tridiagonal solves, then backtrack."""
        penalty = trajectories_penalty(problem)
        direction = -self._invert(penalty, state)
        slope = float(state.gradient @ direction)
        if slope >= 0:
            state = state._replace(pairs=())
            direction = -self._invert(penalty, state)
            slope = float(state.gradient @ direction)
        t = 1.0
        for _ in range(40):
            x = state.x.copy()
            problem.parts(x)[0][:] += t * direction
            value, gradient, local = objective(problem, penalty, x)
            # Near the optimum values differ by rounding errors, while gradients are still exact.
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
        error = np.inf
        if not penalty.convex:
            error = problem.flatness(gradient)
        elif state.n_steps % 5 == 4:
            error = problem.certificate(x)
        n_steps = state.n_steps + 1
        return VariationalState(x, value, error, gradient, local, bend, pairs, n_steps, False)

    def _invert(self, penalty: Trajectories, state: VariationalState) -> Array:
        """Return H gradient by the two loops of L-BFGS."""
        q = state.gradient.copy()
        shares = []
        for moved, turned in reversed(state.pairs):
            share = float(moved @ q) / float(moved @ turned)
            q -= share * turned
            shares.append(share)
        q = self._scale(penalty, state) * penalty.solve(q, state.curvature, state.local)
        for (moved, turned), share in zip(state.pairs, reversed(shares), strict=True):
            q += moved * (share - float(turned @ q) / float(moved @ turned))
        return q

    def _scale(self, penalty: Trajectories, state: VariationalState) -> float:
        """Return the factor that fits H_0 to the last step.

        Features that occur together curve the loss more than its diagonal says.
        """
        if not state.pairs:
            return 1.0
        moved, turned = state.pairs[-1]
        solved = penalty.solve(turned, state.curvature, state.local)
        return float(moved @ turned) / float(turned @ solved)


def trajectories_penalty(problem: GapProblem) -> Trajectories:
    """Return the penalty of a problem, which the solver has checked."""
    assert isinstance(problem.penalty, Trajectories)
    return problem.penalty


def objective(problem: GapProblem, penalty: Trajectories, x: Array) -> tuple[float, Array, Local]:
    """Return loss + penalty, its gradient over the weights, and the penalty's local form.

    The intercept of x is fitted.
    """
    loss, gradient = problem.fitted_smooth(x)
    local = penalty.at(problem.parts(x)[0])
    return loss + local.value, problem.parts(gradient)[0] + local.gradient, local


def curvature(problem: GapProblem, x: Array) -> Array:
    """Return the diagonal of the Hessian of the loss over the weights.

    A little is added, since it is zero where no row of a step has the feature.
    """
    diagonal = problem.diagonal(x)
    return diagonal + 1e-12 * (1 + float(diagonal.max(initial=0.0)))
