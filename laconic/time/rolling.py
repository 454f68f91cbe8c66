"""Rolling origin: every step of time is forecast by a model of what was known before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from laconic.core.arrays import Ints
from laconic.time.base import TemporalLinear
from laconic.time.times import TimeGrid, make_clock


class Fold(NamedTuple):
    """A step to forecast: its name, rows to train on, rows to forecast."""

    label: str
    train: Ints
    test: Ints


class RollingOrigin(BaseEstimator):
    """A cross-validator over time: test on one step, train on rows before it.

    `split(X, y, times)` takes times where scikit-learn has groups. Steps without rows, or with
    nothing before them, are left out.

    Parameters
    ----------
    step : str, float or None, default=None
        Length of a step: year, quarter, month, week or day for dates, a width for numbers.
    first : str, number or None, default=None
        First step to test on, by label or a time in it; by default the second step.
    last : str, number or None, default=None
        Last step to test on; by default the last one.
    gap : int or numpy.timedelta64, default=0
        Number of steps between training and test, or a time span.
        Rows within this time before the test step are left out, as it must be where a target is
        known only later.
    window : int or None, default=None
        Maximum number of steps to train on, counted back from the gap.

    Examples
    --------
    >>> years = [2001, 2001, 2002, 2003, 2003, 2004]
    >>> origin = RollingOrigin(step="year", first=2003)
    >>> [(fold.label, fold.train.tolist(), fold.test.tolist()) for fold in origin.folds(years)]
    [('2003', [0, 1, 2], [3, 4]), ('2004', [0, 1, 2, 3, 4], [5])]
    """

    def __init__(
        self,
        step: str | float | None = None,
        first: str | float | None = None,
        last: str | float | None = None,
        gap: int | np.timedelta64 = 0,
        window: int | None = None,
    ) -> None:
        self.step = step
        self.first = first
        self.last = last
        self.gap = gap
        self.window = window

    def folds(self, times: ArrayLike) -> Iterator[Fold]:
        """Yield the folds, from the first test step on."""
        clock, steps = make_clock(times, self.step)
        first = 1 if self.first is None else clock.find(self.first)
        last = clock.n_steps - 1 if self.last is None else clock.find(self.last)
        self._check_gap(clock)
        for place in range(first, last + 1):
            if isinstance(self.gap, np.timedelta64):
                start = np.datetime64(clock.date(place), "D")
                dates = np.asarray(times).astype(str).astype("datetime64[D]")
                known = (steps < place) & (dates + self.gap <= start)
            else:
                known = steps < place - self.gap
            if self.window is not None:
                newest = steps[known].max() if known.any() else 0
                known &= steps > newest - self.window
            train, test = np.flatnonzero(known), np.flatnonzero(steps == place)
            if len(train) and len(test):
                yield Fold(clock.label(place), train, test)

    def _check_gap(self, clock: TimeGrid) -> None:
        if isinstance(self.gap, np.timedelta64):
            if clock.unit is None:
                raise ValueError(
                    "a gap of days needs times that are dates, "
                    "and step='year', 'quarter', 'month' .."
                )
        elif not (isinstance(self.gap, (int, np.integer)) and self.gap >= 0):
            raise ValueError(
                "gap must be a whole number of steps of at least 0, or a numpy.timedelta64, "
                f"got {self.gap!r}"
            )

    def split(
        self, X: object, y: object = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yield rows to train and to test on for every test step; `groups` are the times."""
        if groups is None:
            raise ValueError(
                "RollingOrigin needs the times of the rows: split(X, y, times), or groups=times"
            )
        for fold in self.folds(groups):
            yield fold.train, fold.test

    def get_n_splits(
        self, X: object = None, y: object = None, groups: ArrayLike | None = None
    ) -> int:
        """Return the number of test steps."""
        if groups is None:
            raise ValueError(
                "RollingOrigin needs the times of the rows: "
                "get_n_splits(X, y, times), or groups=times"
            )
        return sum(1 for _ in self.folds(groups))


class Forecasts(NamedTuple):
    """Rows that were forecast, their forecasts, the names of their steps, and the models."""

    rows: Ints
    predicted: NDArray[Any]
    labels: NDArray[np.object_]
    models: list[TemporalLinear]


def rolling_forecast(
    model: TemporalLinear,
    X: NDArray[Any] | sp.csr_matrix,
    y: ArrayLike,
    times: ArrayLike,
    origin: RollingOrigin,
    keep: bool = False,
) -> Forecasts:
    """Forecast every fold of `origin` by a clone of a model that is fitted on the fold's past.

    Parameters
    ----------
    model : TemporalRegressor or TemporalClassifier
        The model to clone.
    X : matrix of shape (n, p)
        Rows of features, dense or sparse.
    y : array of shape (n,)
        Targets or labels.
    times : array of shape (n,)
        Time of each row.
    origin : RollingOrigin
        The steps to forecast.
    keep : bool, default=False
        Whether the fitted models are kept.

    Returns
    -------
    Forecasts
        rows, predicted, labels (of steps) and models.

    Examples
    --------
    >>> from laconic.time.model import TemporalRegressor
    >>> from laconic.time.trajectories import SmoothRidge
    >>> years = np.repeat(np.arange(2001, 2006), 3)
    >>> X = np.tile([[1.0], [2.0], [3.0]], (5, 1))
    >>> model = TemporalRegressor(SmoothRidge(strength=0.01), step="year")
    >>> found = rolling_forecast(model, X, 2 * X[:, 0], years, RollingOrigin("year", first=2004))
    >>> found.rows.tolist(), found.predicted.round(1).tolist()
    ([9, 10, 11, 12, 13, 14], [2.0, 4.0, 6.0, 2.0, 4.0, 6.0])
    """
    times, y = np.asarray(times), np.asarray(y)
    done, models = [], []
    for fold in origin.folds(times):
        fitted = clone(model).fit(X[fold.train], y[fold.train], times=times[fold.train])
        done.append((fold, fitted.predict(X[fold.test])))
        if keep:
            models.append(fitted)
    return gathered(done, models)


def gathered(
    done: Sequence[tuple[Fold, NDArray[Any]]],
    models: Sequence[TemporalLinear] = (),
    stopped: bool = False,
) -> Forecasts:
    """Join folds and their forecasts; ValueError if there are none, unless the work was stopped."""
    if not done and stopped:
        return Forecasts(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, dtype=object), [])
    if not done:
        raise ValueError("there is no step with rows that has rows before it")
    rows = [fold.test for fold, _ in done]
    labels = [np.full(len(fold.test), fold.label, dtype=object) for fold, _ in done]
    return Forecasts(
        np.concatenate(rows),
        np.concatenate([one for _, one in done]),
        np.concatenate(labels),
        list(models),
    )
