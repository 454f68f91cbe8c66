"""The quantile loss: a quantile of the target in place of its mean."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar, TypeVar

import numpy as np

from laconic.core.arrays import Array
from laconic.core.losses.base import Loss
from laconic.core.losses.bound import Gold

ROUNDING = 1e-9  # of slopes, which are differences of scores over a small step

QuantileT = TypeVar("QuantileT", bound="Quantile")


class Quantile(Loss):
    """q (y - s) where y > s, (1 - q) (s - y) where y < s: predicts the q-th quantile.

    q = 0.5 is the absolute error, up to a factor of 2, and predicts the median.

    Parameters
    ----------
    q : float, default=0.5
        The quantile, between 0 and 1.

    Examples
    --------
    >>> from laconic import Quantile, Ridge, SparseRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 20.0, 3.0, 4.0]
    >>> SparseRegressor(Ridge(1e-4), loss=Quantile(0.5)).fit(X, y).coef_.round(1).tolist()
    [1.0]
    """

    classifies: ClassVar[bool] = False

    def __init__(self, q: float = 0.5):
        self.q = q

    def check(self: QuantileT) -> QuantileT:
        """See Loss."""
        if not isinstance(self.q, Real) or not 0 < self.q < 1:
            raise ValueError(f"q must be a number between 0 and 1, got {self.q!r}")
        return self

    def value_residual(self, scores: Array, gold: Gold) -> tuple[float, Array]:
        """See Loss; at the kink the residual is 0."""
        off = scores - gold.target
        slope = np.where(off > 0, 1 - self.q, np.where(off < 0, -self.q, 0.0))
        return float(gold.weight @ (slope * off)), gold.weight * slope

    def conjugate(self, residual: Array, gold: Gold) -> float:
        """Return <r, y>, infinite unless all residuals are from -q to 1 - q."""
        slope = residual / gold.weight
        most = 1 + ROUNDING
        if np.any(slope < -self.q * most) or np.any(slope > (1 - self.q) * most):
            return np.inf
        return float(residual @ gold.target)

    def prox(self, scores: Array, gold: Gold, step: float) -> Array:
        """See Loss."""
        off = scores - gold.target
        return np.asarray(scores - np.clip(off, -self.q * step, (1 - self.q) * step))
