"""Truncated singular value decomposition as a learner of codes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from laconic.core.report import Event
from laconic.embed.svd import Svd


def matrix(seed: int = 0) -> sparse.csr_matrix:
    """Return a matrix of falling singular values."""
    rng = np.random.default_rng(seed)
    dense = (rng.normal(size=(40, 8)) * 0.5 ** np.arange(8)) @ rng.normal(size=(8, 30))
    return sparse.csr_matrix(np.where(np.abs(dense) > 0.3, dense, 0))


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_no_matrix_of_this_rank_is_nearer(power: float) -> None:
    given = matrix()
    events: list[Event] = []
    coded = Svd(4, power, n_iter=20).learn(given, events.append)
    values = np.linalg.svd(given.toarray(), compute_uv=False)
    assert coded.codes.shape == (40, 4) and coded.dictionary.shape == (4, 30)
    left_over = np.sum((given.toarray() - coded.codes.toarray() @ coded.dictionary) ** 2) / 2
    assert left_over == pytest.approx(np.sum(values[4:] ** 2) / 2, rel=1e-3)
    assert coded.report.objective == pytest.approx(left_over, rel=1e-3)
    assert tuple(events) == coded.report.trace
    np.testing.assert_allclose(
        np.linalg.norm(coded.codes.toarray(), axis=0), values[:4] ** power, rtol=1e-3
    )


def test_the_same_seed_gives_the_same_codes() -> None:
    first, second = (
        Svd(3, random_state=5, n_jobs=1).learn(matrix()).codes.toarray() for _ in range(2)
    )
    assert first.tolist() == second.tolist()


def test_all_of_a_matrix() -> None:
    coded = Svd(30).learn(matrix())
    np.testing.assert_allclose(
        coded.codes.toarray() @ coded.dictionary, matrix().toarray(), atol=1e-4
    )


@pytest.mark.parametrize(
    "options", [{"size": 0}, {"size": 31}, {"size": 1.5}, {"power": 2}, {"n_iter": 0}]
)
def test_bad_parameters(options: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        Svd(**{"size": 2, **options}).learn(matrix())
