"""Every loss a second time, from its formula alone: in NumPy and in cvxpy, with random targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp, xlogy

from laconic import Logistic, Multinomial, Poisson, Squared, SquaredHinge
from laconic.core.arrays import Array
from laconic.core.losses import Loss


@dataclass(frozen=True)
class LossFormula:
    """sum_i s_i loss(y_i, S_i) over scores S (n, K), and how targets are drawn.

    `n_classes` is 0 for real targets. `one_score` says that two classes share one score. The
    targets that `value` and `convex` see are encoded: class numbers, or reals.
    """

    loss: Loss
    n_classes: int
    one_score: bool
    value: Callable[[Array, Array, Array], float]
    convex: Callable[[Any, Array, Array], Any]
    counts: bool = False  # targets are whole numbers that are not negative

    @property
    def n_outputs(self) -> int:
        """Number of scores per row."""
        return (
            1
            if self.n_classes == 0 or (self.n_classes == 2 and self.one_score)
            else (self.n_classes)
        )


def one_hot(target: Array, K: int) -> Array:
    """Return targets (n, K) in {0, 1}: of two classes with one score whether it is the second."""
    return target[:, None] if K == 1 else np.eye(K)[target.astype(int)]


def logistic(S: Array, y: Array, s: Array) -> float:
    """log(1 + exp(S)) - y S, summed over scores."""
    Y = one_hot(y, S.shape[1])
    return float(s @ np.logaddexp(0.0, np.where(Y > 0, -S, S)).sum(axis=1))


def convex_logistic(S: Any, y: Array, s: Array) -> Any:
    """See `logistic`."""
    import cvxpy as cp

    Y, each = one_hot(y, S.shape[1]), np.repeat(s[:, None], S.shape[1], axis=1)
    return cp.sum(cp.multiply(each, cp.logistic(cp.multiply(1 - 2 * Y, S))))


def multinomial(S: Array, y: Array, s: Array) -> float:
    """Log sum_k exp(S_k - S_y)."""
    gold = S[np.arange(len(S)), y.astype(int)]
    return float(s @ logsumexp(S - gold[:, None], axis=1))


def convex_multinomial(S: Any, y: Array, s: Array) -> Any:
    """See `multinomial`."""
    import cvxpy as cp

    gold = cp.sum(cp.multiply(one_hot(y, S.shape[1]), S), axis=1)
    return s @ (cp.log_sum_exp(S, axis=1) - gold)


def squared_hinge(S: Array, y: Array, s: Array) -> float:
    """max(0, 1 - t S)^2 for t = -1 or 1, summed over scores."""
    t = 2 * one_hot(y, S.shape[1]) - 1
    return float(s @ (np.maximum(0.0, 1 - t * S) ** 2).sum(axis=1))


def convex_squared_hinge(S: Any, y: Array, s: Array) -> Any:
    """See `squared_hinge`."""
    import cvxpy as cp

    t = 2 * one_hot(y, S.shape[1]) - 1
    roots = np.repeat(np.sqrt(s)[:, None], S.shape[1], axis=1)
    return cp.sum_squares(cp.multiply(roots, cp.pos(1 - cp.multiply(t, S))))


def squared(S: Array, y: Array, s: Array) -> float:
    """(S - y)^2 / 2."""
    return float(0.5 * s @ (S[:, 0] - y) ** 2)


def convex_squared(S: Any, y: Array, s: Array) -> Any:
    """See `squared`."""
    import cvxpy as cp

    return 0.5 * cp.sum_squares(cp.multiply(np.sqrt(s), S[:, 0] - y))


def poisson(S: Array, y: Array, s: Array) -> float:
    """exp(S) - y S + y log y - y."""
    with np.errstate(over="ignore"):
        return float(s @ (np.exp(S[:, 0]) - y * S[:, 0] + xlogy(y, y) - y))


def convex_poisson(S: Any, y: Array, s: Array) -> Any:
    """See `poisson`."""
    import cvxpy as cp

    return s @ (cp.exp(S[:, 0]) - cp.multiply(y, S[:, 0])) + float(s @ (xlogy(y, y) - y))


LOSSES: dict[str, LossFormula] = {
    "logistic, 2 classes": LossFormula(Logistic(), 2, True, logistic, convex_logistic),
    "logistic, 5 classes": LossFormula(Logistic(), 5, True, logistic, convex_logistic),
    "multinomial, 2 classes": LossFormula(Multinomial(), 2, False, multinomial, convex_multinomial),
    "multinomial, 5 classes": LossFormula(Multinomial(), 5, False, multinomial, convex_multinomial),
    "squared hinge, 2 classes": LossFormula(
        SquaredHinge(), 2, True, squared_hinge, convex_squared_hinge
    ),
    "squared hinge, 5 classes": LossFormula(
        SquaredHinge(), 5, True, squared_hinge, convex_squared_hinge
    ),
    "squared": LossFormula(Squared(), 0, True, squared, convex_squared),
    "Poisson": LossFormula(Poisson(), 0, True, poisson, convex_poisson, counts=True),
}
