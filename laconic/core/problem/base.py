"""What every problem is: min_x loss(x) + penalty(w).

The weights w are the first entries of x; the rest of x (the tail) is not penalised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np

from laconic.core.arrays import Array, Floats
from laconic.core.penalties import Penalty
from laconic.core.report import PROX_RESIDUAL


class Design(Protocol):
    """A linear map from a flat vector of weights to scores; penalised weights come first."""

    @property
    def n_weights(self) -> int:
        """Number of all weights."""

    @property
    def n_penalised(self) -> int:
        """Number of penalised weights."""


class Solvable(Protocol):
    """What the outer loop of every solver asks of a problem."""

    @property
    def penalty(self) -> object:
        """The penalty."""

    @property
    def certificate_kind(self) -> str:
        """What the certificate measured last is: a duality gap, a prox residual .."""

    def start(self, x0: Array | None = None) -> Array:
        """Return a starting point: a copy of x0, or the problem's own."""

    def value(self, x: Array) -> float:
        """Return the objective at x."""

    def certificate(self, x: Array) -> float:
        """Return how far x is from the optimum, relative."""

    def fit_tail(self, x: Array) -> None:
        """Move the tail of x to its optimum, where that is cheap."""


class Objective(ABC):
    """A design, a summed loss of its scores, and a penalty of its first `n_penalised` weights."""

    design: Design
    penalty: Penalty
    smooth_loss = True  # whether the loss has a gradient everywhere
    fits_tail = False  # whether `fit_tail` moves the tail
    certificate_kind = ""  # of the certificate measured last, one of laconic.core.report
    _scale: float | None = None

    @property
    def n_weights(self) -> int:
        """Number of all weights: the penalised ones and the tail."""
        return self.design.n_weights

    def parts(self, x: Array) -> tuple[Array, Array]:
        """Return views of the penalised weights and of the tail."""
        return x[: self.design.n_penalised], x[self.design.n_penalised :]

    @abstractmethod
    def loss_value(self, x: Array) -> float:
        """Return the summed loss at x."""

    @abstractmethod
    def smooth(self, x: Array) -> tuple[float, Array]:
        """Return the loss and its gradient at x; the next evaluation may overwrite the gradient."""

    @abstractmethod
    def certificate(self, x: Array) -> float:
        """Return how far x is from optimal, relative; 0 at the optimum."""

    def spread(self) -> Floats:
        """Return a guess of the inverse second derivatives, up to a common factor.

        Quasi-Newton methods begin with it. Empty: all are alike.
        """
        return np.empty(0, dtype=np.float32)

    def value(self, x: Array) -> float:
        """Return the objective at x."""
        return self.loss_value(x) + self.penalty.value(self.parts(x)[0])

    def fit_tail(self, x: Array) -> None:
        """Move the tail of x to its optimum where that is cheap.

        Here it is not: solvers take steps over the tail too.
        """
        return None

    def fitted_loss(self, x: Array) -> float:
        """Fit the tail of x, and return the loss there."""
        self.fit_tail(x)
        return self.loss_value(x)

    def fitted_smooth(self, x: Array) -> tuple[float, Array]:
        """Fit the tail of x, and return the loss and its gradient there."""
        self.fit_tail(x)
        return self.smooth(x)

    def start(self, x0: Array | None = None) -> Array:
        """Return a starting point: a copy of x0, or zero weights with a fitted tail."""
        if x0 is not None:
            x = np.array(x0, dtype=np.float64)
            if x.shape != (self.n_weights,):
                raise ValueError(f"a start has {self.n_weights} entries, got shape {x.shape}")
            return x
        x = np.zeros(self.n_weights)
        self.fit_tail(x)
        return x

    def gradient_scale(self) -> float:
        """Return the largest entry of the gradient at the start: the scale of residuals."""
        if self._scale is None:
            at_start = self.smooth(self.start())[1]
            self._scale = max(float(np.max(np.abs(self.parts(at_start)[0]), initial=0.0)), 1e-300)
        return self._scale

    def prox_residual(self, x: Array, gradient: Array, step: float) -> float:
        """Return max_i |w - prox(w - step g, step)|_i / step, relative to `gradient_scale`."""
        self.certificate_kind = PROX_RESIDUAL
        weights = self.parts(x)[0]
        moved = weights - self.penalty.prox(weights - step * gradient, step)
        return float(np.max(np.abs(moved), initial=0.0)) / step / self.gradient_scale()
