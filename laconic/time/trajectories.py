r"""Smooth penalties of weights that move over time, with a tridiagonal precision.

    A(alpha) = I + alpha N,   N_{t,t+1} = N_{t+1,t} = 1,   -C < alpha <= 0,  C = 1/2 - 1e-5;
    with free ends also N_{1,1} = N_{T,T} = 1

for the trajectory w_i = (w_i^(1), .., w_i^(T)) of each feature. Without free ends this is Eq. 3.2
of Yogatama (2015). It draws w^(T) towards -alpha w^(T-1), at most half of it, since it assumes
zeros beyond the ends; but forecasts use the very weights w^(T). With free ends, the default,

    w'A w = (1 + 2 alpha) sum_t w_t^2 - alpha sum_t (w_t - w_{t-1})^2,

nothing is assumed beyond the ends, and a trajectory that does not move costs almost nothing at
alpha = -C. Eigenvalues are 1 + 2 alpha cos(t pi / (T + 1)), t = 1 .. T, with zero ends and
1 + 2 alpha cos(t pi / T), t = 0 .. T - 1, with free ends: positive for |alpha| < 1/2.

`SmoothRidge` fixes alpha; the sparse adaptive prior (laconic.time.adaptive) learns one per feature.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty, Quadratic, Smooth

LIMIT: float = _core.Trajectories.limit  # C


class Local(NamedTuple):
    """A penalty at weights w: value, gradient, and a quadratic that touches it from above.

    The precision of the quadratic is scale A(alpha), with one scale and alpha per group.
    """

    value: float
    gradient: Array
    scale: Array
    alpha: Array


class TrajectoryShape(Protocol):
    """The parameters of a penalty that say what a trajectory is."""

    n_steps: int
    n_outputs: int


def check_shape(penalty: TrajectoryShape) -> None:
    """Raise a ValueError unless there is at least one step and one output."""
    for name in ("n_steps", "n_outputs"):
        value = getattr(penalty, name)
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


class Trajectories(Smooth):
    """A differentiable penalty of weights (features, n_steps, n_outputs) in C order.

    Locally it is w'P w / 2 with tridiagonal P.
    """

    n_steps: int
    n_outputs: int
    ends: str
    shared: bool = False
    threads = 1
    homogeneous = False
    solver = "laconic.time.variational:Variational"

    @abstractmethod
    def at(self, w: Array) -> Local:
        """Return value, gradient and precisions at w."""

    def kernel(self) -> _core.Trajectories:
        """Return the kernel for this shape."""
        return _kernel(self.n_steps, self.n_outputs, self.shared, self.ends == "free")

    def check(self) -> Penalty:
        """See Penalty.check."""
        if self.ends not in ("free", "zero"):
            raise ValueError(f"ends must be 'free' or 'zero', got {self.ends!r}")
        check_shape(self)
        return super().check()

    def moments(self, w: Array) -> tuple[Array, Array]:
        """Return w'w and w'N w / 2 per group."""
        n_groups = self.n_groups(len(w))
        squares, neighbours = np.empty(n_groups), np.empty(n_groups)
        self.kernel().moments(np.ascontiguousarray(w), squares, neighbours, self.threads)
        return squares, neighbours

    def n_groups(self, n_weights: int) -> int:
        """Return the number of groups among `n_weights` weights."""
        size = self.n_steps * (self.n_outputs if self.shared else 1)
        if n_weights % (self.n_steps * self.n_outputs):
            raise ValueError(
                f"weights must be features x {self.n_steps} steps x {self.n_outputs} outputs, "
                f"got {n_weights}"
            )
        return n_weights // size

    def value(self, w: Array) -> float:
        """See the class."""
        return self.at(w).value

    def gradient(self, w: Array) -> Array:
        """See Smooth."""
        return self.at(w).gradient

    def solve(self, right: Array, curvature: Array, local: Local) -> Array:
        """Return (diag(curvature) + scale A(alpha))^-1 right, trajectory by trajectory."""
        out = np.empty_like(right)
        self.kernel().solve(
            np.ascontiguousarray(right), curvature, local.scale, local.alpha, out, self.threads
        )
        return out

    def _multiply(self, w: Array, scale: Array, alpha: Array) -> Array:
        """Return scale A(alpha) w, trajectory by trajectory."""
        out = np.empty(len(w))
        self.kernel().multiply(np.ascontiguousarray(w), scale, alpha, out, self.threads)
        return out

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(n_outputs=self.n_outputs * n_outputs)


class SmoothRidge(Trajectories, Quadratic):
    """strength / 2 sum_i (sum_t w_t^2 + smoothness sum_t (w_t - w_{t-1})^2).

    The time-series ridge of Yogatama et al. (2011): weights are small and change slowly.

    Parameters
    ----------
    n_steps : int, default=1
        Number of steps of time; estimators set it.
    strength : float, default=1.0
        Strength of the penalty.
    smoothness : float, default=1.0
        Cost of squared changes, relative to that of squared weights.
    ends : {"free", "zero"}, default="free"
        Whether weights beyond the first and last step are unknown (free) or zero, so that the
        changes from and to them count too.
    n_outputs : int, default=1
        Number of outputs; estimators set it.

    Examples
    --------
    >>> ridge = SmoothRidge(n_steps=3, strength=2.0, smoothness=10.0)
    >>> round(ridge.value(np.array([1.0, 1.0, 2.0])), 6)  # 1 + 1 + 4 + 10 * (0 + 1)
    16.0
    """

    def __init__(
        self,
        n_steps: int = 1,
        strength: float = 1.0,
        smoothness: float = 1.0,
        ends: str = "free",
        n_outputs: int = 1,
    ) -> None:
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
        """Return scale and alpha of I + smoothness L, L the Laplacian of the path.

        I + smoothness L = (1 + 2 smoothness) A(-smoothness / (1 + 2 smoothness)).
        """
        ones = np.ones(self.n_groups(n_weights))
        scale = 1 + 2 * self.smoothness
        return self.strength * scale * ones, -self.smoothness / scale * ones

    def at(self, w: Array) -> Local:
        """See Trajectories."""
        scale, alpha = self._precision(len(w))
        gradient = self._multiply(w, scale, alpha)
        return Local(0.5 * float(w @ gradient), gradient, scale, alpha)

    def diagonal(self, n_weights: int) -> Array:
        """Return strength (1 + smoothness times the number of changes that a weight is part of)."""
        changes = np.full(self.n_steps, 2.0)
        if self.ends == "free":
            changes[0] -= 1
            changes[-1] -= 1
        per_step = np.repeat(self.strength * (1 + self.smoothness * changes), self.n_outputs)
        return np.tile(per_step, n_weights // len(per_step))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return (I + step P)^-1 w."""
        scale, alpha = self._precision(len(w))
        return self.solve(w, np.ones(len(w)), Local(0.0, w, step * scale, alpha))

    def conjugate(self, c: Array) -> float:
        """Return c'P^-1 c / 2; without strength 0 at 0 and infinite elsewhere."""
        if self.strength == 0:
            return 0.0 if not np.any(c) else np.inf
        scale, alpha = self._precision(len(c))
        return 0.5 * float(c @ self.solve(c, np.zeros(len(c)), Local(0.0, c, scale, alpha)))

    def gauge(self, gradient: Array) -> float:
        """Return infinity unless the gradient is 0: no strength makes weights exactly zero."""
        return 0.0 if not np.any(gradient) else np.inf

    def strength_max(self, gradient: Array) -> float:
        """See gauge."""
        return self.check().gauge(gradient)


@lru_cache(maxsize=64)
def _kernel(n_steps: int, n_outputs: int, shared: bool, free_ends: bool) -> _core.Trajectories:
    return _core.Trajectories(n_steps, n_outputs, shared, free_ends)
