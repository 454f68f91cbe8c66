"""Newton's method for smooth problems: truncated conjugate gradients, or a Cholesky factor.

    (A'HA + P) d = -(A'r + P w),    w <- w + t d

r and H are the first and second derivatives of the loss by the scores, P those of the penalty. The
intercept is part of w without a P. Where the Hessian is cheap to write down it is factored;
otherwise the system is solved by conjugate gradients under the diagonal of the Hessian, so that
columns of any scale are alike, until the residual is a share eta of the gradient (Dembo and
Steihaug 1983). The scores move with the weights: the line search costs no product with A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import Penalty, Quadratic
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver
from laconic.core.solvers.hessian import Hessian

MOST_TRIALS = 40  # points of a line search
FEWEST = 8  # products that a step is supposed to take until one has taken more


class NewtonState(NamedTuple):
    """x with its scores and the gradient of loss + penalty.

    `distance` is the certificate of x but for its intercept.
    """

    x: Array
    value: float
    error: float
    distance: float
    scores: Array
    gradient: Array
    n_products: int = FEWEST  # of the Hessian and a vector that the last step took
    stuck: bool = False


class Newton(StepSolver[Problem, NewtonState]):
    """x <- x - t H^-1 g: Newton's method for squared penalties, such as Ridge.

    Parameters
    ----------
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Number of Newton steps, at most.
    max_inner : int, default=300
        Number of conjugate gradient steps per Newton step, at most.

    Examples
    --------
    >>> from laconic import Newton, Ridge, SparseRegressor
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> model = SparseRegressor(Ridge(0.1), solver=Newton(tol=1e-9)).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.certificate_ <= 1e-9
    ([1.67, -0.06], True)
    """

    needs_problem = (Problem,)
    needs_penalty = (Quadratic,)
    takes = "a squared penalty such as Ridge"

    def __init__(self, tol: float = 1e-6, max_iter: int = 500, max_inner: int = 300):
        self.tol = tol
        self.max_iter = max_iter
        self.max_inner = max_inner

    def unsupported(self, penalty: Penalty) -> str:
        """See Solver."""
        return "positive=True" if getattr(penalty, "positive", False) else ""

    def init(self, problem: Problem, x: Array) -> NewtonState:
        """See StepSolver."""
        scores = problem.design.score(x)
        return self._measure(problem, x, scores, *problem.residuals(scores))

    def _measure(
        self, problem: Problem, x: Array, scores: Array, loss: float, residual: Array
    ) -> NewtonState:
        """Return the state at a point; its certificate is measured where it may be `tol`.

        A gap supposes that the residuals of each output sum to zero, as at the best intercept.
        Newton steps bring that about together with the rest: only the last points are given it.
        """
        assert isinstance(problem.penalty, Quadratic)  # needs_penalty
        gradient = problem.design.pull(residual)
        weights, tail = problem.parts(gradient)
        distance = problem.judge(x, loss, residual, weights)
        measured = not np.any(tail)
        if distance <= self.tol and not measured:
            x, scores = x.copy(), scores.copy()
            problem.fit_intercept(x, scores)
            loss, residual = problem.residuals(scores)
            gradient = problem.design.pull(residual)
            weights = problem.parts(gradient)[0]
            distance = problem.judge(x, loss, residual, weights)
            measured = True
        penalised = problem.parts(x)[0]
        weights += problem.penalty.gradient(penalised)
        value = loss + problem.penalty.value(penalised)
        error = distance if measured else np.inf
        return NewtonState(x, value, error, distance, scores, gradient)

    def stuck(self, state: NewtonState) -> bool:
        """See StepSolver."""
        return state.stuck

    def step(self, problem: Problem, state: NewtonState) -> NewtonState:
        """Solve the Newton system about as well as the next point needs, then backtrack."""
        model = Hessian(problem, state.scores)
        n_products = state.n_products
        direction = None
        if model.worth_factoring(n_products):
            direction = model.solve(-state.gradient)
        if direction is None:
            direction, taken = self._conjugate(model, state)
            n_products = max(n_products, taken)
        change = problem.design.move(direction)
        t, low, high = 1.0, 0.0, np.inf
        start = float(state.gradient @ direction)  # the slope at t = 0
        for _ in range(MOST_TRIALS):
            x = state.x + t * direction
            scores = state.scores + t * change
            loss, residual = problem.residuals(scores)
            weights, along = problem.parts(x)[0], problem.parts(direction)[0]
            value = loss + problem.penalty.value(weights)
            slope = float(residual @ change) + float(problem.penalty.gradient(weights) @ along)
            falls = value <= state.value + 1e-4 * t * start + 1e-13 * abs(state.value)
            if falls and abs(slope) <= 0.5 * abs(start):
                break
            low, high = (t, high) if falls and slope < 0 else (low, t)
            t = 2 * t if high == np.inf else 0.5 * (low + high)
        if not falls:
            return state._replace(error=problem.certificate(state.x), stuck=True)
        moved = self._measure(problem, x, scores, loss, residual)
        return moved._replace(n_products=n_products)

    def _conjugate(self, model: Hessian, state: NewtonState) -> tuple[Array, int]:
        """Return the step of preconditioned conjugate gradients, and their number."""
        diagonal = model.diagonal()
        left = -state.gradient  # the residual of the system
        # The gap is about quadratic in the gradient: no more digits than the certificate needs.
        missing = float(np.sqrt(self.tol / max(state.distance, self.tol)))
        share = max(min(0.5, state.distance**0.25), 0.5 * missing)
        step = np.zeros_like(left)
        scaled = left / diagonal
        along = scaled.copy()
        size = float(left @ scaled)
        enough = share**2 * size
        n_products = 0
        while n_products < self.max_inner:
            n_products += 1
            product = model.multiply(along)
            curvature = float(along @ product)
            if not curvature > 0:
                break
            length = size / curvature
            step += length * along
            product *= length
            left -= product
            np.divide(left, diagonal, out=scaled)
            last, size = size, float(left @ scaled)
            if size <= enough:
                break
            along *= size / last
            along += scaled
        return (step if np.any(step) else -state.gradient / diagonal), n_products
