"""DC-ADMM: weights that all lie in a finite set S (Suzuki and Nagata 2013, Fig. 1).

    w      <- argmin loss(w) + penalty(w) + rho / 2 |w - (u - alpha)|_D^2    some steps of a solver
    u      <- argmin over S^N of Upsilon(u) + rho / 2 |w + alpha - u|_D^2    exact, per weight
    alpha  <- alpha + xi (w - u)

with |v|_D^2 = sum_i d_i v_i^2, d_i growing with the problem's guess of its second derivatives (see
Biased; all 1 where it has none): under one rho for all, rare features are fixed while frequent ones
still move, and nothing is left to compensate for the error of these. The lasso may be in either
step: in that of w (DC-ADMM) or in that of u as Upsilon (DCwL1-ADMM). With a fixed rho, weights of
frequent features cycle: u stays where it is only if rho times half the gap between two values
outweighs the gradient. So rho grows from round to round, which makes w and u meet; growth = 1 is
the paper's. The problem is not convex, and no bound of its optimum comes with the result. The
result is the u with the best objective of all rounds, and its certificate the larger of the
residuals |w - u| / max(|w|, |u|, v) and |u - previous u| / max(|u|, v) of the last round, with v
the least distance between two values.

Where a number of values is given, S is learned too: from the weights at the start, and in the end
it is that of the least objective for the groups of weights that share a value (see
laconic.core.solvers.tied). Lloyd's steps between the rounds were tried and left the objective in
chunking higher, as S follows weights that are on their way to it.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties.base import factor_vector
from laconic.core.penalties.discrete import Discrete
from laconic.core.penalties.value_sets import (
    Values,
    fixed_values,
    nearest,
    values_for,
)
from laconic.core.problem import Objective, Solvable
from laconic.core.problem.biased import Biased
from laconic.core.report import ADMM_RESIDUAL, Callback
from laconic.core.solvers.base import Result, SolverState, StepSolver
from laconic.core.solvers.owlqn import Owlqn
from laconic.core.solvers.tied import fitted_values

# Of learned_values: large values cannot do what small ones are for, and weights move to those; with
# a power of 0 the objective in chunking stays a fifth higher.
POWER = -0.5
LASSO_STEPS = ("w", "u")
AUTO, LARGE = "auto", 0.9  # the quantile of sizes that the largest value of the tail is to have

InnerSolver: TypeAlias = StepSolver[Any, Any]  # of a Biased problem, with any state


class DiscreteState(NamedTuple):
    """w is x; u and alpha cover its first entries; `best` is the best x with u in place of w."""

    x: Array
    value: float
    error: float
    values: Values
    u: Array
    alpha: Array
    scale: float
    biased: Biased
    inner: SolverState | None
    best: Array
    best_value: float
    residuals: list[tuple[float, float]]


class DiscreteAdmm(StepSolver[Objective, DiscreteState]):
    """min loss(w) + penalty(w) over w in S^N: alternating directions for Discrete penalties.

    Parameters
    ----------
    tol : float, default=1e-2
        Residual at which to stop.
    max_iter : int, default=200
        Number of rounds, at most.
    rho : float, default=0.01
        Weight of the quadratic that pulls weights towards allowed values in the first round.
    growth : float, default=1.2
        Factor by which `rho` grows from one round to the next.
    xi : float, default=1.0
        Step size of the dual variables, between 0 and 2.
    lasso : {"w", "u"}, default="w"
        Step that has the penalty: that of the weights, or that of the allowed values.
    inner : StepSolver or None, default=None
        Solver of the step of the weights; None is Owlqn.
    inner_steps : int, default=5
        Number of steps of the inner solver per round, at most.
    tail : float, "auto" or None, default=1.0
        Scale of the allowed values for weights that nothing penalises, such as transitions.
        "auto" is the size of the large ones at the start over that of the set; None leaves them
        free. An intercept, which the problem fits by itself, is always free.

    Examples
    --------
    >>> from laconic import Discrete, DiscreteAdmm, SparseRegressor
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> penalty = Discrete(values=[-2, -1, 1, 2], strength=0.01)
    >>> SparseRegressor(penalty, solver=DiscreteAdmm()).fit(X, y).coef_.tolist()
    [2.0, 0.0]
    """

    needs_penalty = (Discrete,)
    takes = "a Discrete penalty"

    def __init__(
        self,
        tol: float = 1e-2,
        max_iter: int = 200,
        rho: float = 0.01,
        growth: float = 1.2,
        xi: float = 1.0,
        lasso: str = "w",
        inner: InnerSolver | None = None,
        inner_steps: int = 5,
        tail: float | str | None = 1.0,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.rho = rho
        self.growth = growth
        self.xi = xi
        self.lasso = lasso
        self.inner = inner
        self.inner_steps = inner_steps
        self.tail = tail

    def _check(self, problem: Objective) -> Discrete:
        if not (
            0 < self.rho < np.inf
            and 1 <= self.growth < np.inf
            and 0 < self.xi < 2
            and self.inner_steps >= 1
        ):
            raise ValueError(
                "rho must be positive, growth at least 1, xi between 0 and 2 and inner_steps at "
                f"least 1, got {self.rho!r}, {self.growth!r}, {self.xi!r} and {self.inner_steps!r}"
            )
        if not (
            self.tail in (None, AUTO) or (isinstance(self.tail, Real) and 0 < self.tail < np.inf)
        ):
            raise ValueError(f"tail must be a number above 0, 'auto' or None, got {self.tail!r}")
        if self.lasso not in LASSO_STEPS:
            raise ValueError(f"lasso must be 'w' or 'u', the step that has it, got {self.lasso!r}")
        assert isinstance(problem.penalty, Discrete)  # needs_penalty
        return problem.penalty

    def _inner(self) -> InnerSolver:
        return Owlqn(tol=1e-4, memory=6, check_every=10**6) if self.inner is None else self.inner

    def run(
        self,
        problem: Solvable,
        x0: Array | None = None,
        callback: Callback | None = None,
    ) -> Result:
        """See Solver.

        Without a start the problem is first solved without the set: rounds then begin at its
        rounded weights.
        """
        self.check_problem(problem)
        if x0 is None and isinstance(problem, Objective):
            free = Biased(problem, self._check(problem).relaxed(), 0.0, np.zeros(0))
            x0 = Owlqn(tol=1e-3, max_iter=100).run(free).x
        return super().run(problem, x0, callback)

    def init(self, problem: Objective, x: Array) -> DiscreteState:
        """Return the state whose u is the nearest point of S to the start, with alpha zero."""
        penalty = self._check(problem)
        n = (
            problem.design.n_penalised
            if self.tail is None or problem.fits_tail
            else problem.n_weights
        )
        scale = self._tail_scale(penalty, *problem.parts(x))
        targets = self._targets(problem, x[:n], scale)
        values = values_for(penalty.values, targets, POWER)
        u = self._rounded(problem, targets, scale, values)
        relaxed = (
            penalty.relaxed() if self.lasso == "w" else penalty.relaxed().replace(strength=0.0)
        )
        biased = Biased(problem, relaxed, self.rho, u.copy())
        best = self._point(problem, x, u)
        value = problem.value(best)
        return DiscreteState(
            x, value, np.inf, values, u, np.zeros(n), scale, biased, None, best, value, []
        )

    def step(self, problem: Objective, state: DiscreteState) -> DiscreteState:
        """Take one round of w, u and alpha."""
        inner, biased = self._inner(), state.biased
        biased.centre[:] = state.u - state.alpha
        # A quasi-Newton memory is kept although rho has grown: its curvatures are off by little.
        within = (
            inner.init(biased, state.x)
            if state.inner is None
            else inner.resume(biased, state.inner)
        )
        for _ in range(self.inner_steps):
            if within.error <= inner.tol or inner.stuck(within):
                break
            within = inner.step(biased, within)
        x = within.x
        w = x[: len(state.u)]
        targets = self._targets(problem, w + state.alpha, state.scale, biased)
        u = self._rounded(problem, targets, state.scale, state.values)
        alpha = (state.alpha + self.xi * (w - u)) / self.growth  # alpha is in units of 1 / rho
        biased.rho *= self.growth
        # Where all are zero the distance between two values is the unit.
        size = max(float(np.linalg.norm(u)), float(np.min(np.diff(state.values), initial=np.inf)))
        primal = float(np.linalg.norm(w - u)) / max(size, float(np.linalg.norm(w)))
        dual = float(np.linalg.norm(u - state.u)) / size
        point = self._point(problem, x, u)
        value = problem.value(point)
        best, best_value = (
            (point, value) if value < state.best_value else (state.best, state.best_value)
        )
        residuals = [*state.residuals, (primal, dual)]
        return DiscreteState(
            x,
            value,
            max(primal, dual),
            state.values,
            u,
            alpha,
            state.scale,
            biased,
            within,
            best,
            best_value,
            residuals,
        )

    def _tail_scale(self, penalty: Discrete, x: Array, tail: Array) -> float:
        if self.tail != AUTO:
            return 1.0 if self.tail is None else float(self.tail)
        sizes = np.abs(tail[tail != 0])
        largest = max(map(abs, values_for(penalty.values, x)))
        return max(1.0, float(np.quantile(sizes, LARGE)) / largest) if len(sizes) else 1.0

    def _targets(
        self, problem: Objective, b: Array, scale: float, biased: Biased | None = None
    ) -> Array:
        """Return what the u-step rounds: the penalty's prox if this step has it, else b.

        It has it from the first round on. Nothing penalises the tail, which is in its own scale.
        """
        weights, tail = problem.parts(b)
        if self.lasso == "u" and biased is not None:
            penalty = self._check(problem)
            factors = (
                factor_vector(penalty.factors, len(weights)) / biased.stiffness[: len(weights)]
            )
            weights = penalty.relaxed().replace(factors=factors).prox(weights, 1.0 / biased.rho)
        return np.concatenate([weights, tail / scale])

    @staticmethod
    def _rounded(problem: Objective, targets: Array, scale: float, values: Values) -> Array:
        """Take the u-step: every target to its nearest value, the tail back in its scale."""
        u = nearest(values, targets)
        problem.parts(u)[1][:] *= scale
        return u

    @staticmethod
    def _point(problem: Objective, x: Array, u: Array) -> Array:
        """Return x with u in place of the weights it covers, its intercept fitted."""
        point = x.copy()
        point[: len(u)] = u
        problem.fit_tail(point)
        return point

    def finish(
        self, problem: Objective, state: DiscreteState
    ) -> tuple[Array, float, dict[str, object]]:
        """Return the best u; the (primal, dual) residuals of all rounds are under "residuals"."""
        penalty, best = self._check(problem), state.best
        if fixed_values(penalty.values) is None:
            best = fitted_values(problem, penalty.relaxed(), best, len(state.u))
            problem.fit_tail(best)
        problem.certificate_kind = ADMM_RESIDUAL
        return best, state.error, {"residuals": state.residuals}
