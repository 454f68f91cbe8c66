"""What is known about a problem from outside: objectives in plain NumPy, optima from Clarabel.

Clarabel gets the problem in other units, so that no number is large or small whatever the data:
W = scale V with columns of variance one, and the objective over its value at zero. Its dual
objective is a lower bound of the optimum (up to its tolerance of 1e-10 for feasibility) and the
NumPy objective of its point an upper one: how far these are apart is what the oracle knows not.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks.linear_formulas import Formula
from benchmarks.linear_random import Case
from laconic.core.arrays import Array

TIGHT = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10, "time_limit": 5.0}


class Bounds(NamedTuple):
    """The optimum lies between `low` and `high`; infinite where nothing is known."""

    low: float
    high: float


def objective(case: Case, strength: float, W: Array, b: Array) -> float:
    """Return the objective at weights (p, K) and intercepts (K,), in plain NumPy."""
    return _loss(case, W, b) + case.drawn.formula(strength).value(W)


def _loss(case: Case, W: Array, b: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return case.formula.value(case.dense @ W + b, case.y, case.weight)


def at_zero(case: Case, strength: float) -> float:
    """Return the objective of no weights and no intercept."""
    K = case.formula.n_outputs
    return objective(case, strength, np.zeros((case.X.shape[1], K)), np.zeros(K))


def optimum(case: Case, strength: float) -> Bounds:
    """Return bounds of the optimum of a convex problem from Clarabel."""
    import cvxpy as cp

    X, s, K = case.dense, case.weight, case.formula.n_outputs
    unit = at_zero(case, strength) or 1.0
    size = np.sqrt(s @ X**2 / s.sum())
    width = float(np.std(case.y)) or 1.0 if case.formula.targets == "real" else 1.0
    scale = width / np.where(size > 0, size, 1.0)
    formula: Formula = case.drawn.formula(strength / unit)
    V = cp.Variable((X.shape[1], K), nonneg=formula.positive)
    scores = (X * scale) @ V
    b = cp.Variable((1, K))
    if case.intercept:
        scores = scores + width * (np.ones((len(X), 1)) @ b)
    loss = case.formula.convex(scores, case.y, s / unit)
    program = cp.Problem(cp.Minimize(loss + formula.convex_value(V, scale)))
    found = solve(program)
    if found is None or V.value is None:
        return Bounds(-np.inf, np.inf)
    W = scale[:, None] * (np.maximum(V.value, 0.0) if formula.positive else V.value)
    intercept = width * b.value.ravel() if case.intercept else np.zeros(K)
    return Bounds(unit * found, objective(case, strength, W, intercept))


def solve(program: Any) -> float | None:
    """Solve by Clarabel and return its dual objective; None where it fails."""
    import cvxpy as cp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data, chain, inverse = program.get_problem_data(cp.CLARABEL, solver_opts=dict(TIGHT))
        raw = chain.solve_via_data(program, data, solver_opts=dict(TIGHT))
        try:
            program.unpack_results(raw, chain, inverse)
        except cp.error.SolverError:
            return None
    if program.status not in ("optimal", "optimal_inaccurate"):
        return None
    return float(raw.obj_val_dual + (program.value - raw.obj_val))


def steepest_slope(case: Case, strength: float, W: Array, b: Array) -> float:
    """Return how steeply the objective falls from (W, b) along the best one of all coordinates.

    Over the steepest fall of the loss alone from zero weights: 0 at a point from which no small
    step along a coordinate gains. By differences, of the loss over steps that change scores by
    1e-5, and of each weight's cost over steps that are small beside anything. A loss with kinks
    turns at each row: there a step changes scores by a thousandth of the targets' deviation.
    """
    X, K, formula = case.dense, case.formula.n_outputs, case.drawn.formula(strength)
    size = np.sqrt(case.weight @ X**2 / case.weight.sum())
    share = 1e-5 if case.formula.loss.smooth else 1e-3 * (float(np.std(case.y)) or 1.0)
    zero, steepest, largest = np.zeros_like(W), 0.0, 0.0
    here, bare = _loss(case, W, b), _loss(case, zero, b)
    for i in np.flatnonzero(size):
        move = share / size[i]
        for k, way in product(range(K), (1.0, -1.0)):
            step, tiny = np.zeros_like(W), np.zeros_like(W)
            step[i, k] = way * move
            near = 1e-6 * abs(W[i, k]) or 1e-30 / size[i]  # a jump is steeper than any loss
            tiny[i, k] = way * near
            cost = (formula.each(W + tiny) - formula.each(W))[i, k] / near
            if formula.positive and W[i, k] + tiny[i, k] < 0:
                cost = np.inf
            rise = (_loss(case, W + step, b) - here) / move
            steepest = max(steepest, -rise - cost)
            rise = (_loss(case, zero + step, b) - bare) / move
            largest = max(largest, -rise)
    return steepest / largest if largest > 0 else 0.0
