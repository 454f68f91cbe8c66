"""MCP, the minimax concave penalty (Zhang 2010): a lasso that stops growing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.concave import ConcaveLasso


class MCP(ConcaveLasso):
    """sum_i r_i |w_i| - w_i^2 / (2 gamma) up to |w_i| = gamma r_i, constant beyond.

    The rates are r_i = strength f_i. Small weights cost what they cost in the lasso, large ones are
    not shrunk at all. Not convex: a local optimum is found, from that of the lasso; the certificate
    says how far it is from a fixed point of a proximal gradient step. Not proportional to its
    strength.

    Parameters
    ----------
    strength : float, default=1.0
        Rate of the penalty at zero, against the summed loss.
    gamma : float, default=3.0
        Weight from which on the penalty is constant, over the rate: near the lasso if large.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's rate; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import MCP
    >>> MCP(strength=1.0, gamma=3.0).prox(np.array([0.5, 2.0, -4.0])).round(2).tolist()
    [0.0, 1.5, -4.0]
    """

    proportional = False

    def __init__(
        self,
        strength: float = 1.0,
        gamma: float = 3.0,
        factors: ArrayLike | None = None,
        positive: bool = False,
    ):
        self.strength = strength
        self.gamma = gamma
        self.factors = factors
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        if not 0 < self.gamma < np.inf:
            raise ValueError(f"gamma must be positive and finite, got {self.gamma!r}")
        return super().check()

    def cost(self, size: Array, rate: Array) -> Array:
        """See ConcaveLasso."""
        inside = np.minimum(size, self.gamma * rate)
        return inside * (rate - inside / (2 * self.gamma))

    def slope(self, size: Array, rate: Array) -> Array:
        """See ConcaveLasso."""
        return np.maximum(rate - size / self.gamma, 0.0)

    def minima(self, size: Array, rate: Array, step: float) -> Sequence[Array]:
        """See ConcaveLasso; for steps of gamma or more nothing between 0 and gamma r is one."""
        end = self.gamma * rate
        beyond = np.maximum(size, end)
        if step >= self.gamma:
            return [beyond]
        return [np.clip((size - step * rate) / (1 - step / self.gamma), 0.0, end), beyond]
