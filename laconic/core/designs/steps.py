"""The steps design: scores_n = x_n W^(t_n) + b for a row n of step t_n.

Weights have a value for every step of time. It is the rows design of a matrix whose rows lie in the
block of their step. Columns are numbered feature by feature, steps inside, so that the weights are
(features, steps, outputs) by rows and a trajectory w_i^(1) .. w_i^(T) is contiguous. Only the
entries of X are stored; a step without rows has weights too, which only the penalty determines.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from laconic.core.arrays import MatrixLike
from laconic.core.designs.rows import Rows


class Steps(Rows):
    """A: (W, b) -> x_n W^(t_n) + b; b, if there is one, is the same at all steps.

    Parameters
    ----------
    X : sparse matrix or array of shape (n, p)
        Rows of features.
    steps : array of int, shape (n,)
        Step of every row, from 0 to n_steps - 1.
    n_steps : int
        Number of steps.
    n_outputs : int, default=1
        Number of scores per row.
    intercept : bool, default=True
        Whether there is b, which nothing penalises.
    threads : int, default=1
        Number of threads.
    """

    def __init__(
        self,
        X: MatrixLike,
        steps: ArrayLike,
        n_steps: int,
        n_outputs: int = 1,
        intercept: bool = True,
        threads: int = 1,
    ):
        self.n_steps = n_steps
        self.steps = np.asarray(steps)
        self.blocks = in_blocks(X, steps, n_steps)
        super().__init__(self.blocks, n_outputs, intercept, threads)

    def pooled(self) -> sp.csr_matrix:
        """Return the rows (n, p) with all steps alike."""
        blocks = self.blocks
        columns, shape = (
            blocks.indices // self.n_steps,
            (blocks.shape[0], blocks.shape[1] // self.n_steps),
        )
        return sp.csr_matrix((blocks.data, columns, blocks.indptr), shape=shape)


def in_blocks(X: MatrixLike, steps: ArrayLike, n_steps: int) -> sp.csr_matrix:
    """Return (n, p n_steps): the entries of row n, column i of X, at column i n_steps + t_n."""
    rows = sp.csr_matrix(X, dtype=np.float64)
    of_row = np.asarray(steps)
    if (
        n_steps < 1
        or of_row.shape != (rows.shape[0],)
        or not np.issubdtype(of_row.dtype, np.integer)
    ):
        raise ValueError(
            f"one step per row expected, whole numbers from 0 to {n_steps - 1}, "
            f"got shape {of_row.shape} of {of_row.dtype}"
        )
    if len(of_row) and (of_row.min() < 0 or of_row.max() >= n_steps):
        raise ValueError(
            f"steps must be from 0 to {n_steps - 1}, got {of_row.min()} to {of_row.max()}"
        )
    if rows.shape[1] * n_steps >= 2**31:
        raise ValueError(
            f"features times steps must stay below 2^31, got {rows.shape[1]} x {n_steps}"
        )
    row_steps = np.repeat(of_row, np.diff(rows.indptr))
    columns = rows.indices.astype(np.int64) * n_steps + row_steps
    blocks = sp.csr_matrix(
        (rows.data, columns, rows.indptr),
        shape=(rows.shape[0], rows.shape[1] * n_steps),
        copy=False,
    )
    blocks.sum_duplicates()
    return blocks
