"""Penalties of trajectories with exact zeros: fused lasso, and groups whose changes are smooth.

Weights are (features, n_steps, n_outputs) in C order; a group is all the weights of a feature.
Estimators set n_steps and n_outputs.
"""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty
from laconic.time.trajectories import check_shape


class OverTime(Penalty):
    """Base of penalties with exact zeros over trajectories: shape, checks of parameters, spread."""

    n_steps: int
    n_outputs: int
    rates: tuple[str, ...]  # names of the parameters that are strengths of terms
    threads = 1

    def check(self) -> Penalty:
        """See Penalty.check."""
        check_shape(self)
        for name in self.rates:
            rate = getattr(self, name)
            if not (np.isfinite(rate) and rate >= 0):
                raise ValueError(f"{name} must be a number that is not negative, got {rate!r}")
        return super().check()

    def _table(self, w: Array) -> Array:
        """Return weights as (features, n_steps, n_outputs)."""
        if len(w) % (self.n_steps * self.n_outputs):
            raise ValueError(
                f"weights must be features x {self.n_steps} steps x {self.n_outputs} outputs, "
                f"got {len(w)}"
            )
        return w.reshape(-1, self.n_steps, self.n_outputs)

    def _norms(self, w: Array) -> Array:
        table = self._table(w)
        norms: Array = np.sqrt(np.einsum("itk,itk->i", table, table))
        return norms

    @property
    def _root(self) -> float:
        """sqrt(D), D the number of weights per group: groups of all sizes become comparable."""
        return float(np.sqrt(self.n_steps * self.n_outputs))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(n_outputs=self.n_outputs * n_outputs)


class FusedLasso(OverTime):
    """strength sum_i (lasso |w_i|_1 + fusion sum_t |w_it - w_i,t-1| + group sqrt(D) |w_i|_2).

    D is the number of weights per feature. This is the fused lasso of Tibshirani et al. (2005) over
    time: trajectories are zero, or constant for long periods. `group` drops whole trajectories,
    `lasso` single steps. The prox is exact: fusion (dynamic programming), then soft threshold, then
    groups.

    Parameters
    ----------
    n_steps : int, default=1
        Number of steps of time; estimators set it.
    strength : float, default=1.0
        Strength of the whole penalty.
    lasso : float, default=1.0
        Cost of the size of each weight.
    fusion : float, default=1.0
        Cost of each change from one step to the next.
    group : float, default=0.0
        Cost of the norm of each trajectory.
    n_outputs : int, default=1
        Number of outputs; estimators set it.

    Examples
    --------
    >>> penalty = FusedLasso(n_steps=4, lasso=0.5, fusion=1.0)
    >>> penalty.value(np.array([0.0, 0.0, 2.0, 2.0]))  # 0.5 * 4 + 1.0 * 2
    4.0
    >>> penalty.prox(np.array([0.1, -0.1, 3.0, 2.8])).round(2).tolist()
    [0.0, 0.0, 1.9, 1.9]
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
    ) -> None:
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
                "a fused lasso needs lasso or group above zero: "
                "without them trajectories that do not move cost nothing"
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
    """strength sum_i (sqrt(D) |w_i| + smoothness/2 sum_t (w_it - w_i,t-1)^2 + ridge/2 |w_i|^2).

    D is the number of weights per feature. A convex relative of the sparse adaptive prior with
    exact zeros: whole trajectories are dropped, and the kept ones move smoothly. The prox is a root
    in one unknown per feature, in the basis of cosines that diagonalises squared changes.

    Parameters
    ----------
    n_steps : int, default=1
        Number of steps of time; estimators set it.
    strength : float, default=1.0
        Strength of the whole penalty.
    smoothness : float, default=1.0
        Cost of squared changes from one step to the next.
    ridge : float, default=0.0
        Cost of squared weights.
    n_outputs : int, default=1
        Number of outputs; estimators set it.

    Examples
    --------
    >>> penalty = SmoothGroupLasso(n_steps=4, strength=0.5)
    >>> penalty.prox(np.array([0.3, -0.2, 0.1, 0.2, 3.0, 3.2, 3.1, 3.3])).round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 2.56, 2.65, 2.65, 2.74]
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
    ) -> None:
        self.n_steps = n_steps
        self.strength = strength
        self.smoothness = smoothness
        self.ridge = ridge
        self.n_outputs = n_outputs

    def _eigenvalues(self) -> Array:
        """Return strength (smoothness (2 - 2 cos(j pi / T)) + ridge), j = 0 .. T - 1.

        These are the eigenvalues of the quadratic term.
        """
        waves: Array = 2 - 2 * np.cos(np.pi * np.arange(self.n_steps) / self.n_steps)
        return self.strength * (self.smoothness * waves + self.ridge)

    def _minimum(self, w: Array, eigenvalues: Array, mass: float) -> Array | None:
        """Return argmin_v v'Q v / 2 - w'v + mass |v| per feature; None where it is unbounded."""
        out = np.empty(len(w))
        source = np.ascontiguousarray(w, dtype=np.float64)
        bounded = _core.smooth_group_minimum(
            source, eigenvalues, self.n_outputs, mass, out, self.threads
        )
        return out if bounded else None

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
        """Return sup_w c'w - value(w).

        It is infinite if there is no ridge and the mean over time of some c_i exceeds its bound.
        """
        best = self._minimum(c, self._eigenvalues(), self.strength * self._root)
        return np.inf if best is None else max(0.0, float(c @ best) - self.value(best))

    def gauge(self, gradient: Array) -> float:
        """Return max_i |gradient_i| / (strength sqrt(D)): squares do not count near zero."""
        size = float(self._norms(gradient).max(initial=0.0))
        if self.strength > 0:
            return size / (self.strength * self._root)
        return np.inf if size > 0 else 0.0

    def strength_max(self, gradient: Array) -> float:
        """Return max_i |gradient_i| / sqrt(D)."""
        return self.check().replace(strength=1.0).gauge(gradient)
