"""Forests over the dimensions of codes; steps of kernels against the penalty's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic import _core
from laconic.core.groups import Groups
from laconic.embed.forest import (
    code_forest,
    code_trees,
    depths,
    forest_for,
    forest_of_parents,
    forest_penalty,
    tree_size,
)


def kernel_prox(forest: Groups, w: np.ndarray, scale: float, positive: bool) -> np.ndarray:
    out = np.empty(w.size)
    _core.CodeTrees(*code_trees(forest)).prox(w.ravel(), scale, positive, out)
    return out.reshape(w.shape)


@st.composite
def forests(draw: st.DrawFn) -> Groups:
    n = draw(st.integers(1, 20))
    parents = np.array([draw(st.integers(-1, i - 1)) for i in range(n)])
    moved = np.random.default_rng(draw(st.integers(0, 99))).permutation(n)
    shuffled = np.full(n, -1)
    shuffled[moved] = np.where(parents >= 0, moved[parents], -1)
    return forest_of_parents(shuffled, np.random.default_rng(n).uniform(0, 2, n))


def test_the_forest_of_the_paper() -> None:
    forest = code_forest(26)
    by_dimension = {
        int(d): int(forest.index[p]) if p >= 0 else -1
        for d, p in zip(forest.index, forest.parent, strict=True)
    }
    first = [-1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [by_dimension[i] for i in range(26)] == first + [p + 13 if p >= 0 else -1 for p in first]
    assert np.array_equal(depths(forest), [0] + [1] * 3 + [2] * 9 + [0] + [1] * 3 + [2] * 9)
    # Eq. after 4.2: every node with its descendants.
    a = np.random.default_rng(0).standard_normal(26)
    below = {0: range(13), 1: [1, 4, 5, 6], 2: [2, 7, 8, 9], 3: [3, 10, 11, 12]} | {
        i: [i] for i in range(4, 13)
    }
    expected = sum(
        np.linalg.norm(a[np.array(g) + shift]) for g in below.values() for shift in (0, 13)
    )
    assert forest_penalty(forest, 1.0).value(a) == pytest.approx(expected)


@given(forests(), st.floats(0, 2), st.booleans(), st.integers(0, 1000))
def test_the_step_of_a_word_is_that_of_the_penalty(
    forest: Groups, strength: float, positive: bool, seed: int
) -> None:
    w = np.random.default_rng(seed).standard_normal((3, forest.n_features))
    expected = [forest_penalty(forest, strength, positive).prox(row) for row in w]
    np.testing.assert_allclose(kernel_prox(forest, w, strength, positive), expected, atol=1e-12)


def test_lasso_is_a_forest_of_single_nodes() -> None:
    w = np.array([[3.0, -2.0, 0.5]])
    np.testing.assert_allclose(
        kernel_prox(forest_for("lasso", 3), w, 1.0, False), [[2.0, -1.0, 0.0]]
    )
    np.testing.assert_allclose(kernel_prox(forest_for("lasso", 3), w, 1.0, True), [[2.0, 0.0, 0.0]])


def test_norms_are_those_of_the_penalty() -> None:
    forest = code_forest(52, growth=0.7)
    codes = np.random.default_rng(0).standard_normal((4, 56)).astype(np.float32)
    out = np.empty(4)
    _core.CodeTrees(*code_trees(forest)).norms(codes.ravel(), 56, out)
    np.testing.assert_allclose(
        out, [forest_penalty(forest, 1.0).value(row[:52].astype(float)) for row in codes], rtol=1e-6
    )


def test_branching_and_weights() -> None:
    assert tree_size((3, 3)) == 13 and tree_size((2, 2, 2)) == 15 and tree_size(()) == 1
    forest = code_forest(30, (2, 2, 2), growth=0.5)
    np.testing.assert_allclose(forest.weight[np.argsort(forest.index)], 0.5 ** depths(forest))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: code_forest(50), "13 nodes make forests of 13, 26, 52, 260, 520"),
        (lambda: code_forest(0), "size is 0"),
        (lambda: code_forest(26, (3, 0)), "number of children"),
        (lambda: code_forest(26, growth=0.0), "growth must be positive"),
        (lambda: forest_of_parents([1, 0]), "cycle"),
        (lambda: forest_of_parents([-1, 5]), "parents from 0 to 1"),
        (lambda: forest_of_parents([]), "dimension above it"),
        (lambda: forest_for("ridge", 5), "penalty must be"),
        (lambda: forest_for(code_forest(26), 52), "the forest has 26 dimensions"),
        (lambda: forest_for(Groups.from_lists([[0, 1]], 2), 2), "one dimension per node"),
    ],
)
def test_bad_forests_are_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("ptr", "dimension", "parent", "message"),
    [
        ([0, 3], [0, 1], [-1, 0], "ptr must run"),
        ([0, 2], [0, 0], [-1, 0], "one node"),
        ([0, 2], [0, 2], [-1, 0], "one node"),
        ([0, 2], [0, 1], [-1, 1], "parents before children"),
        ([0, 2], [0, 1], [-1, -1], "one root"),
        ([0, 2, 2], [0, 1], [-1, 0], "must have a node"),
    ],
)
def test_the_kernel_checks_its_trees(ptr, dimension, parent, message: str) -> None:
    arrays = [np.array(a, np.int32) for a in (ptr, dimension, parent)]
    with pytest.raises(ValueError, match=message):
        _core.CodeTrees(*arrays, np.ones(len(dimension)))
