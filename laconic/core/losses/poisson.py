"""The Poisson loss: counts."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.base import Loss


class Poisson(Loss):
    """exp(s) - y s + y log y - y for y >= 0: counts of mean exp(s).

    Examples
    --------
    >>> from laconic import Poisson, Ridge, SparseRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]
    >>> SparseRegressor(Ridge(1e-3), loss=Poisson()).fit(X, y).predict([[3.0]]).round(1).tolist()
    [8.0]
    """

    kind: ClassVar[_core.LossKind | None] = _core.LossKind.poisson
    classifies: ClassVar[bool] = False

    def response(self, scores: Array) -> Array:
        """Return the mean exp(s)."""
        return mean_of_log(scores)


def mean_of_log(scores: Array) -> Array:
    """Return exp(s), finite."""
    return np.exp(np.minimum(scores, 700.0))
