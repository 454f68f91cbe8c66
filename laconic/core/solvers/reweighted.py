"""Iterative reweighting for overlapping groups.

Every group norm is the least of its quadratic upper bounds,

    |w_g| = min_{eta_g > 0}  |w_g|^2 / (2 eta_g) + eta_g / 2,

so for given eta the problem is the loss with a ridge weight of sum over the groups g of i of
mass_g / eta_g on each weight w_i, plus the lasso: a few passes of coordinate descent, whatever the
number of groups. eta follows the norms, over-relaxed (a power of their ratio), and the weights of
groups that vanish are frozen, then set to exact zeros. The duals u_g = mass_g w_g / eta_g are in
their balls when eta = |w_g|, which gives a duality gap at any point: what the gradient leaves over
is shared in the same proportions, and the worst group scales the dual back. Nothing of the size of
the copies is stored beyond the groups themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Bools
from laconic.core.penalties import OverlapGroupLasso, Penalty, PenaltySum, Terms
from laconic.core.problem import Problem
from laconic.core.solvers.base import StepSolver
from laconic.core.solvers.copies import split_penalty
from laconic.core.solvers.scales import Scales


class ReweightedState(NamedTuple):
    """x with its scores, eta of all terms, and the ridge weights that follow from it."""

    x: Array
    value: float
    error: float
    scores: Array
    scales: list[Scales]
    ridge: Array
    kernel: _core.Descent
    terms: Terms
    bound: float
    best: Array
    best_value: float
    n_steps: int
    violating: Bools


class Reweighted(StepSolver[Problem, ReweightedState]):
    """|w_g| = min_eta |w_g|^2 / (2 eta) + eta / 2: reweighted ridge steps, for overlapping groups.

    Parameters
    ----------
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Number of steps, at most.
    relax : float, default=1.75
        Power of the ratio by which eta follows the norms of groups; above 1 is over-relaxation.
    floor : float, default=1e-8
        Smallest eta of a group.
    max_passes : int, default=2
        Number of passes of coordinate descent per step, at most.
    check_every : int, default=10
        Number of steps from one measurement of the duality gap to the next.

    Examples
    --------
    >>> from laconic import Groups, OverlapGroupLasso, Reweighted, SparseRegressor
    >>> groups = Groups.from_lists([[0, 1], [1, 2]], n_features=3)
    >>> X, y = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [3.0, 2.0, 0.1]
    >>> penalty = OverlapGroupLasso(groups, strength=0.2)
    >>> model = SparseRegressor(penalty, solver=Reweighted(), fit_intercept=False).fit(X, y)
    >>> model.converged_, model.report_.groups_kept
    (True, 2)
    """

    needs_problem = (Problem,)
    needs_penalty = (OverlapGroupLasso, PenaltySum)
    takes = "OverlapGroupLasso or a sum with it (PenaltySum)"

    def __init__(
        self,
        tol: float = 1e-3,
        max_iter: int = 500,
        relax: float = 1.75,
        floor: float = 1e-8,
        max_passes: int = 2,
        check_every: int = 10,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.relax = relax
        self.floor = floor
        self.max_passes = max_passes
        self.check_every = check_every

    def unsupported(self, penalty: Penalty) -> str:
        """See Solver."""
        terms = penalty.terms if isinstance(penalty, PenaltySum) else [penalty]
        norms = [term.norm for term in terms if isinstance(term, OverlapGroupLasso)]
        euclidean = all(norm in (2, "2") for norm in norms)
        return "" if euclidean else "the infinity norm inside groups"

    def init(self, problem: Problem, x: Array) -> ReweightedState:
        """Return the state at x.

        eta starts at a common value, or at the norms of a given start (but never at zero, from
        which it could not grow).
        """
        n = problem.design.n_penalised
        direct, copied = split_penalty(problem)
        terms = direct.terms(n)
        kernel = problem.descent(terms.ptr, terms.index, terms.mass)
        scales = [Scales(term, n, 0.1) for term in copied]
        weights = problem.parts(x)[0]
        if weights.any():
            for part in scales:
                norms = part.norms(weights)
                part.eta = np.maximum(norms, 0.03 * float(norms.max(initial=0.0)))
        ridge = sum((part.ridge() for part in scales), np.zeros(n))
        scores = problem.design.score(x)
        problem.fit_intercept(x, scores)
        value = problem.value(x)
        state = ReweightedState(
            x,
            value,
            np.inf,
            scores,
            scales,
            ridge,
            kernel,
            terms,
            -np.inf,
            x.copy(),
            value,
            0,
            self._violating(problem.parts(problem.smooth(x)[1])[0], terms),
        )
        # Zero may be optimal already, as at the start of a path.
        return state if weights.any() else self._measure(problem, state._replace(value=np.inf))

    def step(self, problem: Problem, state: ReweightedState) -> ReweightedState:
        """Make a few passes with the present ridge weights, then update eta."""
        terms = state.terms
        weights, intercept = problem.parts(state.x)
        n_steps = state.n_steps + 1
        ridge = state.ridge + terms.ridge
        working = np.arange(len(weights))
        if n_steps % self.check_every != 1:
            # Weights held at zero move only in the step after a check, unless their gradient there
            # exceeds the lasso.
            largest = max((float(part.mass.max(initial=0.0)) for part in state.scales), default=0.0)
            active = (weights != 0) & (ridge <= 0.01 * largest / self.floor + terms.ridge)
            working = np.flatnonzero(active | state.violating)
        state.kernel.descend(
            working,
            _core.SeparableTerms(
                lasso=terms.lasso, ridge=ridge, centre=np.zeros(1), positive=terms.positive
            ),
            weights,
            intercept,
            state.scores,
            _core.DescentLimits(tolerance=1e-12, max_rounds=1, max_passes=self.max_passes),
        )
        state = state._replace(n_steps=n_steps, error=np.inf)
        if n_steps % self.check_every == 0:
            state = self._measure(problem, state)
        updated = sum(
            (part.reweigh(weights, self.relax, self.floor)[0] for part in state.scales),
            np.zeros(len(weights)),
        )
        return state._replace(ridge=updated)

    def _measure(self, problem: Problem, state: ReweightedState) -> ReweightedState:
        """Measure the objective with vanished groups at zero, the dual bound, and their gap."""
        x = state.x.copy()
        scores = state.scores.copy()
        problem.fit_intercept(x, scores)
        residual = problem.residuals(scores)[1]
        gradient = problem.parts(problem.design.pull(residual))[0]
        clean = self._without_vanished(problem, state, x)
        value = self._value(problem, state, clean)
        # Balancing the dual is worth its time once the weights hardly change.
        stable = problem.relative(abs(state.value - value), value) <= 10 * self.tol
        bound = max(
            state.bound, self.dual_value(problem, state, residual, gradient, 60 if stable else 0)
        )
        best, best_value = (
            (clean, value) if value < state.best_value else (state.best, state.best_value)
        )
        error = problem.relative(max(0.0, best_value - bound), best_value)
        violating = self._violating(gradient, state.terms)
        state = state._replace(value=value, error=error, bound=bound, violating=violating)
        return state._replace(best=best, best_value=best_value)

    @staticmethod
    def _violating(gradient: Array, terms: Terms) -> Bools:
        """Return which weights have a gradient larger than their lasso."""
        return (-gradient if terms.positive else np.abs(gradient)) > terms.lasso

    @staticmethod
    def _value(problem: Problem, state: ReweightedState, x: Array) -> float:
        """Return the objective, with the groups of the state."""
        weights, terms = problem.parts(x)[0], state.terms
        direct = float(
            np.sum(terms.lasso * np.abs(weights)) + 0.5 * np.sum(terms.ridge * weights * weights)
        )
        return (
            problem.loss_at(x)[0]
            + direct
            + sum(float(part.mass @ part.norms(weights)) for part in state.scales)
        )

    def _without_vanished(self, problem: Problem, state: ReweightedState, x: Array) -> Array:
        """Return x with zeros on every weight that is in a group of negligible norm."""
        clean = x.copy()
        weights = problem.parts(clean)[0]
        for part in state.scales:
            norms = part.norms(weights)
            vanished = norms < 1e-5 * float(norms.max(initial=0.0))
            on_copies = part.on_copies(vanished.astype(float))
            weights[part.index[on_copies > 0]] = 0.0
        problem.fit_intercept(clean, problem.design.score(clean))
        return clean

    def dual_value(
        self,
        problem: Problem,
        state: ReweightedState,
        residual: Array,
        gradient: Array,
        rounds: int,
    ) -> float:
        """Return a lower bound of the optimum.

        It is minus loss* and direct* at scaled residuals; the rest of the gradient is shared among
        the groups. Shares are proportional to mass / eta. Groups that get more than their mass are
        given a larger eta, the others a smaller one, for a number of rounds or until that stalls:
        the worst group's share decides how much the dual is scaled back.
        """
        terms = state.terms
        pushed = -gradient
        over = (
            np.maximum(pushed - terms.lasso, 0.0)
            if terms.positive
            else pushed - np.clip(pushed, -terms.lasso, terms.lasso)
        )
        scales = [part.twin(over != 0) for part in state.scales]
        ridge = state.ridge + terms.ridge
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.where((ridge <= 0) & (over != 0), np.abs(pushed) / terms.lasso, 1.0)
        least = max(1.0, float(np.max(alone, initial=1.0)))
        best, shared, before = np.inf, over, np.inf
        for turn in range(rounds + 1):
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = np.where(ridge > 0, over / ridge, 0.0)
            balanced = [part.reweigh(moved, 2.0, 1e-30) for part in scales]
            worst = max([least, *(ratio for _, ratio in balanced)])
            if worst < best:
                best, shared = worst, moved
            stalled = turn % 5 == 4 and best - least > 0.9 * (before - least)
            if best <= least * (1 + 0.5 * self.tol) or stalled:
                break
            before = best if turn % 5 == 4 else before
            ridge = sum((part for part, _ in balanced), terms.ridge + np.zeros(len(over)))
        scale = 1.0 / best
        return -problem.loss_conjugate(residual, scale) - 0.5 * float(
            np.sum(terms.ridge * (scale * shared) ** 2)
        )

    def finish(
        self, problem: Problem, state: ReweightedState
    ) -> tuple[Array, float, dict[str, object]]:
        """Return the best point, its gap, and which groups of each term were kept."""
        if not np.isfinite(state.error):
            state = self._measure(problem, state)
        weights = problem.parts(state.best)[0]
        selected = [part.norms(weights) > 0 for part in state.scales]
        return state.best, state.error, {"selected": selected}
