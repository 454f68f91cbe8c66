r"""The sparse adaptive prior of trajectories (Yogatama 2015, section 3.2).

For every feature, with D = T weights (times its outputs if they share the prior) and the matrices
A(alpha) of laconic.time.trajectories,

    lambda ~ 1 / lambda,
    alpha ~ tau exp(-tau (alpha + C)) / (1 - exp(-tau C))  on (-C, 0],
    w ~ Normal(0, lambda A(alpha)^-1).

Mean-field inference with q(lambda) = Gamma(a, scale b), q(alpha) = the truncated exponential of
rate kappa, bounds log p(w) from below by

    B = - D/2 E[log lambda] + 1/2 E[log det A] - 1/2 E[1/lambda] w'E[A]w - E[log lambda]
        - KL(q(alpha) | p(alpha)) + entropy(q(lambda)),

with E[log lambda] = digamma(a) + log b, E[1/lambda] = 1 / ((a - 1) b), E[lambda] / b = a,
E[alpha] = 1/kappa - C / (1 - exp(-kappa C)). The terms in b are
-D/2 log b - w'E[A]w / (2 (a - 1) b), so that b = w'E[A]w / ((a - 1) D) (Eq. 3.7) and
E[1/lambda] = D / w'E[A]w, as in the exact posterior of lambda, an inverse gamma. With this b, the
terms in a are - (D/2 + a) digamma(a) + a + log Gamma(a) + D/2 log(a - 1): the same for all
features, whatever their weights (`best_shape` solves it once). The rest of -B is

    cost(w) = min_kappa  D/2 log(w'E[A]w + floor) - 1/2 log det E[A]
                         + KL(q(alpha) | p(alpha)) + constant.

* log det E[A] replaces E[log det A] (Fig. 3.1). The logarithm of a determinant is concave, so that
  by Jensen's inequality this is an upper estimate of that term and not, as in the chapter, a lower
  one: with it B is no longer a bound in the strict sense.
* `floor` is the scale of an inverse gamma hyper-prior, exp(-floor / (2 lambda)) / lambda. At
  floor = 0 it is Jeffreys' prior and the cost falls without end as w goes to 0: whatever the data,
  all weights zero would be the best point, and only a local optimum can be meant.
* kappa, like b, is a function of w: of w'w and the products of neighbours alone (the kernel finds
  the global optimum). By the envelope theorem the gradient is D / (w'E[A]w + floor) E[A] w
  (Eq. 3.5), and E[1/lambda] E[A] is the precision of a quadratic above the cost.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln, polygamma

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty
from laconic.time.trajectories import LIMIT, Local, Trajectories

TAU_EDGE = 1e7  # largest |tau C| that is tried


class Posterior(NamedTuple):
    """Posterior of every group of trajectories.

    Means of alpha, of 1 / lambda and of lambda, and the rate kappa of q(alpha).
    """

    alpha: Array
    precision: Array
    variance: Array
    kappa: Array


class AdaptivePrior(Trajectories):
    """strength sum_i -log p(w_i), p the sparse adaptive prior with scale and alpha integrated out.

    Trajectories that the data do not need shrink to zero, and each of the others learns how smooth
    it is (Yogatama 2015, section 3.2). The penalty is not convex.

    Parameters
    ----------
    n_steps : int, default=1
        Number of steps of time; estimators set it.
    tau : float, default=1.0
        How smooth trajectories are expected to be: the rate of the hyper-prior of alpha.
    strength : float, default=1.0
        Weight of the prior against the loss; with the Squared loss, the variance of the noise.
    floor : float, default=1e-4
        Sum of squares below which a trajectory counts as zero.
    ends : {"free", "zero"}, default="free"
        Whether weights beyond the first and last step are unknown (free) or zero.
    shared : bool, default=False
        Whether the outputs of a feature share scale and autocorrelation.
    n_outputs : int, default=1
        Number of outputs; estimators set it.

    Examples
    --------
    >>> prior = AdaptivePrior(n_steps=4)
    >>> still, jumping = np.ones(4), np.array([1.0, -1.0, 1.0, -1.0])
    >>> prior.value(still) < prior.value(jumping)
    True
    """

    convex = False

    def __init__(
        self,
        n_steps: int = 1,
        tau: float = 1.0,
        strength: float = 1.0,
        floor: float = 1e-4,
        ends: str = "free",
        shared: bool = False,
        n_outputs: int = 1,
    ) -> None:
        self.n_steps = n_steps
        self.tau = tau
        self.strength = strength
        self.floor = floor
        self.ends = ends
        self.shared = shared
        self.n_outputs = n_outputs

    def check(self) -> Penalty:
        """See Penalty.check."""
        if not np.isfinite(self.tau):
            raise ValueError(f"tau must be a finite number, got {self.tau!r}")
        if not (np.isfinite(self.floor) and self.floor > 0):
            raise ValueError(f"floor must be a positive number, got {self.floor!r}")
        return super().check()

    @property
    def group_size(self) -> int:
        """D, the number of weights per group."""
        return self.n_steps * (self.n_outputs if self.shared else 1)

    def _infer(self, w: Array) -> tuple[Array, Array, Array, Array]:
        """Return kappa C, E[alpha], the cost up to a constant, and w'E[A]w + floor per group."""
        squares, neighbours = self.moments(w)
        rate, mean, cost = self.kernel().best_rates(
            squares, neighbours, float(self.tau), float(self.floor), self.threads
        )
        return rate, mean, cost, squares + 2 * mean * neighbours + self.floor

    def at(self, w: Array) -> Local:
        """See Trajectories; the value is -B, constants included."""
        _, mean, cost, spread = self._infer(w)
        scale = self.strength * self.group_size / spread
        value = self.strength * (float(cost.sum()) + len(cost) * constant_cost(self.group_size))
        return Local(value, self._multiply(w, scale, mean), scale, mean)

    def posterior(self, w: Array) -> Posterior:
        """Return the posterior of lambda and alpha given the weights."""
        rate, mean, _, spread = self._infer(w)
        shape = best_shape(self.group_size)
        precision = self.group_size / spread
        # E[lambda] = a b with b = spread / ((a - 1) D)
        return Posterior(mean, precision, shape / ((shape - 1) * precision), rate / LIMIT)

    def best_tau(self, w: Array) -> float:
        """Return the tau that maximises B given q(alpha).

        At this tau the prior's mean of alpha is the mean over groups of E[alpha].
        """
        position = float(np.mean(1 + self._infer(w)[1] / LIMIT))
        lowest, highest = _core.mean_position(TAU_EDGE), _core.mean_position(-TAU_EDGE)
        if position <= lowest or position >= highest:
            return float(np.copysign(TAU_EDGE, 0.5 - position)) / LIMIT

        def error(x: float) -> float:
            return float(_core.mean_position(float(x))) - position

        return float(brentq(error, -TAU_EDGE, TAU_EDGE, xtol=1e-10)) / LIMIT

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return a local minimum of |v - w|^2 / 2 + step cost(v).

        It is the better of two, found by quadratics above the cost from w and from near 0.
        """
        starts = (w, 1e-3 * np.sqrt(self.floor) * np.sign(w))
        tries = [self._descend(w, start, step) for start in starts]
        values = [0.5 * float((v - w) @ (v - w)) + step * self.value(v) for v in tries]
        return tries[int(np.argmin(values))]

    def _descend(self, w: Array, v: Array, step: float) -> Array:
        """Minimise quadratics above |v - w|^2 / 2 + step cost(v) until v stands still."""
        ones = np.ones(len(w))
        for _ in range(200):
            local = self.at(v)
            moved = self.solve(w, ones, local._replace(scale=step * local.scale))
            change = float(np.max(np.abs(moved - v), initial=0.0))
            done = change <= 1e-10 * (1 + float(np.max(np.abs(v), initial=0.0)))
            v = moved
            if done:
                break
        return v


@lru_cache(maxsize=256)
def best_shape(size: int) -> float:
    """Return the a > 1 at which B is largest with b at its best (Eq. 3.6 with Eq. 3.7).

    It solves (D/2 + a) trigamma(a) = 1 + D / (2 (a - 1)).
    """

    def slope(a: float) -> float:
        return 1 + size / (2 * (a - 1)) - (size / 2 + a) * float(polygamma(1, a))

    return float(brentq(slope, 1 + 1e-9, 10.0 + 10.0 * size, xtol=1e-12))


def constant_cost(size: int) -> float:
    """Return the terms of -B that do not depend on w: those of a, and those of b without w."""
    a = best_shape(size)
    of_shape = (size / 2 + a) * digamma(a) - a - gammaln(a)
    return float(of_shape + size / 2 - size / 2 * np.log((a - 1) * size))
