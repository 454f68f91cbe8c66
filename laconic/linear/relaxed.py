"""Fits on chosen features alone: the relaxed lasso, and models of what nothing penalises.

    relaxed(t) = (1 - t) argmin_w { loss(w) + penalty(w) }
                     + t argmin_w { loss(w) : w_i = 0 off the support of the first }

(Meinshausen 2007; Hastie, Tibshirani and Tibshirani 2020; glmnet's gamma is 1 - t). A lasso shrinks
what it keeps; the refit does not. The refit has a ridge of 1e-6 of the typical curvature, without
which separable classes would have no finite refit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from laconic.core.arrays import Array, Bools
from laconic.core.penalties.total import RatedElasticNet
from laconic.core.problem import RowSum

if TYPE_CHECKING:
    from laconic.linear.base import SparseLinear

OUTSIDE = 1e6  # lasso of weights off the support, times the largest gradient: they stay zero
RIDGE = 1e-6  # ridge of the refit over the typical curvature


def fit_on(
    estimator: SparseLinear,
    problem: RowSum,
    support: Bools,
    ridge: float = 0.0,
    x0: Array | None = None,
) -> Array:
    """Return the solution with weights on a support alone, under a ridge of that strength."""
    from laconic.core.solvers.choose import solver_for  # not needed to predict

    penalty = RatedElasticNet(
        np.where(support, 0.0, OUTSIDE * problem.gradient_scale()),
        np.where(support, ridge, 0.0),
        bool(getattr(problem.penalty, "positive", False)),
    )
    inner = problem.under(penalty)
    return solver_for(inner, estimator.tol, estimator.max_iter).run(inner, x0).x


def relaxed_point(estimator: SparseLinear, problem: RowSum, x: Array) -> Array:
    """Return a solution mixed with the refit on its support, by the share `estimator.relax`."""
    share = estimator.relax
    if not 0 <= share <= 1:
        raise ValueError(
            f"relax must be from 0 (the penalised fit) to 1 (the refit alone), got {share!r}"
        )
    support = problem.parts(x)[0] != 0
    if not support.any():
        return x
    ridge = RIDGE * typical_curvature(problem)
    refit = fit_on(estimator, problem, support, ridge, x)
    return (1 - share) * x + share * refit


def typical_curvature(problem: RowSum, n_probes: int = 4) -> float:
    """Return sum e^2 / sum e over the eigenvalues e of the loss's Hessian at the start.

    Both traces are estimated from differences of gradients along random signs (Hutchinson 1990),
    with the intercept fitted: that is the curvature of centred features.
    """
    start = problem.start()
    n = problem.design.n_penalised
    total = squares = 0.0
    for sign in np.random.default_rng(0).choice([-1.0, 1.0], size=(n_probes, n)):
        along = np.concatenate([sign, np.zeros(len(start) - n)])
        width = 1e-3 / max(problem.reach(along), 1e-300)
        ends = [
            problem.parts(problem.fitted_smooth(start + step * along)[1])[0].copy()
            for step in (width, -width)
        ]
        product = (ends[0] - ends[1]) / (2 * width)
        total += float(sign @ product)
        squares += float(product @ product)
    # Two digits: what follows from it must not depend on how rows were summed.
    return float(f"{squares / total:.1e}") if total > 0 else 1.0
