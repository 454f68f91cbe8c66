"""Weights from a finite set of values (Suzuki and Nagata 2013).

Features with the same weight form a group: few values are few degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty, factor_vector, spread_factors
from laconic.core.penalties.separable import ElasticNet

Values: TypeAlias = tuple[float, ...]


def value_set(
    eta: float, zeta: int, kappa: float | None = None, delta: float | None = None
) -> Values:
    """S = {+-(eta kappa^x + delta) : x = 0 .. zeta - 1} and 0: few large and many small values.

    A model over S has at most 2 zeta degrees of freedom.

    Parameters
    ----------
    eta : float
        Scale of the values.
    zeta : int
        Number of different sizes, 0 left out.
    kappa : float or None, default=None
        Ratio of one size to the next; None is 4, or 2 from zeta = 5 on.
    delta : float or None, default=None
        Number added to every size; None is eta / 2.

    Returns
    -------
    tuple of float
        The values, sorted.

    Examples
    --------
    >>> from laconic import value_set
    >>> value_set(eta=0.5, zeta=2)
    (-2.25, -0.75, 0.0, 0.75, 2.25)
    """
    kappa = (4.0 if zeta < 5 else 2.0) if kappa is None else kappa
    delta = eta / 2 if delta is None else delta
    if not (zeta >= 1 and 0 < eta < np.inf and 0 < kappa < np.inf and 0 <= delta < np.inf):
        raise ValueError(
            "zeta must be at least 1, eta and kappa positive and delta not negative, "
            f"got zeta={zeta!r}, eta={eta!r}, kappa={kappa!r} and delta={delta!r}"
        )
    return check_values(sign * (eta * kappa**x + delta) for x in range(zeta) for sign in (-1, 1))


def check_values(values: Iterable[float]) -> Values:
    """Return the values sorted, each once, with 0 among them.

    A ValueError unless all are finite and one of them is not 0.
    """
    if isinstance(values, (str, bytes)) or np.ndim(np.asarray(found := list(values))) != 1:
        raise ValueError(f"values must be a list of numbers, got {values!r}")
    sorted_values = np.unique(np.append(np.asarray(found, dtype=np.float64), 0.0))
    if not np.all(np.isfinite(sorted_values)) or len(sorted_values) < 2:
        raise ValueError(f"values must be finite numbers, one of them not 0, got {found!r}")
    return tuple(sorted_values.tolist())


def nearest(values: Values, w: Array) -> Array:
    """Return the value nearest to every weight, by binary search among the midpoints of values."""
    allowed = np.asarray(values)
    return allowed[np.searchsorted(0.5 * (allowed[1:] + allowed[:-1]), w)]


class Discrete(Penalty):
    """strength sum_i f_i (l1_ratio |w_i| + (1 - l1_ratio) w_i^2 / 2), w_i from a set of values.

    Not convex. The prox is exact: without the set it is that of the elastic net, and since 0 is in
    the set no value of the other sign can be better, so that on the side where that prox lies the
    objective is a parabola around it and the nearest value is the best.

    Parameters
    ----------
    values : sequence of float, default=()
        Allowed values of weights; 0 is always allowed.
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
        values: Iterable[float] = (),
        strength: float = 1.0,
        l1_ratio: float = 1.0,
        factors: ArrayLike | None = None,
    ):
        self.values = values
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.factors = factors

    @classmethod
    def under(cls, penalty: ElasticNet, values: Iterable[float]) -> Discrete:
        """Return the same penalty over weights from a set of values."""
        return cls(values, penalty.strength, penalty._ratio(), penalty.factors)

    def check(self) -> Penalty:
        """See Penalty."""
        check_values(self.values)
        self.relaxed().check()
        return self

    def relaxed(self) -> ElasticNet:
        """Return the penalty without the set."""
        return ElasticNet(self.strength, self.l1_ratio, self.factors)

    def value(self, w: Array) -> float:
        """See Penalty; infinite where a weight is no value of the set."""
        return (
            self.relaxed().value(w)
            if np.array_equal(nearest(check_values(self.values), w), w)
            else np.inf
        )

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the values nearest to soft(w, step lasso) / (1 + step ridge) (Fig. 2)."""
        return nearest(check_values(self.values), self.relaxed().prox(w, step))

    def conjugate(self, c: Array) -> float:
        """Return sum_i max over s in the set of c_i s - f_i (lasso |s| + ridge s^2 / 2)."""
        factors = factor_vector(self.factors, len(c))
        best = np.zeros(len(c))
        for s in check_values(self.values):
            cost = self.strength * (self.l1_ratio * abs(s) + 0.5 * (1 - self.l1_ratio) * s * s)
            np.maximum(best, c * s - factors * cost, out=best)
        return float(best.sum())

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(factors=spread_factors(self.factors, n_outputs))
