"""Components of associations where every pair of a word and a context counts by how often the two have met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Floats
from laconic.core.report import Callback
from laconic.embed.association import EntryWeights
from laconic.embed.codes import WordRows, gram, padded
from laconic.embed.learn import Steps
from laconic.embed.start import right_singular

PASSES = 4
FIRST_STEPS, STEPS = 12, 4  # of conjugate gradients for a row: from nothing, and from where it was
TOLERANCE = 1e-4  # of a row's equations, relative
FLOOR = 1e-6  # of the largest eigenvalue: directions that are no longer told apart


class Factors(NamedTuple):
    """X is about left @ diag(values) @ right: left (words, size) and right (size, contexts) are orthonormal, with the weights of words and contexts if there are any."""

    left: Floats
    values: NDArray[np.float64]
    right: Floats
    objective: float
    interrupted: bool = False


class _Side(NamedTuple):
    """The entries by rows, with their weights; weights of rows and of the columns."""

    rows: WordRows
    weight: Floats
    of_row: Floats
    of_column: Floats

    def solve(self, table: Floats, codes: Floats, steps: int, threads: int) -> float:
        """The best codes (rows, stride) for a table (columns, stride), from what they are, in place; the whole objective."""
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
    """min_(U, D) 1/2 sum_(v, c stored) g_vc (x_vc - u_v d_c)^2 + 1/2 sum_(v, c not stored) a_v b_c (u_v d_c)^2 over U, D of `size` columns.

    By alternating least squares from the leading singular vectors: words for given contexts, contexts for given words, and so on. What is
    solved for last gives way to its own orthonormal form, which leaves the product as it is. There are other local minima; the objective
    never rises. callback gets the objective of every pass, and ends them if it says True.
    """
    words, contexts = _sides(rows, weights)
    table = padded(right_singular(rows, size, random, threads)[1].T)
    table, _ = _evened(table, contexts.of_row, size)
    codes = np.zeros((rows.shape[0], table.shape[1]), np.float32)
    steps = Steps("components", passes, callback)
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
    """The same entries by words and by contexts."""
    given = WordRows(weights.entries)
    if not (np.array_equal(given.ptr, rows.ptr) and np.array_equal(given.index, rows.index)):
        raise ValueError("weights must have the places of the matrix")
    if (len(weights.words), len(weights.contexts)) != rows.shape:
        raise ValueError(
            f"weights must have a number for each of {rows.shape[0]} words and {rows.shape[1]} contexts"
        )
    turned, turned_weight = (one.matrix().T.tocsr() for one in (rows, given))
    # Rows without any entry have no weight; theirs are zero whatever it is.
    of_word, of_context = (
        np.where(one > 0, one, 1).astype(np.float32) for one in (weights.words, weights.contexts)
    )
    return (
        _Side(rows, given.value, of_word, of_context),
        _Side(WordRows(turned), turned_weight.data, of_context, of_word),
    )


def _evened(table: Floats, weight: Floats, size: int) -> tuple[Floats, Floats]:
    """The table with sum_c weight_c d_c d_c' = I, and what to multiply the other side by so that the product stays."""
    squares, turn = np.linalg.eigh(gram(table[:, :size] * np.sqrt(weight)[:, None]))
    lengths = np.sqrt(np.maximum(squares, FLOOR * squares[-1]))
    return padded(table[:, :size] @ (turn / lengths).astype(np.float32)), (turn * lengths).astype(
        np.float32
    )
