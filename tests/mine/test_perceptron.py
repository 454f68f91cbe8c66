"""The perceptron in dual form against one that writes its features down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import hypothesis
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sub_trees import random_trees, sub_trees, tree_structures

from laconic.mine.kernels import PolynomialKernel, TreeKernel
from laconic.mine.outputs import Outputs
from laconic.mine.perceptron import ChunkPass, KernelPerceptron, schedule, standardized
from laconic.mine.polynomial import Polynomial


def explicit_scores(
    features: list[Counter[Any]],
    outputs: Outputs,
    orders: list[np.ndarray],
    times: Callable[[Any], int] = lambda feature: 1,
) -> np.ndarray:
    """Return scores of all outputs by the averaged perceptron of one chunk, with explicit weights.

    times: how often the space of the kernel has a feature.
    """
    weights: Counter[Any] = Counter()
    total: Counter[Any] = Counter()

    def score(output: int, by: Counter[Any]) -> float:
        counts = features[outputs.structure[output]].items()
        return sum(n * times(feature) * by[feature, outputs.label[output]] for feature, n in counts)

    steps = 0
    for order in orders:
        wrong = 0
        for example in order:
            some = range(outputs.ptr[example], outputs.ptr[example + 1])
            gold, best = (
                int(outputs.gold[example]),
                max(some, key=lambda output: (score(output, weights), -output)),
            )
            if best != gold:
                wrong += 1
                for output, sign in ((gold, 1), (best, -1)):
                    for feature, n in features[outputs.structure[output]].items():
                        weights[feature, outputs.label[output]] += sign * n
            steps += 1
            for feature, weight in weights.items():
                total[feature] += weight
        if not wrong:
            break
    return np.array([score(output, total) / steps for output in range(len(outputs.structure))])


def trees_in_lists(
    random: np.random.Generator, n_examples: int
) -> tuple[Any, list[Counter[Any]], Outputs]:
    """Return lists of one to four trees, one gold: structures, sub feature trees, outputs."""
    ptr = np.cumsum([0, *random.integers(1, 5, size=n_examples)])
    trees, basics = random_trees(random, int(ptr[-1]), 4, 3)
    counts = [sub_trees(heads, features, 4) for heads, features in zip(trees, basics, strict=True)]
    outputs = Outputs(
        ptr,
        random.permutation(ptr[-1]),
        np.zeros(ptr[-1], np.int32),
        random.integers(ptr[:-1], ptr[1:]),
    )
    return tree_structures(trees, basics, 3), counts, outputs


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), chunks=st.integers(1, 3), epochs=st.integers(1, 4))
@hypothesis.example(seed=228, chunks=2, epochs=1)  # two scores that are zero but for rounding
def test_trees_are_ranked_as_by_their_sub_trees(seed: int, chunks: int, epochs: int) -> None:
    structures, counts, outputs = trees_in_lists(np.random.default_rng(seed), 12)
    machine = KernelPerceptron(TreeKernel(), chunks, epochs, random_state=seed).fit(
        structures, outputs
    )
    expected = np.array(
        [explicit_scores(counts, outputs, orders) for orders in schedule(12, chunks, epochs, seed)]
    )
    np.testing.assert_allclose(
        machine.chunk_scores(structures, outputs), expected, rtol=1e-9, atol=1e-9
    )
    expected[np.abs(expected) < 1e-12] = (
        0.0  # what cancels but for rounding; counts are small, and so are weights
    )
    np.testing.assert_allclose(
        machine.scores(structures, outputs),
        standardized(expected, outputs.ptr).mean(axis=0),
        rtol=1e-6,
        atol=1e-6,
    )


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(2, 4))
def test_labels_have_weights_of_their_own(seed: int, n_labels: int) -> None:
    """The features of (a'b + 1)^2 on sets are 1, three times a_i and twice a_i a_j."""
    random = np.random.default_rng(seed)
    rows = random.random((15, 6)) < 0.5
    outputs = Outputs.of_labels(random.integers(n_labels, size=15), n_labels)
    explicit = []
    for row in rows:
        on = np.flatnonzero(row).tolist()
        explicit.append(Counter([(), *((i,) for i in on), *combinations(on, 2)]))
    structures = Polynomial().structures(sp.csr_array(rows))
    machine = KernelPerceptron(PolynomialKernel(2), chunks=1, epochs=2).fit(structures, outputs)
    expected = explicit_scores(
        explicit, outputs, next(schedule(15, 1, 2, 0)), lambda feature: (1, 3, 2)[len(feature)]
    )
    np.testing.assert_allclose(machine.chunk_scores(structures, outputs)[0], expected, atol=1e-9)


def pairs_of_sets(random: np.random.Generator, n_examples: int) -> tuple[Any, Outputs]:
    """Of two sets the gold one has both or none of features 0 and 1, which only products show."""
    rows = random.random((n_examples, 2, 8)) < 0.5
    gold = random.integers(2, size=n_examples)
    rows[:, :, 1] = rows[:, :, 0] ^ (gold[:, None] != np.arange(2))
    first = 2 * np.arange(n_examples)
    outputs = Outputs(
        2 * np.arange(n_examples + 1),
        np.arange(2 * n_examples),
        np.zeros(2 * n_examples, np.int32),
        first + gold,
    )
    return Polynomial().structures(sp.csr_array(rows.reshape(-1, 8))), outputs


def test_what_separates_is_learned_and_seeds_repeat() -> None:
    random = np.random.default_rng(3)
    train, test = pairs_of_sets(random, 150), pairs_of_sets(random, 200)

    def learned(degree: int, seed: int) -> np.ndarray:
        return (
            KernelPerceptron(PolynomialKernel(degree), chunks=3, epochs=20, random_state=seed)
            .fit(*train)
            .scores(*test)
        )

    def accuracy(scores: np.ndarray) -> float:
        return float((test[1].best(scores) == test[1].gold).mean())

    assert accuracy(learned(2, 0)) > 0.95
    assert accuracy(learned(1, 0)) < 0.7
    np.testing.assert_array_equal(learned(2, 0), learned(2, 0))
    assert (learned(2, 0) != learned(2, 1)).any()


def test_no_pair_is_evaluated_twice_and_callbacks_end_the_work() -> None:
    structures, _, outputs = trees_in_lists(np.random.default_rng(0), 20)
    seen: list[ChunkPass] = []
    machine = KernelPerceptron(TreeKernel(0.1), chunks=1, epochs=30)
    machine.fit(structures, outputs, callback=lambda each: bool(seen.append(each)))
    assert seen == list(machine.trace_)
    n_structures, n_supports = len(structures), machine.trace_[-1].supports
    assert machine.trace_[0].evaluations <= machine.evaluations_ <= n_structures * n_supports
    assert len(machine.trace_) > 2
    stopped = KernelPerceptron(TreeKernel(0.1), chunks=4, epochs=30).fit(
        structures, outputs, callback=lambda each: True
    )
    assert len(stopped.trace_) == 1
    assert stopped.chunk_scores(structures, outputs).shape == (1, len(outputs.structure))


def test_votes_do_not_depend_on_the_size_of_scores() -> None:
    ptr = np.array([0, 3, 5, 6])
    scores = np.array([[1.0, 2, 4, 5, 5, 7], [-3.0, 0, 3, 1, 2, 0]])
    votes = standardized(scores, ptr)
    np.testing.assert_allclose(votes, standardized(scores * [[1e200], [1e-200]], ptr))
    np.testing.assert_allclose(np.add.reduceat(votes, ptr[:-1], axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(np.add.reduceat(votes**2, ptr[:-1], axis=1), [[3, 0, 0], [3, 2, 0]])


def test_bad_parameters() -> None:
    structures, _, outputs = trees_in_lists(np.random.default_rng(0), 4)
    with pytest.raises(
        ValueError, match="chunks must be from 1 to the number of examples, 4, not 5"
    ):
        KernelPerceptron(TreeKernel(), chunks=5).fit(structures, outputs)
    with pytest.raises(ValueError, match="epochs must be"):
        KernelPerceptron(TreeKernel(), chunks=1, epochs=0).fit(structures, outputs)
    machine = KernelPerceptron(TreeKernel(), chunks=1).fit(structures, outputs)
    with pytest.raises(ValueError, match="outputs have label 1; 1 labels were learned"):
        machine.scores(structures, outputs._replace(label=outputs.label + 1))
