"""Accelerated proximal gradient in a diagonal metric (Beck and Teboulle 2009).

    x_next = argmin_v <gradient(z), v> + factor sum_i n_i scale_i (v_i - z_i)^2 / 2 + penalty(v)
    z      = x_next + m (x_next - x)

Every weight, or every tree of weights, has a step size of its own. The Hessian of a log-likelihood
over features of 0 and 1 is bounded by a diagonal of expected counts times the number of features of
a token, and counts of contexts span five orders of magnitude: a single step size would be that of
the most frequent word. One factor, which follows the local curvature, makes the bound hold;
momentum restarts whenever it points uphill.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.solvers.base import StepSolver
from laconic.lm.nested import NestedTerms
from laconic.lm.problem import NestedProblem

# The objective, which costs a third of a step, is measured at the first steps and every sixth.
SURE = 6


class ScaledState(NamedTuple):
    """The point x, the point z where the next gradient is taken, and the factor of curvatures."""

    x: Array
    value: float
    error: float
    z: Array
    momentum: float
    factor: float
    n_steps: int


class ScaledFista(StepSolver[NestedProblem, ScaledState]):
    """Steps of size 1 / (factor scale_i); the certificate is measured every `check_every` steps."""

    needs_problem = (NestedProblem,)
    needs_penalty = (NestedTerms,)
    takes = "a penalty of nested contexts"

    def __init__(self, tol: float = 1e-4, max_iter: int = 500, check_every: int = 20):
        self.tol = tol
        self.max_iter = max_iter
        self.check_every = check_every

    def init(self, problem: NestedProblem, x: Array) -> ScaledState:
        """Return the first state; the factor starts at 1 and adapts within a few steps."""
        return ScaledState(x, problem.value(x), np.inf, x, 1.0, 1.0, 0)

    def step(self, problem: NestedProblem, state: ScaledState) -> ScaledState:
        """Take one accelerated step.

        Where the objective is measured, the factor grows until the quadratic bound holds, then
        shrinks a little.
        """
        penalty, z, factor = problem.penalty, state.z, state.factor
        n_steps = state.n_steps + 1
        measured = n_steps <= SURE or n_steps % SURE == 0
        penalty.renew(state.x)
        loss, gradient = problem.smooth(z)
        slope = gradient.copy()
        while True:
            curvature = penalty.curvature(factor)
            x = penalty.prox(z - slope / curvature, curvature)
            move = (x - z) * penalty.length
            if not measured:
                break
            new_loss = problem.loss_value(x)
            bound = loss + float(slope @ move) + 0.5 * float((curvature * (x - z)) @ move)
            if new_loss <= bound + 1e-12 * abs(loss) or factor > 1e12:
                break
            factor *= 1.5
        value = new_loss + penalty.value(x) if measured else state.value
        uphill = -float((curvature * move) @ (x - state.x)) > 0 or value > state.value * (1 + 1e-13)
        momentum = 1.0 if uphill else 0.5 * (1 + np.sqrt(1 + 4 * state.momentum**2))
        z = x if uphill else np.maximum(x + (state.momentum - 1) / momentum * (x - state.x), 0)
        error = problem.certificate(x) if n_steps % self.check_every == 0 else np.inf
        return ScaledState(
            x, value, error, z, momentum, 0.9 * factor if measured else factor, n_steps
        )
