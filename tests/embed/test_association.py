"""Counts to pointwise mutual information."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from laconic.embed import association as module
from laconic.embed.association import association


def by_formula(counts: np.ndarray, kind: str, smoothing: float, shift: float) -> np.ndarray:
    of_context = counts.sum(axis=0) ** smoothing
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(
            counts / counts.sum(axis=1, keepdims=True) / (of_context / of_context.sum())
        ) - np.log(shift)
    return np.where((counts > 0) & ((values > 0) | (kind == "pmi")), values, 0)


@settings(max_examples=60)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.integers(1, 6)),
        elements=st.integers(0, 4).map(float),
    ),
    st.sampled_from(["ppmi", "pmi"]),
    st.sampled_from([0.0, 0.75, 1.0]),
    st.sampled_from([1.0, 2.0]),
    st.integers(1, 9),
)
def test_values_are_those_of_the_formula(
    counts: np.ndarray, kind: str, smoothing: float, shift: float, size: int
) -> None:
    given_counts = csr_matrix(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ENTRIES", size)
        found, weights = association(given_counts, kind, smoothing, shift)
    found.check_format()
    assert weights is None
    assert found.dtype == np.float32
    np.testing.assert_allclose(
        found.toarray(), by_formula(counts, kind, smoothing, shift), atol=1e-5
    )
    assert (given_counts != csr_matrix(counts)).nnz == 0  # a copy was worked on


def test_exponents_keep_signs() -> None:
    counts = csr_matrix(np.array([[3, 1], [1, 2], [0, 4]], np.float32))
    plain = association(counts, "pmi").matrix
    assert (plain.data < 0).any()
    expected = np.sign(plain.data) * np.sqrt(np.abs(plain.data))
    np.testing.assert_allclose(
        association(counts, "pmi", exponent=0.5).matrix.data, expected, rtol=1e-6
    )
    np.testing.assert_allclose(
        association(counts, exponent=0.5).matrix.data, expected[expected > 0], rtol=1e-6
    )


@pytest.mark.parametrize("copy", [True, False])
def test_weights_are_powers_of_counts_and_of_those_expected_by_chance(copy: bool) -> None:
    counts = np.array([[3, 1, 0], [1, 2, 0], [0, 4, 2]], np.float32)
    matrix, weights = association(csr_matrix(counts), copy=copy, weighting=0.5)
    assert weights is not None
    np.testing.assert_allclose(
        weights.entries.toarray(), np.where(matrix.toarray() > 0, np.sqrt(counts), 0), rtol=1e-6
    )
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    np.testing.assert_allclose(
        np.outer(weights.words, weights.contexts), np.sqrt(expected), rtol=1e-6
    )


def test_in_place() -> None:
    counts = csr_matrix(np.array([[3, 1], [0, 2]], np.float32))
    expected = association(counts).matrix
    np.testing.assert_array_equal(
        association(counts, copy=False).matrix.toarray(), expected.toarray()
    )
    assert counts.data[0] != 3
    assert association(csr_matrix((2, 3), dtype=np.float32)).matrix.nnz == 0


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "mi"},
        {"smoothing": 2},
        {"smoothing": -1},
        {"shift": 0},
        {"shift": np.inf},
        {"exponent": 0},
        {"exponent": 2},
        {"weighting": -1},
        {"weighting": 1.5},
    ],
)
def test_bad_parameters(options: dict) -> None:
    with pytest.raises(ValueError, match="must"):
        association(csr_matrix(np.ones((2, 2))), **options)


@pytest.mark.parametrize("value", [-1, np.inf, np.nan])
def test_bad_counts(value: float) -> None:
    with pytest.raises(ValueError, match="counts must be finite"):
        association(csr_matrix(np.array([[1, value]])))
