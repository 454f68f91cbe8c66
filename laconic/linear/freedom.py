"""Degrees of freedom of a penalised fit: how many parameters it is worth.

    df = trace((H + Q)^-1 H)      over the weights that are not zero, and the intercept

H is the Hessian of the loss and Q that of the penalty there (Vaiter et al. 2017). For a lasso Q is
zero, and df the number of weights that are not zero (Zou, Hastie and Tibshirani 2007); for a ridge
it is the trace of the hat matrix; a group counts for less than its size, the more so the closer
its norm is to zero. Penalties without a known Q (concave ones, infinity norms, forests) count their
weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.groups import Groups
from laconic.core.penalties import (
    ElasticNet,
    GroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    SparseGroupLasso,
)
from laconic.core.penalties.grouped import norm_code
from laconic.core.problem import Problem

MOST_EXACT = 300  # weights up to which H is computed; beyond, the trace is estimated
N_PROBES = 12

Product: TypeAlias = Callable[[Array], Array]


@singledispatch
def bend(penalty: Penalty, w: Array) -> Product | None:
    """Return v -> Q v for the Hessian Q of a penalty at w, or None where it is zero."""
    return None


@bend.register
def _(penalty: ElasticNet, w: Array) -> Product | None:
    ridge = penalty.rates(len(w))[1]
    return None if not np.any(ridge) else lambda v: ridge * v


@bend.register
def _(penalty: PenaltySum, w: Array) -> Product | None:
    found = [product for term in penalty.scaled() if (product := bend(term, w)) is not None]
    return None if not found else lambda v: np.sum([product(v) for product in found], axis=0)


@bend.register(SparseGroupLasso)
@bend.register(GroupLasso)
@bend.register(OverlapGroupLasso)
def _(penalty: SparseGroupLasso | OverlapGroupLasso, w: Array) -> Product | None:
    groups = penalty.over(len(w))
    if norm_code(penalty.norm) != _core.Norm.two or groups.parent is not None:
        return None
    share = 1.0 if isinstance(penalty, OverlapGroupLasso) else 1.0 - penalty._ratio()
    return group_bend(groups, penalty.strength * share * groups.weight, w)


def group_bend(groups: Groups, mass: Array, w: Array) -> Product:
    """Return v -> sum_g m_g (v_g / |w_g| - w_g <w_g, v_g> / |w_g|^3) over groups not at zero."""
    member = sp.csr_matrix(
        (np.ones(len(groups.index)), groups.index, groups.ptr), shape=(len(groups), len(w))
    )
    norm = np.sqrt(member @ (w * w))
    alive = norm > 0
    rate = np.where(alive, mass / np.where(alive, norm, 1.0), 0.0)
    within = np.where(alive, rate / np.where(alive, norm, 1.0) ** 2, 0.0)
    flat = member.T @ rate
    return lambda v: flat * v - w * (member.T @ (within * (member @ (w * v))))


def degrees_of_freedom(problem: Problem, x: Array) -> float:
    """Return how many parameters the solution x of a problem is worth, with the intercept."""
    weights, tail = problem.parts(x)
    support = np.flatnonzero(weights)
    product = bend(problem.penalty, weights)
    if product is None or not len(support):
        return float(len(support) + len(tail))
    n = len(weights)
    free = np.concatenate([support, n + np.arange(len(tail))])

    def penalty_product(v: Array) -> Array:
        wide = np.zeros(n)
        wide[support] = v[: len(support)]
        return np.concatenate([product(wide)[support], np.zeros(len(tail))])

    loss_product = _loss_product(problem, x, free)
    m = len(free)
    if m <= MOST_EXACT:
        H = np.column_stack([loss_product(column) for column in np.eye(m)])
        Q = np.column_stack([penalty_product(column) for column in np.eye(m)])
        return float(np.trace(np.linalg.lstsq(H + Q, H, rcond=1e-9)[0]))
    both = LinearOperator((m, m), matvec=lambda v: loss_product(v) + penalty_product(v))
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(N_PROBES, m))
    found = [
        float(sign @ cg(both, loss_product(sign), rtol=1e-3, maxiter=200)[0]) for sign in signs
    ]
    return float(np.clip(np.mean(found), len(tail), m))


def _loss_product(problem: Problem, x: Array, free: Ints) -> Product:
    """Return v -> H v over some of the weights, by differences of gradients."""

    def product(v: Array) -> Array:
        along = np.zeros(len(x))
        along[free] = v
        moved = problem.design.score(x + along) - problem.design.score(x)
        width = 1e-3 / max(float(np.abs(moved).max(initial=0.0)), 1e-300)
        if not np.isfinite(width * np.abs(v).max(initial=0.0)) or not moved.any():
            return np.zeros(len(free))
        up = problem.smooth(x + width * along)[1][free].copy()
        return np.asarray((up - problem.smooth(x - width * along)[1][free]) / (2 * width))

    return product
