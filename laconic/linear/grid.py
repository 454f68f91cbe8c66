"""Where a path begins, and its strengths.

A path of a penalty that makes weights zero begins at the strength from which on all weights that it
penalises are zero: the gauge of the gradient at the model of the others, the weights in no group
or with a factor of zero, which is fitted first. A penalty without such a strength, the ridge,
shrinks each direction of the data by e / (e + strength), e its curvature: its grid goes from 100
times the typical curvature down to 1e-4 of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array, Bools
from laconic.core.penalties import OverlapGroupLasso, Penalty, PenaltySum
from laconic.core.problem import RowSum
from laconic.linear.base import SparseLinear
from laconic.linear.relaxed import fit_on, typical_curvature

HUGE = 1e30
RATIO = 1e-3  # last strength over the first
SMOOTH_RATIO = 1e-6  # of penalties that make no weight zero
ABOVE = 1e2  # their first strength over the typical curvature


class PathStart(NamedTuple):
    """Where a path begins.

    Parameters
    ----------
    highest : float
        The strongest strength.
    ratio : float
        The weakest strength over the strongest, where the caller names none.
    x : array of shape (n_weights,)
        The solution there, or near it.
    """

    highest: float
    ratio: float
    x: Array

    def grid(self, n_strengths: int, ratio: float | None) -> Array:
        """Return a geometric grid of strengths, from strong to weak."""
        return strength_grid(self.highest, n_strengths, self.ratio if ratio is None else ratio)


def strength_grid(highest: float, n_strengths: int, ratio: float) -> Array:
    """Return `n_strengths` numbers from `highest` down to ratio * highest, geometric."""
    if n_strengths < 1 or not 0 < ratio <= 1:
        raise ValueError(
            "a grid has at least one strength and a ratio above 0 and up to 1, "
            f"got {n_strengths!r} strengths and a ratio of {ratio!r}"
        )
    if not np.isfinite(highest) or highest <= 0:
        highest = 1.0
    return np.geomspace(highest, highest * ratio, n_strengths)


def given_grid(strengths: object) -> Array:
    """Return strengths that a user gave, from strong to weak."""
    grid = np.sort(np.asarray(strengths, dtype=np.float64).ravel())[::-1]
    if not len(grid) or not np.all(np.isfinite(grid)) or grid[-1] < 0:
        raise ValueError(
            f"strengths must be finite numbers that are not negative, got {strengths!r}"
        )
    return grid


def unpenalised(penalty: Penalty, n_weights: int) -> Bools:
    """Return which weights a penalty leaves alone, however strong it is.

    They are those that the prox of an enormous step does not move.
    """
    if isinstance(penalty, PenaltySum):
        found = np.ones(n_weights, dtype=bool)
        for term in penalty.terms:
            found &= unpenalised(term, n_weights)
        return found
    if isinstance(penalty, OverlapGroupLasso):
        index, inner = penalty.copied(n_weights)
        found = np.ones(n_weights, dtype=bool)
        found[index[inner.prox(np.ones(len(index)), HUGE) < 0.5]] = False
        return found
    return np.asarray(penalty.prox(np.ones(n_weights), HUGE) > 0.5)


def path_start(estimator: SparseLinear, problem: RowSum) -> PathStart:
    """Return where the path of a problem begins."""
    penalty = problem.penalty.replace(strength=1.0).check()
    x = problem.start()
    gradient = problem.parts(problem.fitted_smooth(x)[1])[0]
    highest = penalty.strength_max(gradient)
    if not np.isfinite(highest) or highest >= HUGE:
        free = unpenalised(penalty, len(gradient))
        if free.any() and not free.all():
            x = fit_on(estimator, problem, free)
            gradient = np.where(free, 0.0, problem.parts(problem.fitted_smooth(x)[1])[0])
            highest = penalty.strength_max(gradient)
    if np.isfinite(highest) and highest < HUGE:
        return PathStart(highest if highest > 0 else 1.0, RATIO, x)
    return PathStart(ABOVE * max(typical_curvature(problem), 1e-300), SMOOTH_RATIO, x)
