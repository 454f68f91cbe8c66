"""Weights that share values: min over v of loss(w) + penalty(w) with w_i = v[k_i].

The groups k are given, and a handful of values v is fitted by L-BFGS: the gradient of a value is
the sum of those of its weights. It is what learns a set of values from the loss, once it is known
which weights go together.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from laconic.core.arrays import Array
from laconic.core.penalties import ElasticNet
from laconic.core.penalties.base import factor_vector
from laconic.core.problem import Objective

MOST_STEPS = 30


def fitted_values(problem: Objective, penalty: ElasticNet, x: Array, n: int) -> Array:
    """Return x with the values of its first n entries fitted; equal ones stay equal, 0 stays 0.

    The objective is not above that of x.
    """
    values, group = np.unique(x[:n], return_inverse=True)
    free = values != 0
    n_penalised = problem.design.n_penalised
    lasso = penalty.strength * penalty._ratio()
    ridge = penalty.strength - lasso
    factors = factor_vector(penalty.factors, n_penalised)

    def point(v: Array) -> Array:
        full, found = values.copy(), x.copy()
        full[free] = v
        found[:n] = full[group]
        return found

    def objective(v: Array) -> tuple[float, Array]:
        at = point(v)
        loss, gradient = problem.smooth(at)
        weights, total = problem.parts(at)[0], gradient.copy()
        total[:n_penalised] += factors * (lasso * np.sign(weights) + ridge * weights)
        summed = np.bincount(group, total[:n], minlength=len(values))
        return loss + penalty.value(weights), summed[free]

    if not free.any():
        return x
    start = objective(values[free])[0]
    found = minimize(
        objective, values[free], jac=True, method="L-BFGS-B", options={"maxiter": MOST_STEPS}
    )
    return point(found.x) if found.fun < start else x
