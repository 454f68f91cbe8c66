"""Losses: summed value, residual = predicted - gold, and the conjugate that a duality gap needs.

Scores are (n, K), stored flat by rows. The formulas and the arithmetic of one row are in cpp/numeric/losses.hpp, shared with the
coordinate descent kernel; here are the parameter objects that people pass around.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.arrays import Array


class Gold(NamedTuple):
    """What the loss compares scores with: targets (n,), sample weights (n,), number of outputs K."""

    target: Array
    weight: Array
    n_outputs: int = 1


class Loss(BaseEstimator):
    """sum_i s_i loss(y_i, scores_i)."""

    kind: _core.LossKind
    classifies = True

    def n_outputs(self, n_classes: int) -> int:
        """How many scores a row has for so many classes."""
        return 1 if n_classes <= 2 else n_classes

    def response(self, scores: Array) -> Array:
        """The mean of a real target at scores: the scores themselves, unless a loss has another link."""
        return scores

    def value_residual(self, scores: Array, gold: Gold, threads: int = 1) -> tuple[float, Array]:
        """The summed loss and its derivative with respect to each score, (n K,)."""
        residual = np.empty_like(scores)
        value = _core.loss_value_residual(
            self.kind, scores, gold.target, gold.weight, gold.n_outputs, residual, threads
        )
        return value, residual

    def curvature(self, scores: Array, gold: Gold, threads: int = 1) -> Array:
        """Second derivatives by each score (n K,), or bounds of them: diag(curvature) lies above the Hessian of the summed loss."""
        out = np.empty_like(scores)
        _core.loss_curvature(
            self.kind, scores, gold.target, gold.weight, gold.n_outputs, out, threads
        )
        return out

    def conjugate(self, residual: Array, gold: Gold, scale: float = 1.0, threads: int = 1) -> float:
        """sup_s <scale residual, s> - loss(s), the convex conjugate of the summed loss at scaled residuals."""
        return _core.loss_conjugate(
            self.kind, residual, gold.target, gold.weight, gold.n_outputs, scale, threads
        )


class Logistic(Loss):
    """log(1 + exp(s)) - y s for y in {0, 1}; more than two classes: one against the rest, summed."""

    kind = _core.LossKind.logistic


class Multinomial(Loss):
    """log sum_k exp(s_k) - s_y, one score a class."""

    kind = _core.LossKind.multinomial

    def n_outputs(self, n_classes: int) -> int:
        """One a class, two classes included."""
        return max(2, n_classes)


class Squared(Loss):
    """(s - y)^2 / 2 for a real y."""

    kind = _core.LossKind.squared
    classifies = False

    def n_outputs(self, n_classes: int) -> int:
        """One."""
        return 1


class SquaredHinge(Loss):
    """max(0, 1 - t s)^2 for t = -1 or 1; more than two classes: one against the rest, summed."""

    kind = _core.LossKind.squared_hinge


class Poisson(Loss):
    """exp(s) - y s + y log y - y for y >= 0: counts of mean exp(s)."""

    kind = _core.LossKind.poisson
    classifies = False

    def response(self, scores: Array) -> Array:
        """The mean exp(s)."""
        return np.exp(np.minimum(scores, 700.0))

    def n_outputs(self, n_classes: int) -> int:
        """One."""
        return 1


class ChainLoss(BaseEstimator):
    """sum over sentences of predicted score - gold score; its residual is predicted - gold parts (see cpp/chain/crf.hpp)."""

    kind: _core.StructuredLoss
    cost = 0.0


class ChainLog(ChainLoss):
    """log Z - score(gold): the conditional random field. Predicted: marginals."""

    kind = _core.StructuredLoss.log


class ChainHinge(ChainLoss):
    """max_y score(y) + cost * wrong labels of y - score(gold): the structured SVM with margin rescaling. Predicted: that y."""

    kind = _core.StructuredLoss.hinge

    def __init__(self, cost: float = 1.0):
        self.cost = cost


class ChainPerceptron(ChainLoss):
    """max_y score(y) - score(gold). Predicted: the best path."""

    kind = _core.StructuredLoss.perceptron
