"""The effects design: distributions against plain softmax, gradients, curvatures, bad arrays."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax

from laconic import _core
from laconic.core.designs.effects import Effects


def drawn(
    n_rows: int, n_effects: int, n_steps: int, n_words: int, seed: int, threads: int = 1
) -> tuple[Effects, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = sp.random(n_rows, n_effects, density=0.6, random_state=rng, format="csr")
    design = Effects(
        X, rng.integers(n_steps, size=n_rows), rng.normal(size=(n_steps, n_words)), threads
    )
    return design, rng.normal(size=design.n_weights)


@settings(max_examples=30)
@given(
    st.integers(1, 40),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(1, 1100),
    st.integers(1, 3),
    st.integers(0, 10**6),
)
def test_fused_passes_are_softmax_and_adjoint(
    n: int, J: int, T: int, V: int, threads: int, seed: int
) -> None:
    design, w = drawn(n, J, T, V, seed, threads)
    mass = np.random.default_rng(seed).uniform(0, 3, n)
    scores = design.score(w).reshape(n, V) + design.background[design.steps]
    log_p = log_softmax(scores, axis=1)
    assert np.allclose(design.log_probabilities(w), log_p, atol=1e-11)
    value, gradient = design.log_partition_gradient(w, mass)
    expected = mass @ (scores - log_p)[:, 0]
    assert value == pytest.approx(expected) and design.log_partition(w, mass) == pytest.approx(
        expected
    )
    expected_words = mass[:, None] * np.exp(log_p)
    assert np.allclose(gradient, design.pull(expected_words.ravel()), atol=1e-11)
    assert np.allclose(
        design.word_curvature(w, mass), design.curvature(expected_words.ravel()), atol=1e-11
    )


def test_scores_of_any_size_keep_their_order() -> None:
    background = np.zeros((1, 20))
    background[0, :4] = [700.0, -700.0, -2000.0, 1e6]
    design = Effects(np.ones((1, 1)), [0], background)
    log_p = design.log_probabilities(np.zeros(20))[0]
    assert log_p[3] == 0.0 and np.all(log_p[4:] == -1e6) and log_p[2] == -1002000.0
    assert design.log_partition(np.zeros(20), np.ones(1)) == 1e6
    assert np.isnan(design.log_partition(np.full(20, np.nan), np.ones(1)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ptr": [0, 3]}, "ptr must end at 2"),
        ({"effect": [0, 2]}, "effect holds 2"),
        ({"step": [2]}, "step holds 2"),
        ({"step": [0, 1]}, "one entry per row"),
        ({"value": [1.0, np.inf]}, "value must be finite"),
        ({"value": [1.0]}, "the same size"),
        ({"background": [0.0] * 5}, "steps x words"),
        ({"background": [0.0, np.nan, 0.0, 0.0]}, "background must be finite"),
        ({"n_steps": 0}, "at least one step"),
    ],
)
def test_doors_of_the_kernel(change: dict, words: str) -> None:
    good = {
        "ptr": np.array([0, 2]),
        "effect": np.array([0, 1], np.int32),
        "value": np.ones(2),
        "step": np.array([1]),
        "n_effects": 2,
        "n_steps": 2,
        "background": np.zeros(4),
    }
    kernel = _core.WordRows(**good)
    for name, value in change.items():
        good[name] = (
            np.array(value, getattr(good[name], "dtype", None))
            if isinstance(value, list)
            else value
        )
    with pytest.raises(ValueError, match=words):
        _core.WordRows(**good)
    none = np.empty(0)
    for weights, mass, gradient in ((7, 1, 0), (8, 2, 0), (8, 1, 3)):
        with pytest.raises(ValueError, match=r"weights must be|mass must have|gradient must be"):
            kernel.log_partition(np.zeros(weights), np.ones(mass), np.empty(gradient), none)
    with pytest.raises(ValueError, match="mass must be finite and not negative"):
        kernel.log_partition(np.zeros(8), np.array([-1.0]), none, none)
    with pytest.raises(ValueError, match="index holds 2"):
        kernel.conjugate(
            np.zeros(8), np.ones(1), 1.0, np.array([0, 1]), np.array([2], np.int32), np.ones(1)
        )
    with pytest.raises(ValueError, match="out must be rows x words"):
        kernel.log_probabilities(np.zeros(8), np.empty(3))
