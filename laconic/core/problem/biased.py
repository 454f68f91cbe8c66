"""Any problem with a quadratic pull towards a point: the w-step of ADMM.

    min_x  loss(x) + penalty(w) + rho / 2 sum_i d_i (x_i - a_i)^2

d_i = spread_i^-2 from the problem's own guess of its second derivatives, all 1 where it has none.
Weights that count often are pulled harder than by their share: they converge first, and rare ones
compensate for the error. (For names of persons and places the power -2 did better than -1.5, -1
and 0, in this order.) The pull covers the first entries of x, as many as the centre a has: the
penalised weights, or the tail too. It is part of the smooth loss, so that every solver that steps
along gradients can be used.
"""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Array, Floats
from laconic.core.penalties import Penalty
from laconic.core.problem.base import Objective

POWER = -2.0


class Biased(Objective):
    """A problem under a penalty of its own, pulled towards `centre`.

    Centre and rho may be changed between solves.
    """

    def __init__(self, problem: Objective, penalty: Penalty, rho: float, centre: Array):
        self.problem = problem
        self.design = problem.design
        self.penalty = penalty.check()
        self.rho = rho
        self.centre = centre
        spread = problem.spread()
        self.stiffness: Array = (
            spread[: len(centre)].astype(np.float64) ** POWER
            if len(spread)
            else np.ones(len(centre))
        )

    def _pull(self, x: Array) -> tuple[float, Array]:
        """Return the quadratic and its gradient over the entries it covers."""
        off = x[: len(self.centre)] - self.centre
        force = self.rho * self.stiffness * off
        return 0.5 * float(force @ off), force

    def _add(self, x: Array, loss: float, gradient: Array) -> tuple[float, Array]:
        pull, force = self._pull(x)
        total = gradient.copy()  # the problem may own its gradient
        total[: len(force)] += force
        return loss + pull, total

    def spread(self) -> Floats:
        """Return that of the problem, up to a factor of 1 + rho where there is a pull."""
        return self.problem.spread()

    def loss_value(self, x: Array) -> float:
        """See Objective."""
        return self.problem.loss_value(x) + self._pull(x)[0]

    def smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective."""
        return self._add(x, *self.problem.smooth(x))

    def fit_tail(self, x: Array) -> None:
        """See Objective; the pull does not cover a tail that the problem fits."""
        self.problem.fit_tail(x)

    def fitted_loss(self, x: Array) -> float:
        """See Objective."""
        return self.problem.fitted_loss(x) + self._pull(x)[0]

    def fitted_smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective."""
        loss, gradient = self.problem.fitted_smooth(x)
        return self._add(x, loss, gradient)

    def gradient_scale(self) -> float:
        """Return that of the problem without the pull."""
        return self.problem.gradient_scale()

    def certificate(self, x: Array) -> float:
        """Return the largest entry of (w - prox(w - g, 1), gradient of the tail).

        Relative to the gradient at the start.
        """
        x = x.copy()
        weights, tail = self.parts(self.fitted_smooth(x)[1])
        return max(
            self.prox_residual(x, weights, 1.0),
            float(np.max(np.abs(tail), initial=0.0)) / self.gradient_scale(),
        )
