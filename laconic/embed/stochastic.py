"""Stochastic proximal coding (Yogatama 2015, Algorithm 1): entries of the matrix in random order, a step of one word and one context for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from laconic import _core
from laconic.core.arrays import Floats
from laconic.core.report import Callback, in_one_line
from laconic.embed.association import EntryWeights
from laconic.embed.codes import Coder, WordRows, check_whole, gram, stride_of
from laconic.embed.forest import BRANCHING, code_trees, forest_for
from laconic.embed.learn import Coded, Steps

SAMPLING = {
    "uniform": _core.Weighting.uniform,
    "scaled": _core.Weighting.scaled,
    "proportional": _core.Weighting.sampled,
}
SCHEDULES = ("adaptive", "root", "constant")
PARTS = 8  # of contexts and of words: at most so many threads find work


class StochasticCoding(BaseEstimator):
    """min_(A, D) 1/2 sum_(v, c) weight_vc (x_vc - <a_v, d_c>)^2 + strength sum_v Omega(a_v), over |d_m| <= 1 or + ridge / 2 sum_m |d_m|^2.

    Entries that X stores weigh 1 (sampling="uniform") or |x_vc| / mean |x|: met as often as that ("proportional") or once with a gradient as large
    ("scaled"), which has the same expectation. Entries where x = 0
      * are drawn, `negatives` for each stored entry of a word: together a word's zeros weigh `negatives` times as much as its stored entries,
      * or are left out (negatives=0), as the paper does for large matrices: of positive associations alone words learn little but that all are positive,
      * or (full=True) are drawn evenly and weigh 1 each, whatever `negatives` are drawn: with uniform sampling, the objective of OnlineDictionary.

    In an epoch all stored entries come once, words in random order. Words and contexts lie in parts; threads never share a row of A or D, and what
    they compute does not depend on how many there are. A code takes one proximal step after at most `run` entries of its word, with as much of
    `strength` as these are of the word's entries: in an epoch all of it (the paper's algorithm is run=1, with all of it every time).

    ridge: of the dictionary, as in the paper; None keeps |d_m| <= 1 instead, after every round of parts
    rate, schedule: steps are rate / (root of the sum of the mean squared gradients of the row so far) ("adaptive": AdaGrad with one rate a row, for
        which the proximal step is exact), rate / sqrt(epoch) ("root") or rate ("constant"), in all cases times what is left of the epochs
    recode: at the end, codes are solved for exactly under the dictionary, as OnlineDictionary does, with all zeros counted
    """

    def __init__(
        self,
        size: int = 52,
        penalty: Any = "forest",
        strength: float = 0.1,
        positive: bool = False,
        branching: Sequence[int] = BRANCHING,
        growth: float = 1.0,
        ridge: float | None = None,
        sampling: str = "uniform",
        negatives: float = 1.0,
        full: bool = False,
        epochs: int = 10,
        rate: float = 1.0,
        schedule: str = "adaptive",
        run: int = 16,
        recode: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ):
        self.size = size
        self.penalty = penalty
        self.strength = strength
        self.positive = positive
        self.branching = branching
        self.growth = growth
        self.ridge = ridge
        self.sampling = sampling
        self.negatives = negatives
        self.full = full
        self.epochs = epochs
        self.rate = rate
        self.schedule = schedule
        self.run = run
        self.recode = recode
        self.n_jobs = n_jobs
        self.random_state = random_state

    def learn(
        self, matrix: Any, callback: Callback | None = None, weights: EntryWeights | None = None
    ) -> Coded:
        """Codes and dictionary of a sparse matrix (words x contexts); callback gets the trace of every epoch and ends learning if it gives true."""
        self._check()
        if weights is not None:
            raise ValueError(
                "StochasticCoding draws entries by its `sampling` and has no use for other weights: use OnlineDictionary or Svd"
            )
        forest = forest_for(self.penalty, self.size, self.branching, self.growth)
        rows, random, threads = (
            WordRows(matrix),
            check_random_state(self.random_state),
            joblib.effective_n_jobs(self.n_jobs),
        )
        trees, rule = _core.CodeTrees(*code_trees(forest)), self._rule(rows)
        tiles, place = _tiles(rows, trees, random)
        codes, table = (_first(n, self.size, self.positive, random) for n in rows.shape)
        # Rows of codes and of the dictionary should be about as long, which |d_m| = 1 would not make them: d_m has another length while learning.
        length = np.sqrt(rows.shape[1] * rule.mean / self.size) if self.ridge is None else 1.0
        rule.strength = self.strength * length
        steps = Steps("epoch", self.epochs, callback)
        self._run((tiles, rule), (codes, table), length, random, (threads, steps))
        codes *= np.float32(length)
        table = np.ascontiguousarray(table[place] / np.float32(length))
        dictionary = np.ascontiguousarray(table[:, : self.size].T)
        if self.recode:
            found, value, worst = Coder(forest, self.strength, self.positive).encode_all(
                rows, table, threads
            )
            return Coded(found, dictionary, steps.report(in_one_line(self), value, worst))
        value = self._objective(rows, codes, table, trees, threads)
        report = steps.report(in_one_line(self), value)
        return Coded(sparse.csr_matrix(codes[:, : self.size]), dictionary, report)

    def _run(
        self,
        kernel: tuple[Any, Any],
        state: tuple[Floats, Floats],
        length: float,
        random: np.random.RandomState,
        how: tuple[int, Steps],
    ) -> None:
        (tiles, rule), (codes, table), (threads, steps) = kernel, state, how
        n_words, stride = codes.shape
        squares = (np.zeros(n_words, np.float32), np.zeros(len(table), np.float32))
        under_way = _core.StochasticState(
            codes=codes.ravel(),
            table=table.ravel(),
            code_squares=squares[0],
            context_squares=squares[1],
            stride=stride,
        )
        bounds = np.linspace(0, n_words, PARTS + 1).astype(np.int64)
        for epoch in range(self.epochs):
            rule.seed = int(random.randint(2**31))
            rule.rate = (
                self.rate
                * (1 - epoch / self.epochs)
                / (np.sqrt(epoch + 1) if self.schedule == "root" else 1)
            )
            order, loss = random.permutation(n_words), 0.0
            for number in range(PARTS):
                loss += tiles.round(number, rule, order, bounds, under_way, threads)
                if self.ridge is None:
                    _project(table, length)
            if steps.add(loss):
                break

    def _rule(self, rows: WordRows) -> Any:
        rule = _core.StochasticRule()
        rule.weighting, rule.mean = (
            SAMPLING[self.sampling],
            float(np.abs(rows.value).mean(dtype=np.float64)),
        )
        rule.adaptive, rule.ridge = self.schedule == "adaptive", self.ridge or 0.0
        rule.positive, rule.run = self.positive, self.run
        if self.full:
            visits, stored = rows.shape[0] * PARTS, len(rows.value)
            rule.at_least = max(1.0, self.negatives * stored / visits)
            rule.negative_weight = (rows.shape[0] * rows.shape[1] - stored) / (
                rule.at_least * visits
            )
        else:
            rule.negatives = self.negatives
        return rule

    def _objective(
        self, rows: WordRows, codes: Floats, table: Floats, trees: Any, threads: int
    ) -> float:
        """See the class; entries by entries, zeros from the Gram matrix."""
        n_words, stride = codes.shape
        norms = np.empty(n_words)
        mean = (
            0.0 if self.sampling == "uniform" else float(np.abs(rows.value).mean(dtype=np.float64))
        )
        errors, fits = _core.entry_errors(
            rows.kernel_rows(), codes.ravel(), table.ravel(), stride, mean, threads
        )
        trees.norms(codes.ravel(), stride, norms)
        total = 0.5 * errors.sum() + self.strength * norms.sum()
        if self.full or self.negatives:
            stored = np.diff(rows.ptr)
            weight = (
                np.ones(n_words)
                if self.full
                else self.negatives * stored / np.maximum(1, rows.shape[1] - stored)
            )
            total += 0.5 * weight @ (np.einsum("ij,ij->i", codes @ gram(table), codes) - fits)
        return float(total + 0.5 * (self.ridge or 0.0) * np.sum(table.astype(np.float64) ** 2))

    def _check(self) -> None:
        check_whole(self, "size", "epochs", "run")
        for name in ("strength", "negatives", "ridge"):
            value = getattr(self, name)
            if not (name == "ridge" and value is None) and not 0 <= value < np.inf:
                raise ValueError(f"{name} must be a number that is not negative, got {value!r}")
        if not 0 < self.rate < np.inf:
            raise ValueError(f"rate must be positive, got {self.rate!r}")
        if self.sampling not in SAMPLING or self.schedule not in SCHEDULES:
            raise ValueError(
                f"sampling must be one of {', '.join(SAMPLING)} and schedule one of {', '.join(SCHEDULES)}, "
                f"got {self.sampling!r} and {self.schedule!r}"
            )


def _tiles(
    rows: WordRows, trees: Any, random: np.random.RandomState
) -> tuple[Any, NDArray[np.int64]]:
    """The matrix with its contexts in random order and cut into parts, and where each context has gone."""
    place = random.permutation(rows.shape[1])
    moved = sparse.csr_matrix(
        (rows.value.copy(), place.astype(np.int32)[rows.index], rows.ptr), shape=rows.shape
    )
    moved.sort_indices()
    bounds = np.linspace(0, rows.shape[1], PARTS + 1).astype(np.int64)
    part = (np.searchsorted(bounds, moved.indices, side="right") - 1).astype(np.int32)
    owner = np.repeat(np.arange(rows.shape[0]) * PARTS, np.diff(rows.ptr))
    cut = np.concatenate(
        [[0], np.cumsum(np.bincount(owner + part, minlength=rows.shape[0] * PARTS))]
    )
    return _core.Stochastic(
        trees, cut, moved.indices.astype(np.int32, copy=False), moved.data, bounds
    ), place


def _project(table: Floats, length: float) -> None:
    """No dimension of the dictionary is longer than `length`."""
    lengths = np.sqrt(np.einsum("cm,cm->m", table, table, dtype=np.float64))
    table *= np.minimum(1.0, length / np.maximum(lengths, 1e-30)).astype(np.float32)


def _first(n: int, size: int, positive: bool, random: np.random.RandomState) -> Floats:
    """Small random rows, of length about 1/2."""
    out = np.zeros((n, stride_of(size)), np.float32)
    out[:, :size] = 0.5 * random.standard_normal((n, size)) / np.sqrt(size)
    return np.abs(out) if positive else out
