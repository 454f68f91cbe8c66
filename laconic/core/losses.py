"""Losses: summed value, residual = predicted - gold, and the conjugate that a duality gap needs.

Scores are (n, K), stored flat by rows. The formulas and the arithmetic of one row are in
cpp/numeric/losses.hpp, shared with the coordinate descent kernel; here are the parameter objects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.arrays import Array


class Gold(NamedTuple):
    """What a loss compares scores with: targets (n,), sample weights (n,), number of outputs K."""

    target: Array
    weight: Array
    n_outputs: int = 1


class Loss(BaseEstimator):
    """sum_i s_i loss(y_i, scores_i)."""

    kind: _core.LossKind
    classifies = True

    def n_outputs(self, n_classes: int) -> int:
        """Return the number of scores per row for this number of classes."""
        return 1 if n_classes <= 2 else n_classes

    def response(self, scores: Array) -> Array:
        """Return the mean of a real target at scores: the scores, unless the link is another."""
        return scores

    def value_residual(self, scores: Array, gold: Gold, threads: int = 1) -> tuple[float, Array]:
        """Return the summed loss and its derivative with respect to each score, (n K,)."""
        residual = np.empty_like(scores)
        value = _core.loss_value_residual(
            self.kind, scores, gold.target, gold.weight, gold.n_outputs, residual, threads
        )
        return value, residual

    def curvature(self, scores: Array, gold: Gold, threads: int = 1) -> Array:
        """Return the second derivatives by each score (n K,), or upper bounds of them.

        diag(curvature) lies above the Hessian of the summed loss.
        """
        out = np.empty_like(scores)
        _core.loss_curvature(
            self.kind, scores, gold.target, gold.weight, gold.n_outputs, out, threads
        )
        return out

    def conjugate(self, residual: Array, gold: Gold, scale: float = 1.0, threads: int = 1) -> float:
        """Return sup_s <scale residual, s> - loss(s), the conjugate at scaled residuals."""
        return _core.loss_conjugate(
            self.kind, residual, gold.target, gold.weight, gold.n_outputs, scale, threads
        )


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

    kind = _core.LossKind.logistic


class Multinomial(Loss):
    """log sum_k exp(s_k) - s_y: one score per class, also for two classes.

    Examples
    --------
    >>> from laconic import L1, Multinomial, SparseClassifier
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], ["a", "b", "a", "b"]
    >>> SparseClassifier(L1(0.1), loss=Multinomial()).fit(X, y).coef_.shape
    (2, 2)
    """

    kind = _core.LossKind.multinomial

    def n_outputs(self, n_classes: int) -> int:
        """Return one per class, at least two."""
        return max(2, n_classes)


class Squared(Loss):
    """(s - y)^2 / 2 for a real y.

    Examples
    --------
    >>> from laconic import Ridge, SparseRegressor, Squared
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> SparseRegressor(Ridge(1.0), loss=Squared(), tol=1e-9).fit(X, y).coef_.round(3).tolist()
    [0.667]
    """

    kind = _core.LossKind.squared
    classifies = False

    def n_outputs(self, n_classes: int) -> int:
        """Return 1."""
        return 1


class SquaredHinge(Loss):
    """max(0, 1 - t s)^2 for t = -1 or 1; of more than two classes, one against the rest, summed.

    Examples
    --------
    >>> from laconic import L1, SparseClassifier, SquaredHinge
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], ["a", "b", "a", "b"]
    >>> SparseClassifier(L1(0.1), loss=SquaredHinge()).fit(X, y).predict(X).tolist()
    ['a', 'b', 'a', 'b']
    """

    kind = _core.LossKind.squared_hinge


class Poisson(Loss):
    """exp(s) - y s + y log y - y for y >= 0: counts of mean exp(s).

    Examples
    --------
    >>> from laconic import Poisson, Ridge, SparseRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]
    >>> SparseRegressor(Ridge(1e-3), loss=Poisson()).fit(X, y).predict([[3.0]]).round(1).tolist()
    [8.0]
    """

    kind = _core.LossKind.poisson
    classifies = False

    def response(self, scores: Array) -> Array:
        """Return the mean exp(s)."""
        return np.exp(np.minimum(scores, 700.0))

    def n_outputs(self, n_classes: int) -> int:
        """Return 1."""
        return 1


class ChainLoss(BaseEstimator):
    """sum over sentences of predicted score - gold score; the residual is predicted - gold parts.

    See cpp/chain/crf.hpp.
    """

    kind: _core.StructuredLoss
    cost = 0.0


class ChainLog(ChainLoss):
    """log Z - score(gold): the conditional random field. Predicted: marginals."""

    kind = _core.StructuredLoss.log


class ChainHinge(ChainLoss):
    """max_y score(y) + cost * wrong labels of y - score(gold): the structured SVM.

    The margin is rescaled by the cost. Predicted: that y.
    """

    kind = _core.StructuredLoss.hinge

    def __init__(self, cost: float = 1.0):
        self.cost = cost


class ChainPerceptron(ChainLoss):
    """max_y score(y) - score(gold). Predicted: the best path."""

    kind = _core.StructuredLoss.perceptron
