"""The Tweedie losses: counts, amounts that are often zero, positive amounts."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar, TypeVar

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.base import Loss
from laconic.core.losses.poisson import mean_of_log

TweedieT = TypeVar("TweedieT", bound="Tweedie")


class Tweedie(Loss):
    """Half the Tweedie deviance of y from exp(s): a variance of mean^power.

    exp((2 - p) s) / (2 - p) + y exp((1 - p) s) / (p - 1) - y^(2 - p) / ((2 - p) (p - 1)).

    Power 1 is Poisson, for counts; powers between 1 and 2 are for amounts that are often exactly
    zero, such as claims; power 2 is Gamma, for positive amounts with errors in proportion.

    Parameters
    ----------
    power : float, default=1.5
        Power p of the mean that the variance grows with, from 1 to 2.

    Examples
    --------
    >>> from laconic import Ridge, SparseRegressor, Tweedie
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 4.0, 8.0]
    >>> model = SparseRegressor(Ridge(1e-3), loss=Tweedie(power=2)).fit(X, y)
    >>> model.predict([[4.0]]).round(1).tolist()
    [16.0]
    """

    kind: ClassVar[_core.LossKind | None] = _core.LossKind.tweedie
    classifies: ClassVar[bool] = False

    def __init__(self, power: float = 1.5):
        self.power = power

    @property
    def parameter(self) -> float:
        """See Loss."""
        return self.power

    def check(self: TweedieT) -> TweedieT:
        """See Loss."""
        if not isinstance(self.power, Real) or not 1 <= self.power <= 2:
            raise ValueError(f"power must be a number from 1 to 2, got {self.power!r}")
        return self

    def response(self, scores: Array) -> Array:
        """Return the mean exp(s)."""
        return mean_of_log(scores)
