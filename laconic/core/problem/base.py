"""What every problem is: min_x loss(x) + penalty(w), w the first entries of x; the rest (the tail) is not penalised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array
from laconic.core.penalties import Penalty


class Objective(ABC):
    """A design (n_weights, of which n_penalised first), a summed loss of its scores, and a penalty."""

    design: Any
    penalty: Penalty
    settles = False  # whether `settle` moves the tail
    _scale: float | None = None

    @property
    def n_weights(self) -> int:
        """Penalised weights and tail."""
        return self.design.n_weights

    def parts(self, x: Array) -> tuple[Array, Array]:
        """Views of the penalised weights and of the tail."""
        return x[: self.design.n_penalised], x[self.design.n_penalised :]

    @abstractmethod
    def loss_value(self, x: Array) -> float:
        """The summed loss at x."""

    @abstractmethod
    def smooth(self, x: Array) -> tuple[float, Array]:
        """Loss and its gradient at x; the gradient may be overwritten by the next evaluation."""

    @abstractmethod
    def certificate(self, x: Array) -> float:
        """How far x is from optimal, relative; 0 at the optimum."""

    def spread(self) -> NDArray[np.float32]:
        """A guess, up to a factor, of the inverse second derivatives: where quasi-Newton methods begin. Empty: all alike."""
        return np.empty(0, dtype=np.float32)

    def value(self, x: Array) -> float:
        """The objective at x."""
        return self.loss_value(x) + self.penalty.value(self.parts(x)[0])

    def settle(self, x: Array) -> None:
        """Move the tail of x to its optimum where that is cheap; here it is not, and solvers step over the tail too."""
        return None

    def settled_loss(self, x: Array) -> float:
        """The loss at x, whose tail is settled."""
        self.settle(x)
        return self.loss_value(x)

    def settled_smooth(self, x: Array) -> tuple[float, Array]:
        """Loss and gradient at x, whose tail is settled."""
        self.settle(x)
        return self.smooth(x)

    def start(self, x0: Array | None = None) -> Array:
        """A starting point: a copy of x0, or zero weights with a settled tail."""
        if x0 is not None:
            x = np.array(x0, dtype=np.float64)
            if x.shape != (self.n_weights,):
                raise ValueError(f"a start has {self.n_weights} entries, got shape {x.shape}")
            return x
        x = np.zeros(self.n_weights)
        self.settle(x)
        return x

    def gradient_scale(self) -> float:
        """The largest entry of the gradient at the start: what residuals are relative to."""
        if self._scale is None:
            at_start = self.smooth(self.start())[1]
            self._scale = max(float(np.max(np.abs(self.parts(at_start)[0]), initial=0.0)), 1e-300)
        return self._scale

    def prox_residual(self, x: Array, gradient: Array, step: float) -> float:
        """max_i |w - prox(w - step g, step)|_i / step, relative to the gradient at the start."""
        weights = self.parts(x)[0]
        moved = weights - self.penalty.prox(weights - step * gradient, step)
        return float(np.max(np.abs(moved), initial=0.0)) / step / self.gradient_scale()
