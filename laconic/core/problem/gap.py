"""Problems whose loss has a conjugate: the certificate is a duality gap.

With r = d loss / d scores at (w, b), whose column sums are zero once the intercept b is optimal,

    value(w) - optimum  <=  loss(w) + penalty(w) + loss*(t r) + penalty*(-t A'r)      for every t

and t = 1 / max(1, gauge(A'r)) makes the last term finite for a norm. Where a penalty is not convex
(L0) or the gap is infinite (weights that nothing penalises) the certificate is the largest entry of
w - prox(w - gradient), relative to the gradient at 0; of a smooth penalty that is not convex it is
the largest entry of the gradient.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import PenaltySum, Smooth
from laconic.core.problem.base import Objective
from laconic.core.report import DUALITY_GAP, PROX_RESIDUAL

SMALLEST = 1e-300  # stands for zero in a denominator


class GapProblem(Objective):
    """An objective whose loss has a conjugate; `dual` stands for the residuals at a point."""

    _scale_of_loss: float | None = None

    @abstractmethod
    def loss_conjugate(self, dual: Array, scale: float) -> float:
        """Return the conjugate of the summed loss at `scale` times the residuals."""

    @abstractmethod
    def diagonal(self, x: Array) -> Array:
        """Return the diagonal of the loss's Hessian over the weights, or an upper bound of it."""

    def strength_max(self) -> float:
        """Return the penalty strength at and above which all weights are zero."""
        gradient = self.smooth(self.start())[1]
        return self.penalty.strength_max(self.parts(gradient)[0])

    def gap(self, loss: float, dual: Array, gradient: Array, penalty: float) -> float:
        """Return the duality gap from loss, dual, gradient and penalty at a point."""
        scale, dual_penalty = self.penalty.dual_scale(gradient)
        if scale == 0:
            return np.inf
        gap = loss + penalty + self.loss_conjugate(dual, scale) + dual_penalty
        return np.inf if np.isnan(gap) else max(0.0, gap)

    def _gap_of_sum(
        self, total: PenaltySum, x: Array, loss: float, dual: Array, gradient: Array
    ) -> float:
        """Return the duality gap; quadratic terms q count as part of the loss.

        The conjugate of q at its own gradient is q(w), at t times it t^2 q(w); the others take
        -t (gradient + grad q).
        """
        weights = self.parts(x)[0]
        bent, rest = total.parted()
        if not bent:
            return self.gap(loss, dual, gradient, total.value(weights))
        slope = gradient + sum(term.gradient(weights) for term in bent)
        cost = sum(term.value(weights) for term in bent)
        dual_rest = rest.conjugate(-slope)
        scale = 1.0
        if np.isinf(dual_rest):
            scale, dual_rest = 1.0 / max(1.0, rest.gauge(slope)), 0.0
        if scale == 0:
            return np.inf
        primal = loss + cost + rest.value(weights)
        gap = primal + self.loss_conjugate(dual, scale) + scale**2 * cost + dual_rest
        return np.inf if np.isnan(gap) else max(0.0, gap)

    def relative(self, gap: float, value: float) -> float:
        """Return the gap over the value.

        The value has a floor of 1e-9 times `loss_scale`: a loss that can reach zero has no relative
        scale there.
        """
        if self._scale_of_loss is None:
            self._scale_of_loss = self.loss_scale()
        return gap / max(value, 1e-9 * self._scale_of_loss, SMALLEST)

    def relative_gap(self, gap: float, value: float) -> float:
        """Return the gap over the value as a certificate."""
        self.certificate_kind = DUALITY_GAP
        return self.relative(gap, value)

    def loss_scale(self) -> float:
        """Return a loss that is not small: the one at the start."""
        return self.loss_value(self.start())

    def typical_weight(self) -> float:
        """Return the size of a weight that would explain the whole loss at the start."""
        loss, gradient = self.smooth(self.start())
        steepest = float(np.max(np.abs(self.parts(gradient)[0]), initial=0.0))
        return loss / steepest if loss > 0 and steepest > 0 else 1.0

    def judge(self, x: Array, loss: float, dual: Array, gradient: Array) -> float:
        """Return the certificate from loss, dual and gradient at x, its tail fitted."""
        weights = self.parts(x)[0]
        penalty = self.penalty.value(weights)
        if self.penalty.convex:
            if isinstance(self.penalty, PenaltySum):
                gap = self._gap_of_sum(self.penalty, x, loss, dual, gradient)
            else:
                gap = self.gap(loss, dual, gradient, penalty)
            if np.isfinite(gap):
                return self.relative_gap(gap, loss + penalty)
        elif isinstance(self.penalty, Smooth):
            return self.flatness(gradient + self.penalty.gradient(weights))
        # Where the penalty is not convex a fixed point of one step is one of every smaller step,
        # but not of larger ones.
        curvature = self.curvature(x)
        return self.prox_residual(x, gradient, 1.0 / curvature if curvature > 0 else 1.0)

    def flatness(self, gradient: Array) -> float:
        """Return the largest entry of the gradient of everything, relative to `gradient_scale`.

        This is the prox residual for ever smaller steps.
        """
        self.certificate_kind = PROX_RESIDUAL
        return float(np.max(np.abs(gradient), initial=0.0)) / self.gradient_scale()

    def curvature(self, x: Array, n_steps: int = 10) -> float:
        """Return about 1.1 times the largest eigenvalue of the loss's Hessian over the weights.

        By power steps. The tail stays: beside weights in small units its own curvature is huge.
        """
        along = np.random.default_rng(0).normal(size=len(x))
        length = 0.0
        for _ in range(n_steps):
            self.parts(along)[1][:] = 0.0
            along /= max(float(np.linalg.norm(along)), SMALLEST)
            along = self.bend(x, along)
            self.parts(along)[1][:] = 0.0
            length = float(np.linalg.norm(along))
        return 1.1 * length

    def bend(self, x: Array, along: Array) -> Array:
        """Return the loss's Hessian at x times a direction, by the change of the gradient."""
        size = float(np.max(np.abs(x), initial=0.0))
        width = 1e-5 * (size if size > 0 else 1.0)
        gradient = self.smooth(x)[1].copy()
        return (self.smooth(x + width * along)[1] - gradient) / width
