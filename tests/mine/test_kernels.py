"""Kernels against counting in the spaces they stand for."""

from __future__ import annotations

import os
import signal
import threading
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sub_trees import random_trees, sub_trees, tree_structures

from laconic import _core
from laconic.mine.kernels import PolynomialKernel, TreeKernel
from laconic.mine.polynomial import Polynomial


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    decay=st.sampled_from([1.0, 0.5, 0.03]),
    normalized=st.booleans(),
)
def test_trees_share_what_enumeration_finds_in_both(
    seed: int, decay: float, normalized: bool
) -> None:
    random = np.random.default_rng(seed)
    trees, basics = random_trees(random, 8, 7, 3)
    counts = [sub_trees(heads, features, 7) for heads, features in zip(trees, basics, strict=True)]

    def expected(i: int, j: int) -> float:
        return sum(n * counts[j][tree] * decay ** len(tree) for tree, n in counts[i].items())

    kernel = TreeKernel(decay, normalized)
    first, second = (
        kernel.prepare(tree_structures(trees[:5], basics[:5], 3)),
        kernel.prepare(tree_structures(trees, basics, 3)),
    )
    rows_a, rows_b = random.integers(5, size=4), random.integers(8, size=6)
    values = kernel.between(first, rows_a, second, rows_b)
    for (a, b), value in zip(product(rows_a, rows_b), values.ravel(), strict=True):
        length = np.sqrt(expected(a, a) * expected(b, b)) if normalized else 1.0
        assert value == pytest.approx(expected(a, b) / (length or 1.0), rel=1e-9)


def test_the_example_of_the_paper() -> None:
    """He won the game today, two basic features per arc.

    4 arcs, 3 pairs (the paper counts a fourth one), 3 triples, the whole tree.

    The arc to the root has no features, as in the paper; arcs share none, so that K(T, T) is the
    number of sub feature trees.
    """
    structures = tree_structures([[2, 0, 4, 2, 2]], [[[0, 1], [], [2, 3], [4, 5], [6, 7]]], 8)
    row = np.array([0])
    assert (
        _core.tree_kernel(structures, row, structures, row, 1.0, False)
        == 4 * 2 + 3 * 2**2 + 3 * 2**3 + 2**4
    )


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), degree=st.integers(1, 8), normalized=st.booleans())
def test_polynomials_are_those_of_dense_vectors(seed: int, degree: int, normalized: bool) -> None:
    random = np.random.default_rng(seed)
    rows = random.random((9, 30)) < random.random((9, 1))
    kernel = PolynomialKernel(degree, normalized)
    compared = kernel.prepare(Polynomial().structures(sp.csr_array(rows)))
    expected = (rows.astype(float) @ rows.T + 1) ** degree
    if normalized:
        expected = expected / np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
    a, b = random.integers(9, size=5), random.integers(9, size=7)
    np.testing.assert_allclose(kernel.between(compared, a, compared, b), expected[np.ix_(a, b)])


def chain(n_words: int, n_basic: int) -> tuple[list[int], list[list[int]]]:
    """Every word hangs below the one before it, and all arcs have the same features."""
    return list(range(n_words)), [list(range(n_basic))] * n_words


def test_large_trees_share_more_than_a_number_tells() -> None:
    trees, basics = zip(chain(250, 40), chain(240, 40), chain(3, 40), strict=True)
    structures, rows = tree_structures(list(trees), list(basics), 40), np.arange(3)
    plain = TreeKernel()
    with pytest.raises(OverflowError, match="smaller decay"):
        plain.between(plain.prepare(structures), rows, plain.prepare(structures), rows)
    for kernel in (
        TreeKernel(normalized=True),
        TreeKernel(1 / 80),
        TreeKernel(1 / 80, normalized=True),
    ):
        values = kernel.between(kernel.prepare(structures), rows, kernel.prepare(structures), rows)
        assert np.isfinite(values).all()
        np.testing.assert_allclose(values, values.T)
    scaled = TreeKernel(log_scale=500.0)
    values = scaled.between(scaled.prepare(structures), rows, scaled.prepare(structures), rows)
    np.testing.assert_allclose(
        np.log(values.diagonal()) + 500.0, _core.tree_kernel_diagonal(structures, 1.0), rtol=1e-12
    )
    # Chains of n arcs have n - r + 1 sub-trees of r arcs with one feature each of 40.
    long = np.log([40.0]) * np.arange(1, 251) + np.log(251.0 - np.arange(1, 251)) * 2
    both = _core.tree_kernel_diagonal(structures, 1.0)
    np.testing.assert_allclose(both[0], np.logaddexp.reduce(long))


def test_structures_without_features_are_like_nothing() -> None:
    kernel = TreeKernel(normalized=True)
    compared = kernel.prepare(tree_structures([[0], [0], []], [[[]], [[1]], []], 2))
    rows = np.arange(3)
    np.testing.assert_allclose(
        kernel.between(compared, rows, compared, rows), [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    )
    assert kernel.between(compared, rows, compared, rows[:0]).shape == (3, 0)


def test_ctrl_c_ends_long_work() -> None:
    structures, rows = (
        tree_structures(*([each] for each in chain(60, 40)), 40),
        np.zeros(5000, np.int64),
    )
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        _core.tree_kernel(structures, rows, structures, rows, 1.0, False)
    timer.join()


def test_bad_input_is_refused() -> None:
    trees = tree_structures([[0]], [[[0]]], 1)
    sets = Polynomial().structures(sp.csr_array(np.ones((1, 1))))
    row, beyond = np.array([0]), np.array([1])
    for rows in ((row, beyond), (beyond, row), (row, -beyond)):
        with pytest.raises(ValueError, match=r"rows_. holds"):
            _core.tree_kernel(trees, rows[0], trees, rows[1], 1.0, False)
        with pytest.raises(ValueError, match=r"rows_. holds"):
            _core.set_kernel(sets, rows[0], sets, rows[1])
    for decay in (0.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="decay must be"):
            TreeKernel(decay).prepare(trees)
        with pytest.raises(ValueError, match="decay must be"):
            _core.tree_kernel(trees, row, trees, row, decay, True)
    with pytest.raises(ValueError, match="degree must be"):
        PolynomialKernel(0).prepare(sets)
    with pytest.raises(TypeError):
        _core.tree_kernel(sets, row, sets, row, 1.0, False)
