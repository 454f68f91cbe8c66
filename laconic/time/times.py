"""Times of documents as numbered steps: dates by calendar units, numbers by a width."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array, Ints

UNITS = {"year": "Y", "quarter": "M", "month": "M", "week": "W", "day": "D"}
MOST_STEPS = 10**6


class TimeGrid(NamedTuple):
    """Steps of equal length from an origin on: step(t) = floor((ticks(t) - origin) / width).

    unit: None for numbers, which are their own ticks; a calendar unit for dates, whose ticks are
    whole units since 1970.
    """

    unit: str | None
    width: float
    origin: float
    n_steps: int

    def steps(self, times: ArrayLike) -> Ints:
        """Return the step of every time; it may lie before the first or after the last one."""
        ratio = (ticks(times, self.unit) - self.origin) / self.width
        return np.floor(ratio + 1e-9).astype(np.int64)

    def label(self, step: int) -> str:
        """Return the name of a step.

        2008, 2008Q3, 2008-07, the first day of a week, or the least number in it.
        """
        if self.unit is None:
            start = self.origin + step * self.width
            return str(int(start)) if start == int(start) else f"{start:g}"
        date = self.date(step)
        return f"{date[:4]}Q{(int(date[5:7]) + 2) // 3}" if self.unit == "quarter" else date

    def date(self, step: int) -> str:
        """Return when a step of dates begins: 2008, 2008-07 or 2008-07-31."""
        tick = int(self.origin + step * self.width)
        return str(np.array(tick).astype(f"datetime64[{UNITS[self.unit or 'day']}]"))

    def labels(self) -> list[str]:
        """Return the names of all steps."""
        return [self.label(step) for step in range(self.n_steps)]

    def find(self, step: object) -> int:
        """Return the number of a step by its label, or by a time in it."""
        labels = self.labels()
        if str(step) in labels:
            place = labels.index(str(step))
        else:
            place = int(self.steps(np.asarray([step]))[0])
        if not 0 <= place < self.n_steps:
            raise ValueError(
                f"there is no step {step!r}: steps go from {labels[0]} to {labels[-1]}"
            )
        return place


def make_clock(times: ArrayLike, step: str | float | None) -> tuple[TimeGrid, Ints]:
    """Return the clock of training times, from the first to the last, and the step of each.

    step: "year", "quarter", "month", "week" or "day" for dates; a number, the width, for numbers
    (None: 1, for whole numbers).
    """
    if isinstance(step, str):
        if step not in UNITS:
            raise ValueError(
                f"step must be {', '.join(map(repr, UNITS))}, a number or None, got {step!r}"
            )
        width = 3.0 if step == "quarter" else 1.0
        counted = ticks(times, step)
        unit: str | None = step
    else:
        width = 1.0 if step is None else float(step)
        if not (np.isfinite(width) and width > 0):
            raise ValueError(f"step must be a positive number, got {step!r}")
        counted, unit = ticks(times, None), None
        if step is None and np.any(counted != np.floor(counted)):
            raise ValueError("times that are not whole numbers need the width of a step: step=...")
    if not len(counted):
        raise ValueError("there are no times")
    origin = float(np.floor(counted.min() / width) * width)
    span = (counted.max() - origin) / width
    if span >= MOST_STEPS:
        raise ValueError(f"the times span {span:.0f} steps: use a larger step")
    clock = TimeGrid(unit, width, origin, int(span) + 1)
    return clock, clock.steps(times)


def ticks(times: ArrayLike, unit: str | None) -> Array:
    """Return numbers as they are, and dates as whole units since 1970.

    Dates are datetime64, datetime, ISO strings or years.
    """
    values = np.asarray(times)
    if values.ndim != 1:
        raise ValueError(f"times must be a list of one dimension, got shape {values.shape}")
    if unit is None:
        try:
            numbers: Array = values.astype(np.float64)
        except (TypeError, ValueError):
            wrong = next((str(value) for value in values.tolist() if not _is_number(value)), "?")
            raise ValueError(
                f"times must be numbers, got {wrong!r}: "
                "for dates give step='year', 'quarter', 'month' .."
            ) from None
        if not np.all(np.isfinite(numbers)):
            place = int(np.flatnonzero(~np.isfinite(numbers))[0]) + 1
            raise ValueError(f"times must be finite, but number {place} is not")
        return numbers
    if values.dtype.kind in "iu":
        values = values.astype(str)  # whole numbers are years
    try:
        dates = values.astype("datetime64[D]")
    except (TypeError, ValueError):
        place, wrong = next(
            ((n, value) for n, value in enumerate(values.tolist(), 1) if not _is_date(value)),
            (0, "?"),
        )
        raise ValueError(
            f"time number {place} is no date: {wrong!r}; "
            "dates look like 2008, 2008-07 or 2008-07-31"
        ) from None
    if np.any(np.isnat(dates)):
        raise ValueError(f"time number {int(np.flatnonzero(np.isnat(dates))[0]) + 1} is missing")
    whole: Ints = dates.astype(f"datetime64[{UNITS[unit]}]").astype(np.int64)
    return whole.astype(np.float64)


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _is_date(value: object) -> bool:
    try:
        np.datetime64(value, "D")  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return False
    return True
