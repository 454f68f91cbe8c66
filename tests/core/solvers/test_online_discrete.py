"""DC-ADMM by passes of an online learner."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import (
    Crf,
    Mira,
    OnlineDiscrete,
    Perceptron,
    Rda,
    StochasticGradient,
    Tagger,
    quantize,
    value_set,
)
from laconic.core.solvers.online import OnlineLearner

VALUES = value_set(0.05, 2)


def sentences(n: int, seed: int) -> tuple[list[list[tuple[str, str]]], list[list[str]]]:
    """The label of a word depends on it, on the word before and, now and then, on nothing."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        words = rng.integers(12, size=8)
        before = np.append(0, words[:-1])
        label = np.where(rng.random(8) < 0.05, 0, (words // 4 + (before > 8)) % 3)
        X.append([(f"w{word}", "p") for word in words])
        y.append(["OAB"[k] for k in label])
    return X, y


def values_of(tagger: Tagger) -> set[float]:
    found = tagger.weights_
    return {
        value
        for part in (*found.weights, found.edge, found.start)
        for value in np.unique(part).tolist()
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "eta"),
    [(None, 0.05), (Perceptron(), 1.0), (Mira(C=0.1), 0.05), (StochasticGradient(step=0.05), 0.2)],
    ids=repr,
)
def test_weights_are_values_and_better_than_rounded_ones(
    learner: OnlineLearner | None, eta: float
) -> None:
    train, test = sentences(200, 0), sentences(100, 1)
    values = value_set(eta, 2)
    model = Tagger("chunking72", OnlineDiscrete(values, learner)).fit(*train)
    assert values_of(model) <= set(np.float32(values).tolist())
    plain = Tagger("chunking72", Mira()).fit(*train)
    assert model.score(*test) > plain.score(*test) - 0.08
    assert model.score(*test) > quantize(plain, value_set(0.05, 1)).score(*test)
    assert len(model.trace_) == 15


def test_lasso_makes_it_smaller() -> None:
    train = sentences(100, 0)
    sizes = [
        Tagger("chunking72", OnlineDiscrete(VALUES, lasso=lasso)).fit(*train).n_features_selected_
        for lasso in (0.0, 0.01)
    ]
    assert 0 < sizes[1] < sizes[0]


def test_repeatable_and_stopped_by_a_callback() -> None:
    train = sentences(60, 0)
    first, second = (
        Tagger("chunking72", OnlineDiscrete(VALUES, epochs=4)).fit(*train) for _ in range(2)
    )
    assert all(
        np.array_equal(a, b)
        for a, b in zip(first.weights_.weights, second.weights_.weights, strict=True)
    )
    stopped = Tagger("chunking72", OnlineDiscrete(VALUES, epochs=4)).fit(
        *train, callback=lambda epoch: epoch.done == 2
    )
    assert stopped.interrupted_ and len(stopped.trace_) == 2
    assert values_of(stopped) <= set(np.float32(VALUES).tolist())


def test_refit_of_what_was_kept_and_of_single_passes() -> None:
    train = sentences(60, 0)
    model = Tagger(
        "chunking72", Crf("lasso", 0.5), OnlineDiscrete(VALUES, epochs=4), "features"
    ).fit(*train)
    assert values_of(model) <= set(np.float32(VALUES).tolist())
    growing = Tagger("chunking72", OnlineDiscrete(VALUES, epochs=4))
    for _ in range(2):
        growing.partial_fit(*train, labels=["A", "B", "O"])
        assert values_of(growing) <= set(np.float32(VALUES).tolist())


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (OnlineDiscrete((0.0,)), "values must be finite"),
        (OnlineDiscrete(VALUES, rho=0), "rho must be a positive number"),
        (OnlineDiscrete(VALUES, Rda()), "not by Rda"),
        (OnlineDiscrete(VALUES, lasso=-1), "lasso must be a number from 0 on"),
    ],
)
def test_impossible_parameters_are_refused(learner: OnlineDiscrete, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tagger("chunking72", learner).fit(*sentences(5, 0))
