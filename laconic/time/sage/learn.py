"""Learning of models of text over time: background, pooled rows, prior, solver and start."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from laconic.core.arrays import Array, Ints
from laconic.core.penalties import Penalty, Separable
from laconic.core.report import Callback
from laconic.core.solvers.base import Solver
from laconic.core.solvers.choose import choose_solver
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.time.adaptive import AdaptivePrior
from laconic.time.learn import over_time
from laconic.time.problem import CountProblem
from laconic.time.times import TimeGrid
from laconic.time.trajectories import SmoothRidge
from laconic.time.variational import Variational

MEMORY = 5  # of quasi-Newton solvers: there are many weights


def text_prior(n_steps: int) -> AdaptivePrior:
    """Return the adaptive prior that suits word counts.

    Near zero it is a ridge of 0.7 on levels and 50 on changes, in counts of words.
    """
    return AdaptivePrior(tau=300.0, floor=0.01 * n_steps)


def log_frequencies(
    counts: sp.csr_matrix, steps: Ints, n_steps: int, smoothing: float | None
) -> Array:
    """Return log-frequencies of words (n_steps, words).

    Without `smoothing` they are those of all documents at every step; with it those of each step,
    to which that number of words with the frequencies of all documents is added. Every word counts
    half a time more than it occurs.
    """
    whole = np.asarray(counts.sum(axis=0)).ravel() + 0.5
    whole /= whole.sum()
    if smoothing is None:
        return np.tile(np.log(whole), (n_steps, 1))
    ones, rows = np.ones(len(steps)), np.arange(len(steps))
    member = sp.csr_matrix((ones, (steps, rows)), shape=(n_steps, len(steps)))
    smoothed = (member @ counts).toarray() + smoothing * whole
    logs: Array = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
    return logs


def pool_rows(effects: sp.csr_matrix, steps: Ints) -> tuple[sp.csr_matrix, Ints]:
    """Return a matrix that adds up rows with the same effects at the same step.

    Also returned is the first row of each sum.
    """
    groups: dict[tuple[int, bytes, bytes], int] = {}
    first: list[int] = []
    member = np.empty(len(steps), dtype=np.int64)
    for n, step in enumerate(steps.tolist()):
        part = slice(effects.indptr[n], effects.indptr[n + 1])
        key = (step, effects.indices[part].tobytes(), effects.data[part].tobytes())
        member[n] = groups.setdefault(key, len(groups))
        if len(groups) > len(first):
            first.append(n)
    ones, rows = np.ones(len(steps)), np.arange(len(steps))
    pooled = sp.csr_matrix((ones, (member, rows)), shape=(len(groups), len(steps)))
    return pooled, np.array(first, dtype=np.int64)


def suitable_solver(penalty: Penalty, tol: float, max_iter: int | None) -> Solver:
    """Return a quasi-Newton solver with a short memory where the penalty allows one."""
    if isinstance(penalty, Separable) and not penalty.positive:
        return Owlqn(tol, max_iter or 1000, memory=MEMORY)
    solver = choose_solver(penalty, tol, max_iter)
    if not issubclass(CountProblem, solver.needs_problem):  # it needs rows of features
        return Fista(tol) if max_iter is None else Fista(tol, max_iter)
    if isinstance(solver, Variational):
        solver.set_params(memory=MEMORY)
    return solver


def starting_weights(
    problem: CountProblem, start: Penalty | None, callback: Callback | None
) -> Array:
    """Return where AdaptivePrior starts (see laconic.time.learn.starting_weights)."""
    start = start if start is not None else SmoothRidge(strength=1.0, smoothness=10.0)
    first = problem.with_penalty(over_time(start, problem.design))
    return choose_solver(first.penalty, 1e-3, max_iter=30).run(first, callback=callback).x


def weights_on(
    clock: TimeGrid, before: tuple[TimeGrid, Array], shape: tuple[int, int]
) -> Array | None:
    """Return the weights of an earlier fit on the steps of a clock, or None if they do not fit.

    `before` is the clock and the trajectories of that fit, `shape` the numbers of steps and of
    weights now. Steps that it did not have start as the nearest one that it had.
    """
    old, table = before
    n_steps, n_weights = shape
    J, _, V = table.shape
    if (J * n_steps * V, old.unit, old.width) != (n_weights, clock.unit, clock.width):
        return None
    places = np.arange(n_steps) + round((clock.origin - old.origin) / old.width)
    return table[:, np.clip(places, 0, table.shape[1] - 1)].ravel()
