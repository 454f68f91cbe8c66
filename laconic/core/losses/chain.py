"""Losses of chains: scores of whole sequences of labels."""

from __future__ import annotations

from laconic import _core
from laconic.core.parameters import HasParameters


class ChainLoss(HasParameters):
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
