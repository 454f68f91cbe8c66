"""Losses with their gold: what problems and kernels evaluate.

A loss in Python gets one call per sum over all rows, whatever the solver, so that it costs what its
arithmetic in NumPy costs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array

if TYPE_CHECKING:
    from laconic.core.losses.base import Loss


class Gold(NamedTuple):
    """What a loss compares scores with.

    Targets (n,) or (n K,) flat by rows, weights of the rows (n,), number of outputs K.
    """

    target: Array
    weight: Array
    n_outputs: int = 1

    def per_score(self) -> Gold:
        """Return one target and weight per score: classes become 0 or 1, one per output."""
        K, n = self.n_outputs, len(self.weight)
        if K == 1:
            return self
        target = self.target
        if len(target) == n:
            target = (target[:, None] == np.arange(K)).astype(np.float64).ravel()
        return Gold(target, np.repeat(self.weight, K), K)


class BoundLoss(ABC):
    """sum_i s_i loss(y_i, scores_i) as a function of the scores (n K,)."""

    n_outputs: int
    smooth: bool = True

    @abstractmethod
    def value_residual(self, scores: Array) -> tuple[float, Array]:
        """Return the summed loss and its derivative with respect to each score, (n K,)."""

    @abstractmethod
    def curvature(self, scores: Array) -> Array:
        """Return the second derivatives by each score (n K,), or upper bounds of them."""

    @abstractmethod
    def conjugate(self, residual: Array, scale: float = 1.0) -> float:
        """Return sup_s <scale residual, s> - loss(s), or an upper bound of it, or infinity."""

    @abstractmethod
    def rows(self) -> _core.LossRows:
        """Return the loss as kernels take it."""


class KernelLoss(BoundLoss):
    """A loss of cpp/numeric/losses.hpp."""

    def __init__(self, kind: _core.LossKind, parameter: float, gold: Gold, threads: int = 1):
        self.n_outputs = gold.n_outputs
        self._given = (kind, gold.target, gold.weight, gold.n_outputs, parameter)
        self.data = _core.LossData(*self._given)
        self._threads = threads

    def value_residual(self, scores: Array) -> tuple[float, Array]:
        """See BoundLoss."""
        residual = np.empty_like(scores)
        return _core.loss_value_residual(self.data, scores, residual, self._threads), residual

    def curvature(self, scores: Array) -> Array:
        """See BoundLoss."""
        out = np.empty_like(scores)
        _core.loss_curvature(self.data, scores, out, self._threads)
        return out

    def conjugate(self, residual: Array, scale: float = 1.0) -> float:
        """See BoundLoss; exact."""
        return _core.loss_conjugate(self.data, residual, scale, self._threads)

    def rows(self) -> _core.LossRows:
        """See BoundLoss."""
        return _core.LossRows(*self._given)


class Remembered(BoundLoss):
    """A loss without a formula of its conjugate, which is known at its own residuals.

    At r = residual(s) it is <r, s> - loss(s), and at t r with 0 <= t <= 1, since the conjugate is
    convex and that of 0 is minus the least value of the loss, which is not negative,

        loss*(t r)  <=  t loss*(r) + (1 - t) loss*(0)  <=  t (<r, s> - loss(s))

    The last few residuals are kept with this number. Elsewhere it is infinite, and certificates
    fall back to the prox residual.
    """

    def __init__(self) -> None:
        self._known: deque[tuple[Array, float]] = deque(maxlen=4)

    def remember(self, residual: Array, value: float, along: float) -> None:
        """Keep the conjugate at a residual r, from the loss at s and <r, s>."""
        self._known.append((residual.copy(), along - value if value >= 0 else np.inf))

    def conjugate(self, residual: Array, scale: float = 1.0) -> float:
        """See BoundLoss."""
        if not 0 <= scale <= 1:
            return np.inf
        for known, value in reversed(self._known):
            if np.array_equal(known, residual):
                return scale * value if scale > 0 else 0.0
        return np.inf if residual.any() and scale > 0 else 0.0


class PythonLoss(Remembered):
    """A loss in Python, called with the rows that have a weight."""

    def __init__(self, loss: Loss, gold: Gold):
        super().__init__()
        self.loss, self.smooth, self.n_outputs = loss, loss.smooth, gold.n_outputs
        self.weight = gold.weight
        check_weights(gold.weight)
        K = gold.n_outputs
        given = gold.per_score() if loss.per_score else gold
        kept = gold.weight > 0
        self._kept = None if kept.all() else np.repeat(kept, K)
        if self._kept is not None:
            per_row = len(given.target) // max(len(kept), 1)
            given = Gold(
                given.target[np.repeat(kept, per_row)],
                given.weight[np.repeat(kept, len(given.weight) // max(len(kept), 1))],
                K,
            )
        self.gold = given
        n_scores = K * int(kept.sum())
        self.score_weight = given.weight  # one per score
        if len(given.weight) != n_scores:
            self.score_weight = np.repeat(given.weight, K)

    def inside(self, scores: Array) -> Array:
        """Return the scores of rows with a weight."""
        return scores if self._kept is None else scores[self._kept]

    def outside(self, found: object, scores: Array, what: str) -> Array:
        """Return numbers per score, checked, with zeros for rows without a weight."""
        numbers: Array = np.ascontiguousarray(found, dtype=np.float64)
        expected = scores.shape if self._kept is None else (int(self._kept.sum()),)
        if numbers.shape != expected:
            raise ValueError(
                f"{type(self.loss).__name__}.{what} must return {expected[0]} numbers, one per "
                f"score, got shape {numbers.shape}"
            )
        if self._kept is None:
            return numbers
        out = np.zeros(scores.shape)
        out[self._kept] = numbers
        return out

    def value_residual(self, scores: Array) -> tuple[float, Array]:
        """See BoundLoss."""
        inside = self.inside(scores)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value, found = self.loss.value_residual(inside, self.gold)
            value = float(value)
            residual = self.outside(found, scores, "value_residual")
            if not self.loss.knows_conjugate:
                self.remember(residual, value, float(self.inside(residual) @ inside))
        return value, residual

    def curvature(self, scores: Array) -> Array:
        """See BoundLoss."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = self.loss.curvature(self.inside(scores), self.gold)
        return self.outside(found, scores, "curvature")

    def conjugate(self, residual: Array, scale: float = 1.0) -> float:
        """See BoundLoss."""
        if not self.loss.knows_conjugate:
            return super().conjugate(residual, scale)
        return float(self.loss.conjugate(scale * self.inside(residual), self.gold))

    def rows(self) -> _core.LossRows:
        """See BoundLoss."""
        return _core.LossRows.of_python(self, self.weight, self.n_outputs)


def check_weights(weight: Array) -> None:
    """Raise a ValueError unless all weights are finite and not negative."""
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError("weights must be finite and not negative")
