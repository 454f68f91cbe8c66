"""What every penalty can do, and the capabilities that solvers ask for by type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic.core.arrays import Array


class Penalty(BaseEstimator, ABC):
    """Omega(w), scaled by `strength`.

    prox(w, step)       argmin_v |v - w|^2 / 2 + step Omega(v)
    strength_max(g)     the least strength at which w = 0 is optimal for a loss with gradient g at 0
    conjugate(c)        sup_w <c, w> - Omega(w): 0 or infinite for a norm
    """

    strength: float
    convex = True
    homogeneous = True  # Omega(t w) = t Omega(w) for t > 0, unless parameters add a square
    # The solver that suits a penalty outside of core, `module:Class`; None: choose_solver knows.
    solver: ClassVar[str | None] = None

    @abstractmethod
    def value(self, w: Array) -> float:
        """Omega(w)."""

    @abstractmethod
    def prox(self, w: Array, step: float = 1.0) -> Array:
        """argmin_v |v - w|^2 / 2 + step Omega(v)."""

    @abstractmethod
    def spread(self, n_outputs: int) -> Penalty:
        """The same penalty on weights (n_features, n_outputs), stored flat by rows."""

    def conjugate(self, c: Array) -> float:
        """0 where prox(c) = 0, that is where c lies in the unit ball of the dual norm; infinite elsewhere."""
        return 0.0 if self.gauge(-c) <= 1 + 1e-10 else np.inf

    def gauge(self, gradient: Array) -> float:
        """The least t >= 0 with -gradient in t times the subdifferential of Omega at 0: the dual norm of a norm."""
        return self._gauge_by_prox(gradient)

    def strength_max(self, gradient: Array) -> float:
        """The strength at which w = 0 becomes optimal, to which every path goes back."""
        return self.check().gauge(gradient) * self.strength

    def _gauge_by_prox(self, gradient: Array) -> float:
        """Bisection on prox(-gradient, t) = 0, from above: valid for any norm, closed forms override it."""
        high = 1.0
        while self.prox(-gradient, high).any():
            high *= 2
            if high > 1e30:
                return np.inf
        low = 0.0
        while high - low > 1e-12 * high and high > 1e-300:
            middle = 0.5 * (low + high)
            if self.prox(-gradient, middle).any():
                low = middle
            else:
                high = middle
        return high

    def count_groups(self, w: Array) -> tuple[int, int]:
        """Return the number of groups, and of those with a weight that is not zero."""
        return 0, 0

    def check(self) -> Penalty:
        """Raise a ValueError in the user's words if a parameter cannot be used; otherwise self."""
        if not isinstance(self.strength, Real) or not 0 <= self.strength < np.inf:
            raise ValueError(
                f"strength must be a number that is not negative, got {self.strength!r}"
            )
        return self

    def replace(self, **parameters: Any) -> Penalty:
        """A copy with some parameters changed."""
        return type(self)(**{**self.get_params(deep=False), **parameters})


class Terms(NamedTuple):
    """sum_i lasso_i |w_i| + ridge_i w_i^2 / 2 + sum_g mass_g |w_g|_2 over disjoint blocks; vectors of size 1 serve all entries."""

    lasso: Array
    ridge: Array
    positive: bool
    ptr: NDArray[np.int64]
    index: NDArray[np.int64]  # type: ignore[assignment]  # shadows tuple.index, which nobody calls
    mass: Array


class Blockwise(Penalty):
    """A penalty that coordinate descent can work on, block by block."""

    @abstractmethod
    def terms(self, n_weights: int) -> Terms:
        """The penalty as entries and disjoint blocks that cover all weights."""


class Separable(Blockwise):
    """A blockwise penalty whose blocks are single weights: sum_i lasso_i |w_i| + ridge_i w_i^2 / 2, over w >= 0 if positive."""

    positive: bool

    @abstractmethod
    def rates(self, n_weights: int) -> tuple[Array, Array]:
        """Lasso and ridge, each of size 1 or n_weights."""


class Smooth(Penalty):
    """A differentiable penalty."""

    @abstractmethod
    def gradient(self, w: Array) -> Array:
        """D Omega / d w."""


def factor_vector(factors: Any, n_weights: int, name: str = "factors") -> Array:
    """Per-feature factors as a vector of size 1 (none given) or n_weights."""
    if factors is None:
        return np.ones(1)
    vector = np.asarray(factors, dtype=np.float64).ravel()
    if len(vector) != n_weights or not np.all(vector >= 0) or not np.all(np.isfinite(vector)):
        raise ValueError(
            f"{name} must hold {n_weights} finite numbers that are not negative, one a feature"
        )
    return vector


def spread_factors(factors: Any, n_outputs: int) -> Any:
    """Factors of features repeated for every output."""
    return None if factors is None else np.repeat(np.asarray(factors, dtype=np.float64), n_outputs)


def singles(n_weights: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Blocks of one weight each: (ptr, index)."""
    return np.arange(n_weights + 1, dtype=np.int64), np.arange(n_weights, dtype=np.int64)
