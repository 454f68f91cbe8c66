"""The search of kernel spaces against counting everything there is."""

from __future__ import annotations

import re
import time
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sub_trees import random_trees, sub_trees, tree_structures

from laconic import _core
from laconic.mine.gradient import GradientMining, Mined, members_of
from laconic.mine.outputs import Outputs
from laconic.mine.polynomial import Polynomial
from laconic.mine.refusal import ThresholdTooSmall, named_if_refused


def products(row: np.ndarray, degree: int) -> set[tuple[int, ...]]:
    """All combinations of up to `degree` columns that a row has."""
    columns = np.flatnonzero(row).tolist()
    return {members for order in range(1, degree + 1) for members in combinations(columns, order)}


def by_enumeration(
    fired: list[set[Any]], outputs: Outputs, n_labels: int, search: GradientMining
) -> tuple[dict[Any, np.ndarray], set[Any]]:
    """Run Algorithm 1 with explicit features; return weights, and features of the last round."""
    weights: dict[Any, np.ndarray] = {
        feature: np.zeros(n_labels) for each in fired for feature in each
    }
    kept: set[Any] = set()
    for k in range(1, search.rounds + 1):
        scores = np.array([sum((weights[f] for f in each), np.zeros(n_labels)) for each in fired])
        scores = scores[outputs.structure, outputs.label] + 1
        scores[outputs.gold] -= 1
        for begin, end in zip(outputs.ptr[:-1], outputs.ptr[1:], strict=True):
            second, first = np.sort(scores[begin:end].ravel())[-2:]
            # Sums of fractional weights, in another order, might choose another output.
            assume(first - second > 1e-9 or k == 1 or not search.decreasing)
        best = [
            begin + int(scores[begin:end].argmax())
            for begin, end in zip(outputs.ptr[:-1], outputs.ptr[1:], strict=True)
        ]
        counts = {feature: np.zeros((2, n_labels)) for feature in weights}
        wrong = [
            (gold, guess) for gold, guess in zip(outputs.gold, best, strict=True) if gold != guess
        ]
        if not wrong:
            break
        for pair in wrong:
            for side, output in enumerate(pair):
                for feature in fired[outputs.structure[output]]:
                    counts[feature][side, outputs.label[output]] += 1
        kept = set()
        for feature, w in weights.items():
            moving = (counts[feature] > search.threshold).any(axis=0) | (w != 0)
            if moving.any():
                kept.add(feature)
                step = search.step / (np.sqrt(k) if search.decreasing else 1)
                change = step * (
                    counts[feature][0] - counts[feature][1] - search.threshold * np.sign(w)
                )
                weights[feature] = w + np.where(moving, change, 0)
                if search.proximal:
                    far = w + step * (counts[feature][0] - counts[feature][1])
                    weights[feature] = np.where(
                        np.abs(far) > step * search.threshold,
                        far - step * search.threshold * np.sign(far),
                        0,
                    )
        if search.proximal:
            kept = {feature for feature in kept if weights[feature].any()}
    return weights, kept


SETTINGS = {
    "seed": st.integers(0, 2**32 - 1),
    "threshold": st.integers(0, 3),
    "decreasing": st.booleans(),
    "proximal": st.booleans(),
    "bits": st.sampled_from([2, 4]),
}


@settings(max_examples=60)
@given(**SETTINGS, degree=st.integers(1, 4), n_labels=st.integers(2, 3))
def test_products_are_those_of_enumeration(
    seed: int,
    threshold: int,
    decreasing: bool,
    proximal: bool,
    bits: int,
    degree: int,
    n_labels: int,
) -> None:
    random = np.random.default_rng(seed)
    rows = random.random((12, 6)) < 0.5
    outputs = Outputs.of_labels(random.integers(n_labels, size=12), n_labels)
    search = GradientMining(
        threshold,
        degree,
        4,
        decreasing=decreasing,
        proximal=proximal,
        memory=2**17,
        counter_bits=bits,
    )
    weights, kept = by_enumeration(
        [products(row, degree) for row in rows], outputs, n_labels, search
    )
    mined = search.run(Polynomial(degree).structures(sp.csr_array(rows)), outputs, n_labels)
    assert set(members_of(mined.miner, mined.features)) == kept
    names = members_of(mined.miner, np.arange(1, len(mined.miner)))
    found = dict(zip(names, mined.weights[1:], strict=True))
    for feature, w in weights.items():
        np.testing.assert_allclose(found.get(feature, np.zeros(n_labels)), w)


@settings(max_examples=40)
@given(**SETTINGS, most=st.integers(1, 5))
def test_sub_trees_are_those_of_enumeration(
    seed: int, threshold: int, decreasing: bool, proximal: bool, bits: int, most: int
) -> None:
    random = np.random.default_rng(seed)
    n_trees, n_basic = 10, 4
    trees, basics = random_trees(random, n_trees, 5, n_basic)
    pairs = np.arange(n_trees, dtype=np.int64)  # every two trees are the outputs of an example
    outputs = Outputs(
        np.arange(0, n_trees + 1, 2),
        pairs,
        np.zeros(n_trees, np.int32),
        pairs[::2] + random.integers(2, size=5),
    )
    search = GradientMining(
        threshold,
        most,
        3,
        decreasing=decreasing,
        proximal=proximal,
        memory=2**20,
        counter_bits=bits,
    )
    fired = [
        set(sub_trees(heads, features, most)) for heads, features in zip(trees, basics, strict=True)
    ]
    weights, kept = by_enumeration(fired, outputs, 1, search)
    mined = search.run(tree_structures(trees, basics, n_basic), outputs, 1)

    def sequence(feature: int) -> tuple[tuple[int, int], ...]:
        return tuple(
            divmod(member, n_basic) for member in members_of(mined.miner, np.array([feature]))[0]
        )

    assert {sequence(feature) for feature in mined.features} == kept
    found = {sequence(feature): mined.weights[feature] for feature in range(1, len(mined.miner))}
    for feature, w in weights.items():
        np.testing.assert_allclose(found.get(feature, np.zeros(1)), w)


def test_what_exceeds_the_memory_goes_to_disk_and_changes_nothing() -> None:
    random = np.random.default_rng(0)
    rows = sp.csr_array(random.random((2000, 10)) < 0.4)
    outputs = Outputs.of_labels(random.integers(2, size=2000), 2)
    structures = Polynomial(3).structures(rows)
    much = GradientMining(2, 3, 3).run(structures, outputs, 2)
    little = GradientMining(2, 3, 3, memory=4e5).run(structures, outputs, 2)
    assert max(order.spilled for each in little.rounds for order in each.orders) > 0
    assert all(order.spilled == 0 for each in much.rounds for order in each.orders)
    np.testing.assert_array_equal(much.features, little.features)
    np.testing.assert_array_equal(much.weights, little.weights)


def test_orders_have_their_seconds() -> None:
    structures = Polynomial(2).structures(
        sp.csr_array(np.random.default_rng(0).random((500, 20)) < 0.4)
    )
    began = time.perf_counter()
    mined = GradientMining(2, 2, 3).run(structures, Outputs.of_labels(np.arange(500) % 2, 2), 2)
    seconds = [order.seconds for each in mined.rounds for order in each.orders]
    assert min(seconds) > 0 and sum(seconds) < time.perf_counter() - began


def test_a_threshold_that_is_too_small_for_the_memory_names_one_that_fits() -> None:
    random = np.random.default_rng(0)
    rows = random.random((200, 60)) < 0.1  # many pairs, which occur in few rows
    rows[:20, :20] = True  # few pairs that occur in many, and so do all combinations of them
    structures = Polynomial(4).structures(sp.csr_array(rows))
    outputs = Outputs.of_labels(np.arange(200) % 2, 2)

    def search(threshold: int) -> Mined:
        return GradientMining(threshold, 4, 1, memory=4e5).run(structures, outputs, 2)

    with pytest.raises(
        ThresholdTooSmall, match="threshold=0: the candidates of order 2 need more memory"
    ) as refused:
        search(0)
    with pytest.raises(
        MemoryError,
        match="order 2 need more memory than they may have; the smallest threshold that fits is",
    ) as error:
        named_if_refused(search, 0)
    fits = int(re.findall(r"fits is (\d+)", str(error.value))[0])
    assert (
        refused.value.larger < fits
    )  # what the counts of the first order that was refused foretold was not enough
    search(fits)
    with pytest.raises(ThresholdTooSmall):
        search(fits - 1)


def test_memory_that_no_threshold_fits() -> None:
    columns = sp.csr_array(
        np.ones((100, 3000), dtype=bool)
    )  # more single features than the memory holds, each in all rows
    outputs = Outputs.of_labels(np.arange(100) % 2, 2)
    structures = Polynomial(2).structures(columns)
    with pytest.raises(
        MemoryError,
        match="need more memory than they may have, and no threshold fits; give more memory",
    ):
        named_if_refused(
            lambda threshold: GradientMining(threshold, 2, 1, memory=1e4).run(
                structures, outputs, 2
            ),
            3,
        )


def test_thresholds_beyond_the_counters_are_tried_too() -> None:
    ones = sp.csr_array(
        np.ones((100, 40), dtype=bool)
    )  # every combination occurs in all rows: only C >= 50 leaves them out
    outputs = Outputs.of_labels(np.arange(100) % 2, 2)
    structures = Polynomial(3).structures(ones)

    def search(threshold: int) -> Mined:
        return GradientMining(threshold, 3, 1, memory=1e5).run(structures, outputs, 2)

    with pytest.raises(MemoryError, match="the smallest threshold that fits is 50"):
        named_if_refused(search, 3)
    assert len(search(50).features) == 0


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"threshold": -1}, "threshold must be"),
        ({"threshold": 1.5}, "threshold must be"),
        ({"most_order": 0}, "most_order must be"),
        ({"rounds": 0}, "rounds must be"),
        ({"step": 0}, "step must be"),
        ({"step": float("nan")}, "step must be"),
        ({"memory": 10}, "memory must be"),
        ({"counter_bits": 3}, "bits must be 2 or 4"),
        ({"hashes": 99}, "n_hashes must be"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        GradientMining(**parameters).new_miner()


def test_orders_are_told_as_they_are_searched() -> None:
    X = sp.csr_array(np.random.default_rng(0).random((30, 6)) < 0.5)
    outputs = Outputs.of_labels(np.arange(30) % 2, 2)
    heard: list[Any] = []
    search = GradientMining(1, 3, rounds=2)
    mined = search.run(Polynomial(3).structures(X), outputs, 2, on_order=heard.append)
    assert heard == [order for found in mined.rounds for order in found.orders]

    def stop(order: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.run(Polynomial(3).structures(X), outputs, 2, on_order=stop)


def test_bad_arrays_are_refused() -> None:
    ptr, first, one = np.array([0, 1], np.int64), np.array([0], np.int64), np.array([1], np.int32)
    with pytest.raises(ValueError, match="must end at"):
        _core.SetStructures(ptr, np.array([1, 2], np.int32), 3)
    with pytest.raises(ValueError, match="outside"):
        _core.SetStructures(ptr, np.array([5], np.int32), 3)
    with pytest.raises(ValueError, match="must rise"):
        _core.SetStructures(np.array([0, 2], np.int64), np.array([2, 2], np.int32), 3)
    with pytest.raises(ValueError, match="outside its sentence"):
        _core.TreeStructures(ptr, np.array([2], np.int32), first, ptr, one, 3)
    with pytest.raises(ValueError, match="arc holds 1"):
        _core.TreeStructures(ptr, np.array([0], np.int32), first + 1, ptr, one, 3)
    with pytest.raises(ValueError, match="cycle"):
        _core.TreeStructures(
            np.array([0, 2]), np.array([2, 1], np.int32), np.array([0, 0]), ptr, one, 3
        )
    with pytest.raises(ValueError, match="too many basic features"):
        _core.TreeStructures(ptr, np.array([0], np.int32), first, ptr, one, 2**31)
    structures = _core.SetStructures(ptr, one, 3)
    miner = GradientMining(0).new_miner()
    with pytest.raises(ValueError, match="not there yet"):
        miner.add(np.array([7], np.uint32), np.array([0], np.uint32))
    with pytest.raises(ValueError, match="n_labels entries"):
        miner.score(structures, np.zeros(5), 2, np.zeros(2))
    nothing = np.array([0], np.int32)
    shown = _core.SidedOutputs(structure=np.array([3]), label=nothing, side=nothing)
    options = _core.SearchOptions(n_labels=1, threshold=0, most_order=2, memory=1000)
    with pytest.raises(ValueError, match="structure holds 3"):
        miner.mine(structures, shown, np.zeros(1), options)
