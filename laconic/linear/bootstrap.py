"""Bootstrap intervals of weights: how much they move when the rows are weighted anew.

Every sample weights the rows at random and fits again, from the solution of all rows: counts of a
draw with replacement ("pairs"; Efron 1979), or exponential numbers ("bayesian"; Rubin 1981), which
leave no row and no class out.

What such intervals mean for a penalised fit: they show how stable a weight is, and they cover what
the penalised estimator aims at, which is shrunken towards zero. They are not confidence intervals
of the true weights: at a truth of zero the bootstrap of the lasso is not consistent (Chatterjee and
Lahiri 2010). `relax=1.0` takes the shrinkage away; `StabilitySelection` bounds false selections.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from laconic.core.arrays import Array, MatrixLike, RandomState
from laconic.core.losses import Gold
from laconic.core.problem import Problem
from laconic.core.report import Callback, Event
from laconic.linear.base import SparseLinear

METHODS = ("bayesian", "pairs")
INTERVALS = ("percentile", "basic", "bca")
N_PARTS = 20  # of the rows, whose influence on the weights gives the acceleration
MOST_DRAWS = 100  # until every class is drawn


class Intervals(NamedTuple):
    """Weights with intervals, each array shaped as coef_.

    Parameters
    ----------
    estimate : array of shape (K, p) or (p,)
        Weights of the fit to all rows.
    low, high : array of shape (K, p) or (p,)
        Ends of the intervals.
    nonzero : array of shape (K, p) or (p,)
        Share of samples in which the weight is not zero.
    samples : sparse matrix of shape (n_samples, K p)
        Weights of every sample, output by output.
    level : float
        Level of the intervals.
    """

    estimate: Array
    low: Array
    high: Array
    nonzero: Array
    samples: sp.csr_matrix
    level: float


def bootstrap_intervals(
    estimator: SparseLinear,
    X: MatrixLike,
    y: ArrayLike,
    n_samples: int = 200,
    level: float = 0.9,
    method: str = "bayesian",
    interval: str = "percentile",
    sample_weight: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    callback: Callback | None = None,
) -> Intervals:
    """Return quantiles of the weights of fits to rows that are weighted at random.

    They cover what the penalised estimator aims at, not the true weights: see
    laconic.linear.bootstrap.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor
        Model with any penalty, at the strength to use.
    X : sparse matrix or array of shape (n, p)
        One row of features per example.
    y : array of shape (n,)
        Target of each example.
    n_samples : int, default=200
        Number of samples.
    level : float, default=0.9
        Level of the intervals.
    method : {"bayesian", "pairs"}, default="bayesian"
        Whether rows get exponential weights, or the counts of a draw with replacement.
    interval : {"percentile", "basic", "bca"}, default="percentile"
        Quantiles of the samples, these mirrored at the estimate, or quantiles at levels that allow
        for bias and skewness (Efron 1987), which takes 20 more fits.
    sample_weight : array of shape (n,) or None, default=None
        Weight of each example, which those of a sample multiply.
    offset : array of shape (n,) or (n, K) or None, default=None
        What is added to the scores of each row.
    n_jobs : int or None, default=None
        Number of threads over samples; -1 uses all processors.
    random_state : int, RandomState or None, default=0
        Seed of the samples.
    callback : callable or None, default=None
        Called with an Event per sample; True ends with the samples that are done.

    Returns
    -------
    Intervals
        Estimates, ends of intervals, shares of samples with a weight, and the samples.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1, SparseRegressor, bootstrap_intervals
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = 2 * X[:, 0] + np.random.default_rng(1).normal(size=200)
    >>> found = bootstrap_intervals(SparseRegressor(L1(10.0)), X, y)
    >>> bool(found.low[0] < found.estimate[0] < found.high[0]), float(found.nonzero[0])
    (True, 1.0)
    """
    if method not in METHODS or interval not in INTERVALS:
        raise ValueError(
            f"method is one of {', '.join(METHODS)} and interval one of {', '.join(INTERVALS)}, "
            f"got {method!r} and {interval!r}"
        )
    if n_samples < 2 or not 0 < level < 1:
        raise ValueError(
            "n_samples must be at least 2 and level between 0 and 1, "
            f"got {n_samples!r} and {level!r}"
        )
    model = clone(estimator)
    problem = model.build_problem(X, y, sample_weight, offset)
    result = model.solve(problem)
    model.adopt(problem, result)
    random = check_random_state(random_state)
    seeds = random.randint(2**31 - 1, size=n_samples)
    classes = is_classifier(model)
    draws = (_draw(problem, classes, method, int(seed)) for seed in seeds)
    jobs = (delayed(_refit)(model, problem, result.x, factor) for factor in draws)
    began, rows = time.perf_counter(), []
    for row in Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(jobs):
        rows.append(row)
        seconds = time.perf_counter() - began
        event = Event("sample", len(rows), n_samples, features=row.nnz, seconds=seconds)
        if callback is not None and callback(event) and len(rows) > 1:
            break
    samples = sp.vstack(rows, format="csr")
    estimate = model.coef_.ravel()
    tails = both_tails(level)
    if interval == "bca":
        tails = _bca_levels(samples, estimate, _influence(model, problem, result.x, random), tails)
    low, high = quantiles(samples, tails)
    if interval == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    share = samples.getnnz(axis=0) / len(rows)
    parts = [part.reshape(model.coef_.shape) for part in (estimate, low, high, share)]
    return Intervals(parts[0], parts[1], parts[2], parts[3], samples, level)


def _refit(model: SparseLinear, problem: Problem, x: Array, factor: Array) -> sp.csr_matrix:
    """Return the weights of a fit with the weights of rows multiplied, output by output."""
    gold = problem.gold
    weight = gold.weight * factor
    inner = Problem(
        problem.design, problem.loss, Gold(gold.target, weight, gold.n_outputs), problem.penalty
    )
    weights, _ = model.plain_parts(inner, model.solve(inner, x))
    return sp.csr_matrix(weights.reshape(-1, gold.n_outputs).T.reshape(1, -1))


def _draw(problem: Problem, classes: bool, method: str, seed: int) -> Array:
    """Return random weights of the rows with mean 1, with every class in them."""
    random, target = np.random.default_rng(seed), problem.gold.target
    n = len(problem.gold.weight)
    if method == "bayesian":
        drawn: Array = random.exponential(size=n)
        return np.asarray(drawn / drawn.mean())
    for _ in range(MOST_DRAWS):
        counts = np.bincount(random.integers(n, size=n), minlength=n).astype(np.float64)
        if not classes or len(target) != n:
            return counts
        if len(np.unique(target[counts > 0])) == len(np.unique(target)):
            return counts
    raise ValueError("a class is so rare that draws miss it: use method='bayesian'")


def _influence(
    model: SparseLinear, problem: Problem, x: Array, random: np.random.RandomState
) -> sp.csr_matrix:
    """Return how much weights fall as each of up to N_PARTS parts of the rows counts half.

    Half, so that no part takes a class with it; the acceleration does not depend on how much.
    """
    n = len(problem.gold.weight)
    part = random.permutation(n) % min(n, N_PARTS)
    fits = [_refit(model, problem, x, np.where(part == k, 0.5, 1.0)) for k in range(part.max() + 1)]
    return sp.vstack(fits, format="csr")


def _bca_levels(
    samples: sp.csr_matrix, estimate: Array, influence: sp.csr_matrix, tails: Array
) -> Array:
    """Return the levels of quantiles per weight, Phi(z + (z + z_q) / (1 - a (z + z_q))).

    z = Phi^-1 of the share of samples below the estimate (half of those equal to it), and
    a = sum_k u_k^3 / (6 (sum_k u_k^2)^(3/2)), u the centred influence of parts of the rows.
    """
    n, shape = samples.shape[0], (2, samples.shape[1])
    levels = np.broadcast_to(tails, shape).copy()
    some = np.unique(samples.indices)
    values, parts = samples.tocsc()[:, some].toarray(), influence.tocsc()[:, some].toarray()
    share = np.mean(values < estimate[some], axis=0) + 0.5 * np.mean(
        values == estimate[some], axis=0
    )
    bias = ndtri(np.clip(share, 0.5 / n, 1 - 0.5 / n))
    off = parts.mean(axis=0) - parts
    size = np.sum(off**2, axis=0) ** 1.5
    skew = np.sum(off**3, axis=0) / (6 * np.where(size > 0, size, 1.0))
    moved = bias + ndtri(levels[:, some])
    levels[:, some] = ndtr(bias + moved / np.maximum(1 - skew * moved, 0.1))
    return levels


def both_tails(level: float) -> Array:
    """Return the two levels of quantiles of an interval, (2, 1)."""
    return np.array([[(1 - level) / 2], [(1 + level) / 2]])


def quantiles(samples: sp.csr_matrix, tails: Array) -> tuple[Array, Array]:
    """Return two quantiles per column, 0 of columns that are all zero.

    They are at levels (2, columns), or the same (2, 1) for all.
    """
    tails = np.broadcast_to(tails, (2, samples.shape[1]))
    low, high = np.zeros(samples.shape[1]), np.zeros(samples.shape[1])
    alive = np.unique(samples.indices)
    columns = samples.tocsc()
    for start in range(0, len(alive), 1000):
        some = alive[start : start + 1000]
        values = np.sort(columns[:, some].toarray(), axis=0)
        place = tails[:, some] * (len(values) - 1)
        below = np.floor(place).astype(np.int64)
        above = np.minimum(below + 1, len(values) - 1)
        at, after = (np.take_along_axis(values, rows, axis=0) for rows in (below, above))
        low[some], high[some] = at + (place - below) * (after - at)
    return low, high
