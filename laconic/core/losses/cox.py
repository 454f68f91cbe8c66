"""Cox's partial likelihood: which of those at risk has the event next.

Rows are coupled through the sets of those at risk, so sums over rows are cumulative ones: binding
sorts by time once, an evaluation is O(n).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import AnyArray, Array
from laconic.core.losses.base import Loss
from laconic.core.losses.bound import BoundLoss, Gold, Remembered, check_weights


class Cox(Loss):
    """sum over events i of log sum_{j at risk at t_i} exp(s_j) - s_i: proportional hazards.

    Ties of times are Breslow's. Targets are pairs (time, event): an array (n, 2), or a structured
    array with the fields `event` and `time`, as scikit-survival has them; event is 1 where the time
    is that of the event, and 0 where the row was only observed until then. Scores are logarithms of
    hazard ratios; a constant changes nothing, so there is no intercept.

    Examples
    --------
    >>> from laconic import Cox, Ridge, SparseRegressor
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> y = [[9.0, 1], [8.0, 1], [9.5, 0], [3.0, 1], [2.0, 1]]  # time, event
    >>> model = SparseRegressor(Ridge(0.1), loss=Cox()).fit(X, y)
    >>> model.predict([[0.0], [4.0]]).round(1).tolist(), round(model.score(X, y), 2)
    ([0.0, 2.2], 0.8)
    """

    classifies: ClassVar[bool] = False
    per_score: ClassVar[bool] = False
    multi_output: ClassVar[bool] = False
    by_rows: ClassVar[bool] = False
    takes_intercept: ClassVar[bool] = False

    @property
    def smooth(self) -> bool:
        """See Loss."""
        return True

    def encode(self, y: ArrayLike) -> AnyArray:
        """Return (n, 2): times and events, from pairs or a structured array."""
        return survival_targets(y)

    def bind(self, gold: Gold, threads: int = 1) -> BoundLoss:
        """See Loss."""
        return AtRisk(gold)

    def value_residual(self, scores: Array, gold: Gold) -> tuple[float, Array]:
        """See Loss."""
        return self.bind(gold).value_residual(scores)

    def curvature(self, scores: Array, gold: Gold) -> Array:
        """See Loss."""
        return self.bind(gold).curvature(scores)


class AtRisk(Remembered):
    """The partial likelihood of given times: rows sorted from the latest, cumulative sums.

        loss = sum_k d_k log(sum_{j: t_j >= t_k} w_j exp(s_j) / d_k) - sum_{events i} w_i s_i

    over the times k of events, d_k the weight of the events at t_k; the constant makes 0 the least
    value.
    """

    n_outputs = 1

    def __init__(self, gold: Gold):
        super().__init__()
        check_weights(gold.weight)
        if len(gold.target) != 2 * len(gold.weight):
            raise ValueError("the Cox loss takes a time and an event per row")
        pairs = gold.target.reshape(-1, 2)
        self.weight = gold.weight
        kept = np.flatnonzero(gold.weight > 0)
        self._order = kept[np.argsort(-pairs[kept, 0], kind="stable")]
        time, event = pairs[self._order].T
        self._time = time
        self._sorted_weight = gold.weight[self._order]
        self._dead = self._sorted_weight * event
        # Runs of equal times; the last row of a run has all who are at risk behind it.
        last = np.append(time[1:] != time[:-1], True) if len(time) else np.zeros(0, bool)
        self._ends = np.flatnonzero(last)
        self._run = np.cumsum(last) - last
        self._deaths = np.bincount(self._run, self._dead, len(self._ends))

    def _sums(self, scores: Array) -> tuple[Array, Array, Array]:
        """Return exp(s - top) w in order, its sum at risk per run, and per row sum_k d_k / that."""
        inside = scores[self._order]
        top = float(inside.max(initial=-np.inf)) if len(inside) else 0.0
        part = self._sorted_weight * np.exp(inside - top)
        at_risk = np.cumsum(part)[self._ends]
        # Rows at risk at early times only would have an empty sum after others of enormous scores.
        at_risk = np.maximum(at_risk, 1e-300)
        hazard = np.where(self._deaths > 0, self._deaths / at_risk, 0.0)
        # A row is at risk at its own time and at all earlier ones, which come later in this order.
        return part, at_risk, np.cumsum(hazard[::-1])[::-1][self._run]

    def value_residual(self, scores: Array) -> tuple[float, Array]:
        """See BoundLoss."""
        inside = scores[self._order]
        residual = np.zeros(len(scores))
        if len(inside) == 0:
            return 0.0, residual
        part, at_risk, hazard = self._sums(scores)
        some = self._deaths > 0
        logs = np.log(at_risk[some] / self._deaths[some])
        top = float(inside.max())
        value = float(self._deaths[some] @ logs - self._dead @ (inside - top))
        residual[self._order] = part * hazard - self._dead
        self.remember(residual, max(value, 0.0), float(residual @ scores))
        return max(value, 0.0), residual

    def curvature(self, scores: Array) -> Array:
        """See BoundLoss: the Hessian is this diagonal minus a positive part."""
        out = np.zeros(len(scores))
        part, _, hazard = self._sums(scores)
        out[self._order] = part * hazard
        return out

    def baseline(self, scores: Array) -> tuple[Array, Array]:
        """Return the times of events, rising, and the cumulative hazard there of a score of zero.

        It is Breslow's estimate, sum_k d_k / sum_{j at risk} w_j exp(s_j).
        """
        _, at_risk, _ = self._sums(scores)
        top = float(scores[self._order].max(initial=-np.inf))
        some = self._deaths > 0
        hazard = (self._deaths[some] / at_risk[some])[::-1] * np.exp(-top)
        return self._time[self._ends][some][::-1].copy(), np.cumsum(hazard)

    def rows(self) -> _core.LossRows:
        """See BoundLoss."""
        return _core.LossRows.of_python(self, self.weight, 1)


def survival_targets(y: ArrayLike) -> AnyArray:
    """Return times and events (n, 2) from pairs or a structured array, checked."""
    given = np.asarray(y)
    if given.dtype.names is not None:
        event = next((n for n in given.dtype.names if given.dtype[n] == np.bool_), "event")
        times = [name for name in given.dtype.names if name != event]
        if event not in given.dtype.names or len(times) != 1:
            raise ValueError(
                f"survival targets have the fields event and time, got {given.dtype.names}"
            )
        given = np.column_stack([given[times[0]], given[event]])
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(
            "the Cox loss takes pairs (time, event) as an array (n, 2) or a structured array with "
            f"the fields event and time, got an array of shape {given.shape}"
        )
    try:
        pairs = given.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("times and events must be numbers") from None
    if not np.all(np.isfinite(pairs)):
        raise ValueError("times and events must be finite")
    if not np.all((pairs[:, 1] == 0) | (pairs[:, 1] == 1)):
        raise ValueError("events must be 0 (observed until then) or 1 (the event)")
    if not np.any(pairs[:, 1]):
        raise ValueError("no row has an event: there is nothing to learn")
    return pairs
