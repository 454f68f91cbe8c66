"""Stochastic proximal coding (Yogatama 2015, Algorithm 1).

Entries of the matrix come in random order; each is a step of one word and one context.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from laconic import _core
from laconic.core.arrays import Floats, Ints
from laconic.core.penalties import Penalty
from laconic.core.report import Callback, in_one_line
from laconic.core.threads import thread_count
from laconic.embed.association import EntryWeights
from laconic.embed.codes import Coder, WordRows, check_whole, gram, stride_of
from laconic.embed.forest import BRANCHING, code_trees
from laconic.embed.learn import Coded, LearnerSteps
from laconic.embed.penalty import CodePenalty, CodeTerms, code_terms

SAMPLING = {
    "uniform": _core.Weighting.uniform,
    "scaled": _core.Weighting.scaled,
    "proportional": _core.Weighting.sampled,
}
SCHEDULES = ("adaptive", "root", "constant")
PARTS = 8  # of contexts and of words: the maximal number of threads that work at once


class StochasticCoding(BaseEstimator):
    """min_(A, D) 1/2 sum_(v, c) weight_vc (x_vc - <a_v, d_c>)^2 + strength sum_v Omega(a_v).

    The dictionary has |d_m| <= 1, or a ridge. For texts that are too large for OnlineDictionary.

    In an epoch every stored entry comes once, words in random order. Words and contexts are split
    into parts; threads never share a row of A or D, and the result does not depend on their number.
    A code takes one proximal step after at most `run` entries of its word, with the same share of
    `strength` as these are of the word's entries: in an epoch all of it. (The paper's algorithm has
    run=1, with the whole strength every time.)

    Parameters
    ----------
    size : int, default=52
        Number of dimensions of the vectors.
    penalty : str, Penalty, Groups or None, default="forest"
        Penalty of the vectors: "forest" (dimensions in trees) or "lasso", or such an object. Any
        forest from `laconic.embed.forest.forest_of_parents` can be given.
    strength : float or None, default=None
        Strength of the penalty: larger values give more zeros. None is 0.1, or what the object
        says.
    positive : bool, default=False
        Whether vectors have no negative numbers.
    branching : sequence of int, default=(3, 3)
        Number of children of a node at each depth of a forest.
    growth : float, default=1.0
        Factor of the strength per level of a forest.
    ridge : float or None, default=None
        Strength of a ridge on the dictionary; None bounds the length of dimensions by 1 instead.
    sampling : "uniform", "scaled" or "proportional", default="uniform"
        Weights of stored entries: all 1 ("uniform"), or proportional to their size. The weight
        |x_vc| / mean |x| is the number of visits with "proportional", and the size of the gradient
        of a single visit with "scaled", which has the same expectation.
    negatives : float, default=1.0
        Number of zeros that are drawn per stored entry of a word. Together they weigh `negatives`
        times as much as its stored entries. With 0 zeros are left out, as the paper does for large
        matrices; then vectors learn little but that all associations are positive.
    full : bool, default=False
        Whether every zero has weight 1, however many are drawn. With uniform sampling this is the
        objective of OnlineDictionary.
    epochs : int, default=10
        Number of passes over the stored entries.
    rate : float, default=1.0
        Step size at the beginning.
    schedule : "adaptive", "root" or "constant", default="adaptive"
        How step sizes shrink. "adaptive" divides the rate by the root of the summed mean squared
        gradients of a row (AdaGrad with one step size per row, for which the proximal step is
        exact), "root" by the root of the number of the epoch. All are multiplied by the share of
        epochs that are left.
    run : int, default=16
        Maximal number of entries of a word between two proximal steps of its vector.
    recode : bool, default=False
        Whether all vectors are solved for exactly at the end, as by OnlineDictionary.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all processors.
    random_state : int, RandomState or None, default=0
        Seed of the first values and of the order of entries.

    Examples
    --------
    >>> from laconic import StochasticCoding, WordVectors
    >>> text = [["sun", "warms", "day"], ["moon", "cools", "night"]] * 10
    >>> learner = StochasticCoding(2, penalty="lasso", strength=0.01, epochs=100, n_jobs=1)
    >>> WordVectors(learner).fit(text).codes_.shape
    (6, 2)
    """

    def __init__(
        self,
        size: int = 52,
        penalty: CodePenalty = "forest",
        strength: float | None = None,
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
        random_state: int | np.random.RandomState | None = 0,
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
        self,
        matrix: sparse.spmatrix,
        callback: Callback | None = None,
        weights: EntryWeights | None = None,
    ) -> Coded:
        """Return codes and dictionary of a sparse matrix (words, contexts).

        The callback receives an event after every epoch, and stops learning if it returns True.
        """
        self._check()
        if weights is not None:
            raise ValueError(
                "StochasticCoding weighs entries by its `sampling` and takes no other weights: "
                "use OnlineDictionary or Svd"
            )
        terms = self.code_terms()
        forest = terms.forest
        rows, random, threads = (
            WordRows(matrix),
            check_random_state(self.random_state),
            thread_count(self.n_jobs),
        )
        trees, rule = _core.CodeTrees(*code_trees(forest)), self._rule(rows)
        tiles, place = _tiles(rows, trees, random)
        codes, table = (_first(n, self.size, self.positive, random) for n in rows.shape)
        # Rows of codes and of the dictionary should have about the same length, which |d_m| = 1
        # would not give: while learning, dimensions have another length.
        length = np.sqrt(rows.shape[1] * rule.mean / self.size) if self.ridge is None else 1.0
        rule.strength = terms.strength * length
        steps = LearnerSteps("epoch", self.epochs, callback)
        self._run((tiles, rule), (codes, table), length, random, (threads, steps))
        codes *= np.float32(length)
        table = np.ascontiguousarray(table[place] / np.float32(length))
        dictionary = np.ascontiguousarray(table[:, : self.size].T)
        if self.recode:
            found, value, worst = Coder(forest, terms.strength, terms.positive).encode_all(
                rows, table, threads
            )
            return Coded(found, dictionary, steps.report(in_one_line(self), value, worst))
        value = self._objective(rows, codes, table, trees, threads)
        report = steps.report(in_one_line(self), value)
        return Coded(sparse.csr_matrix(codes[:, : self.size]), dictionary, report)

    def _run(
        self,
        kernel: tuple[_core.Stochastic, _core.StochasticRule],
        state: tuple[Floats, Floats],
        length: float,
        random: np.random.RandomState,
        how: tuple[int, LearnerSteps],
    ) -> None:
        """Make all epochs, in place of `state`, the codes and the dictionary."""
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

    def _rule(self, rows: WordRows) -> _core.StochasticRule:
        """Return the parameters of steps as the kernel takes them."""
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
        self, rows: WordRows, codes: Floats, table: Floats, trees: _core.CodeTrees, threads: int
    ) -> float:
        """Return the objective: stored entries one by one, zeros from the Gram matrix."""
        n_words, stride = codes.shape
        norms = np.empty(n_words)
        mean = (
            0.0 if self.sampling == "uniform" else float(np.abs(rows.value).mean(dtype=np.float64))
        )
        errors, fits = _core.entry_errors(
            rows.kernel_rows(), codes.ravel(), table.ravel(), stride, mean, threads
        )
        trees.norms(codes.ravel(), stride, norms)
        total = 0.5 * errors.sum() + self.code_terms().strength * norms.sum()
        if self.full or self.negatives:
            stored = np.diff(rows.ptr)
            weight = (
                np.ones(n_words)
                if self.full
                else self.negatives * stored / np.maximum(1, rows.shape[1] - stored)
            )
            total += 0.5 * weight @ (np.einsum("ij,ij->i", codes @ gram(table), codes) - fits)
        return float(total + 0.5 * (self.ridge or 0.0) * np.sum(table.astype(np.float64) ** 2))

    def code_terms(self) -> CodeTerms:
        """Return the penalty of the vectors: a forest, or the lasso."""
        strength = self.strength
        if strength is None and not isinstance(self.penalty, Penalty):
            strength = 0.1
        shape = (self.branching, self.growth)
        found = code_terms(self.penalty, strength, self.positive, self.size, shape)
        if found.other is not None:
            raise ValueError(
                "StochasticCoding takes the lasso and forests of dimensions, whose steps are in "
                f"its kernel, got {type(found.other).__name__}: use OnlineDictionary"
            )
        return found

    def _check(self) -> None:
        """Raise a ValueError if a parameter cannot be used."""
        check_whole(self, "size", "epochs", "run")
        for name in ("negatives", "ridge"):
            value = getattr(self, name)
            if not (name == "ridge" and value is None) and not 0 <= value < np.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {value!r}")
        if not 0 < self.rate < np.inf:
            raise ValueError(f"rate must be positive, got {self.rate!r}")
        if self.sampling not in SAMPLING or self.schedule not in SCHEDULES:
            raise ValueError(
                f"sampling must be one of {', '.join(SAMPLING)} and schedule one of "
                f"{', '.join(SCHEDULES)}, got {self.sampling!r} and {self.schedule!r}"
            )


def _tiles(
    rows: WordRows, trees: _core.CodeTrees, random: np.random.RandomState
) -> tuple[_core.Stochastic, Ints]:
    """Return the matrix with its contexts shuffled and cut into parts, and the new places."""
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
    """Shorten the dimensions of the dictionary to at most `length`."""
    lengths = np.sqrt(np.einsum("cm,cm->m", table, table, dtype=np.float64))
    table *= np.minimum(1.0, length / np.maximum(lengths, 1e-30)).astype(np.float32)


def _first(n: int, size: int, positive: bool, random: np.random.RandomState) -> Floats:
    """Return small random rows, of length about 1/2."""
    out = np.zeros((n, stride_of(size)), np.float32)
    out[:, :size] = 0.5 * random.standard_normal((n, size)) / np.sqrt(size)
    return np.abs(out) if positive else out
