"""Weights from a finite set of values (Suzuki and Nagata 2013).

Features with the same weight form a group: few values are few degrees of freedom.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty, factor_vector, spread_factors
from laconic.core.penalties.separable import ElasticNet
from laconic.core.penalties.value_sets import (
    GivenValues,
    check_number,
    fixed_values,
    nearest,
    values_for,
)


class Discrete(Penalty):
    """strength sum_i f_i (l1_ratio |w_i| + (1 - l1_ratio) w_i^2 / 2), w_i from a set of values.

    Not convex. The prox is exact: without the set it is that of the elastic net, and since 0 is in
    the set no value of the other sign can be better, so that on the side where that prox lies the
    objective is a parabola around it and the nearest value is the best. Where a number of values is
    given, it is that of the set that is learned from the weights at hand (learned_values).

    Parameters
    ----------
    values : sequence of float or int, default=()
        Allowed values of weights; 0 is always allowed. An integer is a number of values: whichever
        suit the weights best.
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    l1_ratio : float, default=1.0
        Share of the lasso, from 0 (ridge alone) to 1 (lasso alone).
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's penalty; None penalises all features alike.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Discrete
    >>> Discrete(values=[-1, 1, 4], strength=0.5).prox(np.array([3.2, 0.9, -2.0])).tolist()
    [4.0, 0.0, -1.0]
    """

    convex = False

    def __init__(
        self,
        values: GivenValues = (),
        strength: float = 1.0,
        l1_ratio: float = 1.0,
        factors: ArrayLike | None = None,
    ):
        self.values = values
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.factors = factors

    @classmethod
    def under(cls, penalty: ElasticNet, values: GivenValues) -> Discrete:
        """Return the same penalty over weights from a set of values."""
        return cls(values, penalty.strength, penalty._ratio(), penalty.factors)

    def check(self) -> Penalty:
        """See Penalty."""
        fixed_values(self.values)
        self.relaxed().check()
        return self

    def relaxed(self) -> ElasticNet:
        """Return the penalty without the set."""
        return ElasticNet(self.strength, self.l1_ratio, self.factors)

    def value(self, w: Array) -> float:
        """See Penalty; infinite where a weight is no value of the set, or values are too many."""
        values = fixed_values(self.values)
        if values is None:
            allowed = bool(np.count_nonzero(np.unique(w)) <= check_number(self.values))
        else:
            allowed = np.array_equal(nearest(values, w), w)
        return self.relaxed().value(w) if allowed else np.inf

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the values nearest to soft(w, step lasso) / (1 + step ridge) (Fig. 2)."""
        found = self.relaxed().prox(w, step)
        return nearest(values_for(self.values, found), found)

    def conjugate(self, c: Array) -> float:
        """Return sum_i max over s in the set of c_i s - f_i (lasso |s| + ridge s^2 / 2).

        With a number of values it is that of the relaxed penalty, which is an upper bound.
        """
        values = fixed_values(self.values)
        if values is None:
            return self.relaxed().conjugate(c)
        factors = factor_vector(self.factors, len(c))
        best = np.zeros(len(c))
        for s in values:
            cost = self.strength * (self.l1_ratio * abs(s) + 0.5 * (1 - self.l1_ratio) * s * s)
            np.maximum(best, c * s - factors * cost, out=best)
        return float(best.sum())

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(factors=spread_factors(self.factors, n_outputs))
