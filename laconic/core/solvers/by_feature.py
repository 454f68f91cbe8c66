"""Descent by features, for trees over the outputs: one small tree serves every feature.

    w_j <- prox(w_j - g_j / a_j),    g_j = X_j' r,   a_j a bound of the curvature along feature j

A round is one sweep over all features and some over those that have weights, which a sweep costs
the exponentials of: the first sweep costs one product with the matrix, like a gradient.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import LabelTree
from laconic.core.problem import Problem
from laconic.core.problem.base import Solvable
from laconic.core.report import Callback
from laconic.core.solvers.base import Result, StepSolver
from laconic.core.solvers.growing import Growing


class ByFeatureState(NamedTuple):
    """x with its scores, value, certificate, and whether the last round moved anything."""

    x: Array
    scores: Array
    value: float
    error: float
    moved: bool = True


class ByFeature(StepSolver[Problem, ByFeatureState]):
    """w_j <- prox(w_j - g_j / a_j) in sweeps over features, for LabelTree.

    `result_.extra` holds the numbers of the features that have weights ("parts") and their norms
    ("norms"), as that of Growing, which solves what is not for this one: losses in Python.

    Parameters
    ----------
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Number of rounds, at most.
    sweeps : int, default=8
        Number of sweeps of a round; the first is over all features.

    Examples
    --------
    >>> from laconic import ByFeature, LabelTree, Multinomial, SparseClassifier
    >>> X, y = [[2.0, 0.0, 1.0], [0.0, 1.0, 1.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1, 2, 1]
    >>> model = SparseClassifier(LabelTree([[0, 2], 1], 0.1), solver=ByFeature()).fit(X, y)
    >>> model.converged_, model.predict([[2.0, 0.0, 1.0]]).tolist()
    (True, [0])
    """

    needs_problem = (Problem,)
    needs_penalty = (LabelTree,)
    takes = "the penalty LabelTree"

    def __init__(self, tol: float = 1e-4, max_iter: int = 500, sweeps: int = 8):
        self.tol = tol
        self.max_iter = max_iter
        self.sweeps = sweeps

    def unsupported(self, penalty: object) -> str:
        """See Solver."""
        assert isinstance(penalty, LabelTree)  # needs_penalty
        return "" if penalty.plain else "norm='inf' or positive=True"

    def run(
        self, problem: Solvable, x0: Array | None = None, callback: Callback | None = None
    ) -> Result:
        """See Solver; losses in Python, and outputs that are no scores, are left to Growing."""
        if isinstance(problem, Problem):
            penalty = problem.penalty
            assert isinstance(penalty, LabelTree)  # needs_penalty
            one_score_each = problem.design.n_outputs == penalty.outputs().n_features
            if not problem.has_kernel or not one_score_each:
                return Growing(tol=self.tol).run(problem, x0, callback)
        return super().run(problem, x0, callback)

    def init(self, problem: Problem, x: Array) -> ByFeatureState:
        """Return the state at x."""
        return self._measured(problem, x)

    def _measured(self, problem: Problem, x: Array) -> ByFeatureState:
        scores = problem.design.score(x)
        problem.fit_intercept(x, scores)
        loss, residual = problem.residuals(scores)
        dual = problem.feasible(residual)
        gradient = problem.parts(problem.design.pull(dual))[0]
        error = problem.judge(x, loss, dual, gradient)
        value = loss + problem.penalty.value(problem.parts(x)[0])
        return ByFeatureState(x, scores, value, error)

    def step(self, problem: Problem, state: ByFeatureState) -> ByFeatureState:
        """Take one round of sweeps, and measure."""
        penalty = problem.penalty
        assert isinstance(penalty, LabelTree)  # needs_penalty
        x, scores = state.x.copy(), state.scores.copy()
        tree = penalty.output_tree()
        tree.sweeps = self.sweeps
        problem.descend_by_feature(tree, penalty.strength, x, scores)
        moved = not np.array_equal(x, state.x)
        return self._measured(problem, x)._replace(moved=moved)

    def stuck(self, state: ByFeatureState) -> bool:
        """See StepSolver: no feature moves any more."""
        return not state.moved

    def finish(
        self, problem: Problem, state: ByFeatureState
    ) -> tuple[Array, float, dict[str, object]]:
        """Return the point, its gap, and the features that have weights with their norms."""
        assert isinstance(problem.penalty, LabelTree)  # needs_penalty
        weights = problem.parts(state.x)[0]
        parts, v = problem.penalty.decompose(weights)
        norms = problem.penalty.part_norms(parts, v, len(weights))
        return state.x.copy(), state.error, {"parts": parts, "norms": norms}
