"""The multinomial loss: logarithms of probabilities of classes."""

from __future__ import annotations

from typing import ClassVar

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.base import Loss, log_normalized


class Multinomial(Loss):
    """log sum_k exp(s_k) - s_y: one score per class, also for two classes.

    Examples
    --------
    >>> from laconic import L1, Multinomial, SparseClassifier
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], ["a", "b", "a", "b"]
    >>> SparseClassifier(L1(0.1), loss=Multinomial()).fit(X, y).coef_.shape
    (2, 2)
    """

    kind: ClassVar[_core.LossKind | None] = _core.LossKind.multinomial
    coupled: ClassVar[bool] = True
    per_score: ClassVar[bool] = False

    def log_probabilities(self, scores: Array) -> Array:
        """See Loss: s - log sum_k exp(s_k)."""
        return log_normalized(scores)

    def n_outputs(self, n_classes: int) -> int:
        """Return one per class, at least two."""
        return max(2, n_classes)

    def settled(self, intercept: Array) -> Array:
        """Return the intercept whose sum is zero: a constant more for all classes says nothing."""
        centred: Array = intercept - intercept.mean()
        return centred
