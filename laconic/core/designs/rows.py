"""The rows design: scores = X W + b, and its adjoint. X is CSR, CSC or dense; sparse input is never densified.

The weights of the design are one flat vector: W (p, K) by rows, then the intercept b (K,) if there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic import _core
from laconic.core.arrays import Array


class Rows:
    """A: (W, b) -> X W + b over n_rows examples and n_outputs scores each."""

    def __init__(self, X: Any, n_outputs: int = 1, intercept: bool = True, threads: int = 1):
        self.matrix = make_matrix(X)
        self.n_outputs = n_outputs
        self.intercept = intercept
        self.threads = threads
        self.n_rows = self.matrix.n_rows
        self.n_penalised = self.matrix.n_cols * n_outputs
        self.n_weights = self.n_penalised + (n_outputs if intercept else 0)

    def score(self, weights: Array) -> Array:
        """X W + b, flat (n K,)."""
        scores = np.empty(self.n_rows * self.n_outputs)
        self.matrix.score(
            np.ascontiguousarray(weights[: self.n_penalised]), scores, self.n_outputs, self.threads
        )
        if self.intercept:
            table = scores.reshape(-1, self.n_outputs)
            table += weights[self.n_penalised :]
        return scores

    def pull(self, residual: Array) -> Array:
        """The adjoint: (X' R, column sums of R), flat."""
        gradient = np.empty(self.n_weights)
        self.matrix.pull(residual, gradient[: self.n_penalised], self.n_outputs, self.threads)
        if self.intercept:
            gradient[self.n_penalised :] = residual.reshape(-1, self.n_outputs).sum(axis=0)
        return gradient


def make_matrix(X: Any) -> Any:
    """The kernels' matrix from CSR, CSC (int32 or int64 indices), other sparse formats, or a dense array."""
    if sp.issparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if max(X.shape) >= 2**31:
            raise ValueError(f"a matrix side must be below 2^31, got shape {X.shape}")
        return _core.Matrix.from_compressed(
            np.ascontiguousarray(X.indptr, dtype=np.int64),
            np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.data, dtype=np.float64),
            X.shape[1] if X.format == "csr" else X.shape[0],
            X.format == "csr",
        )
    X = np.asarray(X, dtype=np.float64)
    return _core.Matrix.from_dense(np.ascontiguousarray(X.T).ravel(), X.shape[0])
