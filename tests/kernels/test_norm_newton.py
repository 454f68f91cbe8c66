"""NormNewton and Copies.share against dense algebra."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from laconic import _core
from laconic.core.designs.rows import make_matrix

N, P, K = 12, 6, 2
PTR = np.array([0, 2, 3, 6], dtype=np.int64)
INDEX = np.array([0, 3, 5, 7, 10, 11], dtype=np.int64)
NO_PARENT = np.zeros(0, np.int64)


def members(parent):
    """Copies of every group: its own, and those of the groups below it."""
    own = [INDEX[a:b].tolist() for a, b in pairwise(PTR)]
    for g in range(len(own) - 1, -1, -1):
        if len(parent) and parent[g] >= 0:
            own[parent[g]] += own[g]
    return own


@pytest.mark.parametrize("parent", [NO_PARENT, np.array([-1, 0, 1], dtype=np.int64)], ids=str)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.7])
def test_a_step_solves_the_system(parent, intercept, share):
    random = np.random.default_rng(3)
    X = random.normal(size=(N, P))
    w = random.normal(size=P * K) * (random.random(P * K) < 0.8)
    w[INDEX[3:]] = [0.0, 0.5, -0.3]
    slope, ridge = random.normal(size=P * K), random.random(P * K)
    h, mass = random.random(N * K), np.array([0.5, 1.5, 0.7])
    kernel = _core.NormNewton(make_matrix(X), K, intercept)
    kernel.add(PTR, INDEX, parent, mass)
    found = np.empty(P * K)
    point = _core.NormPoint(weights=w, slope=slope, ridge=ridge, curvature=h)
    assert kernel.step(point, share, 1e-12, 500, found) <= 500

    B, right = np.diag(ridge), slope.copy()
    for k in range(K):
        own = h.reshape(N, K)[:, k]
        middle = np.diag(own) - (np.outer(own, own) / own.sum() if intercept else 0)
        B[k::K, k::K] += X.T @ middle @ X
    for group, m in zip(members(parent), mass, strict=True):
        inside = np.zeros(P * K)
        inside[group] = 1
        length = np.linalg.norm(w * inside)
        right += m / length * w * inside
        B += m / length * np.diag(inside)
        B -= share * m / length**3 * np.outer(w * inside, w * inside)
    live = w != 0
    expected = np.zeros(P * K)
    expected[live] = np.linalg.solve(B[np.ix_(live, live)], -right[live])
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_bad_arrays_raise():
    kernel = _core.NormNewton(make_matrix(np.ones((N, P))), K, True)
    with pytest.raises(ValueError, match="index"):
        kernel.add(PTR, INDEX + P * K, NO_PARENT, np.ones(3))
    with pytest.raises(ValueError, match="mass"):
        kernel.add(PTR, INDEX, NO_PARENT, np.ones(2))
    with pytest.raises(ValueError, match="earlier group"):
        kernel.add(PTR, INDEX, np.array([-1, 2, 1]), np.ones(3))
    ones = np.ones(P * K)
    for weights, curvature, share in (
        (ones[1:], np.ones(N * K), 0.5),
        (ones, np.ones(N), 0.5),
        (ones, np.ones(N * K), 1.5),
    ):
        point = _core.NormPoint(weights=weights, slope=ones, ridge=ones, curvature=curvature)
        with pytest.raises(ValueError, match=r"entry per|share"):
            kernel.step(point, share, 0.1, 10, np.empty(P * K))


def test_shares_within_the_masses_are_found():
    """Shares of a sum that has some within the masses get there; others get as near as they can."""
    random = np.random.default_rng(0)
    sizes = random.integers(1, 6, size=40)
    ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    index = np.concatenate([random.choice(15, size, replace=False) for size in sizes])
    index = index.astype(np.int64)
    inside = random.normal(size=len(index))
    mass = 1.05 * np.sqrt(np.add.reduceat(inside**2, ptr[:-1]))
    whole = np.bincount(index, inside, 15)
    copies = _core.Copies(ptr, index, 15)
    shares = np.zeros(len(index))
    assert copies.share(whole, mass, shares, 1.0, 2000) <= 1.0
    shares = np.zeros(len(index))
    first = copies.share(3 * whole, mass, shares, 1.0, 0)
    assert 1.0 < copies.share(3 * whole, mass, shares, 1.0, 500) < first


def test_bad_shares_raise():
    copies = _core.Copies(PTR, INDEX, P * K)
    with pytest.raises(ValueError, match="whole"):
        copies.share(np.ones(3), np.ones(3), np.ones(6), 1.0, 5)
    with pytest.raises(ValueError, match="copy"):
        copies.share(np.ones(P * K), np.ones(3), np.ones(5), 1.0, 5)
    with pytest.raises(ValueError, match="mass"):
        copies.share(np.ones(P * K), np.ones(2), np.ones(6), 1.0, 5)
