"""The problem over rows: min_{w, b} sum_i s_i loss(y_i, A_i(w, b)) + penalty(w), and how far a point is from its optimum.

The certificate is a duality gap. With r = d loss / d scores at (w, b), whose column sums are zero once b is optimal,

    value(w) - optimum  <=  loss(w) + penalty(w) + loss*(t r) + penalty*(-t A'r)          for every t

and t = 1 / max(1, gauge(A'r)) makes the last term finite for a norm. Where a penalty is not convex (L0) or the gap is infinite
(weights that nothing penalises) the certificate is the largest entry of w - prox(w - gradient), relative to the gradient at 0; of a smooth
penalty that is not convex it is the largest entry of the gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Loss
from laconic.core.penalties import Penalty, Smooth
from laconic.core.problem.base import Objective


class Problem(Objective):
    """design + loss + gold + penalty over the design's flat weights, whose last entries (the intercept) are not penalised."""

    settles = True

    def __init__(self, design: Rows, loss: Loss, gold: Gold, penalty: Penalty):
        self.design = design
        self.loss = loss
        self.gold = gold
        self.penalty = penalty.check()
        self._intercept_only: Any = None

    def loss_at(self, x: Array) -> tuple[float, Array]:
        """Summed loss and residuals at x."""
        return self.loss.value_residual(self.design.score(x), self.gold, self.design.threads)

    def loss_value(self, x: Array) -> float:
        """See Objective."""
        return self.loss_at(x)[0]

    def smooth(self, x: Array) -> tuple[float, Array]:
        """Loss and its gradient at x."""
        value, residual = self.loss_at(x)
        return value, self.design.pull(residual)

    def settle(self, x: Array) -> None:
        """Move the intercept to its optimum."""
        self.fit_intercept(x, self.design.score(x))

    def _settled_loss_at(self, x: Array) -> tuple[float, Array]:
        scores = self.design.score(x)
        self.fit_intercept(x, scores)
        return self.loss.value_residual(scores, self.gold, self.design.threads)

    def settled_loss(self, x: Array) -> float:
        """See Objective."""
        return self._settled_loss_at(x)[0]

    def settled_smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective; the gradient has nothing to say to a settled intercept."""
        loss, residual = self._settled_loss_at(x)
        gradient = self.design.pull(residual)
        self.parts(gradient)[1][:] = 0.0
        return loss, gradient

    def descent(self, ptr: NDArray, index: NDArray, mass: Array) -> tuple[Any, Any]:
        """The coordinate descent kernel over given blocks of weights, and the blocks."""
        blocks = _core.Blocks(ptr, index, self.design.n_penalised)
        gold = self.gold
        kernel = _core.Descent(
            self.design.matrix,
            self.loss.kind,
            gold.target,
            gold.weight,
            gold.n_outputs,
            blocks,
            np.ascontiguousarray(mass),
        )
        return kernel, blocks

    def fit_intercept(self, x: Array, scores: Array) -> None:
        """Move the intercept of x, and the scores with it, to where the residuals of each output sum to zero."""
        if not self.design.intercept:
            return
        if self._intercept_only is None:
            nothing = np.zeros(0, np.int64)
            self._intercept_only = self.descent(np.zeros(1, np.int64), nothing, np.zeros(0))[0]
        weights, intercept = self.parts(x)
        zero = np.zeros(1)
        tolerance = 1e-11 * max(1.0, float(self.gold.weight.sum()))
        self._intercept_only.descend(
            np.zeros(0, np.int64),
            _core.SeparableTerms(lasso=zero, ridge=zero, centre=zero),
            weights,
            intercept,
            scores,
            _core.DescentLimits(tolerance=tolerance, max_rounds=100),
        )

    def strength_max(self) -> float:
        """The penalty strength at and above which all weights are zero."""
        gradient = self.smooth(self.start())[1]
        return self.penalty.strength_max(self.parts(gradient)[0])

    def gap(self, loss: float, dual: Array, gradient: Array, penalty: float) -> float:
        """The duality gap from the loss, dual (see loss_conjugate), gradient of the weights and penalty at one point."""
        scale = (
            1.0 / max(1.0, self.penalty.gauge(gradient))
            if np.isinf(self.penalty.conjugate(-gradient))
            else 1.0
        )
        if scale == 0:
            return np.inf
        dual_penalty = 0.0 if scale < 1 else self.penalty.conjugate(-gradient)
        return max(0.0, loss + penalty + self.loss_conjugate(dual, scale) + dual_penalty)

    def loss_conjugate(self, dual: Array, scale: float) -> float:
        """The conjugate of the summed loss at scaled residuals; `dual` is what a problem knows them by: here these themselves, with zero sums."""
        return self.loss.conjugate(dual, self.gold, scale, self.design.threads)

    def diagonal(self, x: Array) -> Array:
        """The diagonal of the loss's Hessian over the weights, or what lies above it; of designs that know their curvature."""
        return self.design.curvature(
            self.loss.curvature(self.design.score(x), self.gold, self.design.threads)
        )

    def relative(self, gap: float, value: float) -> float:
        """The gap over the value, with a floor of 1e-9 a row under the value: a loss that can reach zero has no relative scale there."""
        return gap / max(value, 1e-9 * self.total_weight, 1e-300)

    @property
    def total_weight(self) -> float:
        """Of all rows."""
        return float(self.gold.weight.sum())

    def certificate(self, x: Array) -> float:
        """How far x is from optimal: duality gap / value, or the prox residual where there is no gap."""
        x = x.copy()
        loss, residual = self._settled_loss_at(x)
        return self.judge(x, loss, residual, self.parts(self.design.pull(residual))[0])

    def judge(self, x: Array, loss: float, dual: Array, gradient: Array) -> float:
        """The certificate from the loss, dual (see loss_conjugate) and the gradient of the weights at x, whose intercept is settled."""
        weights = self.parts(x)[0]
        penalty = self.penalty.value(weights)
        if self.penalty.convex:
            gap = self.gap(loss, dual, gradient, penalty)
            if np.isfinite(gap):
                return self.relative(gap, loss + penalty)
        elif isinstance(self.penalty, Smooth):
            return (
                float(np.max(np.abs(gradient + self.penalty.gradient(weights)), initial=0.0))
                / self.gradient_scale()
            )
        # Where the penalty is not convex a fixed point of one step is one of every smaller step, but not of larger ones.
        return self.prox_residual(x, gradient, 1.0 / max(self.curvature(x), 1e-10))

    def curvature(self, x: Array, n_steps: int = 10) -> float:
        """About the largest eigenvalue of the loss's Hessian at x: power steps on differences of gradients, and a tenth more."""
        gradient = self.smooth(x)[1]
        along = np.random.default_rng(0).normal(size=len(x))
        width = 1e-5 * max(1.0, float(np.max(np.abs(x), initial=0.0)))
        length = 0.0
        for _ in range(n_steps):
            along /= max(float(np.linalg.norm(along)), 1e-300)
            along = (self.smooth(x + width * along)[1] - gradient) / width
            length = float(np.linalg.norm(along))
        return 1.1 * length
