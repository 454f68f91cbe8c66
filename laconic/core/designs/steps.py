"""The steps design: weights that have a value for every step of time, scores_n = x_n W^(t_n) + b for a row n of step t_n.

It is the rows design of a matrix whose rows lie in the block of their step. Columns are numbered feature by feature, steps inside,
so that the weights are (features, steps, outputs) by rows and a trajectory w_i^(1) .. w_i^(T) lies together. As many entries are stored
as X has; a step without rows has weights all the same, which only the penalty knows of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.core.arrays import Array
from laconic.core.designs.rows import Rows


class Steps(Rows):
    """A: (W, b) -> x_n W^(t_n) + b; b, if there is one, is the same at all steps.

    Parameters
    ----------
    X : (n, p) sparse matrix or array
    steps : (n,) the step of every row, 0 to n_steps - 1
    n_steps, n_outputs : int
    intercept : bool, whether there is b, which nothing penalises
    threads : int
    """

    def __init__(
        self,
        X: Any,
        steps: Any,
        n_steps: int,
        n_outputs: int = 1,
        intercept: bool = True,
        threads: int = 1,
    ):
        self.n_steps = n_steps
        self.steps = np.asarray(steps)
        self.blocks = in_blocks(X, steps, n_steps)
        super().__init__(self.blocks, n_outputs, intercept, threads)

    def curvature(self, weights: Array) -> Array:
        """sum_n x_nj^2 h_nk for weights h (n K,) of the scores: the diagonal of A' diag(h) A over the penalised weights."""
        squares = self.blocks.copy()
        squares.data = squares.data**2
        return np.ascontiguousarray((squares.T @ weights.reshape(-1, self.n_outputs)).ravel())

    def pooled(self) -> sp.csr_matrix:
        """(n, p): the rows with all steps alike."""
        blocks = self.blocks
        columns, shape = (
            blocks.indices // self.n_steps,
            (blocks.shape[0], blocks.shape[1] // self.n_steps),
        )
        return sp.csr_matrix((blocks.data, columns, blocks.indptr), shape=shape)


def in_blocks(X: Any, steps: Any, n_steps: int) -> sp.csr_matrix:
    """(n, p n_steps): the entries of row n, column i of X, at column i n_steps + t_n."""
    X = sp.csr_matrix(X, dtype=np.float64)
    steps = np.asarray(steps)
    if n_steps < 1 or steps.shape != (X.shape[0],) or not np.issubdtype(steps.dtype, np.integer):
        raise ValueError(
            f"one step a row expected, whole numbers from 0 to {n_steps - 1}, got shape {steps.shape} of {steps.dtype}"
        )
    if len(steps) and (steps.min() < 0 or steps.max() >= n_steps):
        raise ValueError(
            f"steps must be from 0 to {n_steps - 1}, got {steps.min()} to {steps.max()}"
        )
    if X.shape[1] * n_steps >= 2**31:
        raise ValueError(f"features times steps must stay below 2^31, got {X.shape[1]} x {n_steps}")
    row_steps: NDArray = np.repeat(steps, np.diff(X.indptr))
    columns = X.indices.astype(np.int64) * n_steps + row_steps
    blocks = sp.csr_matrix(
        (X.data, columns, X.indptr), shape=(X.shape[0], X.shape[1] * n_steps), copy=False
    )
    blocks.sum_duplicates()
    return blocks
