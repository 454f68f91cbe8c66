"""The effects design: scores of words = background + x_n W^(t_n), with the likelihood of counts.

Rows are documents (or groups of documents with the same effects at the same step), features are
effects, outputs are words: weights are (effects, steps, words) by rows. There may be thousands of
rows and of words, so that no table of rows x words is held: see cpp/word_rows.cpp.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array, MatrixLike
from laconic.core.designs.steps import Steps

NOTHING = np.empty(0)


class Effects(Steps):
    """A: W -> x_n W^(t_n) over words, plus a background (steps, words), without an intercept."""

    def __init__(self, X: MatrixLike, steps: ArrayLike, background: Array, threads: int = 1):
        self.background = np.ascontiguousarray(background, dtype=np.float64)
        n_steps, n_words = self.background.shape
        super().__init__(X, steps, n_steps, n_words, False, threads)
        rows = sp.csr_matrix(X, dtype=np.float64)
        rows.sum_duplicates()
        self.kernel = _core.WordRows(
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data,
            np.asarray(steps).astype(np.int64),
            rows.shape[1],
            n_steps,
            self.background.ravel(),
        )

    def log_partition(self, weights: Array, mass: Array) -> float:
        """Return sum_n mass_n log Z_n, Z_n = sum_v exp(background_tv + scores_nv)."""
        return self.kernel.log_partition(weights, mass, NOTHING, NOTHING, self.threads)

    def log_partition_gradient(self, weights: Array, mass: Array) -> tuple[float, Array]:
        """Return the same and its gradient, sum_n mass_n x_nj p_n(v) at the step of n."""
        gradient = np.empty(self.n_weights)
        return self.kernel.log_partition(weights, mass, gradient, NOTHING, self.threads), gradient

    def word_curvature(self, weights: Array, mass: Array) -> Array:
        """Return sum_n mass_n x_nj^2 p_n(v), which lies above the second derivatives."""
        out = np.empty(self.n_weights)
        self.kernel.log_partition(weights, mass, NOTHING, out, self.threads)
        return out

    def log_probabilities(self, weights: Array) -> Array:
        """Return log p_n(v), (rows, words): for few rows."""
        out = np.empty(self.n_rows * self.n_outputs)
        self.kernel.log_probabilities(weights, out, self.threads)
        return out.reshape(self.n_rows, self.n_outputs)
