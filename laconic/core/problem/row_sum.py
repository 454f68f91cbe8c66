"""A loss summed over the rows of a matrix, wherever these rows are."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from laconic.core.arrays import Array
from laconic.core.losses import Loss
from laconic.core.penalties import Penalty
from laconic.core.problem.gap import GapProblem


class RowShape(Protocol):
    """How the weights of a rows design lie: (n_features, n_outputs) by rows, then the intercept."""

    @property
    def n_outputs(self) -> int:
        """Number of scores per row."""

    @property
    def intercept(self) -> bool:
        """Whether the scores have an intercept."""

    @property
    def n_weights(self) -> int:
        """Number of all weights."""

    @property
    def n_penalised(self) -> int:
        """Number of penalised weights."""


class RowSum(GapProblem):
    """min_{w, b} sum_i s_i loss(y_i, x_i w + b) + penalty(w), for estimators that ask for sums."""

    design: RowShape
    loss: Loss
    # Whether what one solution found out is kept for the next. The last digits of a solution then
    # depend on those before it.
    on_path = False

    @property
    def solver(self) -> str | None:
        """Solver for the penalty where the usual ones cannot be used, as `module:Class`."""
        return None

    @abstractmethod
    def loss_at(self, x: Array) -> tuple[float, Array]:
        """Return the summed loss at x, and what stands for its residuals there."""

    @abstractmethod
    def under(self, penalty: Penalty) -> RowSum:
        """Return the problem of the same loss under another penalty."""

    @abstractmethod
    def reach(self, along: Array) -> float:
        """Return the largest change of a score along a direction of the weights."""

    @property
    @abstractmethod
    def total_weight(self) -> float:
        """Sum of the weights of all rows."""

    def loss_scale(self) -> float:
        """See GapProblem; of labels the sum of the weights, which no intercept makes small."""
        return self.total_weight if self.loss.classifies else super().loss_scale()
