"""Online dictionary learning for the rows of a large sparse matrix.

Mairal, Bach, Ponce and Sapiro (2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from laconic.core.arrays import Array, Floats, Ints
from laconic.core.report import Callback, in_one_line
from laconic.core.threads import thread_count
from laconic.embed.association import EntryWeights
from laconic.embed.codes import Coder, WordRows, check_whole, gram
from laconic.embed.components import leading_components
from laconic.embed.forest import BRANCHING
from laconic.embed.learn import Coded, LearnerSteps
from laconic.embed.penalty import CodePenalty, CodeTerms, code_terms
from laconic.embed.prox_codes import ProxCoder
from laconic.embed.start import first_dictionary

BLOCK = 32  # dimensions of the dictionary that are updated by one product of matrices
UNUSED = 1e-9  # a dimension with less than this share of the largest sum of squares stays


class OnlineDictionary(BaseEstimator):
    """min_(A, D) 1/2 sum_v |X_v - A_v D|^2 + strength sum_v Omega(A_v) over |d_m| <= 1.

    Words come in batches. Codes of a batch are solved for exactly; then the dictionary is updated,
    dimension by dimension, to minimise sum_v |X_v - A_v D|^2 over all codes so far. Only the sums
    of A_v' A_v and A_v' X_v are needed for that; when a word comes again, its new code replaces the
    old one in both. At the end all words are coded under the final dictionary.

    Parameters
    ----------
    size : int, default=52
        Number of dimensions of the vectors.
    penalty : str, Penalty, Groups or None, default="forest"
        Penalty of the vectors: "forest" (dimensions in trees), a name such as lasso or slope, a sum
        or an object over the dimensions. Any forest from
        `laconic.embed.forest.forest_of_parents` can be given.
    strength : float, dict or None, default=None
        Strength of the penalty: larger values give more zeros. None is 1, or what the object says;
        a dict names one per term of a sum.
    positive : bool, default=False
        Whether vectors have no negative numbers.
    branching : sequence of int, default=(3, 3)
        Number of children of a node at each depth of a forest.
    growth : float, default=1.0
        Factor of the strength per level of a forest.
    batch_size : int, default=2048
        Number of words in a batch.
    passes : int, default=3
        Number of passes over the words.
    forgetting : float, default=0.0
        Power by which old batches count less: after a batch of n words all earlier ones are
        multiplied by (1 - n / words so far)^forgetting.
    components : int or None, default=None
        Number of principal components to code instead of all contexts. None means all contexts, or
        `size` components where entries have weights.
    power : float, default=0.0
        Power of the sizes of components, from 0 (all the same) to 1 (as they are).
    start : "words", "svd" or "random", default="words"
        First dictionary: rows of random words, singular vectors, or random numbers. Leading
        singular vectors go to the roots of a forest.
    tolerance : float, default=1e-4
        Relative duality gap of the vectors at the end; ten times as much while learning.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all processors.
    random_state : int, RandomState or None, default=0
        Seed of the first dictionary and of the order of words.

    Examples
    --------
    >>> from laconic import OnlineDictionary, WordVectors
    >>> text = [["sun", "warms", "day"], ["moon", "cools", "night"]] * 10
    >>> learner = OnlineDictionary(2, penalty="lasso", strength=0.1, n_jobs=1)
    >>> model = WordVectors(learner).fit(text)
    >>> model.most_similar("sun", k=2)[0][0], bool(model.certificate_ < 1e-3)
    ('warms', True)
    """

    def __init__(
        self,
        size: int = 52,
        penalty: CodePenalty = "forest",
        strength: float | Mapping[str, float] | None = None,
        positive: bool = False,
        branching: Sequence[int] = BRANCHING,
        growth: float = 1.0,
        batch_size: int = 2048,
        passes: int = 3,
        forgetting: float = 0.0,
        components: int | None = None,
        power: float = 0.0,
        start: str = "words",
        tolerance: float = 1e-4,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.size = size
        self.penalty = penalty
        self.strength = strength
        self.positive = positive
        self.branching = branching
        self.growth = growth
        self.batch_size = batch_size
        self.passes = passes
        self.forgetting = forgetting
        self.components = components
        self.power = power
        self.start = start
        self.tolerance = tolerance
        self.n_jobs = n_jobs
        self.random_state = random_state

    def learn(
        self,
        matrix: sparse.spmatrix,
        callback: Callback | None = None,
        weights: EntryWeights | None = None,
    ) -> Coded:
        """Return codes and dictionary of a sparse matrix (words, contexts).

        The callback receives an event after every pass, and stops learning if it returns True.
        `weights` are those of entries in the components that are coded.
        """
        self._check()
        rows, random = WordRows(matrix), check_random_state(self.random_state)
        terms = self.code_terms()
        forest = terms.forest
        threads = thread_count(self.n_jobs)
        contexts: Floats | None = None
        steps = LearnerSteps("pass", self.passes, callback)
        with threadpool_limits(threads):
            components = self.components
            if components is None and weights is not None:
                components = min(self.size, *rows.shape)
            if components is not None:
                rows, contexts = leading_components(
                    rows, components, self.power, random, threads, weights, callback
                )
            table = first_dictionary(rows, forest, self.start, terms.positive, random, threads)
            tolerance = 10 * self.tolerance
            coder = (
                Coder(forest, terms.strength, terms.positive, tolerance)
                if terms.other is None
                else ProxCoder(terms.other, self.size, tolerance)
            )
            state = _DictionaryState(rows, coder, table, threads)
            for _ in range(self.passes):
                order, total = random.permutation(rows.shape[0]), 0.0
                for first in range(0, len(order), self.batch_size):
                    total += state.step(
                        np.sort(order[first : first + self.batch_size]), self.forgetting
                    )
                if steps.add(total):
                    break
            coder.tolerance = self.tolerance
            codes, value, worst = coder.encode_all(rows, state.table, threads, state.codes)
            learned = np.ascontiguousarray(state.table[:, : self.size].T)
            dictionary = learned if contexts is None else learned @ contexts
        return Coded(codes, dictionary, steps.report(in_one_line(self), value, worst))

    def code_terms(self) -> CodeTerms:
        """Return the penalty of the vectors."""
        shape = (self.branching, self.growth)
        return code_terms(self.penalty, self.strength, self.positive, self.size, shape)

    def _check(self) -> None:
        """Raise a ValueError if a parameter cannot be used."""
        check_whole(self, "size", "batch_size", "passes")
        if not 0 <= self.forgetting < np.inf or not 0 < self.tolerance < 1:
            raise ValueError(
                "forgetting must be at least 0 and tolerance between 0 and 1, "
                f"got {self.forgetting!r} and {self.tolerance!r}"
            )


class _DictionaryState:
    """The dictionary (contexts, stride), and the sums over all codes so far that determine it."""

    def __init__(self, rows: WordRows, coder: Coder, table: Floats, threads: int):
        self.rows, self.coder, self.table, self.threads = rows, coder, table, threads
        stride = table.shape[1]
        self.codes = np.zeros((rows.shape[0], stride), np.float32)
        self.share = np.zeros(rows.shape[0])  # weight of a word's code in the sums, times scale
        self.scale = 1.0  # the sums are stored divided by it
        self.squares = np.zeros((stride, stride))  # sum_v A_v' A_v
        self.products = np.zeros_like(table)  # sum_v X_v' A_v
        self.seen = 0

    def step(self, words: Ints, forgetting: float) -> float:
        """Code a batch, then update the dictionary; return the objective of the batch before."""
        grams = self.coder.grams(self.table)
        coded = self.coder.encode(
            self.rows, words, self.table, grams, self.codes[words], self.threads
        )
        self.seen += len(words)
        if forgetting and self.seen > len(words):
            self.scale *= (1 - len(words) / self.seen) ** forgetting
        # New codes enter with weight 1 / scale, and old ones leave with the weight they had.
        new, old = (
            coded.codes / np.float32(self.scale),
            self.codes[words] * self.share[words, None].astype(np.float32),
        )
        self.squares += (
            new.T.astype(np.float64) @ coded.codes - old.T.astype(np.float64) @ self.codes[words]
        )
        self.rows.add_products(words, np.ascontiguousarray(new - old), self.products, self.threads)
        self.codes[words] = coded.codes
        self.share[words] = 1 / self.scale
        self._update()
        return float(coded.objective.sum())

    def _update(self) -> None:
        """Update the dictionary by block coordinate descent, one dimension m after the other.

            u_m = d_m + (products_m - D squares_m) / squares_mm,    d_m = u_m / max(1, |u_m|)

        The residuals of a block of dimensions are one product of matrices. All that the block
        becomes in turn are combinations of the same few columns, so that lengths follow from a
        small matrix of inner products.
        """
        size = self.coder.size
        squares = self.squares[:size, :size]
        for first in range(0, size, BLOCK):
            these = slice(first, min(size, first + BLOCK))
            before = self.table[:, these]
            left = self.products[:, these] - self.table[:, :size] @ squares[:, these].astype(
                np.float32
            )
            columns = np.hstack([before, left])
            mix = update_rows(gram(columns), squares[these, these], float(squares.diagonal().max()))
            moved = columns @ mix.astype(np.float32)
            lengths = np.sqrt(np.einsum("cm,cm->m", moved, moved, dtype=np.float64))
            self.table[:, these] = moved / np.maximum(lengths, 1.0).astype(np.float32)


def update_rows(inner: Array, squares: Array, largest: float) -> Array:
    """Return (2 n, n): n updated dimensions as combinations of themselves and of their residuals.

    inner     (2 n, 2 n), inner products of dimensions and residuals
    squares   (n, n), sums of products of codes
    largest   largest sum of squares; a dimension with next to none of it stays as it is
    """
    n = len(squares)
    same = np.vstack([np.eye(n), np.zeros((n, n))])
    mix = same.copy()
    for m in range(n):
        if squares[m, m] <= UNUSED * largest:
            continue
        column = same[:, m] - (mix[:, :m] - same[:, :m]) @ squares[:m, m] / squares[m, m]
        column[n + m] += 1 / squares[m, m]
        mix[:, m] = column / max(1.0, np.sqrt(max(0.0, column @ inner @ column)))
    return mix
