"""The rows design: scores = X W + b, and its adjoint.

X is CSR, CSC or dense; sparse input is never densified. The weights of the design are one flat
vector: W (p, K) by rows, then the intercept b (K,) if there is one.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from laconic import _core
from laconic.core.arrays import Array, MatrixLike


class Rows:
    """A: (W, b) -> X W + b over n_rows examples and n_outputs scores each."""

    def __init__(self, X: MatrixLike, n_outputs: int = 1, intercept: bool = True, threads: int = 1):
        self.matrix = make_matrix(X)
        self.n_outputs = n_outputs
        self.intercept = intercept
        self.threads = threads
        self.n_rows = self.matrix.n_rows
        self.n_penalised = self.matrix.n_cols * n_outputs
        self.n_weights = self.n_penalised + (n_outputs if intercept else 0)

    def score(self, weights: Array) -> Array:
        """Return X W + b, flat (n K,)."""
        scores = np.empty(self.n_rows * self.n_outputs)
        self.matrix.score(
            np.ascontiguousarray(weights[: self.n_penalised]), scores, self.n_outputs, self.threads
        )
        if self.intercept:
            table = scores.reshape(-1, self.n_outputs)
            table += weights[self.n_penalised :]
        return scores

    def pull(self, residual: Array) -> Array:
        """Return the adjoint: (X' R, column sums of R), flat."""
        gradient = np.empty(self.n_weights)
        self.matrix.pull(residual, gradient[: self.n_penalised], self.n_outputs, self.threads)
        if self.intercept:
            gradient[self.n_penalised :] = residual.reshape(-1, self.n_outputs).sum(axis=0)
        return gradient


def make_matrix(X: MatrixLike) -> _core.Matrix:
    """Return the kernels' matrix from a sparse matrix of any format, or a dense array."""
    if not sp.issparse(X):
        dense: Array = np.asarray(X, dtype=np.float64)
        return _core.Matrix.from_dense(np.ascontiguousarray(dense.T).ravel(), dense.shape[0])
    sparse: sp.spmatrix = X
    if sparse.format not in ("csr", "csc"):
        sparse = sparse.tocsr()
    if not sparse.has_canonical_format:
        sparse = sparse.copy()
        sparse.sum_duplicates()
    if max(sparse.shape) >= 2**31:
        raise ValueError(f"a matrix side must be below 2^31, got shape {sparse.shape}")
    by_rows = sparse.format == "csr"
    return _core.Matrix.from_compressed(
        np.ascontiguousarray(sparse.indptr, dtype=np.int64),
        np.ascontiguousarray(sparse.indices, dtype=np.int32),
        np.ascontiguousarray(sparse.data, dtype=np.float64),
        sparse.shape[1] if by_rows else sparse.shape[0],
        by_rows,
    )
