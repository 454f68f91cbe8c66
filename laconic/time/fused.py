"""Penalties of trajectories with exact zeros: fused lasso over time, groups over time, and groups whose changes are smooth.

Weights are (features, n_steps, n_outputs) by rows; a group is all the weights of a feature. Estimators set n_steps and n_outputs.
"""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty
from laconic.time.trajectories import check_shape


class OverTime(Penalty):
    """What penalties of trajectories share: shape, checks of parameters, spread."""

    n_steps: int
    n_outputs: int
    rates: tuple[str, ...]
    threads = 1

    def check(self) -> Penalty:
        """See Penalty.check."""
        check_shape(self)
        for name in self.rates:
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ValueError(
                    f"{name} must be a number that is not negative, got {getattr(self, name)!r}"
                )
        return super().check()

    def _table(self, w: Array) -> Array:
        """(features, n_steps, n_outputs)."""
        if len(w) % (self.n_steps * self.n_outputs):
            raise ValueError(
                f"weights must be features x {self.n_steps} steps x {self.n_outputs} outputs, got {len(w)}"
            )
        return w.reshape(-1, self.n_steps, self.n_outputs)

    def _norms(self, w: Array) -> Array:
        return np.sqrt(np.einsum("itk,itk->i", *2 * (self._table(w),)))

    @property
    def _root(self) -> float:
        """sqrt(weights of a group), by which groups of all sizes compare."""
        return float(np.sqrt(self.n_steps * self.n_outputs))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(n_outputs=self.n_outputs * n_outputs)


class FusedLasso(OverTime):
    """strength sum_i (lasso |w_i|_1 + fusion sum_t |w_i^(t) - w_i^(t-1)| + group sqrt(D) |w_i|_2), D the weights of a feature.

    The fused lasso of Tibshirani et al. (2005) over time: trajectories are zero or constant for long stretches. With `group` whole
    trajectories go, with `lasso` single steps. Its prox is exact: one after the other, fusion (dynamic programming), soft threshold, groups.
    """

    rates = ("lasso", "fusion", "group")

    def __init__(
        self,
        n_steps: int = 1,
        strength: float = 1.0,
        lasso: float = 1.0,
        fusion: float = 1.0,
        group: float = 0.0,
        n_outputs: int = 1,
    ):
        self.n_steps = n_steps
        self.strength = strength
        self.lasso = lasso
        self.fusion = fusion
        self.group = group
        self.n_outputs = n_outputs

    def check(self) -> Penalty:
        """See Penalty.check."""
        if super().check() and self.lasso == self.group == 0:
            raise ValueError(
                "a fused lasso needs lasso or group above zero: without them trajectories that stand still cost nothing"
            )
        return self

    def value(self, w: Array) -> float:
        """See the class."""
        changes = np.abs(np.diff(self._table(w), axis=1)).sum()
        total = (
            self.lasso * np.abs(w).sum()
            + self.fusion * changes
            + self.group * self._root * self._norms(w).sum()
        )
        return float(self.strength * total)

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """See the class."""
        scale = step * self.strength
        out = np.empty(len(w))
        terms = _core.FusedTerms(
            lasso=scale * self.lasso,
            fusion=scale * self.fusion,
            mass=scale * self.group * self._root,
        )
        _core.fused_prox(
            np.ascontiguousarray(w, dtype=np.float64),
            self.n_steps,
            self.n_outputs,
            terms,
            out,
            self.threads,
        )
        return out


class SmoothGroupLasso(OverTime):
    """strength sum_i (sqrt(D) |w_i|_2 + smoothness / 2 sum_t (w_i^(t) - w_i^(t-1))^2 + ridge / 2 |w_i|_2^2), D the weights of a feature.

    What the sparse adaptive prior means, convex and with exact zeros: whole trajectories are dropped, and what is kept moves smoothly.
    The prox is a root in one unknown for every feature, in the basis of cosines that has squared changes on its diagonal.
    """

    homogeneous = False
    rates = ("smoothness", "ridge")

    def __init__(
        self,
        n_steps: int = 1,
        strength: float = 1.0,
        smoothness: float = 1.0,
        ridge: float = 0.0,
        n_outputs: int = 1,
    ):
        self.n_steps = n_steps
        self.strength = strength
        self.smoothness = smoothness
        self.ridge = ridge
        self.n_outputs = n_outputs

    def _eigenvalues(self) -> Array:
        """Of the quadratic term: strength (smoothness (2 - 2 cos(j pi / T)) + ridge), j = 0 .. T - 1."""
        waves = 2 - 2 * np.cos(np.pi * np.arange(self.n_steps) / self.n_steps)
        return self.strength * (self.smoothness * waves + self.ridge)

    def _minimum(self, w: Array, eigenvalues: Array, mass: float) -> Array | None:
        out = np.empty(len(w))
        source = np.ascontiguousarray(w, dtype=np.float64)
        return (
            out
            if _core.smooth_group_minimum(
                source, eigenvalues, self.n_outputs, mass, out, self.threads
            )
            else None
        )

    def value(self, w: Array) -> float:
        """See the class."""
        changes = np.sum(np.diff(self._table(w), axis=1) ** 2)
        squares = 0.5 * (self.smoothness * changes + self.ridge * (w @ w))
        return float(self.strength * (self._root * self._norms(w).sum() + squares))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """See the class."""
        found = self._minimum(w, 1 + step * self._eigenvalues(), step * self.strength * self._root)
        assert found is not None  # all eigenvalues are positive
        return found

    def conjugate(self, c: Array) -> float:
        """By its maximum, which is finite unless the mean over time of some c_i exceeds what the norm allows and there is no ridge."""
        best = self._minimum(c, self._eigenvalues(), self.strength * self._root)
        return np.inf if best is None else max(0.0, float(c @ best) - self.value(best))

    def gauge(self, gradient: Array) -> float:
        """max_i |gradient_i| / (strength sqrt(D)): squares do not count near zero."""
        size = float(self._norms(gradient).max(initial=0.0))
        return (
            size / (self.strength * self._root)
            if self.strength > 0
            else (np.inf if size > 0 else 0.0)
        )

    def strength_max(self, gradient: Array) -> float:
        """max_i |gradient_i| / sqrt(D)."""
        return self.check().replace(strength=1.0).gauge(gradient)
