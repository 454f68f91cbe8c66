"""Residuals whose sums per output are zero, as an intercept demands of a dual point.

Those of a fitted intercept hardly change. For a loss of single scores the larger side, the positive
or the negative entries, is scaled down; its conjugate stays finite towards 0. The multinomial loss
takes a share of the residuals of constant scores that cancels the sums. Both are sums over rows
first, and a change of every row by a few numbers after that, so that rows may lie anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.losses import Gold, Loss, Multinomial

SMALLEST = 1e-300  # stands for zero in a denominator


class Sides(NamedTuple):
    """Sums of residuals over rows, (K,) each: of the positive ones, and of the negative ones."""

    up: Array
    down: Array

    @classmethod
    def of(cls, residual: Array, n_outputs: int) -> Sides:
        """Return the sums of residuals (n K,)."""
        table = residual.reshape(-1, n_outputs)
        return cls(np.maximum(table, 0.0).sum(axis=0), -np.minimum(table, 0.0).sum(axis=0))


class Balance(NamedTuple):
    """What makes sums of residuals zero: factors of both sides, or a share of constant scores."""

    up: Array  # factors of the positive residuals (K,), or the probabilities of constant scores
    down: Array  # factors of the negative residuals (K,); empty for the multinomial loss
    share: float = 0.0  # of the residuals of constant scores

    @classmethod
    def for_loss(cls, loss: Loss, sides: Sides, classes: Array) -> Balance:
        """Return the change for sums of residuals; `classes` are the weights of all classes."""
        if not isinstance(loss, Multinomial):
            least = np.minimum(sides.up, sides.down)
            with np.errstate(divide="ignore", invalid="ignore"):
                return cls(least / sides.up, least / sides.down)
        off = sides.up - sides.down
        total = max(float(classes.sum()), SMALLEST)
        odds = max(0.0, float(np.max(off / np.maximum(classes, SMALLEST))))
        share = odds / (1.0 + odds)
        wanted = np.zeros(len(off))
        if share > 0:
            wanted = np.maximum((classes - off * (1 - share) / share) / total, 0.0)
        return cls(wanted, np.zeros(0), share)

    def apply(self, residual: Array, gold: Gold) -> Array:
        """Return changed residuals (n K,)."""
        table = residual.reshape(-1, gold.n_outputs)
        if len(self.down):
            with np.errstate(invalid="ignore"):
                shrunk = np.where(table > 0, table * self.up, table * self.down)
            return np.where(table == 0, 0.0, shrunk).ravel()
        if self.share == 0:
            return residual
        constant = gold.weight[:, None] * self.up
        constant[np.arange(len(table)), gold.target.astype(np.int64)] -= gold.weight
        return np.ascontiguousarray((1 - self.share) * table + self.share * constant).ravel()


def class_weights(gold: Gold) -> Array:
    """Return the sum of weights of each class (K,), for the multinomial loss."""
    return np.bincount(
        gold.target.astype(np.int64), weights=gold.weight, minlength=gold.n_outputs
    ).astype(np.float64, copy=False)
