"""The squared loss."""

from __future__ import annotations

from typing import ClassVar

from laconic import _core
from laconic.core.losses.base import Loss


class Squared(Loss):
    """(s - y)^2 / 2 for a real y.

    Examples
    --------
    >>> from laconic import Ridge, SparseRegressor, Squared
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> SparseRegressor(Ridge(1.0), loss=Squared(), tol=1e-9).fit(X, y).coef_.round(3).tolist()
    [0.667]
    """

    kind: ClassVar[_core.LossKind | None] = _core.LossKind.squared
    classifies: ClassVar[bool] = False
