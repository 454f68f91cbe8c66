r"""Smooth penalties of weights that move over time: trajectories w_i = (w_i^(1), .., w_i^(T)) with a tridiagonal precision.

    A(alpha) = I + alpha N,   N_{t,t+1} = N_{t+1,t} = 1;  with free ends also N_{1,1} = N_{T,T} = 1,   -C < alpha <= 0,  C = 1/2 - 1e-5

Without free ends this is Eq. 3.2 of Yogatama (2015). It draws w^(T) towards -alpha w^(T-1), at most half of it, since beyond the ends
it sees zeros; forecasts use the very weights w^(T). With free ends, the default,

    w'A w = (1 + 2 alpha) sum_t w_t^2 - alpha sum_t (w_t - w_{t-1})^2,

nothing is known beyond the ends, and a trajectory that does not move costs next to nothing at alpha = -C. Eigenvalues are
1 + 2 alpha cos(t pi / (T + 1)), t = 1 .. T, and 1 + 2 alpha cos(t pi / T), t = 0 .. T - 1: positive for |alpha| < 1/2.

**The sparse adaptive prior** (`AdaptivePrior`; section 3.2). For every feature, with D = T weights (times its outputs if they share it),

    lambda ~ 1 / lambda,   alpha ~ tau exp(-tau (alpha + C)) / (1 - exp(-tau C)) on (-C, 0],   w ~ Normal(0, lambda A(alpha)^-1).

Mean-field inference with q(lambda) = Gamma(a, scale b), q(alpha) = the truncated exponential of rate kappa bounds log p(w) from below by

    B = - D/2 E[log lambda] + 1/2 E[log det A] - 1/2 E[1/lambda] w'E[A]w - E[log lambda] - KL(q(alpha) | p(alpha)) + entropy(q(lambda)),

with E[log lambda] = digamma(a) + log b, E[1/lambda] = 1 / ((a - 1) b), E[lambda] / b = a, E[alpha] = 1/kappa - C / (1 - exp(-kappa C)).
The terms in b are -D/2 log b - w'E[A]w / (2 (a - 1) b), so that b = w'E[A]w / ((a - 1) D) (Eq. 3.7) and E[1/lambda] = D / w'E[A]w: what
the exact posterior of lambda, an inverse gamma, has too. With b there, the terms in a are - (D/2 + a) digamma(a) + a + log Gamma(a)
+ D/2 log(a - 1): the same for all features whatever their weights (`best_shape` solves it once). What is left of -B is

    cost(w) = min_kappa  D/2 log(w'E[A]w + floor) - 1/2 log det E[A] + KL(q(alpha) | p(alpha)) + constant.

* log det E[A] stands where E[log det A] belongs (Fig. 3.1). The logarithm of a determinant is concave, so that Jensen's inequality makes
  this an upper estimate of that term and not, as the chapter has it, a lower one: with it B is no longer a bound in the strict sense.
* `floor` is the scale of an inverse gamma hyper-prior, exp(-floor / (2 lambda)) / lambda. At floor = 0 it is Jeffreys' and cost falls
  without end as w goes to 0: whatever the data, all weights zero would be the best point, and only a local optimum can be meant.
* kappa, as b, is a function of w: of w'w and of the products of neighbours alone (cpp/trajectories.cpp finds the global optimum). By the
  envelope theorem the gradient is D / (w'E[A]w + floor) E[A] w, Eq. 3.5, and w -> E[1/lambda] E[A] the precision of a quadratic above cost.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln, polygamma

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty, Smooth

LIMIT: float = _core.Trajectories.limit  # C


class Local(NamedTuple):
    """A penalty at weights w: value, gradient, and the precision scale A(alpha) of every group: a quadratic that touches it there from above."""

    value: float
    gradient: Array
    scale: Array
    alpha: Array


class Posterior(NamedTuple):
    """What is believed of every group of trajectories: the mean of alpha, of 1 / lambda and of lambda, the rate kappa of q(alpha)."""

    alpha: Array
    precision: Array
    variance: Array
    kappa: Array


def check_shape(penalty: Any) -> None:
    """ValueError unless a penalty of trajectories has numbers of steps and outputs from 1 on."""
    for name in ("n_steps", "n_outputs"):
        if not isinstance(getattr(penalty, name), (int, np.integer)) or getattr(penalty, name) < 1:
            raise ValueError(
                f"{name} must be a whole number from 1 on, got {getattr(penalty, name)!r}"
            )


class Trajectories(Smooth):
    """A differentiable penalty of weights (features, n_steps, n_outputs) by rows, locally w'P w / 2 with tridiagonal P."""

    n_steps: int
    n_outputs: int
    ends: str
    shared: bool = False
    threads = 1
    homogeneous = False
    solver = "laconic.time.variational:Variational"

    @abstractmethod
    def at(self, w: Array) -> Local:
        """Value, gradient and precisions at w."""

    def kernel(self) -> Any:
        """The kernel for this shape."""
        return _kernel(self.n_steps, self.n_outputs, self.shared, self.ends == "free")

    def check(self) -> Penalty:
        """See Penalty.check."""
        if self.ends not in ("free", "zero"):
            raise ValueError(f"ends must be 'free' or 'zero', got {self.ends!r}")
        check_shape(self)
        return super().check()

    def moments(self, w: Array) -> tuple[Array, Array]:
        """Of every group w'w and w'N w / 2."""
        n_groups = self.n_groups(len(w))
        squares, neighbours = np.empty(n_groups), np.empty(n_groups)
        self.kernel().moments(np.ascontiguousarray(w), squares, neighbours, self.threads)
        return squares, neighbours

    def n_groups(self, n_weights: int) -> int:
        """How many groups so many weights have."""
        size = self.n_steps * (self.n_outputs if self.shared else 1)
        if n_weights % (self.n_steps * self.n_outputs):
            raise ValueError(
                f"weights must be features x {self.n_steps} steps x {self.n_outputs} outputs, got {n_weights}"
            )
        return n_weights // size

    def value(self, w: Array) -> float:
        """See the class."""
        return self.at(w).value

    def gradient(self, w: Array) -> Array:
        """See Smooth."""
        return self.at(w).gradient

    def solve(self, right: Array, curvature: Array, local: Local) -> Array:
        """(diag(curvature) + scale A(alpha))^-1 right, trajectory by trajectory."""
        out = np.empty_like(right)
        self.kernel().solve(
            np.ascontiguousarray(right), curvature, local.scale, local.alpha, out, self.threads
        )
        return out

    def _multiply(self, w: Array, scale: Array, alpha: Array) -> Array:
        out = np.empty(len(w))
        self.kernel().multiply(np.ascontiguousarray(w), scale, alpha, out, self.threads)
        return out

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(n_outputs=self.n_outputs * n_outputs)


class SmoothRidge(Trajectories):
    """strength / 2 sum_i (sum_t w_t^2 + smoothness sum_t (w_t - w_{t-1})^2): the time-series ridge of Yogatama et al. (2011).

    With ends = "zero" the differences to a zero before the first and after the last step count too.
    """

    def __init__(
        self,
        n_steps: int = 1,
        strength: float = 1.0,
        smoothness: float = 1.0,
        ends: str = "free",
        n_outputs: int = 1,
    ):
        self.n_steps = n_steps
        self.strength = strength
        self.smoothness = smoothness
        self.ends = ends
        self.n_outputs = n_outputs

    def check(self) -> Penalty:
        """See Penalty.check."""
        if not (np.isfinite(self.smoothness) and self.smoothness >= 0):
            raise ValueError(
                f"smoothness must be a number that is not negative, got {self.smoothness!r}"
            )
        return super().check()

    def _precision(self, n_weights: int) -> tuple[Array, Array]:
        """I + smoothness L = (1 + 2 smoothness) A(-smoothness / (1 + 2 smoothness)), L the path's Laplacian."""
        ones = np.ones(self.n_groups(n_weights))
        scale = 1 + 2 * self.smoothness
        return self.strength * scale * ones, -self.smoothness / scale * ones

    def at(self, w: Array) -> Local:
        """See Trajectories."""
        scale, alpha = self._precision(len(w))
        gradient = self._multiply(w, scale, alpha)
        return Local(0.5 * float(w @ gradient), gradient, scale, alpha)

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """(I + step P)^-1 w."""
        scale, alpha = self._precision(len(w))
        return self.solve(w, np.ones(len(w)), Local(0.0, w, step * scale, alpha))

    def conjugate(self, c: Array) -> float:
        """c'P^-1 c / 2; without strength 0 at 0 and infinite elsewhere."""
        if self.strength == 0:
            return 0.0 if not np.any(c) else np.inf
        scale, alpha = self._precision(len(c))
        return 0.5 * float(c @ self.solve(c, np.zeros(len(c)), Local(0.0, c, scale, alpha)))

    def gauge(self, gradient: Array) -> float:
        """Infinite unless the gradient is 0: no strength makes weights exactly zero."""
        return 0.0 if not np.any(gradient) else np.inf

    def strength_max(self, gradient: Array) -> float:
        """See gauge."""
        return self.check().gauge(gradient)


class AdaptivePrior(Trajectories):
    """strength sum_i -log of the sparse adaptive prior of w_i, its scale and autocorrelation integrated out: see the module.

    Parameters
    ----------
    n_steps : int, T (estimators set it)
    tau : float, rate of the hyper-prior of alpha: the larger, the smoother trajectories are believed to be beforehand
    strength : float, what the prior counts against the loss: the variance of the noise where the loss is Squared()
    floor : float, below which w'A w is as good as zero
    ends : "free" or "zero", what is believed beyond the first and last step
    shared : bool, whether the outputs of a feature share scale and autocorrelation
    n_outputs : int (estimators set it)
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
    ):
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
        """D, the weights of a group."""
        return self.n_steps * (self.n_outputs if self.shared else 1)

    def _settle(self, w: Array) -> tuple[Array, Array, Array, Array]:
        """Of every group kappa C, E[alpha], the cost but for a constant, and w'E[A]w + floor."""
        squares, neighbours = self.moments(w)
        rate, mean, cost = self.kernel().best_rates(
            squares, neighbours, float(self.tau), float(self.floor), self.threads
        )
        return rate, mean, cost, squares + 2 * mean * neighbours + self.floor

    def at(self, w: Array) -> Local:
        """See Trajectories; the value is -B, constants included."""
        _, mean, cost, spread = self._settle(w)
        scale = self.strength * self.group_size / spread
        value = self.strength * (float(cost.sum()) + len(cost) * constant_cost(self.group_size))
        return Local(value, self._multiply(w, scale, mean), scale, mean)

    def posterior(self, w: Array) -> Posterior:
        """What the weights tell of lambda and alpha."""
        rate, mean, _, spread = self._settle(w)
        shape = best_shape(self.group_size)
        precision = self.group_size / spread
        # E[lambda] = a b with b = spread / ((a - 1) D)
        return Posterior(mean, precision, shape / ((shape - 1) * precision), rate / LIMIT)

    def best_tau(self, w: Array) -> float:
        """The tau that is best for B given q(alpha): the prior's mean of alpha is the mean of the groups' means."""
        position = float(np.mean(1 + self._settle(w)[1] / LIMIT))
        edge = 1e7
        if position <= _core.mean_position(edge) or position >= _core.mean_position(-edge):
            return np.copysign(edge, 0.5 - position) / LIMIT
        return (
            brentq(lambda x: _core.mean_position(float(x)) - position, -edge, edge, xtol=1e-10)
            / LIMIT
        )

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """A local minimum of |v - w|^2 / 2 + step cost(v): quadratics above it, from w and from near 0; the better one."""
        tries = [
            self._descend(w, start, step) for start in (w, 1e-3 * np.sqrt(self.floor) * np.sign(w))
        ]
        values = [0.5 * float((v - w) @ (v - w)) + step * self.value(v) for v in tries]
        return tries[int(np.argmin(values))]

    def _descend(self, w: Array, v: Array, step: float) -> Array:
        ones = np.ones(len(w))
        for _ in range(200):
            local = self.at(v)
            moved = self.solve(w, ones, local._replace(scale=step * local.scale))
            done = float(np.max(np.abs(moved - v), initial=0.0)) <= 1e-10 * (
                1 + float(np.max(np.abs(v), initial=0.0))
            )
            v = moved
            if done:
                break
        return v


@lru_cache(maxsize=64)
def _kernel(n_steps: int, n_outputs: int, shared: bool, free_ends: bool) -> Any:
    return _core.Trajectories(n_steps, n_outputs, shared, free_ends)


@lru_cache(maxsize=256)
def best_shape(size: int) -> float:
    """The a > 1 at which B is largest with b at its best: (D/2 + a) trigamma(a) = 1 + D / (2 (a - 1))  (Eq. 3.6 with Eq. 3.7)."""

    def slope(a: float) -> float:
        return 1 + size / (2 * (a - 1)) - (size / 2 + a) * float(polygamma(1, a))

    return brentq(slope, 1 + 1e-9, 10.0 + 10.0 * size, xtol=1e-12)


def constant_cost(size: int) -> float:
    """What -B has besides the terms of `settle`: those of a, and (D/2) (1 + log D - log(a - 1) - log D) from b."""
    a = best_shape(size)
    of_shape = (size / 2 + a) * digamma(a) - a - gammaln(a)
    return float(of_shape + size / 2 - size / 2 * np.log((a - 1) * size))
