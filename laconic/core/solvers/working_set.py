"""Working sets with proximal Newton coordinate descent, for lasso, elastic net and disjoint groups.

Sparse solutions cost what their active set costs: each step computes the whole gradient once,
certifies the point, and hands the kernel the blocks that are active or violate optimality most. The
set at least doubles the support each time, as in celer (Massias, Gramfort and Salmon 2018), so few
steps are needed. Where passes over single blocks do not end the work, Newton steps on the whole
support do: correlated weights would take hundreds of passes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Bools
from laconic.core.penalties import Blockwise, Penalty, SparseGroupLasso, Terms
from laconic.core.penalties.grouped import norm_code
from laconic.core.problem import Problem
from laconic.core.problem.by_class import ClassDescent
from laconic.core.solvers.base import StepSolver

SMALL = 20_000  # entries of a matrix times outputs
PATIENCE = 4  # times the rounds of other sets, for the classes of a whole one
MAX_IDLE = 3  # steps in a row without any gain, after which none is expected


class WorkingSetState(NamedTuple):
    """x with its scores, the kernel, and what the next choice of blocks needs."""

    x: Array
    value: float
    error: float
    scores: Array
    violation: Array
    active: Bools
    size: int
    kernel: _core.Descent | ClassDescent
    terms: Terms
    bound: float = -np.inf  # the best dual value so far
    idle: int = 0  # steps in a row that changed nothing
    share: float = 1.0  # of the penalty in the value, 1 where it is not known


class WorkingSet(StepSolver[Problem, WorkingSetState]):
    """Proximal Newton coordinate descent on a growing working set of blocks of weights.

    Parameters
    ----------
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=200
        Number of working sets, at most.
    first_size : int, default=64
        Number of blocks in the first working set; of single weights of classes, per class.
    max_rounds : int, default=12
        Number of Newton rounds per working set, at most.
    max_passes : int, default=20
        Number of passes over the working set per round, at most.
    max_newton : int, default=5
        Number of Newton steps on the support per working set, at most.
    max_products : int, default=300
        Number of products by the Hessian per Newton step, at most.

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
        max_newton: int = 5,
        max_products: int = 300,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.first_size = first_size
        self.max_rounds = max_rounds
        self.max_passes = max_passes
        self.max_newton = max_newton
        self.max_products = max_products

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
        kernel = problem.sparse_descent(terms)
        state = WorkingSetState(
            x,
            np.inf,
            np.inf,
            problem.scores(x),
            np.zeros(0),
            np.zeros(0, bool),
            self.first_size * (kernel.n_classes if isinstance(kernel, ClassDescent) else 1),
            kernel,
            terms,
        )
        return self._measure(problem, state)

    def _measure(self, problem: Problem, state: WorkingSetState) -> WorkingSetState:
        """Measure value, certificate and violations at the state's point."""
        terms, weights = state.terms, problem.parts(state.x)[0]
        problem.fit_intercept(state.x, state.scores)
        problem.keep_scores(state.x, state.scores)
        loss, residual = problem.residuals(state.scores)
        dual = problem.feasible(residual)
        gradient = problem.parts(problem.pull(dual))[0]
        penalty = problem.penalty.value(weights)
        value = loss + penalty
        bound = max(state.bound, value - problem.gap(loss, dual, gradient, penalty))
        error = (
            problem.relative_gap(max(0.0, value - bound), value)
            if np.isfinite(bound)
            else problem.certificate(state.x)
        )
        active, violation = violations(terms, weights, gradient)
        gained = value < state.value or bound > state.bound or error < state.error
        return state._replace(
            value=value,
            error=error,
            violation=violation,
            active=active,
            bound=bound,
            idle=0 if gained else state.idle + 1,
            share=penalty / value if penalty > 0 else 1.0,
        )

    def finish(
        self, problem: Problem, state: WorkingSetState
    ) -> tuple[Array, float, dict[str, object]]:
        """See StepSolver; the intercept is at its optimum since the last certificate."""
        return state.x.copy(), state.error, {}

    def stuck(self, state: WorkingSetState) -> bool:
        """See StepSolver: the last working sets, each of more blocks, moved nothing."""
        return state.idle >= MAX_IDLE

    def step(self, problem: Problem, state: WorkingSetState) -> WorkingSetState:
        """Solve one working set, better than the current error asks for."""
        n_active = int(state.active.sum())
        size = min(max(2 * n_active, state.size) << state.idle, len(state.violation))
        priority = np.where(state.active, np.inf, state.violation)
        chosen = np.flatnonzero(priority > 0)
        whole = size >= len(chosen)
        if not whole:
            chosen = np.sort(chosen[np.argpartition(priority[chosen], -size)[-size:]])
        weights, intercept = problem.parts(state.x)
        terms = state.terms
        # A relative violation v of the dual costs about v penalty(w) of the gap. More digits cost
        # nothing where all is small.
        small = problem.design.matrix.n_entries * problem.design.n_outputs < SMALL
        near = state.error <= 3 * self.tol  # the last aim was too loose
        aim = 0.003 if small else (0.2 if near else 0.8) / max(state.share, 0.1)
        # A set that will grow need only show what it lacks.
        gain = 0.003 if whole else 0.1
        wanted = max(aim * self.tol, min(state.error, 1.0) * gain * min(aim, 1.0))
        wanted *= 0.1**state.idle
        entries = _core.SeparableTerms(
            lasso=terms.lasso, ridge=terms.ridge, centre=np.zeros(1), positive=terms.positive
        )
        # Turns of classes are cheap beside Newton steps on a support that is not yet right.
        patience = PATIENCE if whole and isinstance(state.kernel, ClassDescent) else 1
        limits = _core.DescentLimits(
            tolerance=wanted, max_rounds=patience * self.max_rounds, max_passes=self.max_passes
        )
        point = (weights, intercept, state.scores)
        violation = state.kernel.descend(chosen, entries, *point, limits)[1]
        # Correlated weights want Newton steps; before the set holds what will be used they would
        # solve the wrong problem. A kernel that does not know its violation says infinity.
        if violation > wanted and (np.isfinite(violation) or whole):
            # While weights outside of the set are far off, those inside need not be exact.
            steps = _core.DescentLimits(
                tolerance=max(wanted, 0.1 * min(state.error, 1.0)),
                max_rounds=self.max_newton,
                max_passes=self.max_products,
            )
            state.kernel.polish(entries, *point, steps)
        return self._measure(problem, state._replace(size=max(2 * n_active, state.size)))


def violations(terms: Terms, weights: Array, gradient: Array) -> tuple[Bools, Array]:
    """Return which blocks are active, and how far each inactive one is from optimal.

    That is the distance of 0 from its subdifferential.
    """
    pushed = (
        np.maximum(-gradient - terms.lasso, 0.0)
        if terms.positive
        else np.maximum(np.abs(gradient) - terms.lasso, 0.0)
    )
    if terms.blocks is not None:
        length, norms = np.empty(len(terms.mass)), np.empty(len(terms.mass))
        terms.blocks.norms(pushed, _core.Norm.two, length)
        terms.blocks.norms(weights, _core.Norm.two, norms)
        return norms > 0, np.maximum(length - terms.mass, 0.0)
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
