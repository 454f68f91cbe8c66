"""Working sets with proximal Newton coordinate descent, for lasso, elastic net and disjoint groups.

Sparse solutions cost what their active set costs: each step computes the whole gradient once,
certifies the point, and hands the kernel the blocks that are active or violate optimality most. The
set at least doubles the support each time, as in celer (Massias, Gramfort and Salmon 2018), so few
steps are needed. Steps that stay on one support are extrapolated (Anderson): the diagonal curvature
of the multinomial loss leaves correlated directions that shrink by a constant factor per step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Bools
from laconic.core.penalties import Blockwise, Penalty, SparseGroupLasso, Terms
from laconic.core.penalties.grouped import norm_code
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver


class WorkingSetState(NamedTuple):
    """x with its scores, the kernel, and what the next choice of blocks needs."""

    x: Array
    value: float
    error: float
    scores: Array
    violation: Array
    active: Bools
    size: int
    kernel: _core.Descent
    terms: Terms
    history: tuple[Array, ...] = ()


class WorkingSet(StepSolver[Problem, WorkingSetState]):
    """Proximal Newton coordinate descent on a growing working set of blocks of weights.

    Parameters
    ----------
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=200
        Number of working sets, at most.
    first_size : int, default=64
        Number of blocks in the first working set.
    max_rounds : int, default=12
        Number of Newton rounds per working set, at most.
    max_passes : int, default=20
        Number of passes over the working set per round, at most.
    memory : int, default=5
        Number of past points on one support that a step is extrapolated from.

    Examples
    --------
    >>> from laconic import L1, SparseRegressor, WorkingSet
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> model = SparseRegressor(L1(0.2), solver=WorkingSet(tol=1e-8)).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.certificate_ <= 1e-8
    ([1.65, 0.0], True)
    """

    needs_problem = (Problem,)
    needs_penalty = (Blockwise,)
    takes = "L1, Ridge, ElasticNet or a group lasso over disjoint groups"

    def __init__(
        self,
        tol: float = 1e-6,
        max_iter: int = 200,
        first_size: int = 64,
        max_rounds: int = 12,
        max_passes: int = 20,
        memory: int = 5,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.first_size = first_size
        self.max_rounds = max_rounds
        self.max_passes = max_passes
        self.memory = memory

    def unsupported(self, penalty: Penalty) -> str:
        """See Solver."""
        infinite = (
            isinstance(penalty, SparseGroupLasso) and norm_code(penalty.norm) != _core.Norm.two
        )
        return "the infinity norm inside groups" if infinite else ""

    def init(self, problem: Problem, x: Array) -> WorkingSetState:
        """See StepSolver."""
        penalty = problem.penalty
        assert isinstance(penalty, Blockwise)  # needs_penalty
        terms = penalty.terms(problem.design.n_penalised)
        kernel = problem.descent(terms.ptr, terms.index, terms.mass)
        state = WorkingSetState(
            x,
            np.inf,
            np.inf,
            problem.design.score(x),
            np.zeros(0),
            np.zeros(0, bool),
            self.first_size,
            kernel,
            terms,
        )
        return self._measure(problem, state)

    def _measure(self, problem: Problem, state: WorkingSetState) -> WorkingSetState:
        """Measure value, certificate and violations at the state's point."""
        terms, weights = state.terms, problem.parts(state.x)[0]
        loss, residual = problem.residuals(state.scores)
        pulled = problem.design.pull(residual)
        gradient = problem.parts(pulled)[0]
        penalty = problem.penalty.value(weights)
        gap = problem.gap(loss, residual, gradient, penalty)
        # Residuals that do not sum to zero are not dual feasible: what that can cost is counted.
        off = float(np.abs(problem.parts(pulled)[1]).max(initial=0.0))
        error = (
            problem.relative(gap + off, loss + penalty)
            if np.isfinite(gap)
            else problem.certificate(state.x)
        )
        active, violation = violations(terms, weights, gradient)
        return state._replace(value=loss + penalty, error=error, violation=violation, active=active)

    def step(self, problem: Problem, state: WorkingSetState) -> WorkingSetState:
        """Solve one working set, ten times better than the current error asks for."""
        n_active = int(state.active.sum())
        size = min(max(2 * n_active, state.size), len(state.violation))
        priority = np.where(state.active, np.inf, state.violation)
        if size < len(priority):
            chosen = np.argpartition(priority, -size)[-size:]
        else:
            chosen = np.arange(len(priority))
        chosen = np.sort(chosen[priority[chosen] > 0])
        weights, intercept = problem.parts(state.x)
        terms = state.terms
        # The gap falls about as violation * |w|_1; aim below what the remaining gap needs.
        mass = max(float(np.abs(weights).sum()), 1.0)
        wanted = 0.1 * max(self.tol, min(state.error, 1.0) * 0.03) * state.value / mass
        state.kernel.descend(
            chosen,
            _core.SeparableTerms(
                lasso=terms.lasso, ridge=terms.ridge, centre=np.zeros(1), positive=terms.positive
            ),
            weights,
            intercept,
            state.scores,
            _core.DescentLimits(
                tolerance=wanted, max_rounds=self.max_rounds, max_passes=self.max_passes
            ),
        )
        state = self._measure(problem, state._replace(size=max(2 * n_active, state.size)))
        return self._extrapolate(problem, state) if state.error > self.tol else state

    def _extrapolate(self, problem: Problem, state: WorkingSetState) -> WorkingSetState:
        """Jump to where the differences of the last points on this support nearly cancel.

        Only if the objective is better there.
        """
        support = np.append(
            state.x[: problem.design.n_penalised] != 0,
            np.ones(problem.n_weights - problem.design.n_penalised, bool),
        )
        point = state.x[support]
        history = (*(past for past in state.history if len(past) == len(point)), point)[
            -self.memory - 1 :
        ]
        if len(history) <= self.memory:
            return state._replace(history=history)
        differences = np.diff(np.array(history), axis=0)
        gram = differences @ differences.T
        try:
            share = np.linalg.solve(
                gram + 1e-10 * np.trace(gram) * np.eye(len(gram)), np.ones(len(gram))
            )
        except np.linalg.LinAlgError:
            return state._replace(history=())
        jumped = state.x.copy()
        jumped[support] = (share / share.sum()) @ np.array(history[1:])
        moved = state._replace(x=jumped, scores=problem.design.score(jumped), history=())
        if not np.all(np.isfinite(jumped)) or problem.value(jumped) >= state.value:
            return state._replace(history=())
        return self._measure(problem, moved)


def violations(terms: Terms, weights: Array, gradient: Array) -> tuple[Bools, Array]:
    """Return which blocks are active, and how far each inactive one is from optimal.

    That is the distance of 0 from its subdifferential.
    """
    pushed = (
        np.maximum(-gradient - terms.lasso, 0.0)
        if terms.positive
        else np.maximum(np.abs(gradient) - terms.lasso, 0.0)
    )
    sizes = np.diff(terms.ptr)
    if np.all(sizes == 1):
        order = terms.index
        return weights[order] != 0, np.maximum(pushed[order] - terms.mass, 0.0)
    # reduceat takes an empty block for a block of one, so empty ones are left out: they are never
    # active and never violated.
    filled = sizes > 0
    starts = terms.ptr[:-1][filled]
    length, active = np.zeros(len(sizes)), np.zeros(len(sizes), dtype=bool)
    length[filled] = np.sqrt(np.add.reduceat((pushed * pushed)[terms.index], starts))
    active[filled] = np.logical_or.reduceat((weights != 0)[terms.index], starts)
    return active, np.maximum(length - terms.mass, 0.0)
