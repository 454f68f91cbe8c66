"""The lower bound of a problem with overlapping groups, at the dual point of a gradient."""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import OverlapGroupLasso, PenaltySum
from laconic.core.problem import GapProblem
from laconic.core.solvers.copies import split_penalty
from laconic.core.solvers.reweighted import SHARE_ROUNDS, SMALL, Reweighted
from laconic.core.solvers.scales import Scales
from laconic.core.solvers.shares import Shares

GOAL = 1e-6  # excess of the worst share at which a bound is good enough


class OverlapBound:
    """Shares of a gradient among groups, from the norms of the weights (see solvers/shares.py)."""

    def __init__(self, problem: GapProblem):
        direct, copied = split_penalty(problem)
        n = problem.design.n_penalised
        terms = direct.terms(n)
        self._scales = [Scales(term, n, 1.0) for term in copied]
        self._shares = Shares(problem, self._scales, terms)
        self._best = -np.inf

    @classmethod
    def of(cls, problem: GapProblem) -> list[OverlapBound]:
        """Return the bound of a problem, or none where its penalty has no overlapping groups."""
        penalty = problem.penalty
        if isinstance(penalty, PenaltySum):
            fits = penalty.splits and bool(penalty.copied(problem.design.n_penalised))
        else:
            fits = isinstance(penalty, OverlapGroupLasso)
        return [cls(problem)] if fits and not Reweighted().unsupported(penalty) else []

    def at(self, weights: Array, dual: Array, gradient: Array) -> float:
        """Return the best bound of the points so far and of this one."""
        scales = []
        for part in self._scales:
            norms = part.norms(weights)
            largest = float(norms.max(initial=0.0)) or 1.0
            scales.append(part.with_eta(np.where(norms > 0, norms, SMALL * largest)))
        found = self._shares.bound(dual, gradient, scales, SHARE_ROUNDS, GOAL)
        self._best = max(self._best, found.value)
        return self._best
