"""Codes under a fixed dictionary: exact, certified, and the same whatever the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from laconic import _core
from laconic.core.groups import Groups
from laconic.embed.codes import Coder, WordRows, gram, objective, padded
from laconic.embed.forest import code_forest, forest_for, forest_of_parents, forest_penalty


def example(
    n_words: int = 30, n_contexts: int = 50, size: int = 26, seed: int = 0
) -> tuple[sparse.csr_matrix, np.ndarray]:
    random = np.random.default_rng(seed)
    matrix = sparse.random(
        n_words, n_contexts, 0.3, format="csr", random_state=seed, dtype=np.float64
    )
    matrix.data[:] = random.gamma(2.0, 1.0, matrix.nnz)
    dictionary = np.abs(random.standard_normal((size, n_contexts)))
    return matrix, dictionary / np.linalg.norm(dictionary, axis=1, keepdims=True)


def reference(
    matrix: sparse.csr_matrix,
    dictionary: np.ndarray,
    forest: Groups,
    strength: float,
    positive: bool,
) -> np.ndarray:
    """Solve by proximal gradient with the penalty's own step, until nothing moves."""
    penalty, d = forest_penalty(forest, strength, positive), dictionary
    step = 1 / np.linalg.eigvalsh(d @ d.T)[-1]
    codes = []
    for row in matrix.toarray():
        a = ahead = np.zeros(len(d))
        momentum = 1.0
        for _ in range(20_000):
            new = penalty.prox(ahead - step * (d @ (ahead @ d - row)), step)
            momentum, last = (1 + np.sqrt(1 + 4 * momentum**2)) / 2, momentum
            if (ahead - new) @ (new - a) > 0:
                momentum, last = 1.0, 1.0
            ahead, moved = new + (last - 1) / momentum * (new - a), np.abs(new - a).max()
            a = new
            if moved < 1e-12:
                break
        codes.append(a)
    return np.array(codes)


FORESTS = {
    "lasso": forest_for("lasso", 26),
    "forest": code_forest(26),
    "mixed": forest_of_parents(
        [-1, 0, 0, 1, -1, -1, 5, 6, 7, 5, -1] + [10] * 15, np.linspace(0.5, 1.5, 26)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("name", FORESTS)
def test_codes_are_exact(name: str, positive: bool) -> None:
    matrix, dictionary = example()
    forest, strength = FORESTS[name], 0.4
    coder = Coder(forest, strength, positive, tolerance=1e-6)
    codes, value, worst = coder.encode_all(WordRows(matrix), padded(dictionary.T), 1)
    expected = reference(matrix, dictionary, forest, strength, positive)
    penalty = forest_penalty(forest, strength, positive)
    best = 0.5 * np.sum((matrix.toarray() - expected @ dictionary) ** 2) + sum(
        penalty.value(a) for a in expected
    )
    assert worst <= 1e-6
    assert value == pytest.approx(best, rel=3e-6)
    np.testing.assert_allclose(codes.toarray(), expected, atol=0.02)
    assert 0.05 < (expected == 0).mean() < 0.95
    assert objective(matrix, codes, dictionary, forest, strength) == pytest.approx(value, rel=1e-5)
    if positive:
        assert codes.data.min() > 0


@pytest.mark.parametrize("name", FORESTS)
def test_the_gap_bounds_how_far_the_objective_is_from_its_minimum(name: str) -> None:
    matrix, dictionary = example(seed=1)
    rows, table, words = WordRows(matrix), padded(dictionary.T), np.arange(30)
    exact = Coder(FORESTS[name], 0.3, False, 1e-7)
    grams, start = exact.grams(table), np.zeros((30, 32), np.float32)
    best = exact.encode(rows, words, table, grams, start, 1).objective
    for sweeps in (0, 1, 3):
        rough = Coder(FORESTS[name], 0.3, False, 1e-7, most_sweeps=sweeps).encode(
            rows, words, table, grams, start, 1
        )
        assert np.all(rough.objective - best <= rough.gap * (1 + 1e-6) + 1e-5)
        assert np.any(rough.gap > 1e-3)


def test_threads_change_nothing() -> None:
    matrix, dictionary = example(200, 80)
    rows, table = WordRows(matrix), padded(dictionary.T)
    coder = Coder(FORESTS["forest"], 0.2, False)
    one, three = (coder.encode_all(rows, table, threads)[0].toarray() for threads in (1, 3))
    assert np.array_equal(one, three)


def test_products_and_their_adjoint() -> None:
    matrix, dictionary = example(60, 40)
    rows, table = WordRows(matrix), padded(dictionary.T)
    words = np.array([3, 17, 59, 0])
    np.testing.assert_allclose(
        rows.products(words, table, 2)[:, :26], matrix[words] @ dictionary.T, rtol=1e-5
    )
    codes = np.random.default_rng(0).standard_normal((4, 32)).astype(np.float32)
    for threads in (1, 3):
        out = np.ones((40, 32), np.float32)
        rows.add_products(words, codes, out, threads)
        np.testing.assert_allclose(out, 1 + matrix[words].T @ codes, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gram(table)[:26, :26], dictionary @ dictionary.T, rtol=1e-5)


def test_a_word_without_contexts_has_the_code_zero() -> None:
    matrix, dictionary = example()
    matrix = sparse.vstack([matrix, sparse.csr_matrix((1, 50))]).tocsr()
    codes, _, worst = Coder(FORESTS["forest"], 0.4, False).encode_all(
        WordRows(matrix), padded(dictionary.T), 1
    )
    assert codes[30].nnz == 0 and worst <= 1e-4


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(3), "sparse matrix"),
        (sparse.csr_matrix((3, 0)), "empty"),
        (sparse.csr_matrix((3, 3)), "0 entries"),
        (sparse.csr_matrix(np.array([[1.0, np.nan]])), "finite"),
    ],
)
def test_bad_matrices_are_refused(matrix, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WordRows(matrix)


def test_objective_refuses_shapes_that_do_not_fit() -> None:
    matrix, dictionary = example()
    with pytest.raises(ValueError, match="do not give a matrix"):
        objective(matrix, sparse.csr_matrix((30, 25)), dictionary, FORESTS["lasso"], 1.0)


def test_kernels_check_their_rows() -> None:
    table, out = np.zeros(16, np.float32), np.zeros(8, np.float32)
    ptr, index, value, word = (
        np.array([0, 2]),
        np.array([0, 1], np.int32),
        np.ones(2, np.float32),
        np.array([0]),
    )

    def products(*given: Any) -> None:
        rows = _core.SparseRows(ptr=given[0], index=given[1], value=given[2])
        _core.word_products(rows, *given[3:])

    products(ptr, index, value, word, table, 8, out, 1)
    for changed in (
        {0: np.array([0, 3])},
        {1: np.array([0, 2], np.int32)},
        {1: np.array([1, 1], np.int32)},
        {3: np.array([1])},
        {5: 7},
        {6: np.zeros(9, np.float32)},
    ):
        arguments = [ptr, index, value, word, table, 8, out, 1]
        for place, argument in changed.items():
            arguments[place] = argument
        with pytest.raises(ValueError):
            products(*arguments)
