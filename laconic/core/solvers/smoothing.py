"""Smoothing: a loss with kinks by solvers of smooth ones.

    x <- argmin loss_mu(x; u) + penalty(w),    u <- residuals of loss_mu,    until the gap is small

This is the method of multipliers (Rockafellar 1976): the loss is smoothed around its residuals of
the last step, so that the smooth loss meets the loss at the optimum. mu need not be small for a
small gap, and the smooth problems stay well conditioned; it is reduced where progress is slow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from laconic.core.arrays import Array
from laconic.core.problem import Kinked, Problem
from laconic.core.solvers.base import Result, Solver, StepSolver
from laconic.core.solvers.choose import choose_solver

WANTED = 0.01  # certificate of a smooth problem, at most
QUICK, SMALLER = 0.2, 0.2  # a certificate that falls by less makes mu smaller, by this factor
MAX_LOST = 2  # budgets of steps on smooth problems that certified nothing new, in a row


class Width(NamedTuple):
    """How the loss is smoothed: by mu, around slopes (residuals per unit of weight, None for 0).

    mu is `factor` times its natural width; `wanted` is the certificate of the smooth problem.
    """

    mu: float
    slopes: Array | None = None
    factor: float = 1.0
    wanted: float = WANTED


class SmoothingState(NamedTuple):
    """x, the best point with its value and certificate, the smoothing, and steps in vain."""

    x: Array
    value: float
    error: float
    width: Width
    best: Array
    lost: float = 0.0


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
        return SmoothingState(x, problem.value(x), error, Width(mu), x)

    def step(self, problem: Kinked, state: SmoothingState) -> SmoothingState:
        """Solve one smooth problem, better than the certificate of now asks for."""
        wanted = max(0.2 * self.tol, min(0.1 * state.error, state.width.wanted))
        inner = choose_solver(problem.penalty, wanted) if self.inner is None else clone(self.inner)
        twin = problem.smoothed(state.width.mu, state.width.slopes)
        result = inner.set_params(tol=wanted).run(twin, state.x)
        x = result.x
        before = problem.certificate_kind
        error = problem.certified(x, twin, result.error)
        width = self._next_width(problem, twin, state, result, error)
        problem.fit_tail(x)
        value = problem.value(x)
        in_vain = not result.converged and error > 0.5 * state.error
        lost = state.lost + result.n_iter / inner.max_iter if in_vain else 0.0
        if value <= state.value:
            return SmoothingState(x, value, error, width, x, lost)
        # The bound is that of the last point; (gap - d) / (value - d) is less than gap / value.
        if state.error < error:
            problem.certificate_kind = before
        return SmoothingState(x, state.value, min(error, state.error), width, state.best, lost)

    def _next_width(
        self, problem: Kinked, twin: Problem, state: SmoothingState, result: Result, error: float
    ) -> Width:
        """Return the smoothing of the next step, from the result of this one."""
        width = state.width
        if not problem.penalty.convex:
            # On a linear piece of the loss a concave penalty has no minimum, but stationary points
            # that the method of multipliers would find: only a small mu tells them apart.
            factor = float(np.clip((0.5 * self.tol / max(error, 1e-300)) ** 0.7, 0.1, 0.6))
            return Width(width.mu * factor)
        slopes, factor, wanted = problem.slopes(result.x, twin), width.factor, WANTED
        if not result.converged and width.slopes is not None:
            factor /= SMALLER
        elif result.n_iter == 0 and width.wanted > 0.2 * self.tol:
            wanted = 0.1 * width.wanted  # the last point would do, and nothing new came of it
        elif not error < QUICK * state.error:
            factor *= SMALLER
        return Width(problem.natural_width(result.x, slopes) * factor, slopes, factor, wanted)

    def stuck(self, state: SmoothingState) -> bool:
        """See StepSolver: the last smooth problems were not solved and certified nothing new."""
        return state.lost >= MAX_LOST

    def finish(
        self, problem: Kinked, state: SmoothingState
    ) -> tuple[Array, float, dict[str, object]]:
        """Return the best point, its certificate, and the width of the smoothing."""
        return state.best.copy(), state.error, {"mu": state.width.mu}
