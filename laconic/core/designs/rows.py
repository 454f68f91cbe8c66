"""The rows design: scores = X W + b, and its adjoint.

X is CSR, CSC or dense; sparse input is never densified. The weights of the design are one flat
vector: W (p, K) by rows, then the intercept b (K,) if there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk

from laconic import _core
from laconic.core.arrays import AnyArray, Array, Ints, MatrixLike

CHUNK = 4096  # rows of a dense matrix that are weighted at once


class Rows:
    """A: (W, b) -> X W + b over n_rows examples and n_outputs scores each."""

    def __init__(self, X: MatrixLike, n_outputs: int = 1, intercept: bool = True, threads: int = 1):
        self.matrix = make_matrix(X)
        self._given: Any = X
        self.n_outputs = n_outputs
        self.intercept = intercept
        self.threads = threads
        self.offset: Array | None = None  # (n K,), added to the scores
        self.n_rows = self.matrix.n_rows
        self.n_penalised = self.matrix.n_cols * n_outputs
        self.n_weights = self.n_penalised + (n_outputs if intercept else 0)

    def take(self, columns: Ints) -> Rows:
        """Return the design of some columns, in any order and any number of copies."""
        if sp.issparse(self._given) and self._given.format != "csc":
            self._given = self._given.tocsc()
        return Rows(self._given[:, columns], self.n_outputs, self.intercept, self.threads)

    def score(self, weights: Array) -> Array:
        """Return X W + b, and the offset if there is one, flat (n K,)."""
        scores = self.move(weights)
        if self.offset is not None:
            scores += self.offset
        return scores

    def move(self, weights: Array) -> Array:
        """Return X W + b, flat (n K,): how much scores change with the weights."""
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

    def curvature(self, weights: Array) -> Array:
        """Return sum_i x_ij^2 h_ik for weights h (n K,) of the scores.

        It is the diagonal of A' diag(h) A over the penalised weights.
        """
        diagonal = np.empty(self.n_penalised)
        self.matrix.squares(np.ascontiguousarray(weights), diagonal, self.n_outputs)
        return diagonal

    def curve(self, weights: Array, coupling: Array, v: Array) -> Array:
        """Return A' H A v, H = diag(h) - coupling_i h h' in row i; an empty coupling is none."""
        product = np.empty(self.n_weights)
        self.matrix.hessian_product(weights, coupling, v, product, self.n_outputs, self.threads)
        return product

    @property
    def is_dense(self) -> bool:
        """Whether all entries of X are stored."""
        return not sp.issparse(self._given)

    def gram(self, weights: Array) -> Array:
        """Return the lower triangle of A' diag(h) A, one output, for weights h (n,) of the rows.

        It is (p, p), or (p + 1, p + 1) with an intercept; entries above the diagonal mean nothing.
        """
        p, q = self.matrix.n_cols, self.matrix.n_cols + self.intercept
        table = np.zeros((q, q))
        if not self.is_dense:
            inner = np.zeros(p * p)
            self.matrix.gram(weights, inner)
            table[:p, :p] = inner.reshape(p, p)
        else:
            dense = np.asarray(self._given)
            for first in range(0, self.n_rows, CHUNK):
                part = dense[first : first + CHUNK].astype(np.float64, copy=False)
                h = weights[first : first + CHUNK, None]
                if np.all(h >= 0):
                    table[:p, :p] += dsyrk(1.0, (part * np.sqrt(h)).T).T
                else:
                    table[:p, :p] += (part * h).T @ part
        if self.intercept:
            self.matrix.pull(weights, table[p, :p])
            table[p, p] = weights.sum()
        return table


def make_matrix(X: MatrixLike) -> _core.Matrix:
    """Return the kernels' matrix from a sparse matrix of any format, or a dense array.

    It borrows the entries as they are, in single or double precision and by rows or by columns;
    other types are turned into float64, other formats into CSR.
    """
    if not sp.issparse(X):
        dense = with_kernel_values(np.asarray(X))
        by_columns = dense.flags.f_contiguous and not dense.flags.c_contiguous
        table = dense.T if by_columns else np.ascontiguousarray(dense)
        return _core.Matrix.from_dense(table, not by_columns)
    sparse: sp.spmatrix = X
    if sparse.format not in ("csr", "csc"):
        sparse = sparse.tocsr()
    if max(sparse.shape) >= 2**31:
        raise ValueError(f"a matrix side must be below 2^31, got shape {sparse.shape}")
    by_rows = sparse.format == "csr"
    n_minor = sparse.shape[1] if by_rows else sparse.shape[0]
    ptr, index = _pointers(sparse)
    # Vectorizers leave indices without order; kernels need none, and sorting is a copy.
    if not sparse.has_canonical_format and _core.Matrix.repeats(ptr, index, n_minor):
        sparse = sparse.copy()
        sparse.sum_duplicates()
        ptr, index = _pointers(sparse)
    values = np.ascontiguousarray(with_kernel_values(sparse.data[: ptr[-1]]))
    return _core.Matrix.from_compressed(ptr, index, values, n_minor, by_rows)


def _pointers(sparse: sp.spmatrix) -> tuple[Ints, AnyArray]:
    """Return where lines begin, and the indices in 32 or 64 bits as they are."""
    wide = np.int64 if sparse.indices.dtype.itemsize > 4 else np.int32
    ptr = np.ascontiguousarray(sparse.indptr, dtype=np.int64)
    return ptr, np.ascontiguousarray(sparse.indices[: ptr[-1]], dtype=wide)


def with_kernel_values(values: AnyArray) -> AnyArray:
    """Return an array as float32 if it is that, else as float64."""
    kept: AnyArray = np.asarray(values, dtype=np.float32 if values.dtype == np.float32 else float)
    return kept
