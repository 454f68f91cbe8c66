"""Iterative reweighting for overlapping groups, with Newton steps and a dual bound in between.

Every group norm is the least of its quadratic upper bounds,

    |w_g| = min_{eta_g > 0}  |w_g|^2 / (2 eta_g) + eta_g / 2,

so for given eta the problem is the loss with a ridge weight of sum over the groups g of i of
mass_g / eta_g on each weight w_i, plus the lasso: a few passes of coordinate descent, whatever the
number of groups. eta follows the norms, over-relaxed (a power of their ratio). That finds the
groups that vanish within a few steps, and is slow from then on. So every few steps

    1. Newton steps (norm_steps.py) bring the weights that are not zero to their optimum,
    2. the gradient there is shared among the groups (shares.py): a lower bound of the optimum,
    3. groups whose share exceeds their mass, although they have no weight, get an eta from which
       they can grow.

Nothing of the size of the copies is stored beyond the groups themselves.
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
from laconic.core.solvers.norm_steps import NormSteps
from laconic.core.solvers.scales import Scales
from laconic.core.solvers.shares import Shares

NEWTON_STEPS = 12  # per measurement, at most
ENOUGH = 1e-5  # decrease of a Newton step that ends them, relative to tol
SHARE_ROUNDS = 12
# Norms beside the largest one: of groups that are set to zero before and after Newton's steps, of
# groups without a weight in the dual, and of such groups that should have one.
FIRST = 0.2  # eta at zero weights, relative to the weight that would explain the whole loss
VANISHED, VANISHING, SMALL, WOKEN = 1e-5, 1e-7, 3e-6, 1e-3


class ReweightedState(NamedTuple):
    """x with its scores, eta of all terms, and the ridge weights that follow from it."""

    x: Array
    value: float
    error: float
    scores: Array
    scales: list[Scales]
    ridge: Array
    kernel: _core.Descent
    newton: NormSteps
    shares: Shares
    terms: Terms
    unit: float
    bound: float
    best: Array
    best_value: float
    n_steps: int
    until: int  # steps to the next measurement
    whole: bool  # whether the next step is over all weights
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
        Smallest eta of a group, relative to the weight that would explain the whole loss.
    max_passes : int, default=2
        Number of passes of coordinate descent per step, at most.
    warm_up : int, default=10
        Number of steps from zero weights to the first Newton steps and the first measurement of the
        duality gap.
    check_every : int, default=4
        Number of steps from one measurement to the next.

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
        warm_up: int = 10,
        check_every: int = 4,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.relax = relax
        self.floor = floor
        self.max_passes = max_passes
        self.warm_up = warm_up
        self.check_every = check_every

    def unsupported(self, penalty: Penalty) -> str:
        """See Solver."""
        terms = penalty.simple() if isinstance(penalty, PenaltySum) else [penalty]
        if isinstance(penalty, PenaltySum) and (others := penalty.others()):
            return f"a term that is a {type(others[0]).__name__}"
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
        scores = problem.design.score(x)
        problem.fit_intercept(x, scores)
        weights = problem.parts(x)[0]
        unit = problem.typical_weight()
        scales = [Scales(term, n, unit * FIRST) for term in copied]
        if weights.any():
            for part in scales:
                norms = part.norms(weights)
                part.eta = np.maximum(norms, 0.03 * (float(norms.max(initial=0.0)) or unit))
        value = problem.value(x)
        state = ReweightedState(
            x,
            value,
            np.inf,
            scores,
            scales,
            sum((part.ridge() for part in scales), np.zeros(n)),
            problem.descent(terms.ptr, terms.index, terms.mass),
            NormSteps(problem, scales, terms),
            Shares(problem, scales, terms),
            terms,
            unit,
            -np.inf,
            x.copy(),
            value,
            0,
            self.check_every if weights.any() else self.warm_up,
            True,
            self._violating(problem.parts(problem.smooth(x)[1])[0], terms),
        )
        if weights.any():
            return state
        # Zero may be optimal already, as at the start of a path.
        return self._measure(problem, state, x.copy(), 0)._replace(until=self.warm_up)

    def step(self, problem: Problem, state: ReweightedState) -> ReweightedState:
        """Make a few passes with the present ridge weights, then update eta; or measure."""
        terms = state.terms
        weights, intercept = problem.parts(state.x)
        ridge = state.ridge + terms.ridge
        working = np.arange(len(weights))
        if not state.whole:
            # Weights held at zero move only in the step after a check, unless their gradient there
            # exceeds the lasso.
            largest = max((float(part.mass.max(initial=0.0)) for part in state.scales), default=0.0)
            floor = self.floor * state.unit
            active = (weights != 0) & (ridge <= 0.01 * largest / floor + terms.ridge)
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
        state = state._replace(
            n_steps=state.n_steps + 1, error=np.inf, until=state.until - 1, whole=False
        )
        if state.until <= 0:
            return self._measure_after_newton(problem, state)
        updated = sum(
            (
                part.reweigh(weights, self.relax, self.floor * state.unit)[0]
                for part in state.scales
            ),
            np.zeros(len(weights)),
        )
        return state._replace(ridge=updated)

    def _measure_after_newton(self, problem: Problem, state: ReweightedState) -> ReweightedState:
        """Take Newton steps, and measure where they lead to."""
        first = VANISHED if state.n_steps <= self.warm_up else VANISHING
        x = state.newton.without_vanished(state.x, first)
        x = state.newton.run(x, NEWTON_STEPS, VANISHING, ENOUGH * self.tol)
        return self._measure(problem, state, x, SHARE_ROUNDS)

    def _measure(
        self, problem: Problem, state: ReweightedState, x: Array, rounds: int
    ) -> ReweightedState:
        """Measure the objective and its lower bound at x, and wake groups that should grow."""
        newton = state.newton
        scores = problem.design.score(x)
        problem.fit_intercept(x, scores)
        residual = problem.residuals(scores)[1]
        gradient = problem.parts(problem.design.pull(residual))[0]
        clean = newton.without_vanished(x, VANISHED)
        problem.fit_tail(clean)
        value, whole = newton.value(clean, problem.design.score(clean)), newton.value(x, scores)
        # Exact zeros are worth a little, but not the certificate.
        if problem.relative(value - whole, whole) > 0.1 * self.tol:
            clean, value = x, whole
        if value < state.best_value:
            state = state._replace(best=clean.copy(), best_value=value)
        dual = self._dual_scales(problem, state, x)
        found = state.shares.bound(residual, gradient, dual, rounds, 0.1 * self.tol)
        bound = max(state.bound, found.value)
        error = problem.relative_gap(max(0.0, state.best_value - bound), state.best_value)
        for part, other, ratio in zip(
            state.scales, dual, found.ratios or [np.zeros(1)] * len(dual), strict=True
        ):
            norms = part.norms(problem.parts(x)[0])
            woken = WOKEN * (float(norms.max(initial=0.0)) or state.unit)
            eta = np.where(norms > 0, norms, other.eta)
            eta = np.where((ratio > 1 + 0.1 * self.tol) & (norms == 0), np.maximum(eta, woken), eta)
            part.eta = np.maximum(eta, self.floor * state.unit)
        return state._replace(
            x=x,
            scores=scores,
            value=value,
            error=error,
            bound=bound,
            until=self.check_every,
            whole=True,
            ridge=sum((part.ridge() for part in state.scales), np.zeros(len(gradient))),
            violating=self._violating(gradient, state.terms),
        )

    @staticmethod
    def _dual_scales(problem: Problem, state: ReweightedState, x: Array) -> list[Scales]:
        """Return the terms with eta at the norms of x, and small in groups without a weight."""
        scales = []
        for part in state.scales:
            norms = part.norms(problem.parts(x)[0])
            largest = float(norms.max(initial=0.0))
            small = np.minimum(part.eta, SMALL * largest) if largest else part.eta
            scales.append(part.with_eta(np.where(norms > 0, norms, small)))
        return scales

    @staticmethod
    def _violating(gradient: Array, terms: Terms) -> Bools:
        """Return which weights have a gradient larger than their lasso."""
        return (-gradient if terms.positive else np.abs(gradient)) > terms.lasso

    def finish(
        self, problem: Problem, state: ReweightedState
    ) -> tuple[Array, float, dict[str, object]]:
        """Return the best point, its gap, and which groups of each term were kept."""
        if not np.isfinite(state.error):
            state = self._measure_after_newton(problem, state)
        weights = problem.parts(state.best)[0]
        selected = [part.norms(weights) > 0 for part in state.scales]
        return state.best, state.error, {"selected": selected}
