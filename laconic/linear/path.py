"""Regularization paths for any penalty: one fit per strength, each from the one before it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import clone

from laconic.core.arrays import Array, Ints, MatrixLike
from laconic.core.problem import RowSum
from laconic.core.report import Callback, Event
from laconic.core.solvers.base import Result
from laconic.linear.base import SparseLinear
from laconic.linear.grid import given_grid, path_start


class Path(NamedTuple):
    """One fit per strength, strongest first.

    Parameters
    ----------
    strengths : array of shape (S,)
        Strengths of the penalty, from large to small.
    weights : sparse matrix of shape (S, features x outputs)
        Weights of each fit.
    intercepts : array of shape (S, outputs)
        Intercepts of each fit.
    objectives, certificates : array of shape (S,)
        Objective and certificate of each fit.
    selected : array of shape (S,)
        Number of features with a weight that is not zero.
    seconds : array of shape (S,)
        Seconds that each fit took.
    """

    strengths: Array
    weights: sp.csr_matrix
    intercepts: Array
    objectives: Array
    certificates: Array
    selected: Ints
    seconds: Array


def walk(
    estimator: SparseLinear, problem: RowSum, strengths: Iterable[float], x: Array | None = None
) -> Iterator[Result]:
    """Yield the result of every strength in turn, each started from the one before it.

    While a result is looked at, `problem` has the penalty of its strength.
    """
    spread = problem.penalty
    problem.on_path = True
    try:
        for strength in strengths:
            problem.penalty = spread.replace(strength=float(strength)).check()
            result = estimator.solve(problem, x)
            x = result.x
            yield result
    finally:
        problem.penalty, problem.on_path = spread, False


def regularization_path(
    estimator: SparseLinear,
    X: MatrixLike,
    y: ArrayLike,
    strengths: ArrayLike | None = None,
    n_strengths: int = 50,
    ratio: float | None = None,
    sample_weight: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    callback: Callback | None = None,
) -> Path:
    """Fit min loss + strength * penalty at every strength, each from the solution before it.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor
        Model with any penalty, whose strength is replaced.
    X : sparse matrix or array of shape (n, p)
        One row of features per example.
    y : array of shape (n,)
        Target of each example.
    strengths : array or None, default=None
        Strengths to fit; None is a geometric grid down from where all penalised weights are zero,
        for a ridge around the typical curvature of the data.
    n_strengths : int, default=50
        Number of strengths of the grid.
    ratio : float or None, default=None
        Smallest strength of the grid over the largest; None is 1e-3, 1e-6 for a ridge.
    sample_weight : array of shape (n,) or None, default=None
        Weight of each example; None weights all alike.
    offset : array of shape (n,) or (n, K) or None, default=None
        What is added to the scores of each row.
    callback : callable or None, default=None
        Called with an Event per strength; True ends the path there.

    Returns
    -------
    Path
        Strengths, weights, intercepts, objectives, certificates, numbers of features, seconds.

    Examples
    --------
    >>> from laconic import L1, SparseRegressor, regularization_path
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> path = regularization_path(SparseRegressor(L1()), X, y, strengths=[2.0, 0.2, 0.002])
    >>> path.strengths.tolist(), path.selected.tolist()
    ([2.0, 0.2, 0.002], [0, 1, 2])
    """
    estimator = clone(estimator)
    problem = estimator.pose(X, y, sample_weight, offset)
    x: Array | None = None
    if strengths is None:
        start = path_start(estimator, problem)
        grid, x = start.grid(n_strengths, ratio), start.x
    else:
        grid = given_grid(strengths)
    rows: list[tuple[sp.csr_matrix, Array, float, float, int, float]] = []
    began = time.perf_counter()
    first = began
    for result in walk(estimator, problem, grid, x):
        w, b = estimator.plain_parts(problem, result)
        selected = int(np.any(w.reshape(-1, problem.design.n_outputs) != 0, axis=1).sum())
        value = problem.loss_at(result.x)[0] + problem.penalty.value(problem.parts(result.x)[0])
        now = time.perf_counter()
        kept = np.flatnonzero(w)
        row = sp.csr_matrix((w[kept], kept, [0, len(kept)]), shape=(1, len(w)))
        rows.append((row, b.copy(), value, result.error, selected, now - began))
        event = Event("strength", len(rows), len(grid), value, result.error, selected, now - first)
        began = now
        if callback is not None and callback(event):
            break
    weights, intercepts, values, errors, counts, seconds = zip(*rows, strict=True)
    return Path(
        grid[: len(rows)],
        sp.vstack(weights, format="csr"),
        np.array(intercepts),
        np.array(values),
        np.array(errors),
        np.array(counts, dtype=np.int64),
        np.array(seconds),
    )
