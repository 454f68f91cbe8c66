"""Rolling origin: every step of time is forecast by a model that was trained on what was known before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from laconic.time.times import make_clock

Index = NDArray[np.int64]


class Fold(NamedTuple):
    """A step to forecast: its name, rows to train on, rows to forecast."""

    label: str
    train: Index
    test: Index


class RollingOrigin(BaseEstimator):
    """Cross-validator over time: test on a step, train on rows that lie before it by more than a gap.

    Parameters
    ----------
    step : as in TemporalRegressor
    first, last : the first and last step to test on, by label or a time in it; default the second step and the last
    gap : int, whole steps between training and test; or numpy.timedelta64: rows less than so long before the test step begins are left out,
        as it must be where a target is known only later
    window : int or None, steps of training at most, counted back from the gap

    `split(X, y, times)` takes times where scikit-learn has groups. Steps without rows, or with nothing before them, are passed over.
    """

    def __init__(
        self,
        step: Any = None,
        first: Any = None,
        last: Any = None,
        gap: Any = 0,
        window: int | None = None,
    ):
        self.step = step
        self.first = first
        self.last = last
        self.gap = gap
        self.window = window

    def folds(self, times: Any) -> Iterator[Fold]:
        """One after the other, from the first test step on."""
        clock, steps = make_clock(times, self.step)
        first = 1 if self.first is None else clock.find(self.first)
        last = clock.n_steps - 1 if self.last is None else clock.find(self.last)
        lengths = isinstance(self.gap, np.timedelta64)
        if not lengths and not (isinstance(self.gap, (int, np.integer)) and self.gap >= 0):
            raise ValueError(
                f"gap must be a whole number of steps from 0 on, or a numpy.timedelta64, got {self.gap!r}"
            )
        if lengths and clock.unit is None:
            raise ValueError(
                "a gap of days needs times that are dates, and step='year', 'quarter', 'month' .."
            )
        for place in range(first, last + 1):
            known = steps < place if lengths else steps < place - self.gap
            if lengths:
                start = np.datetime64(clock.date(place), "D")
                dates = np.asarray(times).astype(str).astype("datetime64[D]")
                known &= dates + self.gap <= start
            if self.window is not None:
                newest = steps[known].max() if known.any() else 0
                known &= steps > newest - self.window
            train, test = np.flatnonzero(known), np.flatnonzero(steps == place)
            if len(train) and len(test):
                yield Fold(clock.label(place), train, test)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Index, Index]]:
        """Rows to train and to test on, for every test step; `groups` are the times."""
        if groups is None:
            raise ValueError(
                "RollingOrigin needs the times of the rows: split(X, y, times), or groups=times"
            )
        for fold in self.folds(groups):
            yield fold.train, fold.test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many test steps there are."""
        if groups is None:
            raise ValueError(
                "RollingOrigin needs the times of the rows: get_n_splits(X, y, times), or groups=times"
            )
        return sum(1 for _ in self.folds(groups))


class Forecasts(NamedTuple):
    """Rows that were forecast, what was forecast for them, their folds' names, and the models' own accounts (seconds are the caller's)."""

    rows: Index
    predicted: NDArray
    labels: NDArray
    models: list[Any]


def rolling_forecast(
    model: Any, X: Any, y: Any, times: Any, origin: RollingOrigin, keep: bool = False
) -> Forecasts:
    """Forecast every fold of `origin` by a clone of a temporal model that is fitted on the fold's past; `keep` the fitted models."""
    times, y = np.asarray(times), np.asarray(y)
    done, models = [], []
    for fold in origin.folds(times):
        fitted = clone(model).fit(X[fold.train], y[fold.train], times=times[fold.train])
        done.append((fold, fitted.predict(X[fold.test])))
        if keep:
            models.append(fitted)
    return gathered(done, models)


def gathered(
    done: Sequence[tuple[Fold, NDArray]], models: Sequence[Any] = (), stopped: bool = False
) -> Forecasts:
    """Folds and what was forecast for their test rows, as one; ValueError if there are none, unless somebody stopped it."""
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
