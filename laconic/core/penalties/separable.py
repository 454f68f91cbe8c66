"""Penalties of single weights: L1, squared L2, elastic net and L0."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.core.penalties.base import (
    Penalty,
    Quadratic,
    Separable,
    Terms,
    factor_vector,
    singles,
    spread_factors,
)


class ElasticNet(Separable):
    """strength sum_i f_i (l1_ratio |w_i| + (1 - l1_ratio) w_i^2 / 2): lasso and ridge mixed.

    Parameters
    ----------
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    l1_ratio : float, default=0.5
        Share of the lasso, from 0 (ridge alone) to 1 (lasso alone).
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's penalty; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import ElasticNet
    >>> ElasticNet(strength=2.0, l1_ratio=0.5).prox(np.array([3.0, -0.5])).tolist()
    [1.0, 0.0]
    """

    def __init__(
        self,
        strength: float = 1.0,
        l1_ratio: float = 0.5,
        factors: ArrayLike | None = None,
        positive: bool = False,
    ):
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.factors = factors
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        if not 0 <= self._ratio() <= 1:
            raise ValueError(f"l1_ratio must be from 0 to 1, got {self._ratio()!r}")
        return super().check()

    def _ratio(self) -> float:
        return self.l1_ratio

    def rates(self, n_weights: int) -> tuple[Array, Array]:
        """See Separable."""
        factors = self.strength * factor_vector(self.factors, n_weights)
        return factors * self._ratio(), factors * (1 - self._ratio())

    def value(self, w: Array) -> float:
        """See Penalty."""
        if self.positive and np.any(w < 0):
            return np.inf
        lasso, ridge = self.rates(len(w))
        return float(np.sum(lasso * np.abs(w)) + 0.5 * np.sum(ridge * w * w))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return soft(w, step lasso) / (1 + step ridge)."""
        lasso, ridge = self.rates(len(w))
        return soft(w, step * lasso, self.positive) / (1 + step * ridge)

    def conjugate(self, c: Array) -> float:
        """Return sum_i soft(c_i, lasso_i)^2 / (2 ridge_i).

        It is infinite where ridge_i = 0 and |c_i| > lasso_i.
        """
        lasso, ridge = self.rates(len(c))
        over = soft(c, lasso, self.positive)
        over, ridge = np.broadcast_arrays(over, ridge)
        free = ridge <= 0
        if np.any(np.abs(over[free]) > 1e-10 * np.broadcast_to(lasso, over.shape)[free]):
            return np.inf
        return float(np.sum(over[~free] ** 2 / (2 * ridge[~free])))

    def gauge(self, gradient: Array) -> float:
        """Return the least t with |gradient_i| <= t lasso_i (its negative part if positive)."""
        lasso, _ = self.rates(len(gradient))
        size = np.maximum(-gradient, 0) if self.positive else np.abs(gradient)
        lasso = np.broadcast_to(lasso, size.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(size > 0, size / lasso, 0.0)
        return float(ratio.max(initial=0.0))

    def strength_max(self, gradient: Array) -> float:
        """Return max_i |gradient_i| / (f_i l1_ratio)."""
        return float(self.check().replace(strength=1.0).gauge(gradient))

    def terms(self, n_weights: int) -> Terms:
        """See Blockwise."""
        lasso, ridge = self.rates(n_weights)
        ptr, index = singles(n_weights)
        return Terms(lasso, ridge, self.positive, ptr, index, np.zeros(n_weights))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(factors=spread_factors(self.factors, n_outputs))


class L1(ElasticNet):
    """strength sum_i f_i |w_i|: the lasso, which makes weights exactly zero.

    Parameters
    ----------
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's penalty; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1
    >>> L1(strength=1.0).prox(np.array([3.0, -0.5, -2.0])).tolist()
    [2.0, 0.0, -1.0]
    """

    def __init__(
        self, strength: float = 1.0, factors: ArrayLike | None = None, positive: bool = False
    ):
        self.strength = strength
        self.factors = factors
        self.positive = positive

    def _ratio(self) -> float:
        return 1.0


class Ridge(ElasticNet, Quadratic):
    """strength sum_i f_i w_i^2 / 2: the ridge, which shrinks all weights and zeroes none.

    Parameters
    ----------
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's penalty; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Ridge
    >>> Ridge(strength=1.0).prox(np.array([3.0, -0.5])).tolist()
    [1.5, -0.25]
    """

    def __init__(
        self, strength: float = 1.0, factors: ArrayLike | None = None, positive: bool = False
    ):
        self.strength = strength
        self.factors = factors
        self.positive = positive

    def _ratio(self) -> float:
        return 0.0

    def value(self, w: Array) -> float:
        """See Penalty."""
        if self.factors is not None or self.positive:
            return super().value(w)
        return 0.5 * self.strength * float(w @ w)

    def conjugate(self, c: Array) -> float:
        """Return sum_i c_i^2 / (2 strength f_i)."""
        if self.factors is not None or self.positive or self.strength == 0:
            return super().conjugate(c)
        return float(c @ c) / (2 * self.strength)

    def gradient(self, w: Array) -> Array:
        """Return strength f_i w_i."""
        return self.rates(len(w))[1] * w

    def diagonal(self, n_weights: int) -> Array:
        """Return strength f_i."""
        return np.array(np.broadcast_to(self.rates(n_weights)[1], n_weights))


class L0(Penalty):
    """strength sum_i f_i [w_i != 0]: the number of weights; the prox is a hard threshold.

    Not convex.

    Parameters
    ----------
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    factors : array of shape (n_features,) or None, default=None
        Factor of each feature's penalty; None penalises all features alike.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L0
    >>> L0(strength=1.0).prox(np.array([3.0, -0.5, -2.0])).tolist()
    [3.0, 0.0, -2.0]
    """

    convex = False

    def __init__(
        self, strength: float = 1.0, factors: ArrayLike | None = None, positive: bool = False
    ):
        self.strength = strength
        self.factors = factors
        self.positive = positive

    def value(self, w: Array) -> float:
        """See Penalty."""
        if self.positive and np.any(w < 0):
            return np.inf
        return float(np.sum(self.costs(len(w)) * (w != 0)))

    def costs(self, n_weights: int) -> Array:
        """Return strength f_i of every weight, (n_weights,) or (1,)."""
        return self.strength * factor_vector(self.factors, n_weights)

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return w_i where w_i^2 > 2 step strength f_i, else 0."""
        kept = w * w > 2 * step * self.costs(len(w))
        if self.positive:
            kept &= w > 0
        return np.where(kept, w, 0.0)

    def conjugate(self, c: Array) -> float:
        """Return 0 at 0, infinity elsewhere: a count says nothing about sizes."""
        return 0.0 if not np.any(c) else np.inf

    def gauge(self, gradient: Array) -> float:
        """Return max_i gradient_i^2 / (2 strength f_i).

        It is the strength ratio at which a unit gradient step from 0 stays at 0.
        """
        costs = np.broadcast_to(self.costs(len(gradient)), gradient.shape)
        size = np.maximum(-gradient, 0) if self.positive else np.abs(gradient)
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(size > 0, size * size / (2 * costs), 0.0).max(initial=0.0))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(factors=spread_factors(self.factors, n_outputs))


def soft(w: Array, threshold: Array | float, positive: bool = False) -> Array:
    """Return sign(w) max(|w| - threshold, 0), or max(w - threshold, 0) if positive."""
    if positive:
        return np.maximum(w - threshold, 0.0)
    return w - np.clip(w, -threshold, threshold)
