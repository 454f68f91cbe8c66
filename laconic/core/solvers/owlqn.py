"""L-BFGS, and OWL-QN where there is an L1 term (Andrew and Gao 2007).

    d = -H v,    v: the steepest-descent pseudo-gradient of loss + ridge + lasso
                 H: from the last `memory` steps and problem.spread()

With an L1 term the direction keeps the sign of -v and a step stays in its orthant, so that weights
become exactly zero. Vectors are updated in place (cpp/numeric/quasi_newton.cpp): a step writes into
the buffers of the point before the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties import Penalty, Separable
from laconic.core.problem import Objective
from laconic.core.solvers.base import StepSolver


class OwlqnState(NamedTuple):
    """x, the gradient of loss + ridge there, the kernel with the last steps, and buffers."""

    x: Array
    value: float
    error: float
    gradient: Array
    kernel: _core.QuasiNewton
    buffers: tuple[Array, Array, Array]
    n_steps: int
    stuck: bool


class Owlqn(StepSolver[Objective, OwlqnState]):
    """x <- x - t H v: quasi-Newton steps for L1, squared L2 and elastic net penalties.

    Parameters
    ----------
    tol : float, default=1e-6
        Certificate at which to stop.
    max_iter : int, default=1000
        Number of steps, at most.
    memory : int, default=10
        Number of past steps that the second derivatives are estimated from.
    check_every : int, default=5
        Number of steps from one measurement of the certificate to the next.

    Examples
    --------
    >>> from laconic import Owlqn, Ridge, SparseRegressor
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> model = SparseRegressor(Ridge(0.1), solver=Owlqn(memory=5)).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.certificate_ < 1e-6
    ([1.67, -0.06], True)
    """

    needs_penalty = (Separable,)
    takes = "an L1, Ridge or ElasticNet penalty"

    def __init__(
        self, tol: float = 1e-6, max_iter: int = 1000, memory: int = 10, check_every: int = 5
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.check_every = check_every

    def unsupported(self, penalty: Penalty) -> str:
        """See Solver."""
        return "positive=True" if isinstance(penalty, Separable) and penalty.positive else ""

    def init(self, problem: Objective, x: Array) -> OwlqnState:
        """See StepSolver."""
        penalty = problem.penalty
        assert isinstance(penalty, Separable)  # needs_penalty
        n = problem.design.n_penalised
        kernel = _core.QuasiNewton(
            problem.n_weights, n, *penalty.rates(n), self.memory, problem.spread()
        )
        error = problem.certificate(x)
        gradient = np.empty_like(x)
        value = smooth(problem, kernel, x, gradient) + kernel.lasso_value(x)
        buffers = (np.empty_like(x), np.empty_like(x), np.empty_like(x))
        return OwlqnState(x, value, error, gradient, kernel, buffers, 0, False)

    def resume(self, problem: Objective, state: OwlqnState) -> OwlqnState:
        """See StepSolver; differences of gradients, which the memory holds, have not changed."""
        x, kernel, gradient = state.x, state.kernel, state.gradient
        value = smooth(problem, kernel, x, gradient) + kernel.lasso_value(x)
        return state._replace(value=value, error=np.inf, stuck=False)

    def stuck(self, state: OwlqnState) -> bool:
        """See StepSolver."""
        return state.stuck

    def step(self, problem: Objective, state: OwlqnState) -> OwlqnState:
        """Find a direction from the memory, then backtrack along it."""
        x, kernel = state.x, state.kernel
        direction, moved, gradient = state.buffers
        length = kernel.direct(x, state.gradient, direction)[1]
        n_steps = state.n_steps + 1
        t = 1.0 if kernel.n_pairs else 1.0 / max(1.0, length)
        for _ in range(60):
            lasso, along = kernel.move(x, state.gradient, direction, t, moved)
            value = smooth(problem, kernel, moved, gradient) + lasso
            # Near the optimum values differ by rounding alone, while gradients still tell better
            # from worse.
            if value <= state.value + 1e-4 * along + 1e-14 * abs(state.value):
                break
            t *= 0.5
        else:
            # Without memory the direction was steepest descent: nothing is left to try.
            stuck = not kernel.n_pairs
            kernel.forget()
            return state._replace(error=problem.certificate(x), n_steps=n_steps, stuck=stuck)
        kernel.remember(x, moved, state.gradient, gradient)
        error = problem.certificate(moved) if n_steps % self.check_every == 0 else np.inf
        return OwlqnState(
            moved, value, error, gradient, kernel, (direction, x, state.gradient), n_steps, False
        )


def smooth(problem: Objective, kernel: _core.QuasiNewton, x: Array, out: Array) -> float:
    """Return loss + ridge at x, and write its gradient into `out`."""
    loss, gradient = problem.smooth(x)
    ridge: float = kernel.add_ridge(x, gradient, out)
    return loss + ridge
