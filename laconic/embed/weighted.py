"""Components of associations in which every pair of a word and a context has a weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Floats
from laconic.core.report import Callback
from laconic.embed.association import EntryWeights
from laconic.embed.codes import WordRows, gram, padded
from laconic.embed.learn import LearnerSteps
from laconic.embed.start import right_singular

PASSES = 4
FIRST_STEPS, STEPS = 12, 4  # of conjugate gradients per row: from zero, and from its last value
TOLERANCE = 1e-4  # relative, of the equations of a row
FLOOR = 1e-6  # lower bound of eigenvalues, relative to the largest


class Factors(NamedTuple):
    """X ~ left @ diag(values) @ right, with left (words, size) and right (size, contexts).

    Both are orthonormal, under the weights of words and contexts if there are any.
    """

    left: Floats
    values: Array
    right: Floats
    objective: float
    interrupted: bool = False


class _Side(NamedTuple):
    """The entries by rows, with their weights, and the weights of rows and of columns."""

    rows: WordRows
    weight: Floats
    of_row: Floats
    of_column: Floats

    def solve(self, table: Floats, codes: Floats, steps: int, threads: int) -> float:
        """Solve for codes (rows, stride) given a table (columns, stride), in place.

        Return the whole objective.
        """
        objective = _core.solve_weighted(
            self.rows.kernel_rows(),
            _core.EntryWeights(entry=self.weight, row=self.of_row, context=self.of_column),
            table.ravel(),
            table.shape[1],
            _core.CodeLimits(tolerance=TOLERANCE, most_steps=steps),
            codes.ravel(),
            threads,
        )
        return float(objective.sum())


def weighted_factors(
    rows: WordRows,
    weights: EntryWeights,
    size: int,
    random: np.random.RandomState,
    threads: int,
    passes: int = PASSES,
    callback: Callback | None = None,
) -> Factors:
    """Return U, D of `size` columns that minimise a weighted squared error.

        1/2 sum_(v, c stored) g_vc (x_vc - u_v d_c)^2
        + 1/2 sum_(v, c not stored) a_v b_c (u_v d_c)^2

    By alternating least squares from the leading singular vectors: words for given contexts,
    contexts for given words, and so on. After each half the solution is made orthonormal, which
    leaves the product unchanged. There are other local minima; the objective never rises. The
    callback receives an event "components" after every pass.
    """
    words, contexts = _sides(rows, weights)
    table = padded(right_singular(rows, size, random, threads)[1].T)
    table, _ = _evened(table, contexts.of_row, size)
    codes = np.zeros((rows.shape[0], table.shape[1]), np.float32)
    steps = LearnerSteps("components", passes, callback)
    objective = np.inf
    for number in range(passes):
        words.solve(table, codes, FIRST_STEPS if number == 0 else STEPS, threads)
        codes, back = _evened(codes, words.of_row, size)
        table = padded(table[:, :size] @ back)
        objective = contexts.solve(codes, table, STEPS, threads)
        table, back = _evened(table, contexts.of_row, size)
        codes = padded(codes[:, :size] @ back)
        if steps.add(objective):
            break
    squares, turn = np.linalg.eigh(gram(codes[:, :size] * np.sqrt(words.of_row)[:, None]))
    values, turn = np.sqrt(np.maximum(squares[::-1], 0)), turn[:, ::-1]
    values = np.maximum(values, values[0] * np.finfo(np.float32).eps)
    left = (codes[:, :size] @ (turn / values).astype(np.float32)).astype(np.float32)
    return Factors(
        left,
        values,
        np.ascontiguousarray((table[:, :size] @ turn.astype(np.float32)).T),
        objective,
        steps.interrupted,
    )


def _sides(rows: WordRows, weights: EntryWeights) -> tuple[_Side, _Side]:
    """Return the same entries by words and by contexts."""
    given = WordRows(weights.entries)
    if not (np.array_equal(given.ptr, rows.ptr) and np.array_equal(given.index, rows.index)):
        raise ValueError("weights must have the same places as the matrix")
    if (len(weights.words), len(weights.contexts)) != rows.shape:
        raise ValueError(
            f"weights must have one number for each of {rows.shape[0]} words and {rows.shape[1]} "
            "contexts"
        )
    turned, turned_weight = (one.matrix().T.tocsr() for one in (rows, given))
    # The weight of a row without entries does not matter: its solution is zero.
    of_word, of_context = (
        np.where(one > 0, one, 1).astype(np.float32) for one in (weights.words, weights.contexts)
    )
    return (
        _Side(rows, given.value, of_word, of_context),
        _Side(WordRows(turned), turned_weight.data, of_context, of_word),
    )


def _evened(table: Floats, weight: Floats, size: int) -> tuple[Floats, Floats]:
    """Return the table with sum_c weight_c d_c d_c' = I, and the factor of the other side."""
    squares, turn = np.linalg.eigh(gram(table[:, :size] * np.sqrt(weight)[:, None]))
    lengths = np.sqrt(np.maximum(squares, FLOOR * squares[-1]))
    return padded(table[:, :size] @ (turn / lengths).astype(np.float32)), (turn * lengths).astype(
        np.float32
    )
