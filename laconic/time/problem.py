"""The problem of word counts: min_W sum_n m_n log Z_n - sum_nv c_nv (b_tv + s_nv) + penalty(W), m_n = sum_v c_nv: the negative log-likelihood of counts.

The counts enter the gradient by A'c alone, which is computed once; what every pass costs is rows x words. The certificate is what
`Problem` has; the conjugate of the loss at t times its residuals m_n p_n - c_n is sum_n m_n sum_v q log q - (q - c_nv / m_n) b_tv with
q_n = t p_n + (1 - t) c_n / m_n.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.core.arrays import Array
from laconic.core.designs.effects import Effects
from laconic.core.penalties import Penalty
from laconic.core.problem.gap import GapProblem


class CountProblem(GapProblem):
    """design + counts (rows, words) of any weights + penalty. There is no intercept to fit."""

    design: Effects

    def __init__(self, design: Effects, counts: Any, penalty: Penalty):
        self.design = design
        self.penalty = penalty.check()
        self.counts = sp.csr_matrix(counts, dtype=np.float64)
        self.counts.sum_duplicates()
        shape = (design.n_rows, design.n_outputs)
        if self.counts.shape != shape:
            raise ValueError(f"counts must be rows x words, {shape}, got {self.counts.shape}")
        if not np.all(np.isfinite(self.counts.data)) or np.any(self.counts.data < 0):
            raise ValueError("counts must be finite and not negative")
        self.mass = np.asarray(self.counts.sum(axis=1)).ravel()
        cells = self.counts.tocoo()
        self._constant = -float(cells.data @ design.background[design.steps[cells.row], cells.col])
        self._pulled = np.ascontiguousarray((design.blocks.T @ self.counts).toarray().ravel())

    def with_penalty(self, penalty: Penalty) -> CountProblem:
        """The same problem with another penalty; what was computed from the counts is shared."""
        other = copy(self)
        other.penalty = penalty.check()
        return other

    @property
    def total_weight(self) -> float:
        """Of all words."""
        return float(self.mass.sum())

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
        """See the module; `dual`: the weights whose residuals are meant, since these, rows x words, are too many to be kept."""
        counts = self.counts
        rows = (counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data)
        return (
            self.design.kernel.conjugate(dual, self.mass, scale, *rows, self.design.threads)
            - self._constant
        )

    def certificate(self, x: Array) -> float:
        """See GapProblem."""
        loss, gradient = self.smooth(x)
        return self.judge(x, loss, x, gradient)
