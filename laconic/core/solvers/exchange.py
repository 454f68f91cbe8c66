"""Counts of weights: a support that changes while that gains, and Newton steps that fit it.

    S <- S + {i: g_i^2 / (2 a_i) > strength f_i} - {i: a_i w_i^2 / 2 < strength f_i},
    w <- argmin loss over S

with g the gradient and a the curvature of the loss along single weights. A count costs the same
anywhere on a support, so that the second half is a smooth problem of few weights, which thresholds
alone would approach at the rate of gradient descent. The objective never rises. What is reached is
a local optimum: no weight that joins or leaves gains by the model, and the certificate is the
residual of a proximal gradient step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Bools, Ints
from laconic.core.penalties import L0
from laconic.core.penalties.base import singles
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver
from laconic.core.solvers.fista import Fista

MAX_IDLE, N_THRESHOLDS = 4, 5  # changes of nothing in a row, and thresholds in each
SHARE = 32  # one weight per so many of the support joins at once


def joined(support: Bools, those: Ints, value: bool) -> Bools:
    """Return a support with some weights in or out."""
    changed = support.copy()
    changed[those] = value
    return changed


class ExchangeState(NamedTuple):
    """x with its scores, the kernel that fits supports, and what was tried."""

    x: Array
    value: float
    error: float
    scores: Array
    kernel: _core.Descent
    alone: bool = False  # whether one weight joins at a time, as several did not gain
    thresholds: int = 0  # times in a row that no change of the support gained


class Exchange(StepSolver[Problem, ExchangeState]):
    """Weights join and leave the support while that gains, and Newton steps fit them: for L0.

    A local optimum, and `result_.extra["optimum"]` says so.

    Parameters
    ----------
    tol : float, default=1e-4
        Residual of a proximal gradient step at which to stop, relative to the gradient at the
        start.
    max_iter : int, default=1000
        Number of supports, at most.
    max_rounds : int, default=12
        Number of Newton rounds per support, at most.

    Examples
    --------
    >>> from laconic import L0, SparseRegressor, Exchange
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> model = SparseRegressor(L0(0.2), solver=Exchange(tol=1e-8)).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.converged_
    ([1.95, 0.0], True)
    """

    needs_problem = (Problem,)
    needs_penalty = (L0,)
    takes = "L0"

    def __init__(self, tol: float = 1e-4, max_iter: int = 1000, max_rounds: int = 12):
        self.tol = tol
        self.max_iter = max_iter
        self.max_rounds = max_rounds

    def init(self, problem: Problem, x: Array) -> ExchangeState:
        """Return the state at x; zero is a local optimum too often to stop there unseen."""
        n = problem.design.n_penalised
        kernel = problem.descent(*singles(n), np.zeros(n))
        scores = problem.design.score(x)
        state = ExchangeState(x, np.inf, np.inf, scores, kernel)
        return self._fit(problem, state, problem.parts(x)[0] != 0)

    def step(self, problem: Problem, state: ExchangeState) -> ExchangeState:
        """Let weights join, or leave, or take thresholds where neither gains anything."""
        weights = problem.parts(state.x)[0]
        residual = problem.residuals(state.scores)[1]
        gradient = problem.parts(problem.design.pull(residual))[0]
        curved = problem.design.curvature(problem.bound.curvature(state.scores))
        support = weights != 0
        most = 1 if state.alone else 1 + int(support.sum()) // SHARE
        joining = self._joining(problem, weights, gradient, curved, most)
        if len(joining):
            found = self._fit(problem, state, joined(support, joining, True))
            if self._gained(found, state):
                return found._replace(alone=False)
            if most > 1:
                return state._replace(alone=True)
        leaving = self._leaving(problem, weights, curved)
        for those in (leaving, leaving[:1])[: len(leaving)]:
            found = self._fit(problem, state, joined(support, those, False))
            if self._gained(found, state):
                return found._replace(alone=False)
        return self._threshold(problem, state)

    @staticmethod
    def _gained(found: ExchangeState, state: ExchangeState) -> bool:
        return found.value < state.value - 1e-9 * abs(state.value)

    @staticmethod
    def _joining(
        problem: Problem, weights: Array, gradient: Array, curved: Array, size: int
    ) -> Ints:
        """Return up to `size` zero weights that gain most, g_i^2 / (2 a_i) by the model."""
        penalty = problem.penalty
        assert isinstance(penalty, L0)  # needs_penalty
        pull = np.maximum(-gradient, 0.0) if penalty.positive else np.abs(gradient)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            gain = np.where(pull > 0, pull * pull / (2 * curved), 0.0)
        gain -= penalty.costs(len(weights))
        gain = np.where((weights == 0) & np.isfinite(gain), gain, -np.inf)
        best = np.argpartition(-gain, min(size, len(gain)) - 1)[:size]
        return best[gain[best] > 0]

    @staticmethod
    def _leaving(problem: Problem, weights: Array, curved: Array) -> Ints:
        """Return the weights that lose less than they cost, a_i w_i^2 / 2, the least first.

        The curvature at large weights may be small, as of logistic rows far on their side: the
        larger one counts, of there and of zero weights.
        """
        penalty = problem.penalty
        assert isinstance(penalty, L0)  # needs_penalty
        kept = np.flatnonzero(weights)
        begin = problem.design.score(problem.start())
        at_zero = problem.design.curvature(problem.bound.curvature(begin))
        most = np.maximum(curved, at_zero)[kept]
        costs = np.broadcast_to(penalty.costs(len(weights)), weights.shape)[kept]
        loss = 0.5 * most * weights[kept] ** 2 - costs
        order = np.argsort(loss, kind="stable")
        return kept[order[loss[order] < 0]]

    def _fit(self, problem: Problem, state: ExchangeState, support: Bools) -> ExchangeState:
        """Return the state with the best weights over a support."""
        x = state.x.copy()
        weights, intercept = problem.parts(x)
        weights[~support] = 0.0
        moved = not np.array_equal(weights, problem.parts(state.x)[0])
        scores = problem.design.score(x) if moved else state.scores.copy()
        nothing = np.zeros(1)
        state.kernel.descend(
            np.flatnonzero(support),
            _core.SeparableTerms(
                lasso=nothing,
                ridge=nothing,
                centre=nothing,
                positive=bool(getattr(problem.penalty, "positive", False)),
            ),
            weights,
            intercept,
            scores,
            _core.DescentLimits(tolerance=0.01 * self.tol, max_rounds=self.max_rounds),
        )
        problem.fit_intercept(x, scores)
        value = problem.residuals(scores)[0] + problem.penalty.value(weights)
        return state._replace(x=x, scores=scores, value=value)

    def _threshold(self, problem: Problem, state: ExchangeState) -> ExchangeState:
        """Measure the residual; where it is too large, take proximal gradient steps."""
        error = problem.certificate(state.x)
        if error <= self.tol:
            return state._replace(error=error)
        steps = Fista(tol=self.tol, check_every=2**31)
        inner = steps.init(problem, state.x)
        for _ in range(N_THRESHOLDS):
            inner = steps.step(problem, inner)
        moved = state._replace(x=inner.x, scores=problem.design.score(inner.x))
        found = self._fit(problem, moved, problem.parts(inner.x)[0] != 0)
        found = found if found.value <= state.value else state
        error = problem.certificate(found.x)
        return found._replace(error=error, alone=False, thresholds=state.thresholds + 1)

    def stuck(self, state: ExchangeState) -> bool:
        """See StepSolver: neither another support nor thresholds gain anything."""
        return state.thresholds >= MAX_IDLE

    def finish(
        self, problem: Problem, state: ExchangeState
    ) -> tuple[Array, float, dict[str, object]]:
        """See StepSolver; the optimum is a local one."""
        x, error, _ = super().finish(problem, state)
        return x, error, {"optimum": "local"}
