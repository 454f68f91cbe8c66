"""Components with weights of entries, against least squares and the SVD."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from laconic import OnlineDictionary, StochasticCoding, Svd, _core
from laconic.core.report import Event
from laconic.embed.association import EntryWeights, association
from laconic.embed.codes import WordRows, padded
from laconic.embed.components import leading_components
from laconic.embed.weighted import weighted_factors


def given(
    seed: int = 0, n_words: int = 50, n_contexts: int = 30
) -> tuple[sparse.csr_matrix, EntryWeights]:
    """Return associations of random counts, with their weights."""
    random = np.random.default_rng(seed)
    rates = np.outer(random.gamma(1.0, size=n_words), random.gamma(1.0, size=n_contexts)) * np.exp(
        random.normal(size=(n_words, 3)) @ random.normal(size=(3, n_contexts))
    )
    found = association(sparse.csr_matrix(random.poisson(rates).astype(np.float32)), weighting=0.5)
    assert found.weights is not None
    return found.matrix, found.weights


def whole(weights: EntryWeights, shape: tuple[int, int]) -> np.ndarray:
    """Return the weight of every pair."""
    entries = weights.entries.toarray()
    assert entries.shape == shape
    return np.where(entries > 0, entries, np.outer(weights.words, weights.contexts))


def value(X: sparse.csr_matrix, weights: EntryWeights, product: np.ndarray) -> float:
    return float(0.5 * np.sum(whole(weights, X.shape) * (X.toarray() - product) ** 2))


def solve(*given: Any) -> Any:
    """Call the kernel with the fields of its structs as arguments."""
    return _core.solve_weighted(
        _core.SparseRows(ptr=given[0], index=given[1], value=given[2]),
        _core.EntryWeights(entry=given[3], row=given[4], context=given[5]),
        *given[6:8],
        _core.CodeLimits(most_steps=given[8], tolerance=given[9]),
        *given[10:],
    )


def test_the_kernel_solves_weighted_least_squares() -> None:
    X, weights = given()
    random = np.random.default_rng(1)
    # Contexts without any meeting have no weight of their own; the kernel takes any.
    table = (
        np.linalg.qr(random.normal(size=(30, 5)))[0]
        / np.sqrt(np.maximum(weights.contexts, 1e-3))[:, None]
    )
    background = np.maximum(weights.contexts, 1e-3).astype(np.float32)
    of_word = np.maximum(weights.words, 1e-3)
    all_weights = np.where(
        weights.entries.toarray() > 0, weights.entries.toarray(), np.outer(of_word, background)
    )
    codes = padded(np.zeros((50, 5)))
    rows = WordRows(X)
    entries = (rows.ptr, rows.index, rows.value, weights.entries.data, of_word, background)
    objective = solve(*entries, padded(table).ravel(), 8, 50, 0.0, codes.ravel(), 2)
    for v in range(50):
        scaled = np.sqrt(all_weights[v])
        best = np.linalg.lstsq(table * scaled[:, None], X.toarray()[v] * scaled, rcond=None)[0]
        np.testing.assert_allclose(codes[v, :5], best, atol=1e-4 * max(1, np.abs(best).max()))
        left = 0.5 * np.sum(all_weights[v] * (X.toarray()[v] - table @ best) ** 2)
        assert objective[v] == pytest.approx(left, rel=1e-4, abs=1e-5)


def test_more_passes_never_raise_the_objective() -> None:
    X, weights = given()
    found = [
        weighted_factors(WordRows(X), weights, 4, np.random.RandomState(0), 1, passes)
        for passes in (1, 2, 4, 8, 30)
    ]
    values = [one.objective for one in found]
    assert all(later <= earlier * (1 + 1e-6) for earlier, later in pairwise(values))
    assert values[-1] < values[0]
    for one in found:
        product = one.left * one.values @ one.right
        assert one.objective == pytest.approx(value(X, weights, product), rel=1e-3)
    plain = Svd(4, n_iter=20).learn(X)
    assert values[-1] < value(X, weights, plain.codes.toarray() @ plain.dictionary)


def test_at_the_end_neither_side_can_do_better() -> None:
    X, weights = given()
    one = weighted_factors(WordRows(X), weights, 3, np.random.RandomState(0), 1, 200)
    all_weights = whole(weights, X.shape)
    residual = all_weights * (one.left * one.values @ one.right - X.toarray())
    scale = np.abs(all_weights * X.toarray()).sum()
    assert np.abs(residual @ (one.values[:, None] * one.right).T).max() < 1e-3 * scale
    assert np.abs((one.left * one.values).T @ residual).max() < 1e-3 * scale


def test_both_sides_are_orthonormal_in_their_weights() -> None:
    X, weights = given()
    one = weighted_factors(WordRows(X), weights, 4, np.random.RandomState(0), 1)
    np.testing.assert_allclose(
        one.left.T @ (weights.words[:, None] * one.left), np.eye(4), atol=1e-3
    )
    np.testing.assert_allclose((one.right * weights.contexts) @ one.right.T, np.eye(4), atol=1e-3)
    assert np.all(np.diff(one.values) <= 0)


def test_equal_weights_give_the_singular_value_decomposition() -> None:
    random = np.random.default_rng(3)
    dense = (random.normal(size=(40, 6)) * 0.5 ** np.arange(6)) @ random.normal(size=(6, 20))
    X = sparse.csr_matrix(np.where(np.abs(dense) > 0.2, dense, 0), dtype=np.float32)
    ones = EntryWeights(
        sparse.csr_matrix((np.ones_like(X.data), X.indices, X.indptr), X.shape),
        np.ones(40),
        np.ones(20),
    )
    found = weighted_factors(WordRows(X), ones, 4, np.random.RandomState(0), 1, 30)
    left, values, right = np.linalg.svd(X.toarray(), full_matrices=False)
    np.testing.assert_allclose(found.values, values[:4], rtol=1e-3)
    np.testing.assert_allclose(
        found.left * found.values @ found.right, left[:, :4] * values[:4] @ right[:4], atol=5e-3
    )


def test_words_without_entries_and_low_rank() -> None:
    counts = np.zeros((6, 5), np.float32)
    counts[1:3, 1:3] = [[5, 0], [0, 5]]
    X, weights = association(sparse.csr_matrix(counts), weighting=0.5)
    assert weights is not None
    one = weighted_factors(WordRows(X), weights, 4, np.random.RandomState(0), 1)
    assert all(
        np.all(np.isfinite(part)) for part in (one.left, one.values, one.right)
    ) and not np.any(one.left[[0, 3, 4, 5]])
    np.testing.assert_allclose(
        (one.left * one.values @ one.right)[1:3, 1:3], X.toarray()[1:3, 1:3], atol=1e-3
    )


def test_threads_change_nothing() -> None:
    X, weights = given(n_words=200, n_contexts=100)
    one, two = (
        weighted_factors(WordRows(X), weights, 5, np.random.RandomState(0), threads)
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.left, two.left)


def test_learners_take_weights() -> None:
    X, weights = given()
    coded = Svd(4, power=0.0).learn(X, None, weights)
    rows = (
        leading_components(WordRows(X), 4, 0.0, np.random.RandomState(0), 1, weights)
        .rows.matrix()
        .toarray()
    )
    ratio = np.linalg.norm(coded.codes.toarray()) / np.linalg.norm(rows)
    np.testing.assert_allclose(
        coded.codes.toarray(), rows * ratio, atol=1e-3 * np.abs(rows).max() * ratio
    )
    online = OnlineDictionary(4, "lasso", 1e-4, passes=20, batch_size=20, n_jobs=1).learn(
        X, None, weights
    )
    close = value(X, weights, online.codes @ online.dictionary)
    assert close == pytest.approx(coded.report.objective, rel=0.05)
    with pytest.raises(ValueError, match="takes no other weights"):
        StochasticCoding(4, "lasso").learn(X, None, weights)


def test_fewer_words_than_dimensions() -> None:
    X, weights = given(n_words=12, n_contexts=8)
    assert OnlineDictionary(13, strength=0.01, n_jobs=1).learn(X, None, weights).codes.shape == (
        12,
        13,
    )


def test_passes_can_be_ended() -> None:
    X, weights = given()
    events: list[Event] = []
    whole_run = Svd(3).learn(X, events.append, weights)
    assert [one.done for one in events[:-1]] == [
        1,
        2,
        3,
        4,
    ] and not whole_run.report.interrupted
    ended = Svd(3).learn(X, lambda event: event.stage == "components", weights)
    assert ended.report.interrupted and ended.report.objective == events[0].value
    coded = OnlineDictionary(3, "lasso", 1e-3, n_jobs=1).learn(X, lambda _: True, weights)
    assert coded.report.interrupted and len(coded.report.trace) == 1


def test_weights_of_another_matrix_are_refused() -> None:
    X, weights = given()
    rows, random = WordRows(X), np.random.RandomState(0)
    with pytest.raises(ValueError, match="places as the matrix"):
        weighted_factors(
            rows,
            weights._replace(entries=sparse.csr_matrix(np.eye(50, 30, dtype=np.float32))),
            2,
            random,
            1,
        )
    with pytest.raises(ValueError, match="50 words and 30 contexts"):
        weighted_factors(rows, weights._replace(words=weights.words[1:]), 2, random, 1)


@pytest.mark.parametrize(
    "place, bad, message",
    [
        (0, np.array([0, 2, 1], np.int64), "must not decrease"),
        (0, np.array([0, 1, 5], np.int64), "must end at"),
        (1, np.array([0, 1, 3], np.int32), "outside"),
        (1, np.array([0, -1, 1], np.int32), "outside"),
        (3, np.ones(2, np.float32), "an entry for each"),
        (4, np.ones(3, np.float32), "one entry per row"),
        (4, np.array([1, 0], np.float32), "positive"),
        (5, np.ones(2, np.float32), "one entry per context"),
        (6, np.ones(20, np.float32), "rows of stride"),
        (7, 7, "rows of stride"),
        (8, -1, "negative"),
        (10, np.ones(8, np.float32), "codes must have a row"),
    ],
)
def test_the_binding(place: int, bad: object, message: str) -> None:
    arguments: list = [
        np.array([0, 2, 3], np.int64),
        np.array([0, 2, 1], np.int32),
        *(np.ones(n, np.float32) for n in (3, 3, 2, 3, 24)),
        *(8, 3, 0.0),
        np.zeros(16, np.float32),
        1,
    ]
    solve(*arguments)
    arguments[place] = bad
    with pytest.raises(ValueError, match=message):
        solve(*arguments)
