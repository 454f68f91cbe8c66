"""Growing sets of parts, for penalties of many parts: latent groups, trees of labels.

    min_v  loss(M'v) + inner(v)    over the parts chosen so far,    w = M'v

Each step solves the problem of a few parts, on copies of their columns, and then looks at all
parts: those that violate optimality join, those that are zero leave. The duality gap is that of all
parts. Only the columns of chosen parts are ever copied: with 50,000 overlapping groups that is a
few hundred columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array, Ints
from laconic.core.penalties.partwise import PartPenalty, Partwise
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver

START = 0.01  # of the tolerance: precision of the parts that a fit starts from


class GrowingState(NamedTuple):
    """x, the chosen parts with their v, and how far the other parts are from optimal."""

    x: Array
    value: float
    error: float
    parts: Ints
    v: Array
    violation: Array
    inner_tol: float


class Growing(StepSolver[Problem, GrowingState]):
    """min_v loss(M'v) + inner(v) over a growing set of parts, for latent groups and label trees.

    `result_.extra` holds the numbers of the chosen parts ("parts") and the norms of their weights
    ("norms"): groups of LatentGroupLasso, features of LabelTree.

    Parameters
    ----------
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=100
        Number of sets of parts, at most.
    first_size : int, default=64
        Number of parts in the first set; later ones have at least twice the parts that are used.

    Examples
    --------
    >>> from laconic import Growing, LatentGroupLasso, SparseRegressor
    >>> X, y = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [3.0, 2.0, 0.1]
    >>> penalty = LatentGroupLasso([[0, 1], [1, 2]], strength=0.2)
    >>> model = SparseRegressor(penalty, solver=Growing(), fit_intercept=False).fit(X, y)
    >>> model.converged_, model.n_selected_, model.result_.extra["parts"].tolist()
    (True, 2, [0])
    """

    needs_problem = (Problem,)
    needs_penalty = (Partwise,)
    takes = "a penalty of parts: LatentGroupLasso or LabelTree"

    def __init__(self, tol: float = 1e-4, max_iter: int = 100, first_size: int = 64):
        self.tol = tol
        self.max_iter = max_iter
        self.first_size = first_size

    def init(self, problem: Problem, x: Array) -> GrowingState:
        """Return the state at x, or near it: parts that make it up at about the least cost."""
        penalty = self._penalty(problem)
        weights, tail = problem.parts(x)
        parts, v = penalty.decompose(weights, START * self.tol)
        index = penalty.restricted(parts, len(weights)).index
        gathered = np.bincount(index, weights=v, minlength=len(weights))
        x = np.concatenate([gathered.astype(np.float64, copy=False), tail])
        state = GrowingState(x, np.inf, np.inf, parts, v, np.zeros(0), 0.3 * self.tol)
        return self._measure(problem, state)

    @staticmethod
    def _penalty(problem: Problem) -> Partwise:
        assert isinstance(problem.penalty, Partwise)  # needs_penalty
        return problem.penalty

    def _measure(self, problem: Problem, state: GrowingState) -> GrowingState:
        """Measure value, duality gap over all parts, and violations at the state's point."""
        penalty = self._penalty(problem)
        cost = penalty.restricted(state.parts, problem.design.n_penalised).inner.value(state.v)
        loss, residual = problem.loss_at(state.x)
        gradient, off = problem.parts(problem.design.pull(residual))
        gap = problem.gap(loss, residual, gradient, cost) + float(np.abs(off).max(initial=0.0))
        error = problem.relative_gap(gap, loss + cost)
        return state._replace(
            value=loss + cost, error=error, violation=penalty.violations(gradient)
        )

    def step(self, problem: Problem, state: GrowingState) -> GrowingState:
        """Solve the problem of the parts in use and of those that violate optimality most."""
        penalty, n = self._penalty(problem), problem.design.n_penalised
        priority = state.violation.copy()
        priority[state.parts] = 0.0
        size = max(self.first_size, len(state.parts))
        joining = np.argsort(-priority, kind="stable")[:size]
        joining = joining[priority[joining] > 0]
        parts = np.concatenate([state.parts, joining])
        inner = penalty.restricted(parts, n)
        start = np.concatenate([state.v, np.zeros(len(inner.index) - len(state.v))])
        tol = max(state.inner_tol, min(0.1 * state.error, 0.01))
        found = self._solve(problem, inner, np.append(start, problem.parts(state.x)[1]), tol)
        v, tail = found[: len(inner.index)], found[len(inner.index) :]
        gathered = np.bincount(inner.index, weights=v, minlength=n).astype(np.float64, copy=False)
        x = np.concatenate([gathered, tail])
        problem.fit_tail(x)
        norms = penalty.part_norms(parts, v, n)
        kept = np.repeat(norms > 0, penalty.part_sizes(parts, n))
        moved = self._measure(
            problem, state._replace(x=x, parts=parts[norms > 0], v=np.asarray(v)[kept])
        )
        # A set that gained nothing was not solved exactly enough.
        stalled = moved.error > 0.5 * state.error and len(joining) == 0
        inner_tol = 0.3 * state.inner_tol if stalled else state.inner_tol
        return moved._replace(inner_tol=inner_tol)

    @staticmethod
    def _solve(problem: Problem, inner: PartPenalty, start: Array, tol: float) -> Array:
        """Return the solution on copies of the columns of chosen parts."""
        from laconic.core.solvers.choose import choose_solver  # which knows this solver too
        from laconic.core.solvers.fista import Fista

        n_outputs = problem.design.n_outputs
        columns = inner.index.reshape(-1, n_outputs)
        if np.any(columns - columns[:, :1] != np.arange(n_outputs)) or np.any(
            columns[:, 0] % n_outputs
        ):
            raise ValueError("parts hold the weights of a feature for all outputs or for none")
        design = problem.design.take(columns[:, 0] // n_outputs)
        posed = problem.over(design, inner.inner)
        if isinstance(inner.inner, Partwise):
            return Fista(tol=tol, max_iter=5000).run(posed, start).x
        return choose_solver(inner.inner, tol).run(posed, start).x

    def stuck(self, state: GrowingState) -> bool:
        """See StepSolver: the parts are solved as exactly as they can be."""
        return state.inner_tol < 1e-4 * self.tol

    def finish(
        self, problem: Problem, state: GrowingState
    ) -> tuple[Array, float, dict[str, object]]:
        """Return the point, its gap, the parts that make it up and the norms of their weights."""
        n = len(problem.parts(state.x)[0])
        order = np.argsort(state.parts, kind="stable")
        norms = self._penalty(problem).part_norms(state.parts, state.v, n)
        extra: dict[str, object] = {"parts": state.parts[order], "norms": norms[order]}
        return state.x.copy(), state.error, extra
