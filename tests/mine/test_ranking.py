"""The averaged perceptron over lists, and features that distinguish members, in plain code."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sub_trees import random_trees, tree_structures

from laconic import _core
from laconic.core.ragged import pointers
from laconic.mine.gradient import GradientMining, members_of
from laconic.mine.outputs import Outputs
from laconic.mine.ranking import ListFeatures, decayed, orders, rank


def random_lists(
    random: np.random.Generator, n_lists: int, n_features: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounds of lists, the right output of each, and a row of zeros and ones for every output."""
    ptr = pointers(random.integers(1, 5, size=n_lists))
    gold = ptr[:-1] + (random.random(n_lists) * np.diff(ptr)).astype(np.int64)
    return ptr, gold, random.random((int(ptr[-1]), n_features)) < 0.4


def sparse(rows: np.ndarray) -> ListFeatures:
    return ListFeatures(pointers(rows.sum(axis=1)), np.nonzero(rows)[1].astype(np.int32))


def plain(
    ptr: np.ndarray,
    gold: np.ndarray,
    rows: np.ndarray,
    step: np.ndarray,
    cost: np.ndarray,
    most_step: float,
    order: np.ndarray,
) -> tuple[np.ndarray, int]:
    """Averages of the weights before every step's end, and wrong outputs, with dense vectors."""
    weights, total, wrong = np.zeros(rows.shape[1]), np.zeros(rows.shape[1]), 0
    for i in order:
        outputs = np.arange(ptr[i], ptr[i + 1])
        scores = rows[outputs] @ weights + np.where(outputs == gold[i], 0, cost[outputs])
        rivals = [o for o in outputs if o != gold[i]]
        best = max(rivals, key=lambda o: (scores[o - ptr[i]], -o), default=None)
        right = scores[gold[i] - ptr[i]]
        if best is not None and scores[best - ptr[i]] >= right:
            wrong += 1
            difference = rows[gold[i]].astype(float) - rows[best]
            norm = float(step @ np.abs(difference))
            length = 1.0
            if most_step > 0:
                length = min(most_step, (scores[best - ptr[i]] - right) / norm) if norm > 0 else 0.0
            weights = weights + length * step * difference
        total += weights
    return total / max(1, len(order)), wrong


def learn(
    list_ptr: Any,
    gold: Any,
    ptr: Any,
    feature: Any,
    step: Any,
    cost: Any,
    most_step: float,
    order: Any,
    epochs: int,
) -> Any:
    """The kernel with the fields of its lists as arguments."""
    lists = _core.RankedLists(list_ptr=list_ptr, gold=gold, ptr=ptr, feature=feature, cost=cost)
    return _core.learn_ranking(lists, step, most_step, order, epochs)


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32 - 1), with_cost=st.booleans())
def test_perceptron_is_that_of_dense_vectors(seed: int, with_cost: bool) -> None:
    random = np.random.default_rng(seed)
    ptr, gold, rows = random_lists(random, 12, 6)
    step = random.choice(
        [0.25, 0.5, 1.0], 6
    )  # sums of these are exact, so that ties are ties for both
    cost = random.integers(0, 3, size=len(rows)).astype(float) * with_cost
    order = random.integers(12, size=48)
    weights, wrong = learn(ptr, gold, *sparse(rows), step, cost, 0.0, order, 4)
    expected, n_wrong = plain(ptr, gold, rows, step, cost, 0.0, order)
    np.testing.assert_allclose(weights, expected, atol=1e-12)
    assert wrong.sum() == n_wrong and len(wrong) == 4


def test_passive_aggressive_steps_are_as_long_as_they_must_be() -> None:
    """Without ties: costs that no two outputs share."""
    random = np.random.default_rng(0)
    ptr, gold, rows = random_lists(random, 20, 8)
    step, cost = np.ones(8), random.random(len(rows))
    order = np.tile(np.arange(20), 5)
    for most_step in (0.05, 1.0, 1e6):
        weights, wrong = learn(ptr, gold, *sparse(rows), step, cost, most_step, order, 5)
        expected, n_wrong = plain(ptr, gold, rows, step, cost, most_step, order)
        np.testing.assert_allclose(weights, expected, atol=1e-9)
        assert wrong.sum() == n_wrong


def test_rank_learns_what_can_be_learned_and_obeys_its_seed() -> None:
    random = np.random.default_rng(3)
    ptr, gold, rows = random_lists(random, 50, 6)
    rows[:, 0] = False
    rows[gold, 0] = True  # this one tells
    outputs = Outputs(ptr, np.arange(len(rows)), np.zeros(len(rows), np.int32), gold)
    found = rank(sparse(rows), outputs, np.ones(6), 30, 0)
    assert (
        outputs.best(sparse(rows).scores(found.weights)).tolist() == gold.tolist()
        and found.wrong[-1] == 0
    )
    assert len(found.wrong) == 30 and found.weights.argmax() == 0
    assert np.array_equal(rank(sparse(rows), outputs, np.ones(6), 30, 0).weights, found.weights)
    assert not np.array_equal(rank(sparse(rows), outputs, np.ones(6), 30, 1).weights, found.weights)
    with pytest.raises(ValueError, match="epochs must be at least 1"):
        rank(sparse(rows), outputs, np.ones(6), 0, 0)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_is_told_apart_is_what_fires_in_some_and_not_in_all(seed: int) -> None:
    random = np.random.default_rng(seed)
    trees, basics = random_trees(random, 12, 5, 3)
    structures = tree_structures(trees, basics, 3)
    list_ptr = np.array([0, 1, 4, 4, 9, 12])
    outputs = Outputs(
        np.arange(0, 13, 2), np.arange(12), np.zeros(12, np.int32), np.arange(0, 12, 2)
    )
    miner = GradientMining(0, 3, 1).run(structures, outputs, 1).miner
    ptr, feature = miner.fired(structures)
    fired = [set(feature[ptr[s] : ptr[s + 1]].tolist()) for s in range(12)]
    found = ListFeatures.of(miner, structures, list_ptr)
    for begin, end in pairwise(list_ptr.tolist()):
        shared = set.intersection(*fired[begin:end]) if begin < end else set()
        for s in range(begin, end):
            assert found.feature[found.ptr[s] : found.ptr[s + 1]].tolist() == sorted(
                fired[s] - shared
            )
    weights = random.standard_normal(len(miner))
    expected = [
        sum(weights[f] for f in found.feature[found.ptr[s] : found.ptr[s + 1]]) for s in range(12)
    ]
    np.testing.assert_allclose(found.scores(weights), expected, atol=1e-9)
    lengths = [len(members) for members in members_of(miner, np.arange(len(miner)))]
    assert orders(miner).tolist() == lengths


def test_steps_fall_with_the_order() -> None:
    assert decayed(np.array([0, 1, 2, 3]), 0.5).tolist() == [1.0, 1.0, 0.5, 0.25]
    for bad in (0.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="decay must be above 0"):
            decayed(np.array([1]), bad)


GOOD: dict[str, Any] = {
    "list_ptr": np.array([0, 2, 3]),
    "gold": np.array([1, 2]),
    "ptr": np.array([0, 1, 2, 2]),
    "feature": np.array([0, 1], dtype=np.int32),
    "step": np.ones(2),
    "cost": np.zeros(3),
    "most_step": 0.0,
    "order": np.array([0, 1]),
    "epochs": 1,
}


@pytest.mark.parametrize(
    "bad",
    [
        {"list_ptr": np.array([0, 3])},
        {"list_ptr": np.array([0, 2, 4])},
        {"list_ptr": np.array([0, 4, 3])},
        {"gold": np.array([2, 2])},
        {"gold": np.array([-1, 2])},
        {"gold": np.array([1])},
        {"ptr": np.array([0, 1, 2, 3])},
        {"ptr": np.array([0, 2, 1, 2])},
        {"ptr": np.zeros(0, np.int64)},
        {"feature": np.array([0, 2], dtype=np.int32)},
        {"feature": np.array([-1, 1], dtype=np.int32)},
        {"cost": np.zeros(2)},
        {"most_step": -1.0},
        {"most_step": float("inf")},
        {"order": np.array([0, 2])},
        {"order": np.array([0, -1])},
        {"order": np.array([0, 1, 0]), "epochs": 2},
        {"epochs": 0},
    ],
)
def test_bad_arrays_raise(bad: dict[str, Any]) -> None:
    learn(**GOOD)
    with pytest.raises(ValueError):
        learn(**{**GOOD, **bad})


def test_bad_lists_of_structures_raise() -> None:
    structures = tree_structures([[0], [0]], [[[0]], [[]]], 1)
    for bad in ([0, 1], [0, 3], [1, 2], [0, 2, 1, 2]):
        with pytest.raises(ValueError):
            _core.Miner(10, 4, 4).told_apart(structures, np.array(bad))
