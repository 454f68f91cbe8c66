"""The Hessian of loss + squared penalty at given scores: A'HA + P.

H is diag(h), or diag(h) - h h' / s in each row of weight s for the multinomial loss. It is known by
its products and its diagonal; where few weights make it cheap it is written down and factored.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from laconic.core.arrays import Array
from laconic.core.penalties import Quadratic, Ridge
from laconic.core.problem import Problem

FEW_WEIGHTS = 128  # of a Hessian that is always factored
MOST_WEIGHTS = 2000  # of a Hessian that is written down
BLAS_GAIN = 8.0  # times that a dense product is faster, per multiplication, than a sparse one
CALL = 4e4  # multiplications that cost what the calls of one step cost


class Hessian:
    """A'HA + P at scores."""

    def __init__(self, problem: Problem, scores: Array):
        assert isinstance(problem.penalty, Quadratic)
        self.design, self.penalty = problem.design, problem.penalty
        self.bend = problem.bound.curvature(scores)
        weight = problem.gold.weight
        self.coupling = np.zeros(0)
        if problem.loss.coupled:
            self.coupling = np.divide(1.0, weight, out=np.zeros_like(weight), where=weight > 0)

    def multiply(self, v: Array) -> Array:
        """Return (A'HA + P) v."""
        n = self.design.n_penalised
        product = self.design.curve(self.bend, self.coupling, v)
        product[:n] += self.penalty.gradient(v[:n])
        return product

    def diagonal(self) -> Array:
        """Return the diagonal, positive."""
        n, K = self.design.n_penalised, self.design.n_outputs
        bend = self.bend
        if len(self.coupling):
            bend = bend - np.repeat(self.coupling, K) * bend**2
        total = np.empty(self.design.n_weights)
        total[:n] = self.design.curvature(bend) + self.penalty.diagonal(n)
        if self.design.intercept:
            total[n:] = bend.reshape(-1, K).sum(axis=0)
        top = float(total.max(initial=0.0))
        return np.maximum(total, 1e-12 * top if top > 0 else 1.0)

    def worth_factoring(self, n_products: int) -> bool:
        """Return whether a factor costs less than this number of products with vectors."""
        design = self.design
        K, entries = design.n_outputs, float(design.matrix.n_entries)
        size = design.n_weights if len(self.coupling) else design.n_weights / K
        if not isinstance(self.penalty, Ridge) or design.n_weights > MOST_WEIGHTS:
            return False
        if design.n_weights <= FEW_WEIGHTS:
            return True
        tables = K * (K + 1) / 2 if len(self.coupling) else K
        written = 0.5 * tables * entries**2 / max(design.n_rows, 1)
        if design.is_dense:
            written *= 2 / BLAS_GAIN
        factored = size**3 / 3 / BLAS_GAIN * (1 if len(self.coupling) else K)
        return written + factored <= n_products * (2 * entries * K + 10 * design.n_weights + CALL)

    def solve(self, right: Array) -> Array | None:
        """Return (A'HA + P)^-1 right by Cholesky factors; None if it is singular."""
        K, n = self.design.n_outputs, self.design.n_penalised
        ridge = np.zeros(self.design.n_weights)
        ridge[:n] = self.penalty.diagonal(n)
        bend = self.bend.reshape(-1, K)
        size = len(right) // K
        solved = np.empty((size, K))
        try:
            if not len(self.coupling):  # every output on its own
                for k in range(K):
                    table = self.design.gram(np.ascontiguousarray(bend[:, k]))
                    table[np.arange(size), np.arange(size)] += ridge[k::K]
                    solved[:, k] = cho_solve(_factor(table), right[k::K])
                return solved.ravel()
            whole = np.empty((size, K, size, K))
            for k in range(K):
                for j in range(k + 1):
                    shared = -self.coupling * bend[:, j] * bend[:, k]
                    table = self.design.gram(shared + bend[:, k] if j == k else shared)
                    whole[:, j, :, k] = whole[:, k, :, j] = table
            flat = whole.reshape(size * K, size * K)
            diagonal = np.arange(size * K)
            flat[diagonal, diagonal] += ridge
            # Adding a constant to all intercepts changes nothing: no step does.
            flat[diagonal[n:], diagonal[n:]] *= 1 + 1e-9
            step: Array = cho_solve(_factor(flat), right)
            step[n:] -= step[n:].sum() / K
            return step
        except (LinAlgError, ValueError):
            return None


def _factor(table: Array) -> tuple[Array, bool]:
    """Return the Cholesky factor, or raise a LinAlgError where it means nothing."""
    with np.errstate(all="ignore"):
        factor: Array
        factor, lower = cho_factor(table, lower=True, overwrite_a=True, check_finite=False)
    pivots = np.diagonal(factor)
    if not np.all(pivots > 1e-8 * np.sqrt(np.finfo(float).eps) * float(pivots.max(initial=0.0))):
        raise LinAlgError("the Hessian is singular")
    return factor, lower
