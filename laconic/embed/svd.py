"""Truncated singular value decomposition: the best X ~ A D of a rank, dense and unpenalised."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from laconic.core.report import Callback, in_one_line
from laconic.core.threads import thread_count
from laconic.embed.association import EntryWeights
from laconic.embed.codes import WordRows, check_whole
from laconic.embed.components import factors
from laconic.embed.learn import Coded, LearnerSteps


class Svd(BaseEstimator):
    """min_(A, D) 1/2 |X - A D|^2 of rank `size`: codes U S^power, dictionary S^(1 - power) V'.

    X ~ U S V' is the singular value decomposition or, where entries have weights, the best weighted
    approximation (see `weighted_factors`). Codes are dense.

    Parameters
    ----------
    size : int, default=52
        Number of dimensions of the vectors.
    power : float, default=0.5
        Power of the singular values in the vectors, from 0 to 1. 1 gives principal components as
        they are; 0.5 or 0 lower the large ones, which is better for cosines of words (Levy et al.
        2015).
    n_iter : int, default=5
        Number of rounds of the subspace iteration (Halko et al. 2011).
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all processors.
    random_state : int, RandomState or None, default=0
        Seed of the subspace that the iteration starts from.

    Examples
    --------
    >>> from laconic import Svd, WordVectors
    >>> text = [["sun", "warms", "day"], ["moon", "cools", "night"]] * 10
    >>> WordVectors(Svd(2, n_jobs=1)).fit(text).most_similar("sun", k=2)[0][0]
    'warms'
    """

    def __init__(
        self,
        size: int = 52,
        power: float = 0.5,
        n_iter: int = 5,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.size = size
        self.power = power
        self.n_iter = n_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def learn(
        self,
        matrix: sparse.spmatrix,
        callback: Callback | None = None,
        weights: EntryWeights | None = None,
    ) -> Coded:
        """Return codes and dictionary of a sparse matrix (words, contexts).

        The callback receives an event at the end, and one per pass over entries with weights.
        """
        if not (isinstance(self.size, int | np.integer) and 1 <= self.size <= min(matrix.shape)):
            raise ValueError(
                f"size must be from 1 to {min(matrix.shape)}, the smaller of the numbers of words "
                f"and contexts, got {self.size!r}"
            )
        check_whole(self, "n_iter")
        if not 0 <= self.power <= 1:
            raise ValueError(f"power must be from 0 to 1, got {self.power!r}")
        threads = thread_count(self.n_jobs)
        steps = LearnerSteps("pass", 1, callback)
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
