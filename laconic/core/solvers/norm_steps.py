"""Damped Newton steps where the norms of overlapping groups are smooth (cpp/numeric/norm_newton).

    B d = -slope,    w <- w + d,    B = Hessian of the loss + that of the norms' quadratic bounds
                                        - share (what these are above that of the norms)

on the weights that are not zero. share = 0 is a step of reweighting; share = 1 is Newton's step,
which goes far astray while groups are still on their way to zero. The share follows the objective:
up after every step that lowers it, down after one that does not. A weight that would change its
sign shrinks to a tenth instead: which weights are zero is for reweighting to decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties import Terms
from laconic.core.problem import Problem
from laconic.core.solvers.scales import Scales

FIRST, MOST = 0.9, 0.98  # share of the first step of all, and at the start of a series
SHRINK = 0.1  # of a weight that a step would take through zero
TRIALS = 4  # steps that may fail before the series ends
PRODUCTS = 60  # of a step, at most
ACCURACY = 0.03  # of a step: its residual over the first one


class NormSteps:
    """Newton steps of one problem; `share` is kept from one series of steps to the next."""

    def __init__(self, problem: Problem, scales: Sequence[Scales], terms: Terms):
        self.problem = problem
        self.scales = scales
        self.terms = terms
        self.share = FIRST
        design = problem.design
        self.kernel = _core.NormNewton(design.matrix, design.n_outputs, design.intercept)
        for part in scales:
            groups = part.inner.over(len(part.index))
            parent = np.zeros(0, np.int64) if groups.parent is None else groups.parent
            self.kernel.add(groups.ptr, part.index, parent, part.mass)

    def value(self, x: Array, scores: Array) -> float:
        """Return the objective at x and its scores."""
        weights, terms = self.problem.parts(x)[0], self.terms
        direct = np.sum(terms.lasso * np.abs(weights)) + 0.5 * np.sum(terms.ridge * weights**2)
        norms = sum(float(part.mass @ part.norms(weights)) for part in self.scales)
        return self.problem.residuals(scores)[0] + float(direct) + norms

    def run(self, x: Array, n_steps: int, vanish: float, enough: float) -> Array:
        """Return the point that up to n_steps steps from x lead to, its intercept fitted.

        Weights in groups smaller than `vanish` times the largest one become zero on the way. Steps
        end where one lowers the objective by less than `enough` of it.
        """
        problem = self.problem
        x = self.without_vanished(x, vanish)
        scores = self._fit(x)
        value = self.value(x, scores)
        self.share = min(self.share, MOST)
        for _ in range(n_steps):
            before = value
            x, scores, value = self._step(x, scores, value)
            if problem.relative(before - value, value) <= enough:
                break
            kept = np.count_nonzero(x)
            x = self.without_vanished(x, vanish)
            if np.count_nonzero(x) < kept:
                scores = self._fit(x)
                value = self.value(x, scores)
        return x

    def without_vanished(self, x: Array, vanish: float) -> Array:
        """Return x with zeros on all weights in groups of less than `vanish` of the largest one."""
        clean = x.copy()
        weights = self.problem.parts(clean)[0]
        for part in self.scales:
            norms = part.norms(weights)
            gone = norms < vanish * float(norms.max(initial=0.0))
            weights[part.index[part.on_copies(gone.astype(float)) > 0]] = 0.0
        return clean

    def _fit(self, x: Array) -> Array:
        """Move the intercept of x to its optimum, and return the scores."""
        scores = self.problem.design.score(x)
        self.problem.fit_intercept(x, scores)
        return scores

    def _step(self, x: Array, scores: Array, value: float) -> tuple[Array, Array, float]:
        """Return the next point, its scores and objective; the given ones if no step lowers it."""
        problem, terms = self.problem, self.terms
        weights = problem.parts(x)[0]
        gradient = problem.parts(problem.design.pull(problem.residuals(scores)[1]))[0]
        point = _core.NormPoint(
            weights=weights,
            slope=gradient + terms.lasso * np.sign(weights) + terms.ridge * weights,
            ridge=terms.ridge + np.zeros(len(weights)),
            curvature=problem.bound.curvature(scores),
        )
        direction = np.empty(len(weights))
        for _ in range(TRIALS):
            self.kernel.step(point, self.share, ACCURACY, PRODUCTS, direction)
            moved = x.copy()
            there = weights + direction
            problem.parts(moved)[0][:] = np.where(
                there * weights < SHRINK * weights**2, SHRINK * weights, there
            )
            moved_scores = self._fit(moved)
            reached = self.value(moved, moved_scores)
            if reached < value:
                self.share = 1 - 0.4 * (1 - self.share)
                return moved, moved_scores, reached
            self.share = max(0.0, 1 - 4 * (1 - self.share))
        return x, scores, value
