"""Sets of values: the template, and the exact u-step against trying every value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.core.penalties.discrete import Discrete
from laconic.core.penalties.value_sets import check_values, nearest, value_set

numbers = st.floats(-5, 5, allow_nan=False).map(lambda value: round(value, 6))


def test_template_is_that_of_the_paper() -> None:
    assert value_set(0.1, 3, kappa=4, delta=0.4) == pytest.approx(
        (-2.0, -0.8, -0.5, 0, 0.5, 0.8, 2.0)
    )


def test_defaults_are_those_of_the_experiments() -> None:
    assert value_set(0.2, 2) == pytest.approx((-0.9, -0.3, 0, 0.3, 0.9))  # kappa 4, delta = eta / 2
    assert max(value_set(1.0, 5)) == pytest.approx(16.5)  # kappa 2 from five values on
    for zeta in (1, 2, 4, 7):
        assert len(value_set(0.1, zeta)) == 2 * zeta + 1


@pytest.mark.parametrize(
    "bad",
    [
        {"eta": 0, "zeta": 1},
        {"eta": 1, "zeta": 0},
        {"eta": np.nan, "zeta": 1},
        {"eta": 1, "zeta": 1, "delta": -1},
    ],
)
def test_impossible_templates_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="zeta must be at least 1"):
        value_set(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [(), (0.0,), (np.inf, 1.0), "12", ((1.0, 2.0),)])
def test_impossible_sets_are_refused(bad: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="values must be"):
        Discrete(bad).check()


def test_values_are_sorted_and_hold_zero() -> None:
    assert check_values([2, -1, 2]) == (-1.0, 0.0, 2.0)


@given(
    values=st.lists(numbers, min_size=1, max_size=8).filter(any),
    w=st.lists(numbers, min_size=1, max_size=6),
    strength=st.floats(0, 3),
    ratio=st.sampled_from([0.0, 0.3, 1.0]),
    step=st.sampled_from([0.1, 1.0, 4.0]),
)
def test_prox_is_the_best_of_all_values(
    values: list[float], w: list[float], strength: float, ratio: float, step: float
) -> None:
    penalty = Discrete(values, strength, ratio)
    found = penalty.prox(np.array(w), step)
    for weight, chosen in zip(w, found.tolist(), strict=True):
        costs = {
            s: 0.5 * (s - weight) ** 2 + step * penalty.value(np.array([s]))
            for s in check_values(values)
        }
        assert chosen in costs
        assert costs[chosen] <= min(costs.values()) + 1e-9


@given(
    values=st.lists(numbers, min_size=1, max_size=8).filter(any),
    c=st.lists(numbers, min_size=1, max_size=5),
    strength=st.floats(0, 3),
)
def test_conjugate_is_the_best_of_all_values(
    values: list[float], c: list[float], strength: float
) -> None:
    penalty = Discrete(values, strength, 0.6)
    each = [max(k * s - penalty.value(np.array([s])) for s in check_values(values)) for k in c]
    assert penalty.conjugate(np.array(c)) == pytest.approx(sum(each), abs=1e-9)


def test_nearest_takes_any_shape() -> None:
    assert nearest((-1.0, 0.0, 2.0), np.array([[0.9, 1.1], [-0.6, -0.4]])).tolist() == [
        [0, 2],
        [-1, 0],
    ]
