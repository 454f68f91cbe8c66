"""What moved, by name, and the histogram of autocorrelations."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import (
    AdaptivePrior,
    SmoothGroupLasso,
    SmoothRidge,
    TemporalClassifier,
    TemporalRegressor,
)
from laconic.time.explain import autocorrelations, movers

NAMES = ["still", "rises", "falls", "nothing"]


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    times = np.repeat(np.arange(2000, 2010), 60)
    X = rng.normal(size=(600, 4))
    way = (times - 2000) / 9
    return X, 2 * X[:, 0] + way * X[:, 1] - way * X[:, 2] + 0.2 * rng.normal(size=600), times


def test_rising_and_falling_features_by_name() -> None:
    X, y, times = data()
    model = TemporalRegressor(AdaptivePrior(strength=0.05)).fit(X, y, times=times)
    found = movers(model, NAMES, n=2)
    assert found.rising[0].name == "rises" and found.falling[0].name == "falls"
    top = found.rising[0]
    assert (
        top.change == pytest.approx(top.last - top.first)
        and top.change > 0.8
        and -0.5 < top.alpha < 0
    )
    late = movers(model, NAMES, since="2008").rising[0]
    assert 0 < late.change < 0.3
    dropped = TemporalRegressor(SmoothGroupLasso(strength=8.0)).fit(X, y, times=times)
    assert {
        one.name for one in (*movers(dropped, NAMES).rising, *movers(dropped, NAMES).falling)
    } == {"still", "rises", "falls"}
    assert movers(dropped, NAMES).rising[0].alpha is None


def test_outputs_of_classes() -> None:
    X, y, times = data()
    model = TemporalClassifier(AdaptivePrior(strength=0.3)).fit(
        X, np.digitize(y, [-1, 1]), times=times
    )
    assert (
        movers(model, NAMES, output=2).rising[0].name == "rises"
        and movers(model, NAMES, output=0).falling[0].name == "rises"
    )
    assert autocorrelations(model).counts.sum() == 12
    with pytest.raises(ValueError, match="the model has outputs 0 to 2, got 3"):
        movers(model, NAMES, output=3)


def test_the_histogram_counts_every_feature_once() -> None:
    X, y, times = data()
    model = TemporalRegressor(AdaptivePrior(strength=0.05)).fit(X, y, times=times)
    found = autocorrelations(model, bins=5)
    assert found.counts.sum() == 4 and found.edges[0] == -0.5 and found.edges[-1] == 0.0
    assert autocorrelations(model, bins=5, strongest=1).counts[0] == 1  # what stands still


def test_what_is_not_there_is_said() -> None:
    X, y, times = data()
    model = TemporalRegressor(SmoothRidge()).fit(X, y, times=times)
    with pytest.raises(
        ValueError,
        match="autocorrelations are learned by AdaptivePrior, and this model has SmoothRidge",
    ):
        autocorrelations(model)
    with pytest.raises(ValueError, match="the model has 4 features, but there are 1 names"):
        movers(model, ["one"])
