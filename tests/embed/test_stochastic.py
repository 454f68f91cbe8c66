"""Stochastic coding: its objective, and the same result with any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from associations import example
from scipy import sparse
from sklearn.base import clone

from laconic import _core
from laconic.embed.codes import Coder, WordRows, objective, padded
from laconic.embed.forest import code_forest, code_trees, forest_penalty
from laconic.embed.online_dictionary import OnlineDictionary
from laconic.embed.stochastic import StochasticCoding


@pytest.mark.slow
def test_comes_near_the_objective_of_online_dictionary_learning() -> None:
    matrix, strength = example(300, 250), 0.2
    exact = OnlineDictionary(13, "forest", strength, batch_size=64, passes=20, n_jobs=1).learn(
        matrix
    )
    coded = StochasticCoding(
        13, "forest", strength, negatives=2, full=True, epochs=60, rate=1.0, n_jobs=1
    ).learn(matrix)
    assert coded.report.objective == pytest.approx(
        objective(matrix, coded.codes, coded.dictionary, code_forest(13), strength), rel=1e-3
    )
    nothing = 0.5 * matrix.multiply(matrix).sum()
    assert exact.report.objective < 0.5 * nothing
    assert coded.report.objective < 1.1 * exact.report.objective
    again = StochasticCoding(
        13, "forest", strength, negatives=2, full=True, epochs=60, rate=1.0, n_jobs=1, recode=True
    ).learn(matrix)
    assert (
        again.report.objective < 1.06 * exact.report.objective and again.report.certificate <= 1e-4
    )


def test_without_a_penalty_it_comes_near_the_best_of_its_rank() -> None:
    matrix = example(300, 250)
    values = np.linalg.svd(matrix.toarray(), compute_uv=False)
    coded = StochasticCoding(
        8, "lasso", 0.0, negatives=2, full=True, epochs=60, rate=1.0, n_jobs=1
    ).learn(matrix)
    best = 0.5 * np.sum(values[8:] ** 2)
    assert best <= coded.report.objective <= 1.1 * best


@pytest.mark.parametrize(
    "options",
    [{}, {"sampling": "scaled"}, {"negatives": 0.0}, {"ridge": 0.5, "sampling": "proportional"}],
)
def test_the_objective_is_the_one_stated(options: dict) -> None:
    matrix = example(60, 50)
    coded = StochasticCoding(13, "forest", 0.1, epochs=10, n_jobs=1, **options).learn(matrix)
    x, fit = matrix.toarray(), coded.codes.toarray() @ coded.dictionary
    stored = x != 0
    weight = np.where(
        stored,
        1.0
        if options.get("sampling", "uniform") == "uniform"
        else np.abs(x) / np.abs(matrix.data).mean(),
        0.0,
    )
    n = stored.sum(axis=1, keepdims=True)
    weight = np.where(stored, weight, options.get("negatives", 1.0) * n / np.maximum(1, 50 - n))
    penalty = forest_penalty(code_forest(13), 0.1)
    expected = 0.5 * np.sum(weight * (x - fit) ** 2) + sum(
        penalty.value(a.astype(float)) for a in coded.codes.toarray()
    )
    expected += 0.5 * (options.get("ridge") or 0.0) * np.sum(coded.dictionary**2)
    assert coded.report.objective == pytest.approx(expected, rel=1e-4)
    if options.get("ridge") is None:
        assert np.linalg.norm(coded.dictionary, axis=1).max() <= 1 + 1e-5


@pytest.mark.parametrize(
    "options",
    [{"schedule": "root", "rate": 0.05}, {"schedule": "constant", "rate": 0.02}, {"run": 1}, {}],
)
def test_losses_fall(options: dict) -> None:
    matrix = example(300, 250)
    coded = StochasticCoding(26, "forest", 0.05, epochs=15, n_jobs=1, **options).learn(matrix)
    losses = [one.value for one in coded.report.trace]
    assert len(losses) == 15 and losses[-1] < 0.5 * losses[0] and losses[-1] < losses[7]


def test_threads_and_repetitions_change_nothing() -> None:
    matrix = example(300, 250)
    before = matrix.copy()
    learner = StochasticCoding(
        26, "forest", 0.1, negatives=1, sampling="proportional", epochs=3, n_jobs=1, random_state=5
    )
    one, again, three = (
        learner.learn(matrix),
        clone(learner).learn(matrix),
        clone(learner).set_params(n_jobs=3).learn(matrix),
    )
    for other in (again, three):
        assert (one.codes != other.codes).nnz == 0 and np.array_equal(
            one.dictionary, other.dictionary
        )
    assert (one.codes != clone(learner).set_params(random_state=6).learn(matrix).codes).nnz > 0
    assert (matrix != before).nnz == 0


def test_strength_and_positive_shape_codes() -> None:
    matrix = example(300, 250)
    weak = StochasticCoding(26, "forest", 0.05, epochs=10, n_jobs=1).learn(matrix)
    strong = StochasticCoding(26, "forest", 2.0, epochs=10, n_jobs=1).learn(matrix)
    assert strong.codes.nnz < weak.codes.nnz
    assert (
        StochasticCoding(26, "lasso", 0.05, positive=True, epochs=10, n_jobs=1)
        .learn(matrix)
        .codes.data.min()
        > 0
    )


def test_a_callback_ends_learning() -> None:
    coded = StochasticCoding(13, strength=0.1, epochs=50, n_jobs=1).learn(
        example(300, 250), lambda event: event.done == 3
    )
    assert (
        coded.report.interrupted
        and len(coded.report.trace) == 3
        and np.isfinite(coded.report.objective)
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"size": 14}, "13 nodes"),
        ({"epochs": 0}, "epochs"),
        ({"run": 0}, "run"),
        ({"strength": -1.0}, "strength"),
        ({"ridge": -1.0}, "ridge"),
        ({"rate": 0.0}, "rate"),
        ({"sampling": "all"}, "sampling must be one of"),
        ({"schedule": "none"}, "schedule one of"),
    ],
)
def test_bad_parameters_are_refused(changed: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StochasticCoding(13).set_params(**changed).learn(example(20, 20))


def test_the_kernel_checks_its_input() -> None:
    trees = _core.CodeTrees(*code_trees(code_forest(13)))
    cut, index, value = np.array([0, 1, 2]), np.array([0, 3], np.int32), np.ones(2, np.float32)
    tiles = _core.Stochastic(trees, cut, index, value, np.array([0, 2, 4]))
    with pytest.raises(ValueError, match="in their part"):
        _core.Stochastic(trees, cut, index[::-1].copy(), value, np.array([0, 2, 4]))
    codes, table, squares = (
        np.zeros(16, np.float32),
        np.zeros(64, np.float32),
        (np.zeros(1, np.float32), np.zeros(4, np.float32)),
    )
    words, bounds, rule = np.array([0]), np.array([0, 1, 1]), _core.StochasticRule()

    def under_way(table: np.ndarray = table, stride: int = 16) -> _core.StochasticState:
        return _core.StochasticState(
            codes=codes,
            table=table,
            code_squares=squares[0],
            context_squares=squares[1],
            stride=stride,
        )

    assert tiles.round(0, rule, words, bounds, under_way(), 1) == pytest.approx(0.5)
    for wrong in (
        (0, rule, np.array([1]), bounds, under_way(), 1),
        (0, rule, np.array([0, 0]), np.array([0, 1, 2]), under_way(), 1),
        (0, rule, words, np.array([0, 1]), under_way(), 1),
        (0, rule, words, bounds, under_way(table[:48]), 1),
        (0, rule, words, bounds, under_way(stride=8), 1),
    ):
        with pytest.raises(ValueError):
            tiles.round(*wrong)


def test_more_parts_than_contexts_and_full_rows() -> None:
    matrix = sparse.csr_matrix(np.arange(1.0, 13).reshape(4, 3))
    coded = StochasticCoding(2, "lasso", 0.01, negatives=2, full=True, epochs=200, n_jobs=2).learn(
        matrix
    )
    value = Coder(code_forest(2, ()), 0.01, False).encode_all(
        WordRows(matrix), padded(coded.dictionary.T), 1
    )[1]
    assert value < 2.0
