"""Proximal Newton steps on models of second order: workers send sums, the small problem is here.

    d = argmin_d  g'd + d'H d / 2 + penalty(w + d)    over the weights in use and those that join

g and H are sums over blocks. H is known on the working set alone: the weights that are not zero,
and those that a proximal step would move. The intercept is eliminated (a Schur complement), and the
model is written as least squares, |R w - z|^2 / 2 with R'R = H, so that the solver which suits the
penalty on one machine solves it here. One step costs a handful of sums, whatever the number of
rows: a gradient, one table of the size of the working set squared, and a line search in one sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from laconic.core.arrays import Array, Ints
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Squared
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver
from laconic.core.solvers.choose import choose_solver
from laconic.core.solvers.fista import Fista, FistaState
from laconic.distributed.problem import BlockProblem

LENGTHS: Array = np.ldexp(1.0, -np.arange(12))  # of the line search, all in one sum
WHOLE = 1500  # weights of a model of all outputs at once, at most
RIDGE = 1e-10  # beside the mean of the Hessian's diagonal, which makes it definite
FIRST = 512  # weights in the first model, at most


class ModelState(NamedTuple):
    """x with a fitted intercept, the gradient of its dual point, and how far sets have grown."""

    x: Array
    value: float
    error: float
    gradient: Array
    size: int = FIRST
    idle: int = 0
    dense: FistaState | None = None  # where there are more weights in use than models hold


class ModelNewton(StepSolver[BlockProblem, ModelState]):
    """x <- x + t d: proximal Newton steps, over sums that a cluster computes.

    Parameters
    ----------
    tol : float, default=1e-4
        Certificate at which to stop.
    max_iter : int, default=1000
        Number of steps, at most.
    most_weights : int, default=4000
        Number of weights of a model, at most. With more in use the steps are those of Fista.

    Examples
    --------
    >>> from laconic.distributed.newton import ModelNewton
    >>> ModelNewton(tol=1e-6).most_weights
    4000
    """

    needs_problem = (BlockProblem,)

    def __init__(self, tol: float = 1e-4, max_iter: int = 1000, most_weights: int = 4000):
        self.tol = tol
        self.max_iter = max_iter
        self.most_weights = most_weights

    def init(self, problem: BlockProblem, x: Array) -> ModelState:
        """See StepSolver."""
        loss, gradient, error = problem.measure(x)
        return ModelState(x, loss + problem.penalty.value(problem.parts(x)[0]), error, gradient)

    def stuck(self, state: ModelState) -> bool:
        """See StepSolver: steps on larger and larger sets gained nothing."""
        return state.idle >= 4

    def step(self, problem: BlockProblem, state: ModelState) -> ModelState:
        """Choose a set, ask for its model, solve it here, and search along the line to there."""
        if state.dense is not None:
            return self._dense_step(problem, state, state.dense)
        columns = self._columns(problem, state)
        if columns is None:
            start = Fista(tol=self.tol)
            return self._dense_step(problem, state, start.init(problem, state.x))
        moved = self._towards_model(problem, state, columns)
        if moved is None:
            return state._replace(idle=state.idle + 1, size=2 * state.size)
        x, _ = moved
        loss, gradient, error = problem.measure(x)
        value = loss + problem.penalty.value(problem.parts(x)[0])
        gained = value < state.value or error < state.error
        return ModelState(
            x,
            value,
            error,
            gradient,
            max(state.size, len(columns)),
            0 if gained else state.idle + 1,
        )

    def _dense_step(
        self, problem: BlockProblem, state: ModelState, inner: FistaState
    ) -> ModelState:
        """Take as many steps of Fista as there are between two certificates."""
        fista = Fista(tol=self.tol)
        for _ in range(fista.check_every):
            inner = fista.step(problem, inner)
        x = inner.x.copy()
        loss, gradient, error = problem.measure(x)
        value = loss + problem.penalty.value(problem.parts(x)[0])
        return ModelState(x, value, error, gradient, state.size, 0, inner)

    def _columns(self, problem: BlockProblem, state: ModelState) -> Ints | None:
        """Return the weights in use and those that violate optimality most, or None: too many."""
        weights = problem.parts(state.x)[0]
        used = weights != 0
        n_used = int(used.sum())
        if n_used > self.most_weights:
            return None
        pushed = problem.penalty.prox(weights - state.gradient, 1.0)
        priority = np.where(used, np.inf, np.abs(pushed))
        room = min(max(2 * n_used, state.size) << state.idle, self.most_weights)
        columns = np.flatnonzero(priority > 0)
        if len(columns) > room:
            columns = np.sort(columns[np.argpartition(priority[columns], -room)[-room:]])
        return columns

    def _towards_model(
        self, problem: BlockProblem, state: ModelState, columns: Ints
    ) -> tuple[Array, float] | None:
        """Return a better point and its value, or None."""
        K, n = problem.design.n_outputs, problem.design.n_penalised
        whole = len(columns) <= WHOLE or K == 1
        to_tail: Array
        second, mixed, tail = problem.model(state.x, columns, whole)
        to_tail = np.zeros((K, len(columns)))
        if problem.design.intercept:
            to_tail = np.asarray(-np.linalg.lstsq(tail, mixed.T, rcond=1e-12)[0], dtype=np.float64)
            second = second + mixed @ to_tail
        weights = problem.parts(state.x)[0]
        target = self._solve(problem, state, columns, second)
        along = np.zeros(problem.n_weights)
        along[:n] = target - weights
        if problem.design.intercept:
            along[n:] = to_tail @ along[columns]
        if not np.any(along):
            return None
        lengths = LENGTHS
        found = problem.line(state.x, along, lengths)
        values = found + np.array([problem.penalty.value(weights + t * along[:n]) for t in lengths])
        promised = float(state.gradient @ along[:n]) + (
            problem.penalty.value(target) - problem.penalty.value(weights)
        )
        falls = values <= state.value + 1e-4 * lengths * min(promised, 0.0) + 1e-14 * abs(
            state.value
        )
        if not np.any(falls):
            return None
        best = int(np.argmax(falls))
        x = state.x + lengths[best] * along
        if best == 0:
            x[:n] = target  # zeros that are zero
        return x, float(values[best])

    def _solve(
        self, problem: BlockProblem, state: ModelState, columns: Ints, second: Array
    ) -> Array:
        """Return the weights at the optimum of the model, by the solver that suits the penalty."""
        n, penalty = problem.design.n_penalised, problem.penalty
        weights = problem.parts(state.x)[0]
        mean = float(np.trace(second)) / max(len(columns), 1)
        second = second + np.diag(np.full(len(columns), RIDGE * mean if mean > 0 else 1.0))
        root = _root(second)
        aim = root @ weights[columns] - solve_triangular(
            root, state.gradient[columns], trans="T", check_finite=False
        )
        wide = sp.csc_matrix(
            (
                root.T.ravel(),
                np.tile(np.arange(len(columns)), len(columns)),
                _starts(columns, n),
            ),
            shape=(len(columns), n),
        )
        gold = Gold(np.ascontiguousarray(aim), np.ones(len(aim)))
        small = Problem(Rows(wide, 1, False), Squared(), gold, penalty)
        start = weights.copy()
        gap = max(0.1 * min(state.error, 1.0) * abs(state.value), 1e-300)
        tol = float(np.clip(gap / max(small.value(start), 1e-300), 1e-10, 0.1))
        return np.asarray(choose_solver(penalty, tol).run(small, start).x)


def _starts(columns: Ints, n: int) -> Ints:
    """Return where the columns of the wide factor begin: all rows in those of the model."""
    counts = np.zeros(n + 1, dtype=np.int64)
    counts[columns + 1] = len(columns)
    return np.cumsum(counts)


def _root(table: Array) -> Array:
    """Return R upper triangular with R'R = table, of a table made definite if rounding bent it."""
    while True:
        try:
            return np.asarray(np.linalg.cholesky(table).T)
        except np.linalg.LinAlgError:
            shift = 1e-8 * max(float(np.trace(table)) / len(table), 1e-300)
            table = table + np.diag(np.full(len(table), shift))
            continue
