"""Rolling origin: nothing of the future, nothing inside the gap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import Ridge, RollingOrigin, TemporalRegressor, rolling_forecast


@settings(max_examples=50)
@given(
    st.lists(st.integers(0, 15), min_size=2, max_size=60),
    st.integers(0, 4),
    st.one_of(st.none(), st.integers(1, 3)),
)
def test_training_lies_before_the_gap_and_every_row_is_tested_once(
    times: list[int], gap: int, window: int | None
) -> None:
    years = np.array(times)
    tested = []
    for fold in RollingOrigin(gap=gap, window=window).folds(years):
        year = int(fold.label)
        assert np.all(years[fold.test] == year) and np.all(years[fold.train] < year - gap)
        if window is None:
            assert set(fold.train) == set(np.flatnonzero(years < year - gap))
        else:
            newest = years[years < year - gap].max()
            assert set(fold.train) == set(
                np.flatnonzero((years <= newest) & (years > newest - window))
            )
        tested += [*fold.test]
    assert sorted(tested) == [*np.flatnonzero(years > years.min() + gap)]


def test_gaps_of_days_are_counted_from_the_first_day_of_the_step() -> None:
    dates = np.array(["2015-11-16", "2015-11-18", "2015-12-31", "2016-01-01", "2016-02-15"])
    folds = [*RollingOrigin("quarter", gap=np.timedelta64(45, "D")).folds(dates)]
    assert [fold.label for fold in folds] == ["2016Q1"]
    assert list(folds[0].train) == [0] and list(folds[0].test) == [3, 4]


def test_first_and_last_steps_by_name() -> None:
    years = np.arange(1990, 2000)
    origin = RollingOrigin(first=1995, last="1997")
    assert [fold.label for fold in origin.folds(years)] == ["1995", "1996", "1997"]
    assert origin.get_n_splits(groups=years) == 3 and len([*origin.split(None, None, years)]) == 3


def test_forecasts_come_from_models_of_the_past() -> None:
    """A target that is the year itself: whoever had seen the test year would know it."""
    years = np.repeat(np.arange(2000, 2006), 5)
    X = np.ones((len(years), 1))
    model = TemporalRegressor(Ridge(1.0), mode="last")
    done = rolling_forecast(model, X, years.astype(float), years, RollingOrigin(gap=1), keep=True)
    assert np.allclose(done.predicted, years[done.rows] - 2) and len(done.models) == 4
    assert [*dict.fromkeys(done.labels)] == ["2002", "2003", "2004", "2005"]


@pytest.mark.parametrize(
    ("origin", "times", "words"),
    [
        (RollingOrigin(gap=-1), [1, 2], "gap must be a whole number of steps"),
        (
            RollingOrigin(gap=np.timedelta64(3, "D")),
            [1, 2],
            "a gap of days needs times that are dates",
        ),
        (
            RollingOrigin(first=1989),
            [1990, 1991],
            "there is no step 1989: steps go from 1990 to 1991",
        ),
        (RollingOrigin(), None, "RollingOrigin needs the times of the rows"),
    ],
)
def test_what_cannot_be_used(origin: RollingOrigin, times: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        list(origin.split(None, None, times))


def test_nothing_to_forecast() -> None:
    with pytest.raises(ValueError, match="no step with rows that has rows before it"):
        rolling_forecast(TemporalRegressor(), np.eye(3), np.ones(3), [5, 5, 5], RollingOrigin())
