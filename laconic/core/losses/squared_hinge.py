"""The squared hinge loss: a margin between classes."""

from __future__ import annotations

from typing import ClassVar

from laconic import _core
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
