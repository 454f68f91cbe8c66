"""The chain problem: min_w sum over sentences loss(gold, scores of w) + penalty(w).

Transitions are not penalised. There is no cheap duality gap, because conjugates of chain losses
need a distribution over label sequences for every sentence. The certificate is the optimality
residual, the largest entry of (w - prox(w - g, 1), gradient of the tail), relative to the largest
gradient at zero. A transition that the gold labels never make has its optimum at minus infinity;
`tail_ridge`, which adds tail_ridge |tail|^2 / 2 to the loss, makes all optima finite.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from laconic.core.arrays import Array, Floats
from laconic.core.designs.chain import Chain
from laconic.core.losses import ChainLoss
from laconic.core.penalties import Penalty
from laconic.core.problem.base import Objective


class ChainProblem(Objective):
    """design + loss + penalty.

    The last evaluation is kept: a certificate where a solver stands does not cost another one.
    """

    design: Chain

    def __init__(self, design: Chain, loss: ChainLoss, penalty: Penalty, tail_ridge: float = 0.0):
        if not 0 <= tail_ridge < np.inf:
            raise ValueError(
                f"tail_ridge must be a number that is not negative, got {tail_ridge!r}"
            )
        self.design = design
        self.loss = loss
        self.penalty = penalty.check()
        self.tail_ridge = tail_ridge
        self._point = np.full(design.n_weights, np.nan)
        self._gradient = np.empty(design.n_weights)
        self._value = np.nan

    def loss_value(self, x: Array) -> float:
        """See Objective."""
        if np.array_equal(self._point, x):
            return self._value
        tail = self.parts(x)[1]
        value: float = self.design.loss(self.loss.kind, self.loss.cost, x)
        return value + 0.5 * self.tail_ridge * float(tail @ tail)

    def smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective; the gradient is read-only and holds until another point is evaluated."""
        if not np.array_equal(self._point, x):
            self._point[:] = np.nan  # an interrupt must not leave a half-evaluated point behind
            value, gradient = self.design.loss_gradient(
                self.loss.kind, self.loss.cost, x, self._gradient
            )
            tail = self.parts(x)[1]
            self.parts(gradient)[1][:] += self.tail_ridge * tail
            self._value = value + 0.5 * self.tail_ridge * float(tail @ tail)
            self._point[:] = x
        gradient = self._gradient.view()
        gradient.setflags(write=False)
        return self._value, gradient

    def certificate(self, x: Array) -> float:
        """Return the optimality residual; see the module."""
        scale = self.gradient_scale()
        weights, tail = self.parts(self.smooth(x)[1])
        return max(
            self.prox_residual(x, weights, 1.0), float(np.max(np.abs(tail), initial=0.0)) / scale
        )

    def spread(self) -> Floats:
        """Return 1 / (1 + 0.1 counts^0.7), see Objective.

        Second derivatives are sums of p (1 - p) over the tokens that count: they grow with the
        counts, but less so the surer the model is of its labels. Powers from 0.5 to 1 all save most
        of the steps to an optimum; 0.7 was the best of them in chunking.
        """
        counts: Array = self.design.counts()
        return (1 / (1 + 0.1 * counts**0.7)).astype(np.float32)

    def strength_max(self) -> float:
        """Return the least penalty strength at which all weights of features are zero.

        The transitions are the best ones for these weights.
        """
        x = np.zeros(self.n_weights)

        def tail_only(tail: Array) -> tuple[float, Array]:
            self.parts(x)[1][:] = tail
            value, gradient = self.smooth(x)
            return value, self.parts(gradient)[1].copy()

        self.parts(x)[1][:] = minimize(
            tail_only, self.parts(x)[1].copy(), jac=True, method="L-BFGS-B", options={"gtol": 1e-3}
        ).x
        return self.penalty.strength_max(self.parts(self.smooth(x)[1])[0])
