"""Principal components as rows to code."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from laconic.embed.codes import WordRows
from laconic.embed.components import leading_components
from laconic.embed.online_dictionary import OnlineDictionary


def matrix(seed: int = 0) -> sparse.csr_matrix:
    random = np.random.default_rng(seed)
    return sparse.csr_matrix(
        np.where(random.random((60, 40)) < 0.4, random.random((60, 40)), 0), dtype=np.float32
    )


def dense(rows: WordRows) -> np.ndarray:
    return sparse.csr_matrix((rows.value, rows.index, rows.ptr), shape=rows.shape).toarray()


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_rows_times_contexts_are_the_best_matrix_of_their_rank(power: float) -> None:
    X = matrix()
    found = leading_components(WordRows(X), 7, power, np.random.RandomState(0), 1)
    left, values, right = np.linalg.svd(X.toarray(), full_matrices=False)
    best = left[:, :7] * values[:7] @ right[:7]
    rows = dense(found.rows)
    assert np.linalg.norm(rows @ found.contexts - best) < 0.1 * np.linalg.norm(best)
    np.testing.assert_allclose(np.mean(np.sum(rows**2, axis=1)), 1, rtol=1e-5)
    if power == 0:  # all directions alike
        np.testing.assert_allclose(rows.T @ rows, np.eye(7) * len(rows) / 7, atol=0.05)


def test_components_of_a_matrix_of_lower_rank() -> None:
    X = sparse.csr_matrix(np.outer(np.arange(1, 9), np.arange(1, 7)), dtype=np.float32)
    found = leading_components(WordRows(X), 3, 0.0, np.random.RandomState(0), 1)
    assert np.all(np.isfinite(dense(found.rows)))


def test_a_learner_codes_components() -> None:
    X = matrix()
    coded = OnlineDictionary(10, "lasso", 0.001, components=10, passes=30, batch_size=20).learn(X)
    left, values, right = np.linalg.svd(X.toarray(), full_matrices=False)
    best = left[:, :10] * values[:10] @ right[:10]
    assert coded.dictionary.shape == (10, 40)
    assert np.linalg.norm(coded.codes @ coded.dictionary - best) < 0.15 * np.linalg.norm(best)


@pytest.mark.parametrize(
    "options", [{"components": 0}, {"components": 41}, {"components": 5, "power": 2}]
)
def test_bad_parameters(options: dict) -> None:
    with pytest.raises(ValueError, match="must"):
        OnlineDictionary(10, "lasso", **options).learn(matrix())
