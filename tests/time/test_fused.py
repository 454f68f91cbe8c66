"""Fused lasso and smooth groups over time: against brute force, and exact zeros."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize

from laconic.core.penalties import Penalty
from laconic.time.fused import FusedLasso, SmoothGroupLasso


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 3), st.floats(0.01, 5.0), st.integers(0, 10**6))
def test_fusion_by_its_dual(n_steps: int, n_outputs: int, rate: float, seed: int) -> None:
    """That min |x - y|^2 / 2 + rate |D x|_1 has the dual min |y - D'u|^2 / 2 over |u| <= rate."""
    rng = np.random.default_rng(seed)
    y = rng.choice([1.0, 3.0, 10.0]) * rng.normal(size=(2, n_steps, n_outputs)).cumsum(axis=1)
    penalty = FusedLasso(n_steps, 1.0, lasso=1e-12, fusion=rate, n_outputs=n_outputs)
    found = penalty.prox(y.ravel()).reshape(y.shape)
    if n_steps == 1:
        assert np.allclose(found, y)
        return
    D = np.diff(np.eye(n_steps), axis=0)
    for i in range(2):
        for k in range(n_outputs):
            dual = lsq_linear(D.T, y[i, :, k], bounds=(-rate, rate), tol=1e-14).x
            assert np.allclose(found[i, :, k], y[i, :, k] - D.T @ dual, atol=1e-5)


@pytest.mark.parametrize(
    "penalty",
    [SmoothGroupLasso(5, 0.4, 3.0), SmoothGroupLasso(5, 0.4, 3.0, ridge=0.2, n_outputs=2)],
    ids=repr,
)
def test_smooth_groups_by_descent(penalty: SmoothGroupLasso) -> None:
    rng = np.random.default_rng(0)
    w = 2 * rng.normal(size=5 * penalty.n_outputs)
    found = penalty.prox(w, 0.7)
    direct = minimize(lambda v: 0.5 * np.sum((v - w) ** 2) + 0.7 * penalty.value(v), w, tol=1e-12)
    assert np.allclose(found, direct.x, atol=1e-4) and np.abs(found).min() > 0


@pytest.mark.parametrize(
    "penalty",
    [
        FusedLasso(6, 1.0),
        FusedLasso(6, 1.0, lasso=0.1, group=1.0),
        SmoothGroupLasso(6, 1.0, 10.0),
        SmoothGroupLasso(6, 1.0, 0.0),
    ],
    ids=repr,
)
def test_weak_trajectories_are_exactly_zero_and_strong_ones_stay(penalty: Penalty) -> None:
    rng = np.random.default_rng(1)
    w = np.concatenate([0.3 * rng.normal(size=(4, 6)), 20 + rng.normal(size=(2, 6))])
    kept = penalty.prox(w.ravel()).reshape(6, 6)
    assert not kept[:4].any() and np.all(kept[4:] > 5)


def test_with_a_lasso_single_steps_are_zero_and_fusion_makes_long_stretches() -> None:
    w = np.array([5.0, 5.2, 4.8, 0.1, -0.2, 0.1])
    kept = FusedLasso(6, 1.0, lasso=0.5, fusion=1.0).prox(w)
    assert kept[0] == kept[1] == kept[2] > 3.5 and not kept[3:].any()


@pytest.mark.parametrize(
    ("penalty", "words"),
    [
        (FusedLasso(lasso=0.0), "a fused lasso needs lasso or group above zero"),
        (FusedLasso(fusion=-1.0), "fusion must be a number that is not negative, got -1.0"),
        (SmoothGroupLasso(smoothness=np.nan), "smoothness must be a number that is not negative"),
        (SmoothGroupLasso(n_steps=0), "n_steps must be a whole number of at least 1, got 0"),
    ],
)
def test_parameters_that_cannot_be_used(penalty: Penalty, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        penalty.check()


def test_weights_that_are_no_trajectories_are_refused() -> None:
    for penalty in (FusedLasso(4), SmoothGroupLasso(4)):
        with pytest.raises(ValueError, match="features x"):
            penalty.value(np.zeros(7))
        with pytest.raises(ValueError, match="features x"):
            penalty.prox(np.zeros(7))
