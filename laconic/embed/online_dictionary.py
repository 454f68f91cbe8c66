"""Online dictionary learning (Mairal, Bach, Ponce and Sapiro 2010) for the rows of a large sparse matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from laconic.core.arrays import Floats
from laconic.core.report import Callback, in_one_line
from laconic.embed.association import EntryWeights
from laconic.embed.codes import Coder, WordRows, check_whole, gram
from laconic.embed.components import leading_components
from laconic.embed.forest import BRANCHING, forest_for
from laconic.embed.learn import Coded, Steps
from laconic.embed.start import first_dictionary

BLOCK = 32  # rows of the dictionary that move by one product of matrices
UNUSED = 1e-9  # of the largest sum of squares: a dimension that no code uses


class OnlineDictionary(BaseEstimator):
    """min_(A, D) 1/2 sum_v |X_v - A_v D|^2 + strength sum_v Omega(A_v) over dictionaries whose rows have |d_m| <= 1.

    Words come in batches. Codes of a batch are solved for exactly; then the dictionary moves, row by row, to the minimum of what all codes so far
    ask for, sum_v |X_v - A_v D|^2, which only takes sum_v A_v' A_v and sum_v A_v' X_v. Where a word comes again, its new code replaces the old one in
    both sums. At the end all words are coded under the final dictionary.

    size: dimensions of codes
    penalty: "forest" (trees of `branching`, see code_forest), "lasso", or a forest of forest_of_parents
    growth: weights of a forest's nodes are growth^depth
    positive: codes >= 0
    forgetting: after a batch of n words all that came before counts (1 - n / words seen)^forgetting
    components, power: rows X_v are those of the leading so many principal components, see leading_components; None: all contexts as they are or,
        where entries have weights, as many as dimensions, if there are so many
    start: "words" (rows of X of random words), "svd" (leading right singular vectors, the first at the roots of a forest) or "random"
    tolerance: relative duality gap of the codes at the end; while learning ten times as much will do
    """

    def __init__(
        self,
        size: int = 52,
        penalty: Any = "forest",
        strength: float = 1.0,
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
        random_state: Any = 0,
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
        self, matrix: Any, callback: Callback | None = None, weights: EntryWeights | None = None
    ) -> Coded:
        """Codes and dictionary of a sparse matrix (words x contexts); callback gets the trace of every pass, and ends learning if it says True.

        weights: by which entries count in the components that are coded
        """
        self._check()
        rows, random = WordRows(matrix), check_random_state(self.random_state)
        forest = forest_for(self.penalty, self.size, self.branching, self.growth)
        threads = joblib.effective_n_jobs(self.n_jobs)
        contexts: Floats | None = None
        steps = Steps("pass", self.passes, callback)
        with threadpool_limits(threads):
            components = self.components
            if components is None and weights is not None:
                components = min(self.size, *rows.shape)
            if components is not None:
                rows, contexts = leading_components(
                    rows, components, self.power, random, threads, weights, callback
                )
            table = first_dictionary(rows, forest, self.start, self.positive, random, threads)
            coder = Coder(forest, self.strength, self.positive, 10 * self.tolerance)
            run = _Run(rows, coder, table, threads)
            for _ in range(self.passes):
                order, total = random.permutation(rows.shape[0]), 0.0
                for first in range(0, len(order), self.batch_size):
                    total += run.step(
                        np.sort(order[first : first + self.batch_size]), self.forgetting
                    )
                if steps.add(total):
                    break
            coder.tolerance = self.tolerance
            codes, value, worst = coder.encode_all(rows, run.table, threads, run.codes)
            learned = np.ascontiguousarray(run.table[:, : self.size].T)
            dictionary = learned if contexts is None else learned @ contexts
        return Coded(codes, dictionary, steps.report(in_one_line(self), value, worst))

    def _check(self) -> None:
        check_whole(self, "size", "batch_size", "passes")
        if (
            not 0 <= self.strength < np.inf
            or not 0 <= self.forgetting < np.inf
            or not 0 < self.tolerance < 1
        ):
            raise ValueError(
                "strength and forgetting must not be negative and tolerance must lie between 0 and 1, "
                f"got {self.strength!r}, {self.forgetting!r} and {self.tolerance!r}"
            )


class _Run:
    """The dictionary (contexts, stride) and what all codes so far ask of it."""

    def __init__(self, rows: WordRows, coder: Coder, table: Floats, threads: int):
        self.rows, self.coder, self.table, self.threads = rows, coder, table, threads
        stride = table.shape[1]
        self.codes = np.zeros((rows.shape[0], stride), np.float32)
        self.share = np.zeros(
            rows.shape[0]
        )  # how much a word's code counts in the sums, relative to `scale`
        self.scale = 1.0  # of the sums: what is stored is smaller by it
        self.squares = np.zeros((stride, stride))  # sum_v A_v' A_v
        self.asked = np.zeros_like(table)  # sum_v X_v' A_v
        self.seen = 0

    def step(self, words: NDArray[np.int64], forgetting: float) -> float:
        """Code a batch, then move the dictionary; the objective of the batch before the move."""
        grams = self.coder.grams(self.table)
        coded = self.coder.encode(
            self.rows, words, self.table, grams, self.codes[words], self.threads
        )
        self.seen += len(words)
        if forgetting and self.seen > len(words):
            self.scale *= (1 - len(words) / self.seen) ** forgetting
        # New codes count 1 / scale, and old ones leave with what they have.
        new, old = (
            coded.codes / np.float32(self.scale),
            self.codes[words] * self.share[words, None].astype(np.float32),
        )
        self.squares += (
            new.T.astype(np.float64) @ coded.codes - old.T.astype(np.float64) @ self.codes[words]
        )
        self.rows.add_products(words, np.ascontiguousarray(new - old), self.asked, self.threads)
        self.codes[words] = coded.codes
        self.share[words] = 1 / self.scale
        self._move()
        return float(coded.objective.sum())

    def _move(self) -> None:
        """Block coordinate descent: d_m = u_m / max(1, |u_m|), u_m = d_m + (asked_m - D squares_m) / squares_mm, one m after the other.

        Some m at a time: what is asked of them is one product of matrices, and all that they become in turn are combinations of the same few columns,
        so that their lengths come from a small matrix of inner products.
        """
        size = self.coder.size
        squares = self.squares[:size, :size]
        for first in range(0, size, BLOCK):
            these = slice(first, min(size, first + BLOCK))
            before = self.table[:, these]
            left = self.asked[:, these] - self.table[:, :size] @ squares[:, these].astype(
                np.float32
            )
            columns = np.hstack([before, left])
            mix = move_rows(gram(columns), squares[these, these], float(squares.diagonal().max()))
            moved = columns @ mix.astype(np.float32)
            lengths = np.sqrt(np.einsum("cm,cm->m", moved, moved, dtype=np.float64))
            self.table[:, these] = moved / np.maximum(lengths, 1.0).astype(np.float32)


def move_rows(
    inner: NDArray[np.float64], squares: NDArray[np.float64], largest: float
) -> NDArray[np.float64]:
    """(2 n, n): how n rows of a dictionary become, in turn, combinations of themselves and of what is left to ask of them.

    inner: (2 n, 2 n), inner products of all these; squares: (n, n); a row that no code uses (next to the largest) stays
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
