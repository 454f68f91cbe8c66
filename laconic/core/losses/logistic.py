"""The logistic loss: log-odds of a class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.base import Loss


class Logistic(Loss):
    """log(1 + exp(s)) - y s for y in {0, 1}; more than two classes: one against the rest, summed.

    Examples
    --------
    >>> from laconic import L1, Logistic, SparseClassifier
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], ["a", "b", "a", "b"]
    >>> model = SparseClassifier(L1(0.1), loss=Logistic()).fit(X, y)
    >>> model.predict([[1.0, 0.5]]).tolist(), model.n_selected_
    (['a'], 1)
    """

    kind: ClassVar[_core.LossKind | None] = _core.LossKind.logistic

    def log_probabilities(self, scores: Array) -> Array:
        """See Loss: -log(1 + exp(-s))."""
        return np.asarray(-np.logaddexp(0.0, -scores))
