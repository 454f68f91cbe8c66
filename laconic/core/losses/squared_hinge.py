"""The squared hinge loss: a margin between classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.base import Loss


class SquaredHinge(Loss):
    """max(0, 1 - t s)^2 for t = -1 or 1; of more than two classes, one against the rest, summed.

    Examples
    --------
    >>> from laconic import L1, SparseClassifier, SquaredHinge
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], ["a", "b", "a", "b"]
    >>> SparseClassifier(L1(0.1), loss=SquaredHinge()).fit(X, y).predict(X).tolist()
    ['a', 'b', 'a', 'b']
    """

    kind: ClassVar[_core.LossKind | None] = _core.LossKind.squared_hinge

    def log_probabilities(self, scores: Array) -> Array:
        """See Loss: that of (1 + tanh s) / 2, since the best score of a row is 2 p - 1.

        The best score is cut off at -1 and 1, where this is .12 and .88: no class is ruled out.
        """
        return np.asarray(-np.logaddexp(0.0, -2.0 * scores))
