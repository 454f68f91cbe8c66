"""Losses with kinks, smoothed: the Moreau envelope of width mu around slopes u.

    loss_mu(s) = min_t loss(t) + |t - s - mu u|^2 / (2 mu),    t = prox(s + mu u, mu)

The residual (s + mu u - t) / mu is one of the loss itself, at t: it is dual feasible for the
problem that is not smoothed, whose duality gap it therefore measures (Nesterov 2005; Beck and
Teboulle 2012). Around u = 0 this is the envelope itself, which needs a small mu. Around the
residuals of the optimum it equals the loss there, but for the constant mu |u|^2 / 2, whatever mu is
(the augmented Lagrangian of s = t: Rockafellar 1976).
"""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.bound import BoundLoss, PythonLoss

FLATTEST = 0.01  # least curvature, as a share of the mean over a wider range
SHARE = 0.05  # of the slopes, that changes over this range
NEAR = 0.1  # widths of the smoothing over which residuals are compared


class Smoothed(BoundLoss):
    """The envelope of width mu of a loss in Python, row by row, around slopes (by default 0)."""

    def __init__(self, base: PythonLoss, mu: float, slopes: Array | None = None):
        self.base, self.mu, self.n_outputs = base, mu, base.n_outputs
        self.around = np.zeros(len(base.score_weight)) if slopes is None else slopes

    @property
    def added(self) -> float:
        """The constant mu |u|^2 / 2: the smoothed loss less this lies below the loss."""
        return 0.5 * self.mu * float(self.base.score_weight @ (self.around * self.around))

    def shifted(self, scores: Array) -> Array:
        """Return s + mu u for the rows with a weight."""
        return self.base.inside(scores) + self.mu * self.around

    def slopes(self, scores: Array) -> Array:
        """Return the residuals per unit of weight, of the rows with a weight."""
        inside = self.shifted(scores)
        return np.asarray((inside - self._prox(inside)) / self.mu)

    def _prox(self, inside: Array) -> Array:
        return self.base.loss.prox(inside, self.base.gold, self.mu)

    def value_residual(self, scores: Array) -> tuple[float, Array]:
        """See BoundLoss."""
        inside = self.shifted(scores)
        at = self._prox(inside)
        there = float(self.base.loss.value_residual(at, self.base.gold)[0])
        slope = self.base.score_weight * (inside - at) / self.mu
        residual = self.base.outside(slope, scores, "prox")
        self.base.remember(residual, there, float(slope @ at))
        return there + 0.5 * float(slope @ (inside - at)), residual

    def curvature(self, scores: Array) -> Array:
        """See BoundLoss; differences of residuals nearby.

        The second derivative is zero away from kinks, where a step would have no end: every row
        has a small share of the mean curvature over a range that is wide enough to hold kinks.
        """
        inside = self.shifted(scores)
        near = np.clip(self._turned(inside, NEAR * self.mu), 0.0, 1 / self.mu)
        slope = float(np.mean(np.abs(inside - self._prox(inside)))) / self.mu if len(inside) else 0
        wide, mean = self.mu, 0.0
        for _ in range(40):
            mean = float(np.mean(self._turned(inside, wide))) if len(inside) else 0.0
            if 2 * wide * mean >= SHARE * slope:
                break
            wide *= 4
        return self.base.outside(
            self.base.score_weight * np.maximum(near, FLATTEST * mean), scores, "prox"
        )

    def _turned(self, inside: Array, width: float) -> Array:
        """Return the mean second derivative over `width` to both sides of each score."""
        ahead, behind = inside + width, inside - width
        turned = (ahead - self._prox(ahead)) - (behind - self._prox(behind))
        return np.asarray(turned / (2 * width * self.mu))

    def conjugate(self, residual: Array, scale: float = 1.0) -> float:
        """See BoundLoss: that of the loss, and mu (r^2 / 2 - r u) per row of weight 1."""
        inside = scale * self.base.inside(residual)
        more = self.mu * float(inside @ (0.5 * inside / self.base.score_weight - self.around))
        return self.base.conjugate(residual, scale) + more

    def rows(self) -> _core.LossRows:
        """See BoundLoss."""
        return _core.LossRows.of_python(self, self.base.weight, self.n_outputs)
