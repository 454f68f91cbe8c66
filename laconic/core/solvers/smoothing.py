"""Smoothing: a loss with kinks by solvers of smooth ones.

    x <- argmin loss_mu(x) + penalty(w),    mu <- less mu,    until the gap of the loss is small

Only rows at a kink are changed by smoothing once the problem is solved, about as many as there are
weights that are not zero: so mu need not be small for a small gap, and the smooth problems stay
well conditioned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from laconic.core.arrays import Array
from laconic.core.problem import Kinked
from laconic.core.solvers.base import Solver, StepSolver
from laconic.core.solvers.choose import choose_solver

MAX_LOST = 600  # inner steps of smooth problems that were not solved, in a row


class SmoothingState(NamedTuple):
    """x, the width of the smoothing, the best point, and the inner steps without a gain."""

    x: Array
    value: float
    error: float
    mu: float
    best: Array
    lost: int = 0


class Smoothing(StepSolver[Kinked, SmoothingState]):
    """x <- argmin loss_mu + penalty for smaller and smaller mu: for losses with kinks.

    Parameters
    ----------
    tol : float, default=1e-4
        Relative duality gap, of the loss that is not smoothed, at which to stop.
    max_iter : int, default=40
        Number of widths of the smoothing, at most.
    inner : Solver or None, default=None
        Solver of the smooth problems; None chooses one that suits the penalty.

    Examples
    --------
    >>> from laconic import L1, Fista, Quantile, Smoothing, SparseRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 20.0, 3.0, 4.0]
    >>> solver = Smoothing(inner=Fista())
    >>> SparseRegressor(L1(0.01), Quantile(0.5), solver).fit(X, y).coef_.round(1).tolist()
    [1.0]
    """

    needs_problem = (Kinked,)
    takes_kinks = True

    def __init__(self, tol: float = 1e-4, max_iter: int = 40, inner: Solver | None = None):
        self.tol = tol
        self.max_iter = max_iter
        self.inner = inner

    def init(self, problem: Kinked, x: Array) -> SmoothingState:
        """See StepSolver."""
        started = bool(problem.parts(x)[0].any())
        mu = problem.width(x) * (0.1 if started else 1.0)
        # A count of weights has a local minimum at zero, which is no reason to stay there.
        error = problem.certificate(x) if problem.penalty.convex else np.inf
        return SmoothingState(x, problem.value(x), error, mu, x)

    def step(self, problem: Kinked, state: SmoothingState) -> SmoothingState:
        """Solve one smooth problem, better than the certificate of now asks for."""
        wanted = float(np.clip(0.1 * state.error, 0.2 * self.tol, 0.01))
        inner = choose_solver(problem.penalty, wanted) if self.inner is None else clone(self.inner)
        twin = problem.smoothed(state.mu)
        result = inner.set_params(tol=wanted).run(twin, state.x)
        x = result.x
        before = problem.certificate_kind
        error = problem.certified(x, twin, result.error)
        problem.fit_tail(x)
        value = problem.value(x)
        # Rows that smoothing changes become fewer, too: the gap falls faster than mu.
        factor = float(np.clip((0.5 * self.tol / max(error, 1e-300)) ** 0.7, 0.1, 0.6))
        mu = state.mu * factor
        in_vain = not result.converged and error > 0.5 * state.error
        lost = state.lost + result.n_iter if in_vain else 0
        if value <= state.value:
            return SmoothingState(x, value, error, mu, x, lost)
        # The bound is that of the last point; (gap - d) / (value - d) is less than gap / value.
        if state.error < error:
            problem.certificate_kind = before
        return SmoothingState(x, state.value, min(error, state.error), mu, state.best, lost)

    def stuck(self, state: SmoothingState) -> bool:
        """See StepSolver: the last smooth problems were not solved and certified nothing new."""
        return state.lost >= MAX_LOST

    def finish(
        self, problem: Kinked, state: SmoothingState
    ) -> tuple[Array, float, dict[str, object]]:
        """Return the best point, its certificate, and the width of the smoothing."""
        return state.best.copy(), state.error, {"mu": state.mu}
