"""DC-ADMM: weights that all lie in a finite set S (Suzuki and Nagata 2013, Fig. 1).

    w      <- argmin loss(w) + penalty(w) + rho / 2 |w - (u - alpha)|_D^2      a few warm-started steps of any solver
    u      <- argmin over S^N of Upsilon(u) + rho / 2 |w + alpha - u|_D^2      exact, weight by weight (core/penalties/discrete.py)
    alpha  <- alpha + xi (w - u)

with |v|_D^2 = sum_i d_i v_i^2, d_i growing with the problem's guess of its second derivatives (see Biased; all 1 where it has none): under
one rho for all, rare features are held fast while frequent ones still move, and nothing is left to make good for these. The lasso may
stand in either step: in that of w (DC-ADMM) or in that of u as Upsilon (DCwL1-ADMM). With a fixed rho, weights of frequent features go
round in circles: u stays where it is only if rho times half the gap between two values outweighs the gradient. So rho grows from round
to round, which makes w and u meet; growth = 1 is the paper's. The problem is not convex, and no bound of its optimum comes with the
result. What is returned is the best u of all rounds by the objective, and as its certificate the larger of the residuals
|w - u| / max(|w|, |u|) and |u - u before| / |u| of the last round.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties.base import factor_vector
from laconic.core.penalties.discrete import Discrete, check_values, nearest
from laconic.core.problem import Biased, Objective
from laconic.core.report import Callback
from laconic.core.solvers.base import Result, Solver
from laconic.core.solvers.owlqn import Owlqn

LASSO_STEPS = ("w", "u")
AUTO, LARGE = "auto", 0.9  # the quantile of sizes that the largest value of the tail is to have


class DiscreteState(NamedTuple):
    """w is x; u and alpha cover its first entries; `point` is x with u in place of w, `best` the best of these."""

    x: Array
    value: float
    error: float
    u: Array
    alpha: Array
    scale: float
    biased: Biased
    inner: Any
    best: Array
    best_value: float
    residuals: list[tuple[float, float]]


class DiscreteAdmm(Solver):
    """Alternating directions for problems with a Discrete penalty.

    rho: the pull of w towards u, in units of Biased.stiffness, `growth` times larger after each round; xi: the step of alpha. lasso: the
    step, "w" or "u", that has the penalty. inner: the solver of the w-step, `inner_steps` of its steps at a time; None is Owlqn. tail: weights that nothing penalises (transitions) take values of
    tail * S, as if their features were worth `tail` and not 1; "auto" is the size of the large ones at the start over that of S; None leaves
    them free. An intercept, which the problem settles by itself, is always free.
    """

    def __init__(
        self,
        tol: float = 1e-2,
        max_iter: int = 60,
        rho: float = 0.01,
        growth: float = 1.2,
        xi: float = 1.0,
        lasso: str = "w",
        inner: Solver | None = None,
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
                "rho must be positive, growth at least 1, xi between 0 and 2 and inner_steps at least 1, "
                f"got {self.rho!r}, {self.growth!r}, {self.xi!r} and {self.inner_steps!r}"
            )
        if not (
            self.tail in (None, AUTO) or (isinstance(self.tail, Real) and 0 < self.tail < np.inf)
        ):
            raise ValueError(f"tail must be a number above 0, 'auto' or None, got {self.tail!r}")
        if self.lasso not in LASSO_STEPS:
            raise ValueError(f"lasso must be 'w' or 'u', the step that has it, got {self.lasso!r}")
        if not isinstance(problem.penalty, Discrete):
            raise ValueError(
                f"DiscreteAdmm needs a Discrete penalty, got {type(problem.penalty).__name__}"
            )
        return problem.penalty

    def _inner(self) -> Solver:
        return Owlqn(tol=1e-4, memory=6, check_every=10**6) if self.inner is None else self.inner

    def run(
        self,
        problem: Objective,
        x0: Array | None = None,
        callback: Callback | None = None,
    ) -> Result:
        """See Solver. Without a start the problem is first solved without the set: rounds then begin at its rounded weights."""
        if x0 is None:
            free = Biased(problem, self._check(problem).relaxed(), 0.0, np.zeros(0))
            x0 = Owlqn(tol=1e-3, max_iter=100).run(free).x
        return super().run(problem, x0, callback)

    def init(self, problem: Objective, x: Array) -> DiscreteState:
        """U is the nearest point of S to the start, alpha zero."""
        penalty = self._check(problem)
        n = (
            problem.design.n_penalised
            if self.tail is None or problem.settles
            else problem.n_weights
        )
        scale = self._tail_scale(penalty, problem.parts(x)[1])
        u = self._round(problem, x[:n], scale)
        relaxed = (
            penalty.relaxed() if self.lasso == "w" else penalty.relaxed().replace(strength=0.0)
        )
        biased = Biased(problem, relaxed, self.rho, u.copy())
        best = self._point(problem, x, u)
        value = problem.value(best)
        return DiscreteState(x, value, np.inf, u, np.zeros(n), scale, biased, None, best, value, [])

    def step(self, problem: Objective, state: DiscreteState) -> DiscreteState:
        """One round of w, u and alpha."""
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
        u = self._round(problem, w + state.alpha, state.scale, biased)
        alpha = (state.alpha + self.xi * (w - u)) / self.growth  # alpha is in units of 1 / rho
        biased.rho *= self.growth
        size = max(float(np.linalg.norm(u)), 1e-300)
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
            u,
            alpha,
            state.scale,
            biased,
            within,
            best,
            best_value,
            residuals,
        )

    def _tail_scale(self, penalty: Discrete, tail: Array) -> float:
        if self.tail != AUTO:
            return 1.0 if self.tail is None else float(self.tail)
        sizes = np.abs(tail[tail != 0])
        return (
            max(1.0, float(np.quantile(sizes, LARGE)) / max(map(abs, penalty.values)))
            if len(sizes)
            else 1.0
        )

    def _round(
        self, problem: Objective, b: Array, scale: float, biased: Biased | None = None
    ) -> Array:
        """The u-step: the exact prox over S of the penalty, if it is this step's (and not the start's), and of nothing for the tail."""
        penalty = self._check(problem)
        values = check_values(penalty.values)
        weights, tail = problem.parts(b)
        if self.lasso == "u" and biased is not None:
            factors = (
                factor_vector(penalty.factors, len(weights)) / biased.stiffness[: len(weights)]
            )
            weights = penalty.relaxed().replace(factors=factors).prox(weights, 1.0 / biased.rho)
        return np.concatenate([nearest(values, weights), scale * nearest(values, tail / scale)])

    @staticmethod
    def _point(problem: Objective, x: Array, u: Array) -> Array:
        """X with u in place of the weights it covers, the intercept settled."""
        point = x.copy()
        point[: len(u)] = u
        problem.settle(point)
        return point

    def finish(
        self, problem: Objective, state: DiscreteState
    ) -> tuple[Array, float, dict[str, Any]]:
        """The best u; the residuals of all rounds, (primal, dual) each, under "residuals"."""
        return state.best, state.error, {"residuals": state.residuals}
