"""Random pivots and heaps find the same proximal step of trees of infinity norms."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import _core


def random_forest(random: np.random.Generator, n: int) -> np.ndarray:
    """Return the parents of n nodes; some are roots."""
    parent = random.integers(-1, np.maximum(np.arange(n), 1))
    parent[0] = -1
    return parent.astype(np.int64)


def by_heaps(
    parent: np.ndarray, rates: np.ndarray, w: np.ndarray, curvature: np.ndarray
) -> np.ndarray:
    n = len(parent)
    out = np.empty(n)
    _core.Forest(parent, np.arange(n + 1), np.arange(n), rates, n).prox_curved(
        w, curvature, _core.Norm.infinity, out
    )
    return out


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 60),
    rate=st.sampled_from([0.0, 0.05, 0.5, 5.0]),
    whole=st.booleans(),
)
def test_pivots_are_heaps(seed: int, n: int, rate: float, whole: bool) -> None:
    """Also where values are equal, as whole numbers often are, and where rates are zero."""
    random = np.random.default_rng(seed)
    parent = random_forest(random, n)
    w = random.integers(-2, 5, n).astype(float) if whole else random.normal(size=n) * 2
    rates = rate * random.random(n) * (random.random(n) < 0.8)
    curvature = random.integers(1, 4, n).astype(float) if whole else random.uniform(0.2, 5, n)
    out = np.empty(n)
    _core.PivotForest(parent, rates).prox(w, curvature, seed, out)
    np.testing.assert_allclose(out, by_heaps(parent, rates, w, curvature), atol=1e-10)


def test_seeds_change_nothing() -> None:
    random = np.random.default_rng(0)
    parent, w, rates = random_forest(random, 500), random.random(500), 0.1 * random.random(500)
    forest = _core.PivotForest(parent, rates)
    found = []
    for seed in range(3):
        found.append(np.empty(500))
        forest.prox(w, np.ones(500), seed, found[-1])
    np.testing.assert_allclose(found[1:], [found[0]] * 2, atol=1e-12)


def test_the_binding() -> None:
    with pytest.raises(ValueError, match="before its children"):
        _core.PivotForest(np.array([0]), np.ones(1))
    with pytest.raises(ValueError, match="one entry per node"):
        _core.PivotForest(np.array([-1]), np.ones(2))
    with pytest.raises(ValueError, match="not negative"):
        _core.PivotForest(np.array([-1]), -np.ones(1))
    forest = _core.PivotForest(np.array([-1, 0]), np.ones(2))
    for w, d in (
        (np.ones(3), np.ones(2)),
        (np.ones(2), np.zeros(2)),
        (np.full(2, np.nan), np.ones(2)),
    ):
        with pytest.raises(ValueError, match="must"):
            forest.prox(w, d, 0, np.empty(2))


def test_ctrl_c_stops_it() -> None:
    n = 100_000  # a path: 5 billion entries to look at
    forest = _core.PivotForest(np.arange(-1, n - 1), np.full(n, 1e-9))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forest.prox(np.random.default_rng(0).random(n), np.ones(n), 0, np.empty(n))
