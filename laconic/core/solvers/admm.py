"""ADMM for overlapping groups, on copies v = M w of the weights.

    w    <- argmin loss(w) + direct(w) + rho / 2 |M w - v + u|^2   warm-started coordinate descent
    v_b  <- prox_b(M_b w + u_b, 1 / rho)                           exact, per group or per tree
    u    <- u + M w - v                                            scaled duals, always feasible

(Algorithm 2 of Yogatama 2015; Boyd et al. 2010.) M'M is diagonal (the number of copies of each
weight), so the w-step is the loss plus a quadratic around the mean of the copies. Over-relaxation
and residual balancing replace the grid over rho. Besides Boyd's primal and dual residuals a duality
gap is measured: the duals rho u are feasible, and what they leave over of the gradient is shared
among the copies and scaled back in.

With stop="change" the iteration is Algorithm 2 as it was published: rho stays, the copies are not
relaxed, and the weights of the step that hardly changed them are returned as they are, while the
copies may still be far from them. Then the number of steps and rho are part of the model.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties import OverlapGroupLasso, Penalty, PenaltySum, Terms
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver
from laconic.core.solvers.copies import NOT_SPLIT, Block, all_copies, split_penalty

# "We minimize w to a relative convergence tolerance of 1e-5" (Yogatama 2015, section 5.3.2).
W_STEP = 1e-5
W_ROUNDS = 50


class AdmmState(NamedTuple):
    """x, the copies and duals of every term, and the sums that the next w-step needs."""

    x: Array
    value: float
    error: float
    blocks: list[Block]
    scores: Array
    towards: Array
    force: Array
    rho: float
    primal: float
    dual: float
    n_steps: int
    kernel: _core.Descent
    terms: Terms
    best: Array
    best_error: float


class Admm(StepSolver[Problem, AdmmState]):
    """v = M w: alternating directions on copies of the weights, for overlapping groups and sums.

    Parameters
    ----------
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=2000
        Number of steps, at most.
    rho : float or None, default=None
        Weight of the quadratic that ties copies to weights; None adapts it to the residuals.
    relax : float, default=1.6
        Over-relaxation of the copies, from 1 (none) to below 2.
    rounds : int, default=4
        Number of rounds of coordinate descent per step, at most.
    check_every : int, default=10
        Number of steps from one measurement of the certificate to the next.
    stop : {"gap", "change"}, default="gap"
        What `tol` bounds: the relative duality gap, or |w_new - w| / |w_new|. With "change" the
        last weights are returned without rounding, and the certificate still is their gap; the
        published algorithm is ``Admm(1e-3, max_iter=100, rho=1.0, relax=1.0, stop="change")``.

    Examples
    --------
    >>> from laconic import Admm, Groups, OverlapGroupLasso, SparseRegressor
    >>> groups = Groups.from_lists([[0, 1], [1, 2]], n_features=3)
    >>> X, y = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [3.0, 2.0, 0.1]
    >>> penalty = OverlapGroupLasso(groups, strength=0.2)
    >>> model = SparseRegressor(penalty, solver=Admm(), fit_intercept=False).fit(X, y)
    >>> model.converged_, model.report_.groups_kept
    (True, 2)
    """

    needs_problem = (Problem,)
    needs_penalty = (OverlapGroupLasso, PenaltySum)
    takes = "OverlapGroupLasso or a sum with it (PenaltySum)"

    def __init__(
        self,
        tol: float = 1e-4,
        max_iter: int = 2000,
        rho: float | None = None,
        relax: float = 1.6,
        rounds: int = 4,
        check_every: int = 10,
        stop: Literal["gap", "change"] = "gap",
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.rho = rho
        self.relax = relax
        self.rounds = rounds
        self.check_every = check_every
        self.stop = stop

    def unsupported(self, penalty: Penalty) -> str:
        """See Solver."""
        return NOT_SPLIT if isinstance(penalty, PenaltySum) and not penalty.splits else ""

    def init(self, problem: Problem, x: Array) -> AdmmState:
        """Return the state with all copies at their weights and all duals zero."""
        if self.stop not in ("gap", "change"):
            raise ValueError(f"stop is 'gap' or 'change', got {self.stop!r}")
        n = problem.design.n_penalised
        terms = split_penalty(problem)[0].terms(n)
        kernel = problem.descent(terms.ptr, terms.index, terms.mass)
        blocks = [Block(term, n, problem.design.threads) for term in all_copies(problem)]
        weights = problem.parts(x)[0]
        for block in blocks:
            block.v = weights[block.index]
        scores = problem.design.score(x)
        towards = sum((block.sum_copies(block.v) for block in blocks), np.zeros(n))
        rho = self.rho if self.rho is not None else self._first_rho(problem, blocks)
        zero = np.zeros(n)
        return AdmmState(
            x,
            problem.value(x),
            np.inf,
            blocks,
            scores,
            towards,
            zero,
            rho,
            np.inf,
            np.inf,
            0,
            kernel,
            terms,
            x.copy(),
            np.inf,
        )

    @staticmethod
    def _first_rho(problem: Problem, blocks: list[Block]) -> float:
        """Return ten times the mean mass per copy, the force of groups, over a typical weight."""
        mass = sum(float(block.mass.sum()) for block in blocks)
        copies = sum(float(len(block.index)) for block in blocks)
        force = 10.0 * mass / max(copies, 1.0)
        return (force if force > 0 else 1.0) / problem.typical_weight()

    def step(self, problem: Problem, state: AdmmState) -> AdmmState:
        """Take one round of w, v and u."""
        x, rho, terms, blocks = state.x, state.rho, state.terms, state.blocks
        weights, intercept = problem.parts(x)
        before = weights.copy() if self.stop == "change" else weights
        counts = sum((block.counts for block in blocks), np.zeros(len(weights)))
        # rho/2 sum_i N_i (w_i - mu_i)^2 with mu the mean of v - u, plus any ridge of the penalty,
        # as one centred quadratic.
        quadratic = rho * counts
        ridge = quadratic + terms.ridge
        with np.errstate(divide="ignore", invalid="ignore"):
            centre = np.where(ridge > 0, rho * state.towards / ridge, 0.0)
        # The kernel's tolerance is relative (DescentLimits), this one in units of the gradient.
        unit = float(terms.lasso.mean()) + float(np.sqrt(ridge.mean() * abs(state.value)))
        tolerance = (
            W_STEP
            if self.stop == "change"
            else 0.1 * rho * state.primal / np.sqrt(max(len(weights), 1)) / unit
            if np.isfinite(state.primal) and unit > 0
            else 1e-3
        )
        rounds = max(self.rounds, W_ROUNDS) if self.stop == "change" else self.rounds
        everything = np.arange(len(terms.mass))
        state.kernel.descend(
            everything,
            _core.SeparableTerms(
                lasso=terms.lasso, ridge=ridge, centre=centre, positive=terms.positive
            ),
            weights,
            intercept,
            state.scores,
            _core.DescentLimits(tolerance=tolerance, max_rounds=rounds, max_passes=60),
        )
        results = [block.split(weights, rho, self.relax) for block in blocks]
        towards = sum((r[0] for r in results), np.zeros(len(weights)))
        change = sum((r[1] for r in results), np.zeros(len(weights)))
        force = sum((r[2] for r in results), np.zeros(len(weights)))
        primal = np.sqrt(sum(r[3] for r in results))
        dual = rho * float(np.linalg.norm(change))
        scale_primal = np.sqrt(max(sum(r[4] for r in results), sum(r[5] for r in results), 1e-300))
        scale_dual = max(rho * float(np.linalg.norm(force)), 1e-300)
        state = state._replace(
            towards=towards,
            force=rho * force,
            primal=primal,
            dual=dual,
            n_steps=state.n_steps + 1,
            error=np.inf,
        )
        if self.stop == "change":
            size = float(np.linalg.norm(weights))
            moved = float(np.linalg.norm(weights - before))
            return state._replace(error=moved / size if size > 0 else 0.0)
        if state.n_steps % self.check_every == 0:
            state = self._measure(problem, state)
        return self._balance(state, primal / scale_primal, dual / scale_dual)

    def _balance(self, state: AdmmState, primal: float, dual: float) -> AdmmState:
        """Let rho follow sqrt(primal / dual) when the two residuals drift apart.

        Scaled duals and their sums change with it.
        """
        n = state.n_steps
        if self.rho is not None or n % 10 or n > 300 or not (primal > 0 and dual > 0):
            return state
        factor = float(np.clip(np.sqrt(primal / dual), 0.5, 2.0))
        if 0.67 < factor < 1.5:
            return state
        towards = state.towards
        for block in state.blocks:
            towards = towards + block.sum_copies(block.u) - block.sum_copies(block.u) / factor
            block.u /= factor
        return state._replace(rho=state.rho * factor, towards=towards)

    def _measure(self, problem: Problem, state: AdmmState) -> AdmmState:
        """Measure the duality gap at the weights, with zeros where a group of copies is zero.

        The best point so far is kept.
        """
        x = state.x.copy()
        weights = problem.parts(x)[0]
        for block in state.blocks:
            weights[block.index[block.v == 0]] = 0.0
        scores = problem.design.score(x)
        problem.fit_intercept(x, scores)
        value = problem.residuals(scores)[0] + problem.penalty.value(weights)
        whole, plain, bound = self._raw(problem, state)
        best, chosen = (x, value) if value <= plain else (whole, plain)
        error = problem.relative_gap(max(0.0, chosen - bound), chosen)
        if error < state.best_error:
            state = state._replace(best=best, best_error=error)
        return state._replace(value=chosen, error=error)

    def _raw(self, problem: Problem, state: AdmmState) -> tuple[Array, float, float]:
        """Return the weights as they are, their objective, and the dual objective.

        The dual comes from the unrounded weights, where the forces balance best.
        """
        whole, scores = state.x.copy(), state.scores.copy()
        problem.fit_intercept(whole, scores)
        residual = problem.residuals(scores)[1]
        gradient = problem.parts(problem.design.pull(residual))[0]
        bound = self.dual_value(problem, state, residual, gradient)
        return whole, problem.value(whole), bound

    @staticmethod
    def dual_value(problem: Problem, state: AdmmState, residual: Array, gradient: Array) -> float:
        """Return the dual objective at scaled residuals and repaired group duals.

        It is a lower bound of the optimum.
        """
        direct, _ = split_penalty(problem)
        left = gradient + state.force
        counts = sum((block.counts for block in state.blocks), np.zeros(len(left)))
        terms = state.terms
        if np.any(terms.ridge > 0):
            conjugate = direct.conjugate(-left)
            if np.isfinite(conjugate):
                return -problem.loss_conjugate(residual, 1.0) - conjugate
        # What the lasso box cannot take is shared among the copies of the weight.
        absorbed = (
            np.minimum(-left, terms.lasso)
            if terms.positive
            else np.clip(-left, -terms.lasso, terms.lasso)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(counts > 0, (left + absorbed) / counts, 0.0)
            alone = np.where(
                (counts == 0) & (np.abs(left) > terms.lasso), np.abs(left) / terms.lasso, 1.0
            )
        worst = float(np.max(alone, initial=1.0))
        for block in state.blocks:
            repaired = state.rho * block.u - share[block.index]
            worst = max(worst, block.inner.gauge(-repaired))
        return -problem.loss_conjugate(residual, 1.0 / worst)

    def finish(self, problem: Problem, state: AdmmState) -> tuple[Array, float, dict[str, object]]:
        """Return the best certified point, and which groups of each term were kept."""
        if self.stop == "gap" and not np.isfinite(state.best_error):
            state = self._measure(problem, state)
        extra = {
            "selected": [block.selected() for block in state.blocks],
            "primal_residual": state.primal,
            "dual_residual": state.dual,
            "rho": state.rho,
        }
        if self.stop == "change":
            x, value, bound = self._raw(problem, state)
            return x, problem.relative_gap(max(0.0, value - bound), value), extra
        return state.best, state.best_error, extra

    def reached(self, state: AdmmState, certificate: float) -> bool:
        """See StepSolver."""
        return (state.error if self.stop == "change" else certificate) <= self.tol
