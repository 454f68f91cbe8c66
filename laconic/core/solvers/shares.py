"""Lower bounds for overlapping groups: the gradient shared among the groups of each weight.

    optimum >= -loss*(t r) - direct*(...)    if  -A'r - (what direct takes) = sum_g u_g,
                                                 |u_g| <= mass_g / t

for residuals r and shares u_g with entries in group g. At the optimum t = 1; before, the worst
group decides. Two methods take turns, because each is slow where the other one is fast:

    by lengths   u_g = mass_g v_g / eta_g with v = (what is shared) / (sum of mass / eta); eta_g
                 grows where a group has more than its mass and shrinks where it has less
    by copies    u itself, projected on the balls of the groups and on the right sums in turn

Lengths give the shares their form near the optimum, copies repair what is left over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties import Terms
from laconic.core.problem import GapProblem
from laconic.core.ragged import pointers
from laconic.core.solvers.scales import Scales

# Powers of the ratio of a share to its mass, which eta takes in turn: large ones move slow groups,
# small ones calm the others (the roots of a Chebyshev polynomial on 1/8 .. 1).
POWERS = (8.0, 2.5, 1.5, 1.0)
LEAST = 1e-200  # length of a group, from which it can grow
NEAR = 1.5  # ratio from which on copies are worth their time


class ShareBound(NamedTuple):
    """A lower bound, the largest ratio of a share to its mass, and that of every group by terms.

    `ratios` is empty where no group's share is far from its mass.
    """

    value: float
    worst: float
    ratios: list[Array]


class Shares:
    """Lower bounds of one problem at any residuals."""

    def __init__(self, problem: GapProblem, scales: Sequence[Scales], terms: Terms):
        self.problem = problem
        self.terms = terms
        flat = [part for part in scales if part.copies is not None]
        n = problem.design.n_penalised
        sizes = np.concatenate([[], *(part.sizes for part in flat)]).astype(np.int64)
        self.index = np.concatenate([[], *(part.index for part in flat)]).astype(np.int64)
        self.mass = np.concatenate([[], *(part.mass for part in flat)])
        self.copies = _core.Copies(pointers(sizes), self.index, n) if len(self.index) else None

    def bound(
        self, residual: Array, gradient: Array, scales: Sequence[Scales], rounds: int, goal: float
    ) -> ShareBound:
        """Return a bound, moving the lengths of `scales`; it ends once worst - 1 is at most goal.

        Up to `rounds` rounds by lengths are followed by up to three times as many by copies.
        """
        terms, pushed = self.terms, -gradient
        over = (
            np.maximum(pushed - terms.lasso, 0.0)
            if terms.positive
            else pushed - np.clip(pushed, -terms.lasso, terms.lasso)
        )
        ridge = sum((part.ridge() for part in scales), terms.ridge + np.zeros(len(over)))
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.where((ridge <= 0) & (over != 0), np.abs(pushed) / terms.lasso, 1.0)
        least = max(1.0, float(np.max(alone, initial=1.0)))
        enough = least + goal
        best, shared, ratios = np.inf, over, list[Array]()
        for turn in range(rounds + 1):
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = np.where(ridge > 0, over / ridge, 0.0)
            if turn == rounds:
                ratios = [part.norms(moved) / part.eta for part in scales]
                worst = max([least, *(float(ratio.max(initial=0.0)) for ratio in ratios)])
            else:
                power = POWERS[turn % len(POWERS)]
                balanced = [part.reweigh(moved, power, LEAST) for part in scales]
                worst = max([least, *(ratio for _, ratio in balanced)])
                ridge = sum((each for each, _ in balanced), terms.ridge + np.zeros(len(over)))
            if worst < best:
                best, shared = worst, moved
            if best <= enough:
                break
        if enough < worst < NEAR and self.copies is not None:
            nested = (
                float(ratio.max(initial=0.0))
                for part, ratio in zip(scales, ratios, strict=True)
                if part.copies is None
            )
            worst = max([least, self._by_copies(moved, scales, 3 * rounds, enough), *nested])
            if worst < best:
                best, shared = worst, moved
        scale = 1.0 / best
        value = -self.problem.loss_conjugate(residual, scale) - 0.5 * float(
            np.sum(terms.ridge * (scale * shared) ** 2)
        )
        return ShareBound(value, best, ratios if best > enough else [])

    def _by_copies(self, moved: Array, scales: Sequence[Scales], rounds: int, goal: float) -> float:
        """Return the worst ratio of shares with the same sums as those by lengths."""
        assert self.copies is not None
        pulls = [part.on_copies(part.mass / part.eta) for part in scales if part.copies]
        shares = np.concatenate(pulls) * moved[self.index]
        whole = np.bincount(self.index, shares, len(moved)).astype(np.float64, copy=False)
        return self.copies.share(whole, self.mass, shares, goal, rounds)
