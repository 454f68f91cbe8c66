"""min_w  -log-likelihood of a text (w) + penalty(w),  w >= 0: a model on nested contexts."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from laconic.core.arrays import Array
from laconic.core.report import DUALITY_GAP
from laconic.lm.nested import NestedTerms

MOST = 30.0  # largest weight that certificates reckon with


class TextLikelihood(Protocol):
    """The likelihood of a text: `_core.ContextTree`, or `BesideModel` beside another model."""

    def loss(self, weights: Array, gradient: Array, threads: int = 1) -> float:
        """Return minus the log-likelihood; `gradient`, unless empty, becomes its gradient."""

    def negative_entropy(self) -> float:
        """Return minus the conjugate of the loss, at the weights of the last `loss`."""


class NestedProblem:
    """The likelihood of a context tree, whose weights are those of the penalty's trees.

    Gradients are of single weights, several of which one entry may stand for.
    """

    certificate_kind = DUALITY_GAP

    def __init__(self, kernel: TextLikelihood, penalty: NestedTerms, threads: int = 1):
        self.kernel = kernel
        self.penalty = penalty
        self.threads = penalty.threads = threads
        self._gradient = np.empty(len(penalty.rates))
        self._lower = -np.inf  # the largest D so far

    def start(self, x0: Array | None = None) -> Array:
        """Return a copy of x0, or zeros."""
        return np.zeros(len(self._gradient)) if x0 is None else np.array(x0, dtype=np.float64)

    def fit_tail(self, x: Array) -> None:
        """Do nothing: there is no intercept to optimise."""

    def loss_value(self, x: Array) -> float:
        """Return the smooth part: minus the log-likelihood, plus the penalty's ridge."""
        return float(self.kernel.loss(x, np.empty(0), self.threads)) + self._square(x)

    def smooth(self, x: Array) -> tuple[float, Array]:
        """Return the smooth part and its gradient, which the next evaluation overwrites."""
        loss = float(self.kernel.loss(x, self._gradient, self.threads)) + self._square(x)
        if self.penalty.ridge is not None:
            self._gradient += self.penalty.ridge * x
        return loss, self._gradient

    def value(self, x: Array) -> float:
        """Return the objective."""
        return self.loss_value(x) + self.penalty.value(x)

    def certificate(self, x: Array) -> float:
        """Return (P - D) / P, the relative duality gap; at most 1, since the objective is >= 0.

        It bounds the distance to the best weights of at most MOST, which is no restriction in
        practice: one such weight makes a word 10^13 times as likely. D is the entropy of the
        model's own predictions, minus the most that weights gain at the slope that these give; the
        largest one of all points so far.
        """
        loss = float(self.kernel.loss(x, self._gradient, self.threads))
        primal = loss + self._square(x) + self.penalty.value(x)
        if x.max(initial=0.0) > MOST:
            return 1.0
        gain = self.penalty.bound(-self._gradient, x, MOST)
        self._lower = max(self._lower, -float(self.kernel.negative_entropy()) - gain)
        return min(1.0, max(0.0, float((primal - self._lower) / primal)))

    def _square(self, x: Array) -> float:
        return 0.0 if self.penalty.ridge is None else 0.5 * float((self.penalty.ridge * x) @ x)
