"""Losses with kinks, smoothed: the Moreau envelope of width mu.

    loss_mu(s) = min_t loss(t) + |t - s|^2 / (2 mu),    residual (s - t) / mu,    t = prox(s, mu)

The residual is one of the loss itself, at t: it is dual feasible for the problem that is not
smoothed, whose duality gap it therefore measures (Nesterov 2005; Beck and Teboulle 2012).
"""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.bound import PythonLoss, Remembered

FLATTEST = 0.01  # least curvature, as a share of the mean over a wider range
SHARE = 0.05  # of the slopes, that changes over this range
NEAR = 0.1  # widths of the smoothing over which residuals are compared


class Smoothed(Remembered):
    """The envelope of width mu of a loss in Python, row by row."""

    def __init__(self, base: PythonLoss, mu: float):
        super().__init__()
        self.base, self.mu, self.n_outputs = base, mu, base.n_outputs

    def _prox(self, inside: Array) -> Array:
        return self.base.loss.prox(inside, self.base.gold, self.mu)

    def value_residual(self, scores: Array) -> tuple[float, Array]:
        """See BoundLoss."""
        inside = self.base.inside(scores)
        at = self._prox(inside)
        off = inside - at
        there = float(self.base.loss.value_residual(at, self.base.gold)[0])
        slope = self.base.score_weight * off / self.mu
        residual = self.base.outside(slope, scores, "prox")
        value = there + 0.5 * float(slope @ off)
        self.base.remember(residual, there, float(slope @ at))
        self.remember(residual, value, float(slope @ inside))
        return value, residual

    def curvature(self, scores: Array) -> Array:
        """See BoundLoss; differences of residuals nearby.

        The second derivative is zero away from kinks, where a step would have no end: every row
        has a small share of the mean curvature over a range that is wide enough to hold kinks.
        """
        inside = self.base.inside(scores)
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
        """See BoundLoss: that of the loss, and mu |r|^2 / 2 per row of weight 1."""
        if not self.base.loss.knows_conjugate:
            return super().conjugate(residual, scale)
        inside = scale * self.base.inside(residual)
        more = 0.5 * self.mu * float(np.sum(inside * inside / self.base.score_weight))
        return self.base.conjugate(residual, scale) + more

    def rows(self) -> _core.LossRows:
        """See BoundLoss."""
        return _core.LossRows.of_python(self, self.base.weight, self.n_outputs)
