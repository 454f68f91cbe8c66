"""Chain inference against enumeration of all label sequences."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import _core
from laconic.core.inference.chain import Chains, best, k_best, marginals


def path_scores(chains: Chains, s: int) -> dict[tuple[int, ...], float]:
    """The score of every label sequence of a sentence, forbidden ones left out."""
    scores = chains.scores[chains.ptr[s] : chains.ptr[s + 1]]
    found = {}
    for path in product(range(scores.shape[1]), repeat=len(scores)):
        value = sum(scores[t, y] for t, y in enumerate(path))
        value += sum(chains.edge[i, j] for i, j in pairwise(path))
        value += chains.start[path[0]] if path else 0.0
        if value != -np.inf:
            found[path] = value
    return found


def draw(
    rng: np.random.Generator,
    n_labels: int,
    lengths: list[int],
    size: float = 1.0,
    integers: bool = False,
) -> Chains:
    """Random scores; integers make ties."""

    def numbers(*shape: int) -> np.ndarray:
        return (
            rng.integers(-2, 3, shape).astype(float) if integers else size * rng.normal(size=shape)
        )

    ptr = np.cumsum([0, *lengths])
    return Chains.make(
        numbers(ptr[-1], n_labels), ptr, numbers(n_labels, n_labels), numbers(n_labels)
    )


def mask(rng: np.random.Generator, chains: Chains) -> Chains:
    return chains.allow(
        rng.random(chains.scores.shape) < 0.8,
        rng.random(chains.edge.shape) < 0.7,
        rng.random(chains.start.shape) < 0.8,
    )


BATCHES = st.tuples(
    st.integers(0, 2**31), st.integers(1, 4), st.lists(st.integers(0, 5), max_size=4)
)


@settings(max_examples=60)
@given(BATCHES, st.booleans(), st.sampled_from([0.1, 3.0, 50.0, 2000.0, 1e5]), st.integers(1, 3))
def test_enumeration(batch, masked, size, threads):
    seed, n_labels, lengths = batch
    rng = np.random.default_rng(seed)
    chains = draw(rng, n_labels, lengths, size)
    if masked:
        chains = mask(rng, chains)
    labels, values = best(chains, threads)
    answers = k_best(chains, 7, threads)
    found = marginals(chains, threads)
    expected_edge = np.zeros_like(chains.edge)
    for s in range(len(lengths)):
        paths = path_scores(chains, s)
        node = np.zeros((lengths[s], n_labels))
        here = slice(chains.ptr[s], chains.ptr[s + 1])
        if not paths:
            assert values[s] == found.log_z[s] == -np.inf
            assert len(answers[s][0]) == 0
        else:
            top = max(paths.values())
            near = 1e-9 * max(1.0, size)
            assert values[s] == pytest.approx(top, abs=near)
            assert paths[tuple(labels[here])] == pytest.approx(top, abs=near)
            ranked = sorted(paths.values(), reverse=True)[:7]
            assert answers[s][1] == pytest.approx(np.array(ranked), abs=near)
            assert len({tuple(path) for path in answers[s][0]}) == len(ranked)
            assert [paths[tuple(path)] for path in answers[s][0]] == pytest.approx(ranked, abs=near)
            weights = np.exp(np.array(list(paths.values())) - top)
            assert found.log_z[s] == pytest.approx(top + np.log(weights.sum()), abs=near)
            for path, p in zip(paths, weights / weights.sum(), strict=True):
                node[np.arange(len(path)), path] += p
                np.add.at(expected_edge, (list(path[:-1]), list(path[1:])), p)
        assert found.node[here] == pytest.approx(node, abs=1e-9)
    assert found.edge == pytest.approx(expected_edge, abs=1e-9)


@settings(max_examples=40)
@given(BATCHES)
def test_ties_go_to_smaller_labels_from_the_end(batch):
    seed, n_labels, lengths = batch
    chains = draw(np.random.default_rng(seed), n_labels, lengths, integers=True)
    labels, _ = best(chains)
    for s in range(len(lengths)):
        paths = path_scores(chains, s)
        top = max(paths.values())
        first = min(
            (path for path, value in paths.items() if value == top), key=lambda path: path[::-1]
        )
        assert tuple(labels[chains.ptr[s] : chains.ptr[s + 1]]) == first
        assert tuple(k_best(chains, 1)[s][0][0]) == first


@pytest.mark.parametrize("n_labels", [1, 2, 8, 22, 24, 40, 67])
def test_every_width_agrees_with_loops(n_labels):
    """Label counts around the width of vectors: a plain recursion gives the same."""
    rng = np.random.default_rng(n_labels)
    chains = draw(rng, n_labels, [9])
    forward = chains.scores[0] + chains.start
    top = forward.copy()
    for row in chains.scores[1:]:
        forward = np.logaddexp.reduce(forward[:, None] + chains.edge, axis=0) + row
        top = np.max(top[:, None] + chains.edge, axis=0) + row
    found = marginals(chains)
    assert found.log_z[0] == pytest.approx(np.logaddexp.reduce(forward), abs=1e-10)
    assert best(chains)[1][0] == pytest.approx(top.max(), abs=1e-12)
    assert found.node.sum(axis=1) == pytest.approx(np.ones(9), abs=1e-12)
    assert found.edge.sum() == pytest.approx(8, abs=1e-10)


def test_long_sentences():
    """Ten thousand tokens: sums neither overflow nor drift, in both domains."""
    rng = np.random.default_rng(0)
    for size in (1.0, 400.0):
        chains = draw(rng, 5, [10_000], size)
        found = marginals(chains)
        assert np.abs(found.node.sum(axis=1) - 1).max() < 1e-8
        assert found.edge.sum() == pytest.approx(9999, rel=1e-9)
        assert found.log_z[0] >= best(chains)[1][0]
        answers, values = k_best(chains, 3)[0]
        assert answers.shape == (3, 10_000)
        assert np.all(np.diff(values) <= 0)


def test_forbidden_for_long_and_then_needed():
    """A label with a tiny sum, allowed by a mask alone, must come back: small sums are not lost."""
    scores = np.zeros((6, 2))
    scores[:4, 1] = -290.0
    chains = Chains.make(scores, [0, 6], np.zeros((2, 2)))
    edge = np.array([[True, False], [False, True]])
    last = np.ones((6, 2), dtype=bool)
    last[5, 0] = False
    found = marginals(chains.allow(last, edge))
    assert found.log_z[0] == pytest.approx(-4 * 290.0)
    assert found.node[:, 1] == pytest.approx(np.ones(6))


def test_cost_and_fixed_labels():
    chains = draw(np.random.default_rng(1), 3, [4, 2])
    gold = best(chains)[0]
    assert np.all(best(chains.add_cost(gold, 100.0))[0] != gold)
    fixed = np.ones((6, 3), dtype=bool)
    fixed[2] = [False, False, True]
    assert best(chains.allow(labels=fixed))[0][2] == 2


def test_bad_arrays_are_refused():
    good = Chains.make(np.zeros((3, 2)), [0, 3], np.zeros((2, 2)))
    for bad in (
        good._replace(ptr=np.array([0, 4])),
        good._replace(ptr=np.array([1, 3])),
        good._replace(scores=np.full((3, 2), np.nan)),
        good._replace(scores=np.full((3, 2), np.inf)),
        good._replace(edge=np.zeros((2, 3))),
    ):
        for call in (best, marginals, lambda chains: k_best(chains, 2)):
            with pytest.raises(ValueError):
                call(bad)
    with pytest.raises(ValueError, match="k must be"):
        k_best(good, 0)
    with pytest.raises(ValueError, match="shape"):
        good.allow(labels=np.ones((2, 2)))
    with pytest.raises(ValueError, match="scores must be"):
        Chains.make(np.zeros(3), [0, 3], np.zeros((2, 2)))
    with pytest.raises(TypeError):
        _core.chain_best(np.zeros(2), np.array([0, 1]), np.zeros(4), np.zeros((2, 1)))


@settings(max_examples=30)
@given(BATCHES, st.booleans())
def test_transitions_of_each_token(batch, masked):
    """Tables that are the same at every token change nothing; others score pairs of their token."""
    seed, n_labels, lengths = batch
    rng = np.random.default_rng(seed)
    one = draw(rng, n_labels, lengths)
    moves = rng.random(one.edge.shape) < 0.7 if masked else None
    many = Chains.make(
        one.scores, one.ptr, np.repeat(one.edge[None], len(one.scores), axis=0), one.start
    )
    one, many = one.allow(transitions=moves), many.allow(transitions=moves)
    np.testing.assert_array_equal(best(one)[0], best(many)[0])
    found, expected = marginals(many), marginals(one)
    np.testing.assert_allclose(found.log_z, expected.log_z)
    np.testing.assert_allclose(found.node, expected.node, atol=1e-12)
    np.testing.assert_allclose(found.edge, expected.edge, atol=1e-12)
    for (paths, values), (others, their) in zip(k_best(many, 4), k_best(one, 4), strict=True):
        np.testing.assert_array_equal(paths, others)
        np.testing.assert_allclose(values, their)
    # A table that only depends on the label it leads to is a score of that label.
    lift = rng.normal(size=(len(one.scores), n_labels))
    lift[one.ptr[:-1][np.diff(one.ptr) > 0]] = 0.0
    lifted = Chains.make(one.scores, one.ptr, one.edge[None] + lift[:, None, :], one.start)
    plain = one._replace(scores=one.scores + lift)
    np.testing.assert_allclose(marginals(lifted).node, marginals(plain).node, atol=1e-12)
