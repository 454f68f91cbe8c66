"""Truncated singular value decomposition, the dense rival of sparse codes: the best X = A D without any penalty."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from laconic.core.report import Callback, in_one_line
from laconic.embed.association import EntryWeights
from laconic.embed.codes import WordRows, check_whole
from laconic.embed.components import factors
from laconic.embed.learn import Coded, Steps


class Svd(BaseEstimator):
    """min_(A, D) 1/2 |X - A D|^2 over matrices of rank `size`: X ~ U S V', codes U S^power, dictionary S^(1 - power) V'.

    With weights of entries the best matrix for entries that count by them, see weighted_factors.

    power: 1 gives principal components as they are; with 0.5 or 0 large singular values count less, which is better for cosines of words
        (Levy et al. 2015)
    n_iter: rounds of the subspace iteration (Halko et al. 2011)
    """

    def __init__(
        self,
        size: int = 52,
        power: float = 0.5,
        n_iter: int = 5,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ):
        self.size = size
        self.power = power
        self.n_iter = n_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def learn(
        self,
        matrix: Any,
        callback: Callback | None = None,
        weights: EntryWeights | None = None,
    ) -> Coded:
        """Codes and dictionary of a sparse matrix (words x contexts); callback hears of the end, and of passes over entries with weights, which it may end."""
        if not (isinstance(self.size, int | np.integer) and 1 <= self.size <= min(matrix.shape)):
            raise ValueError(
                f"size must be from 1 to {min(matrix.shape)}, the lesser of words and contexts, got {self.size!r}"
            )
        check_whole(self, "n_iter")
        if not 0 <= self.power <= 1:
            raise ValueError(f"power must lie in 0..1, got {self.power!r}")
        threads = joblib.effective_n_jobs(self.n_jobs)
        steps = Steps("pass", 1, callback)
        with threadpool_limits(threads):
            random = check_random_state(self.random_state)
            found = factors(
                WordRows(matrix), self.size, random, threads, weights, self.n_iter, callback
            )
        steps.add(found.objective)
        steps.interrupted = found.interrupted
        codes = (found.left * found.values**self.power).astype(np.float32)
        dictionary = (found.values[:, None] ** (1 - self.power) * found.right).astype(np.float32)
        report = steps.report(in_one_line(self), found.objective)
        return Coded(sparse.csr_matrix(codes), dictionary, report)
