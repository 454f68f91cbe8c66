"""The sum of logarithms of weights (Candes, Wakin and Boyd 2008): reweighted L1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.concave import ConcaveLasso


class LogSum(ConcaveLasso):
    """strength sum_i f_i log(1 + |w_i| / eps): between the lasso and a count of weights.

    With a small eps nearly a count, with a large one nearly a lasso of strength / eps. Not convex:
    a local optimum is found, from that of the lasso; the certificate says how far it is from a
    fixed point of a proximal gradient step.

    Parameters
    ----------
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    eps : float, default=0.1
        Size of weights up to which the penalty is about linear.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's penalty; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import LogSum
    >>> LogSum(strength=1.0, eps=1.0).prox(np.array([0.5, -3.0])).round(3).tolist()
    [0.0, -2.732]
    """

    def __init__(
        self,
        strength: float = 1.0,
        eps: float = 0.1,
        factors: ArrayLike | None = None,
        positive: bool = False,
    ):
        self.strength = strength
        self.eps = eps
        self.factors = factors
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        if not 0 < self.eps < np.inf:
            raise ValueError(f"eps must be positive and finite, got {self.eps!r}")
        return super().check()

    def cost(self, size: Array, rate: Array) -> Array:
        """See ConcaveLasso."""
        return np.asarray(rate * np.log1p(size / self.eps))

    def slope(self, size: Array, rate: Array) -> Array:
        """See ConcaveLasso."""
        return rate / (self.eps + size)

    def minima(self, size: Array, rate: Array, step: float) -> Sequence[Array]:
        """See ConcaveLasso: the larger root of (v - size) (v + eps) + step rate = 0."""
        inside = np.maximum((size + self.eps) ** 2 - 4 * step * rate, 0.0)
        return [np.maximum(0.5 * (size - self.eps + np.sqrt(inside)), 0.0)]
