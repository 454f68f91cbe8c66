"""The steps design: every row is scored with the weights of its step."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.core.designs.steps import Steps, in_blocks


@settings(max_examples=30)
@given(
    st.integers(1, 4), st.integers(1, 3), st.booleans(), st.integers(1, 3), st.integers(0, 10**6)
)
def test_scores_the_adjoint_and_curvatures(
    n_steps: int, n_outputs: int, intercept: bool, threads: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = sp.random(12, 5, density=0.5, random_state=rng, format="csr")
    steps = rng.integers(n_steps, size=12)
    design = Steps(X, steps, n_steps, n_outputs, intercept, threads)
    w = rng.normal(size=design.n_weights)
    table = w[: design.n_penalised].reshape(5, n_steps, n_outputs)
    expected = np.stack([X[[n]].toarray()[0] @ table[:, steps[n]] for n in range(12)])
    expected += w[design.n_penalised :] if intercept else 0.0
    assert np.allclose(design.score(w), expected.ravel())
    r, h = rng.normal(size=12 * n_outputs), rng.uniform(size=12 * n_outputs)
    assert design.score(w) @ r == pytest.approx(w @ design.pull(r))
    columns = np.stack(
        [
            design.score(one) - design.score(np.zeros_like(w))
            for one in np.eye(design.n_weights)[: design.n_penalised]
        ]
    )
    assert np.allclose(design.curvature(h), (columns**2 * h).sum(axis=1))


def test_as_many_entries_as_the_matrix_has_and_any_storage() -> None:
    X = sp.random(30, 20, density=0.2, random_state=0, format="csr")
    steps = np.arange(30) % 7
    blocks = in_blocks(X, steps, 9)
    assert blocks.nnz == X.nnz and blocks.shape == (30, 180)
    for other in (X.tocsc(), X.tocoo(), X.toarray(), sp.csr_array(X)):
        assert (in_blocks(other, steps, 9) != blocks).nnz == 0


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([0, 1], "one step per row expected"),
        ([0.0, 1.0, 1.0], "whole numbers from 0 to 1"),
        ([0, 1, 2], "steps must be from 0 to 1, got 0 to 2"),
        ([0, -1, 1], "steps must be from 0 to 1, got -1 to 1"),
    ],
)
def test_steps_that_cannot_be_used(steps: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        in_blocks(np.ones((3, 2)), steps, 2)


def test_rows_with_all_steps_alike() -> None:
    X = sp.random(7, 3, 0.6, format="csr", random_state=0)
    design = Steps(X, np.array([0, 1, 2, 0, 1, 2, 2]), 3)
    assert np.array_equal(design.pooled().toarray(), X.toarray())
