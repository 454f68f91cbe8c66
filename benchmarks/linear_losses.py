"""Every loss a second time, from its formula alone: in NumPy and in cvxpy, with random targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp, xlogy

from laconic import Huber, Logistic, Multinomial, Poisson, Quantile, Squared, SquaredHinge, Tweedie
from laconic.core.arrays import Array
from laconic.core.losses import Loss


@dataclass(frozen=True)
class LossFormula:
    """sum_i s_i loss(y_i, S_i) over scores S (n, K), and how targets are drawn.

    `n_classes` is 0 for numbers. `value` and `convex` see encoded targets: class numbers, or
    numbers of the kind `targets`: real, counts, amounts (some zero) or positive.
    """

    loss: Loss
    n_classes: int
    n_outputs: int
    value: Callable[[Array, Array, Array], float]
    convex: Callable[[Any, Array, Array], Any]
    targets: str = "classes"


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


def huber(S: Array, y: Array, s: Array) -> float:
    """d^2 / 2 up to |d| = 1/2, |d| / 2 - 1/8 beyond, d = S - y."""
    d = np.abs(S[:, 0] - y)
    return float(s @ np.where(d <= 0.5, 0.5 * d * d, 0.5 * d - 0.125))


def convex_huber(S: Any, y: Array, s: Array) -> Any:
    """See `huber`."""
    import cvxpy as cp

    return 0.5 * s @ cp.huber(S[:, 0] - y, 0.5)


def quantile(S: Array, y: Array, s: Array) -> float:
    """0.3 (y - S) above, 0.7 (S - y) below."""
    d = S[:, 0] - y
    return float(s @ np.maximum(0.7 * d, -0.3 * d))


def convex_quantile(S: Any, y: Array, s: Array) -> Any:
    """See `quantile`."""
    import cvxpy as cp

    d = S[:, 0] - y
    return s @ cp.maximum(0.7 * d, -0.3 * d)


class LogCosh(Loss):
    """log cosh(s - y): a loss in Python, as a user would write one."""

    classifies = False

    def value_residual(self, scores: Array, gold: Any) -> tuple[float, Array]:
        """See Loss."""
        off = scores - gold.target
        return float(gold.weight @ (np.logaddexp(off, -off) - np.log(2))), gold.weight * np.tanh(
            off
        )

    def curvature(self, scores: Array, gold: Any) -> Array:
        """See Loss."""
        return gold.weight * (1 - np.tanh(scores - gold.target) ** 2)


def log_cosh(S: Array, y: Array, s: Array) -> float:
    """Log cosh(S - y)."""
    d = np.abs(S[:, 0] - y)
    return float(s @ (d + np.log1p(np.exp(-2 * d)) - np.log(2)))


def convex_log_cosh(S: Any, y: Array, s: Array) -> Any:
    """See `log_cosh`."""
    import cvxpy as cp

    d = S[:, 0] - y
    return s @ (cp.logistic(2 * d) - d) - np.log(2) * s.sum()


def half_tweedie(S: Array, y: Array, s: Array) -> float:
    """2 exp(S / 2) + 2 y exp(-S / 2) - 4 sqrt(y): Tweedie of power 3/2."""
    with np.errstate(over="ignore"):
        return float(s @ (2 * np.exp(S[:, 0] / 2) + 2 * y * np.exp(-S[:, 0] / 2) - 4 * np.sqrt(y)))


def convex_half_tweedie(S: Any, y: Array, s: Array) -> Any:
    """See `half_tweedie`."""
    import cvxpy as cp

    up, down = cp.exp(S[:, 0] / 2), cp.exp(-S[:, 0] / 2)
    return 2 * s @ up + 2 * (s * y) @ down - 4 * float(s @ np.sqrt(y))


def gamma(S: Array, y: Array, s: Array) -> float:
    """S + y exp(-S) - 1 - log y: Tweedie of power 2."""
    with np.errstate(over="ignore"):
        return float(s @ (S[:, 0] + y * np.exp(-S[:, 0]) - 1 - np.log(y)))


def convex_gamma(S: Any, y: Array, s: Array) -> Any:
    """See `gamma`."""
    import cvxpy as cp

    return s @ S[:, 0] + (s * y) @ cp.exp(-S[:, 0]) - float(s @ (1 + np.log(y)))


def poisson(S: Array, y: Array, s: Array) -> float:
    """exp(S) - y S + y log y - y."""
    with np.errstate(over="ignore"):
        return float(s @ (np.exp(S[:, 0]) - y * S[:, 0] + xlogy(y, y) - y))


def convex_poisson(S: Any, y: Array, s: Array) -> Any:
    """See `poisson`."""
    import cvxpy as cp

    return s @ (cp.exp(S[:, 0]) - cp.multiply(y, S[:, 0])) + float(s @ (xlogy(y, y) - y))


LOSSES: dict[str, LossFormula] = {
    "logistic, 2 classes": LossFormula(Logistic(), 2, 1, logistic, convex_logistic),
    "logistic, 5 classes": LossFormula(Logistic(), 5, 5, logistic, convex_logistic),
    "multinomial, 2 classes": LossFormula(Multinomial(), 2, 2, multinomial, convex_multinomial),
    "multinomial, 5 classes": LossFormula(Multinomial(), 5, 5, multinomial, convex_multinomial),
    "squared hinge, 2 classes": LossFormula(
        SquaredHinge(), 2, 1, squared_hinge, convex_squared_hinge
    ),
    "squared hinge, 5 classes": LossFormula(
        SquaredHinge(), 5, 5, squared_hinge, convex_squared_hinge
    ),
    "squared": LossFormula(Squared(), 0, 1, squared, convex_squared, "real"),
    "Huber": LossFormula(Huber(0.5), 0, 1, huber, convex_huber, "real"),
    "quantile": LossFormula(Quantile(0.3), 0, 1, quantile, convex_quantile, "real"),
    "log cosh, in Python": LossFormula(LogCosh(), 0, 1, log_cosh, convex_log_cosh, "real"),
    "Poisson": LossFormula(Poisson(), 0, 1, poisson, convex_poisson, "counts"),
    "Tweedie 1.5": LossFormula(Tweedie(1.5), 0, 1, half_tweedie, convex_half_tweedie, "amounts"),
    "Gamma": LossFormula(Tweedie(2.0), 0, 1, gamma, convex_gamma, "positive"),
}
