"""L-BFGS, and OWL-QN where there is an L1 term (Andrew and Gao 2007).

    d = -H v,  v = the steepest-descent pseudo-gradient of loss + ridge + lasso,  H from the last `memory` steps

With an L1 term the direction keeps the sign of -v and a step stays in its orthant, so weights become exactly zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.penalties import Separable
from laconic.problem import Objective
from laconic.solvers.base import Array, Solver


class Pair(NamedTuple):
    """A step s, the change y of the gradient along it, rho = 1 / <s, y> and scale = <s, y> / <y, y>."""

    s: Array
    y: Array
    rho: float
    scale: float


class OwlqnState(NamedTuple):
    """x, the gradient of the smooth part there, and the last steps (s, y)."""

    x: Array
    value: float
    error: float
    gradient: Array
    pairs: tuple[Pair, ...]
    lasso: Array
    ridge: Array
    n_steps: int
    stuck: bool


class Owlqn(Solver):
    """Quasi-Newton steps for L1, squared L2 and elastic net penalties."""

    def __init__(self, tol: float = 1e-6, max_iter: int = 1000, memory: int = 10, check_every: int = 5):
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.check_every = check_every

    def init(self, problem: Objective, x: Array) -> OwlqnState:
        """See Solver."""
        penalty = problem.penalty
        if not isinstance(penalty, Separable):
            raise ValueError(f"Owlqn needs an L1, Ridge or ElasticNet penalty, got {type(penalty).__name__}")
        terms = penalty.terms(problem.design.n_penalised)
        if terms.positive:
            raise ValueError("Owlqn does not take positive=True: use WorkingSet or Fista")
        rates = [np.zeros(problem.n_weights), np.zeros(problem.n_weights)]
        for full, part in zip(rates, (terms.lasso, terms.ridge), strict=True):
            problem.parts(full)[0][:] = part
        lasso, ridge = rates
        value, gradient = self._smooth(problem, x, ridge)
        return OwlqnState(x, value + float(lasso @ np.abs(x)), problem.certificate(x), gradient, (), lasso, ridge, 0, False)

    def stuck(self, state: OwlqnState) -> bool:
        """See Solver."""
        return state.stuck

    @staticmethod
    def _smooth(problem: Objective, x: Array, ridge: Array) -> tuple[float, Array]:
        loss, gradient = problem.smooth(x)
        pull = ridge * x
        value = loss + 0.5 * float(pull @ x)
        pull += gradient
        return value, pull

    def step(self, problem: Objective, state: OwlqnState) -> OwlqnState:
        """A direction from the memory, then backtracking."""
        x, lasso = state.x, state.lasso
        pseudo = pseudo_gradient(x, state.gradient, lasso)
        direction = two_loops(pseudo, state.pairs)
        np.negative(direction, out=direction)
        sparse = bool(lasso.any())
        if sparse:
            direction[(lasso > 0) & (direction * pseudo >= 0)] = 0.0
        slope = float(direction @ pseudo)
        pairs = state.pairs
        if not slope < 0:
            direction, pairs = -pseudo, ()
            slope = float(direction @ pseudo)
        orthant = np.where(x != 0, np.sign(x), -np.sign(pseudo)) if sparse else x
        t = 1.0 if pairs else 1.0 / max(1.0, float(np.linalg.norm(direction)))
        for _ in range(60):
            moved = x + t * direction
            if sparse:
                moved[(lasso > 0) & (moved * orthant <= 0)] = 0.0
            smooth, gradient = self._smooth(problem, moved, state.ridge)
            value = smooth + float(lasso @ np.abs(moved))
            # Near the optimum values differ by rounding alone, while gradients still tell better from worse.
            if value <= state.value + 1e-4 * float(pseudo @ (moved - x)) + 1e-15 * abs(state.value):
                break
            t *= 0.5
        else:
            # Without memory the direction was steepest descent: nothing is left to try.
            return state._replace(error=problem.certificate(x), pairs=(), n_steps=state.n_steps + 1, stuck=not pairs)
        s, y = moved - x, gradient - state.gradient
        along, length = float(s @ y), float(y @ y)
        if along > 1e-10 * length > 0:
            pairs = (*pairs, Pair(s, y, 1.0 / along, along / length))[-self.memory :]
        n_steps = state.n_steps + 1
        error = problem.certificate(moved) if n_steps % self.check_every == 0 else np.inf
        return OwlqnState(moved, value, error, gradient, pairs, lasso, state.ridge, n_steps, False)


def pseudo_gradient(x: Array, gradient: Array, lasso: Array) -> Array:
    """The gradient of smallest size among the one-sided ones at x."""
    if not lasso.any():
        return gradient
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - lasso, 0.0)
    return np.where(x != 0, gradient + lasso * np.sign(x), at_zero)


def two_loops(v: Array, pairs: tuple[Pair, ...]) -> Array:
    """H v with the inverse Hessian that the pairs imply (Nocedal 1980)."""
    q = v.copy()
    room = np.empty_like(q)
    kept = []
    for pair in reversed(pairs):
        a = pair.rho * float(pair.s @ q)
        q -= np.multiply(pair.y, a, out=room)
        kept.append((a, pair))
    if pairs:
        q *= pairs[-1].scale
    for a, pair in reversed(kept):
        q += np.multiply(pair.s, a - pair.rho * float(pair.y @ q), out=room)
    return q
