"""Sets of values learned from weights: laws of k-means, and against the values of any eta."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic import Discrete, learned_values, value_set
from laconic.core.penalties.value_sets import moved_values, nearest, values_for

weights = st.lists(
    st.floats(-5, 5, allow_nan=False).map(lambda value: round(value, 3)), min_size=1, max_size=30
)
powers = st.sampled_from([-0.5, 0.0, 0.5, 1.0])


def error(values: tuple[float, ...], w: np.ndarray, power: float) -> float:
    """The importance of each weight times the square of what rounding changes."""
    w = w[w != 0]
    return float(np.abs(w) ** power @ (w - nearest(values, w)) ** 2)


@given(weights, st.integers(1, 6), powers)
def test_values_are_means_of_their_weights(w: list[float], n: int, power: float) -> None:
    given_weights = np.array(w)
    values = learned_values(w, n, power)
    assert 0.0 in values and len(values) <= n + 1 and list(values) == sorted(values)
    rounded = nearest(values, given_weights)
    for value in set(values) - {0.0}:
        own = given_weights[(rounded == value) & (given_weights != 0)]
        if len(own):
            assert value == pytest.approx(np.average(own, weights=np.abs(own) ** power), rel=1e-4)


@given(weights, st.integers(1, 6), powers)
def test_moved_values_are_never_worse(w: list[float], n: int, power: float) -> None:
    given_weights = np.array(w)
    start = tuple(np.unique([0.0, *np.linspace(-4, 4, n)]).tolist())
    moved = moved_values(start, given_weights[given_weights != 0], power)
    assert error(moved, given_weights, power) <= error(start, given_weights, power) + 1e-9


@given(weights, powers)
def test_as_many_values_as_weights_lose_nothing(w: list[float], power: float) -> None:
    n = max(1, len(set(w) - {0.0}))
    assert error(learned_values(w, n, power), np.array(w), power) < 1e-12


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_values_are_nearer_than_those_of_any_eta(power: float) -> None:
    w = np.random.default_rng(0).laplace(size=3000)
    found = error(learned_values(w, 8, power), w, power)
    etas = np.geomspace(0.01, 1.0, 40)
    assert found < 0.7 * min(error(value_set(eta, 4), w, power) for eta in etas)


def test_one_side_may_have_all_values() -> None:
    assert learned_values([1.0, 2.0, 3.0, 4.0], 4) == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert learned_values([-1.0, -2.0], 2) == (-2.0, -1.0, 0.0)
    assert learned_values([0.0, 0.0], 2) == (0.0,)
    assert learned_values([1.0] * 1000 + [2.0], 2) == (0.0, 1.0, 2.0)  # rare, and still there


def test_a_penalty_of_a_number_of_values() -> None:
    penalty = Discrete(2, strength=0.5).check()
    assert penalty.value(np.array([1.0, 1.0, -2.0, 0.0])) == 2.0
    assert penalty.value(np.array([1.0, 1.5, -2.0])) == np.inf
    assert penalty.prox(np.array([1.5, 1.7, -2.5, 0.1])).tolist() == pytest.approx(
        [1.1, 1.1, -2, 0]
    )
    assert penalty.conjugate(np.array([0.4])) == 0.0


@pytest.mark.parametrize("bad", [0, -1, True, 1.5])
def test_impossible_numbers_of_values_are_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="the number of values must be at least 1"):
        values_for(bad, np.ones(1))  # type: ignore[arg-type]
