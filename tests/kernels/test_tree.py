"""Large forests are swept in lanes of subtrees.

The cut must be exact for any shape, and threads must change no digit.
"""

import numpy as np
import pytest

from laconic import _core

N = 40_000
MASS = 0.3
SHAPES = {
    "random": lambda nodes, rng: rng.random(N) * nodes,
    "path": lambda nodes, rng: nodes - 1,
    "star": lambda nodes, rng: 0 * nodes,
    "levels": lambda nodes, rng: (nodes - 1) // 3,
    "many trees, nodes far apart": lambda nodes, rng: np.where(nodes < 5000, -1, nodes - 5000),
}


@pytest.fixture(params=SHAPES)
def parent(request, rng):
    """The parents of a forest of N nodes."""
    found = np.asarray(SHAPES[request.param](np.arange(N), rng)).astype(np.int64)
    found[0] = -1
    return found


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def prox(parent, w, norm, threads):
    """One variable a node."""
    forest = _core.Forest(parent, np.arange(N + 1), np.arange(N), np.ones(N), N)
    out = np.empty(N)
    for _ in range(2):  # scratch must be as new after a call
        forest.prox(w, np.zeros(1), MASS, norm, False, out, threads)
    return out


def shrink_by_groups(parent, w):
    """Each group's factor in turn, children first; a variable is scaled by all of its groups."""
    squares, factor = w * w, np.empty(N)
    for g in range(N - 1, -1, -1):
        length = np.sqrt(squares[g])
        left = max(0.0, length - MASS)
        factor[g] = left / length if length else 0.0
        if parent[g] >= 0:
            squares[parent[g]] += left * left
    for g in range(N):
        if parent[g] >= 0:
            factor[g] *= factor[parent[g]]
    return factor * w


def clip_by_groups(parent, w):
    """Each group's largest entries lowered by MASS in all, in turn, children first."""
    members, out = [[g] for g in range(N)], w.copy()
    for g in range(N - 1, -1, -1):
        values = out[members[g]]
        falling = np.sort(np.abs(values))[::-1]
        levels = (np.cumsum(falling) - MASS) / np.arange(1, len(values) + 1)
        out[members[g]] = np.clip(values, -max(0.0, levels.max()), max(0.0, levels.max()))
        if parent[g] >= 0:
            members[parent[g]] += members[g]
    return out


def test_two_norm_is_exact_and_threads_change_nothing(parent, rng):
    w = rng.normal(size=N)
    one = prox(parent, w, _core.Norm.two, 1)
    np.testing.assert_allclose(one, shrink_by_groups(parent, w), atol=1e-12)
    np.testing.assert_array_equal(prox(parent, w, _core.Norm.two, 3), one)


@pytest.mark.slow
def test_infinity_norm_is_exact_and_threads_change_nothing(parent, rng):
    w = rng.normal(size=N)
    one = prox(parent, w, _core.Norm.infinity, 1)
    if not (
        parent == np.arange(N) - 1
    ).all():  # the groups of a path hold N^2 / 2 entries: too many to do one by one
        np.testing.assert_allclose(one, clip_by_groups(parent, w), atol=1e-12)
    np.testing.assert_array_equal(prox(parent, w, _core.Norm.infinity, 3), one)
