"""min_w  -log-likelihood of a text (w) + penalty(w),  w >= 0: a model on nested contexts."""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.lm.nested import NestedTerms

ROUNDS = 16  # of mixing, per certificate, at most
PATIENCE = 3  # rounds without a better bound after which mixing ends


class NestedProblem:
    """The likelihood of a context tree, whose weights are those of the penalty's trees.

    Gradients are of single weights, several of which one entry may stand for.
    """

    def __init__(self, kernel: _core.ContextTree, penalty: NestedTerms, threads: int = 1):
        self.kernel = kernel
        self.penalty = penalty
        self.threads = penalty.threads = threads
        self._gradient = np.empty(len(penalty.rates))

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

        D is the entropy of a distribution per token, minus the conjugate of the penalty at the
        slope that these distributions give. They are the model's own predictions, mixed with the
        tokens themselves as far as the penalty's dual norm requires it: first only tokens of
        n-grams whose slope is too large, in a few rounds, then all of them alike by what is left.
        """
        loss = float(self.kernel.loss(x, self._gradient, self.threads))
        primal = loss + self._square(x) + self.penalty.value(x)
        shares = np.ones(len(x))
        slope, own = -self._gradient, np.empty(len(x))
        best, idle = 1.0, 0
        for turn in range(ROUNDS + 1):
            if turn:
                part = self.penalty.excess(slope, x) / np.maximum(own, np.finfo(float).tiny)
                if idle == PATIENCE or not part.any():
                    break
                self.kernel.lower(np.minimum(part, 1.0), shares)
            self.kernel.mixed(shares, slope, own)
            scale, conjugate = self.penalty.dual(slope, x)
            dual = -self.kernel.negative_entropy(scale * shares) - conjugate
            gap = float((primal - dual) / primal)
            idle = 0 if gap < 0.95 * best else idle + 1
            best = min(best, gap)
        return best

    def _square(self, x: Array) -> float:
        return 0.0 if self.penalty.ridge is None else 0.5 * float((self.penalty.ridge * x) @ x)
