"""Truncated singular value decomposition, the dense rival of sparse codes: the best X = A D without any penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from laconic.coding.codes import Coded, WordRows

OVERSAMPLING = 0.5  # directions that are followed beyond those that are wanted, for each of these


class Svd(BaseEstimator):
    """min_(A, D) 1/2 |X - A D|^2 over matrices of rank `size`: X ~ U S V', codes U S^power, dictionary S^(1 - power) V'.

    power: 1 gives principal components as they are; with 0.5 or 0 large singular values count less, which is better for cosines of words
        (Levy et al. 2015)
    emphasis: S and V are of the rows x_v |x_v|^emphasis, and codes X V S^(power - 1): rare words have less say in the directions
    n_iter: power iterations of the randomized algorithm (Halko et al. 2011)
    """

    def __init__(
        self,
        size: int = 52,
        power: float = 0.5,
        n_iter: int = 5,
        emphasis: float = 0.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ):
        self.size = size
        self.power = power
        self.n_iter = n_iter
        self.emphasis = emphasis
        self.n_jobs = n_jobs
        self.random_state = random_state

    def learn(self, matrix: Any, callback: Callable[[dict[str, float]], Any] | None = None) -> Coded:
        """Codes and dictionary of a sparse matrix (words x contexts); callback hears of the end."""
        if not (isinstance(self.size, int | np.integer) and 1 <= self.size <= min(matrix.shape)):
            raise ValueError(f"size must be from 1 to {min(matrix.shape)}, the lesser of words and contexts, got {self.size!r}")
        if not 0 <= self.power <= 1:
            raise ValueError(f"power must lie in 0..1, got {self.power!r}")
        # Numbers of single precision lose nothing that words tell, and take half the time.
        rows = WordRows(sparse.csr_matrix(matrix, dtype=np.float32))
        given, emphasised = rows.matrix(), rows.emphasised(self.emphasis).matrix()
        more = min(max(10, int(OVERSAMPLING * self.size)), min(given.shape) - self.size)
        with threadpool_limits(None if self.n_jobs is None or self.n_jobs < 0 else self.n_jobs):
            left, values, right = randomized_svd(
                emphasised, self.size, n_oversamples=more, n_iter=self.n_iter, random_state=self.random_state
            )
            places = left * values if self.emphasis == 0 else given @ right.T
        objective = 0.5 * max(0.0, float(rows.squares.sum()) - float(np.sum(places.astype(np.float64) ** 2)))
        trace = [{"pass": 1.0, "objective": objective}]
        if callback is not None:
            callback(trace[0])
        values = np.maximum(values, values[0] * np.finfo(np.float32).eps)  # of a matrix of lower rank
        codes = (places * values ** (self.power - 1)).astype(np.float32)
        dictionary = (values[:, None] ** (1 - self.power) * right).astype(np.float32)
        return Coded(sparse.csr_matrix(codes), dictionary, objective, trace)
