"""The problem of word counts: the negative log-likelihood of counts plus a penalty.

    min_W  sum_n m_n log Z_n - sum_nv c_nv (b_tv + s_nv) + penalty(W),   m_n = sum_v c_nv

The counts enter the gradient only by A'c, which is computed once; the cost of a pass is rows x
words. The certificate is that of `GapProblem`; the conjugate of the loss at t times its residuals
m_n p_n - c_n is sum_n m_n sum_v q log q - (q - c_nv / m_n) b_tv with
q_n = t p_n + (1 - t) c_n / m_n.
"""

from __future__ import annotations

from copy import copy

import numpy as np
import scipy.sparse as sp

from laconic.core.arrays import Array, MatrixLike
from laconic.core.designs.effects import Effects
from laconic.core.penalties import Penalty
from laconic.core.problem.gap import GapProblem


class CountProblem(GapProblem):
    """An effects design, counts (rows, words) of any weight, and a penalty; no intercept."""

    design: Effects

    def __init__(self, design: Effects, counts: MatrixLike, penalty: Penalty) -> None:
        self.design = design
        self.penalty = penalty.check()
        self.counts = sp.csr_matrix(counts, dtype=np.float64)
        self.counts.sum_duplicates()
        shape = (design.n_rows, design.n_outputs)
        if self.counts.shape != shape:
            raise ValueError(f"counts must be rows x words, {shape}, got {self.counts.shape}")
        if not np.all(np.isfinite(self.counts.data)) or np.any(self.counts.data < 0):
            raise ValueError("counts must be finite and not negative")
        self.mass: Array = np.asarray(self.counts.sum(axis=1)).ravel()
        cells = self.counts.tocoo()
        self._constant = -float(cells.data @ design.background[design.steps[cells.row], cells.col])
        self._pulled = np.ascontiguousarray((design.blocks.T @ self.counts).toarray().ravel())

    def with_penalty(self, penalty: Penalty) -> CountProblem:
        """Return the same problem with another penalty; it shares what the counts gave."""
        other = copy(self)
        other.penalty = penalty.check()
        return other

    def loss_value(self, x: Array) -> float:
        """See Objective."""
        return self.design.log_partition(x, self.mass) + self._constant - float(self._pulled @ x)

    def smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective."""
        value, gradient = self.design.log_partition_gradient(x, self.mass)
        gradient -= self._pulled
        return value + self._constant - float(self._pulled @ x), gradient

    def diagonal(self, x: Array) -> Array:
        """See GapProblem."""
        return self.design.word_curvature(x, self.mass)

    def loss_conjugate(self, dual: Array, scale: float) -> float:
        """Return the conjugate of the loss, see the module.

        `dual` holds weights; their residuals, rows x words, are too many to be kept.
        """
        counts = self.counts
        rows = (counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data)
        conjugate: float = self.design.kernel.conjugate(
            dual, self.mass, scale, *rows, self.design.threads
        )
        return conjugate - self._constant

    def certificate(self, x: Array) -> float:
        """See GapProblem."""
        loss, gradient = self.smooth(x)
        return self.judge(x, loss, x, gradient)
