"""The Huber loss: squared for small errors, absolute for large ones."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar, TypeVar

import numpy as np

from laconic import _core
from laconic.core.losses.base import Loss

HuberT = TypeVar("HuberT", bound="Huber")


class Huber(Loss):
    """d^2 / 2 where |d| <= delta, delta |d| - delta^2 / 2 beyond, with d = s - y.

    A few targets that are far off move the fit little.

    Parameters
    ----------
    delta : float, default=1.0
        Size of an error, in units of the target, from which on it counts linearly.

    Examples
    --------
    >>> from laconic import Huber, Ridge, SparseRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 20.0, 3.0, 4.0]
    >>> SparseRegressor(Ridge(1e-4), loss=Huber(delta=0.1)).fit(X, y).coef_.round(1).tolist()
    [1.0]
    """

    kind: ClassVar[_core.LossKind | None] = _core.LossKind.huber
    classifies: ClassVar[bool] = False

    def __init__(self, delta: float = 1.0):
        self.delta = delta

    @property
    def parameter(self) -> float:
        """See Loss."""
        return self.delta

    def check(self: HuberT) -> HuberT:
        """See Loss."""
        if not isinstance(self.delta, Real) or not 0 < self.delta < np.inf:
            raise ValueError(f"delta must be a positive number, got {self.delta!r}")
        return self
