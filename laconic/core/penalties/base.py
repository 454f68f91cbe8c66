"""What every penalty can do, and the capabilities that solvers ask for by type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from numbers import Real
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.parameters import HasParameters

PenaltyT = TypeVar("PenaltyT", bound="Penalty")


class Penalty(HasParameters, ABC):
    """Omega(w), scaled by `strength`.

    prox(w, step)       argmin_v |v - w|^2 / 2 + step Omega(v)
    strength_max(g)     least strength at which w = 0 is optimal for a loss with gradient g at 0
    conjugate(c)        sup_w <c, w> - Omega(w): 0 or infinite for a norm
    """

    strength: float
    convex = True
    homogeneous = True  # Omega(t w) = t Omega(w) for t > 0, unless parameters add a square
    proportional = True  # Omega is proportional to strength, and affine in factors
    alike = True  # spread(K) treats all outputs alike
    # The solver that suits a penalty outside of core, `module:Class`; None: choose_solver knows.
    solver: ClassVar[str | None] = None

    @abstractmethod
    def value(self, w: Array) -> float:
        """Return Omega(w)."""

    @abstractmethod
    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return argmin_v |v - w|^2 / 2 + step Omega(v)."""

    @abstractmethod
    def spread(self, n_outputs: int) -> Penalty:
        """Return the same penalty on weights (n_features, n_outputs), stored flat by rows."""

    def conjugate(self, c: Array) -> float:
        """Return 0 where prox(c) = 0, infinity elsewhere: the conjugate of a norm.

        It is 0 where c lies in the unit ball of the dual norm.
        """
        return 0.0 if self.gauge(-c) <= 1 + 1e-10 else np.inf

    def gauge(self, gradient: Array) -> float:
        """Return the least t >= 0 with -gradient in t times the subdifferential of Omega at 0.

        Of a norm this is the dual norm.
        """
        return self._gauge_by_prox(gradient)

    def dual_scale(self, gradient: Array) -> tuple[float, float]:
        """Return the largest t <= 1 that makes conjugate(-t gradient) finite, and what it is.

        For t < 1 it is taken for 0, as of a norm.
        """
        if type(self).conjugate is Penalty.conjugate:
            gauge = self.gauge(gradient)
            return (1.0 if gauge <= 1 + 1e-10 else 1.0 / gauge), 0.0
        conjugate = self.conjugate(-gradient)
        if not np.isinf(conjugate):
            return 1.0, conjugate
        scale = 1.0 / max(1.0, self.gauge(gradient))
        return scale, 0.0 if scale < 1 else conjugate

    def strength_max(self, gradient: Array) -> float:
        """Return the strength at which w = 0 becomes optimal, where every path starts."""
        return self.check().gauge(gradient) * self.strength

    def _gauge_by_prox(self, gradient: Array) -> float:
        """Bisect on prox(-gradient, t) = 0, from above: right for any norm, if slower."""
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
        """Return the penalty, or raise a ValueError that names a parameter that cannot be used."""
        if not isinstance(self.strength, Real) or not 0 <= self.strength < np.inf:
            raise ValueError(
                f"strength must be a number that is not negative, got {self.strength!r}"
            )
        return self

    def replace(self: PenaltyT, **parameters: object) -> PenaltyT:
        """Return a copy with some parameters changed."""
        return type(self)(
            **{name: getattr(self, name) for name in _parameters(type(self))} | parameters
        )


@cache
def _parameters(kind: type[Penalty]) -> tuple[str, ...]:
    """Return the names of the parameters of a class, in order."""
    return tuple(kind._get_param_names())


class Terms(NamedTuple):
    """sum_i lasso_i |w_i| + ridge_i w_i^2 / 2 + sum_g mass_g |w_g|_2 over disjoint blocks.

    Vectors of size 1 hold for all entries.
    """

    lasso: Array
    ridge: Array
    positive: bool
    ptr: Ints
    index: Ints  # type: ignore[assignment]  # shadows tuple.index, which nobody calls
    mass: Array
    blocks: _core.Blocks | None = None  # of ptr and index, if they were made before


class Blockwise(Penalty):
    """A penalty that coordinate descent can work on, block by block."""

    @abstractmethod
    def terms(self, n_weights: int) -> Terms:
        """Return the penalty as entries and disjoint blocks that cover all weights."""


class Separable(Blockwise):
    """sum_i lasso_i |w_i| + ridge_i w_i^2 / 2, over w >= 0 if positive: blocks of one weight."""

    positive: bool

    @abstractmethod
    def rates(self, n_weights: int) -> tuple[Array, Array]:
        """Return lasso and ridge, each of size 1 or n_weights."""


class Smooth(Penalty):
    """A differentiable penalty."""

    @abstractmethod
    def gradient(self, w: Array) -> Array:
        """Return d Omega / d w."""


class Quadratic(Smooth):
    """w'P w / 2 for a positive semidefinite P: the gradient P w is linear."""

    @abstractmethod
    def diagonal(self, n_weights: int) -> Array:
        """Return the diagonal of P, (n_weights,)."""


def factor_vector(factors: ArrayLike | None, n_weights: int, name: str = "factors") -> Array:
    """Return factors of features as a vector of size 1 (none given) or n_weights."""
    if factors is None:
        return np.ones(1)
    vector = np.asarray(factors, dtype=np.float64).ravel()
    if len(vector) != n_weights or not np.all(vector >= 0) or not np.all(np.isfinite(vector)):
        raise ValueError(
            f"{name} must hold {n_weights} finite numbers that are not negative, one per feature"
        )
    return vector


def spread_factors(factors: ArrayLike | None, n_outputs: int) -> Array | None:
    """Return factors of features repeated for every output."""
    return None if factors is None else np.repeat(np.asarray(factors, dtype=np.float64), n_outputs)


def singles(n_weights: int) -> tuple[Ints, Ints]:
    """Return blocks of one weight each: (ptr, index)."""
    return np.arange(n_weights + 1, dtype=np.int64), np.arange(n_weights, dtype=np.int64)
