"""SCAD, the smoothly clipped absolute deviation (Fan and Li 2001)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.concave import ConcaveLasso


class SCAD(ConcaveLasso):
    """sum_i of a penalty with slope r_i up to |w_i| = r_i, falling to zero at |w_i| = a r_i.

    The rates are r_i = strength f_i, the slope between is (a r_i - |w_i|) / (a - 1). Small weights
    cost what they cost in the lasso, large ones are not shrunk at all. Not convex: a local optimum
    is found, from that of the lasso; the certificate says how far it is from a fixed point of a
    proximal gradient step. Not proportional to its strength.

    Parameters
    ----------
    strength : float, default=1.0
        Rate of the penalty at zero, against the summed loss.
    a : float, default=3.7
        Weight from which on the penalty is constant, over the rate; more than 2.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's rate; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import SCAD
    >>> SCAD(strength=1.0, a=3.0).prox(np.array([0.5, 1.5, 2.5, -4.0])).tolist()
    [0.0, 0.5, 2.0, -4.0]
    """

    proportional = False

    def __init__(
        self,
        strength: float = 1.0,
        a: float = 3.7,
        factors: ArrayLike | None = None,
        positive: bool = False,
    ):
        self.strength = strength
        self.a = a
        self.factors = factors
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        if not 2 < self.a < np.inf:
            raise ValueError(f"a must be more than 2 and finite, got {self.a!r}")
        return super().check()

    def cost(self, size: Array, rate: Array) -> Array:
        """See ConcaveLasso: the integral of the slope."""
        flat = np.minimum(size, rate)
        falling = np.clip(size - rate, 0.0, (self.a - 1) * rate)
        return rate * flat + falling * (rate - falling / (2 * (self.a - 1)))

    def slope(self, size: Array, rate: Array) -> Array:
        """See ConcaveLasso."""
        return np.clip((self.a * rate - size) / (self.a - 1), 0.0, rate)

    def minima(self, size: Array, rate: Array, step: float) -> Sequence[Array]:
        """See ConcaveLasso: one point per piece; the middle one has none for steps >= a - 1."""
        end, room = self.a * rate, self.a - 1 - step
        pieces = [np.clip(size - step * rate, 0.0, rate), np.maximum(size, end)]
        if room > 0:
            pieces.append(np.clip(((self.a - 1) * size - step * end) / room, rate, end))
        return pieces
