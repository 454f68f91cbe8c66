"""Contexts against n-grams counted one by one, likelihoods against sums over the vocabulary."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import _core
from laconic.lm.contexts import Contexts, Text

Sentence = list[int]
TEXTS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=9), min_size=1, max_size=8)
N_WORDS = 5  # one of which is never seen


def text_of(sentences: list[Sentence]) -> Text:
    """Return the sentences as a text; their last words are their ends."""
    return Text(
        np.concatenate(sentences).astype(np.int32), np.cumsum([0, *map(len, sentences)]), N_WORDS
    )


def histories(sentences: list[Sentence], order: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the longest context of each word, nearest word first, and the word."""
    return [
        (tuple([*reversed(sentence[:i]), N_WORDS][: order - 1]), word)
        for sentence in sentences
        for i, word in enumerate(sentence)
    ]


def spelled(contexts: Contexts, text: Text, node: int) -> tuple[int, ...]:
    """Return the words of the longest context of a node, nearest first."""
    place = contexts.kernel.place()[node]
    flat = np.concatenate(
        [[-1, N_WORDS, *text.tokens[a:b]] for a, b in zip(text.ptr[:-1], text.ptr[1:], strict=True)]
    )
    return tuple(flat[place - k] for k in range(contexts.depth[node]))


@settings(max_examples=80)
@given(sentences=TEXTS, order=st.integers(1, 6), collapse=st.booleans())
def test_pairs_are_the_ngrams_of_the_text(
    sentences: list[Sentence], order: int, collapse: bool
) -> None:
    text = text_of(sentences)
    contexts = Contexts.build(text, order, collapse)
    expected = Counter(
        (context[:k], word)
        for context, word in histories(sentences, order)
        for k in range(len(context) + 1)
    )
    found: dict[tuple[tuple[int, ...], int], int] = {}
    lengths = contexts.lengths()
    for node, parent in enumerate(contexts.parent):
        words = spelled(contexts, text, node)
        if node:
            assert parent < node and words[: contexts.depth[parent]] == spelled(
                contexts, text, parent
            )
            assert words[contexts.depth[parent]] == contexts.word[node]
        for pair in range(contexts.ptr[node], contexts.ptr[node + 1]):
            target = int(contexts.target[pair])
            shorter = contexts.shorter[pair]
            assert shorter == -1 if node == 0 else contexts.target[shorter] == target
            if node:
                assert contexts.ptr[parent] <= shorter < contexts.ptr[parent + 1]
            for k in range(lengths[node]):
                found[words[: len(words) - k], target] = int(contexts.count[pair])
    assert {key: n for key, n in found.items() if n} == expected
    assert not collapse or all(lengths[node] >= 1 for node in range(len(lengths)))
    assert collapse or (lengths == 1).all()


def naive(
    sentences: list[Sentence], order: int, weights: dict[tuple[tuple[int, ...], int], float]
) -> tuple[float, Counter]:
    """Return the loss, and expected minus observed counts, by the definition."""
    loss, gradient = 0.0, Counter()
    for context, word in histories(sentences, order):
        scores = np.array(
            [
                sum(weights.get((context[:k], v), 0.0) for k in range(len(context) + 1))
                for v in range(N_WORDS)
            ]
        )
        p = np.exp(scores) / np.exp(scores).sum()
        loss -= np.log(p[word])
        for k in range(len(context) + 1):
            for v in range(N_WORDS):
                gradient[context[:k], v] += p[v] - (v == word)
    return loss, gradient


@settings(max_examples=80)
@given(
    sentences=TEXTS,
    order=st.integers(1, 6),
    collapse=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_likelihoods_are_those_of_the_whole_vocabulary(
    sentences: list[Sentence], order: int, collapse: bool, seed: int
) -> None:
    text = text_of(sentences)
    contexts = Contexts.build(text, order, collapse)
    random = np.random.default_rng(seed)
    w = np.maximum(0, random.normal(size=len(contexts.target)))
    weights, place = {}, {}
    lengths = contexts.lengths()
    for node in range(len(contexts.parent)):
        words = spelled(contexts, text, node)
        for pair in range(contexts.ptr[node], contexts.ptr[node + 1]):
            for k in range(lengths[node]):
                weights[words[: len(words) - k], int(contexts.target[pair])] = w[pair]
                place[words[: len(words) - k], int(contexts.target[pair])] = pair
    loss, gradient = naive(sentences, order, weights)
    found = np.empty(len(w))
    for threads in (1, 3):
        assert contexts.kernel.loss(w, found, threads) == pytest.approx(loss)
        for key, pair in place.items():
            assert found[pair] == pytest.approx(gradient[key], abs=1e-9)
    entropy = 0.0
    for context, _ in histories(sentences, order):
        scores = np.array(
            [
                sum(weights.get((context[:k], v), 0.0) for k in range(len(context) + 1))
                for v in range(N_WORDS)
            ]
        )
        q = np.exp(scores) / np.exp(scores).sum()
        entropy += float(q @ np.log(q))
    assert contexts.kernel.negative_entropy() == pytest.approx(entropy, abs=1e-9)


def test_threads_change_no_digit() -> None:
    random = np.random.default_rng(0)
    tokens = random.integers(0, 50, 20000).astype(np.int32)
    contexts = Contexts.build(Text(tokens, np.arange(0, 20001, 20), 50), 4)
    w = random.random(len(contexts.target))
    one, many = np.empty(len(w)), np.empty(len(w))
    assert contexts.kernel.loss(w, one, 1) == contexts.kernel.loss(w, many, 4)
    np.testing.assert_array_equal(one, many)


def test_empty_sentences_have_no_contexts() -> None:
    tokens = np.array([1, 2, 0], np.int32)
    plain = Contexts.build(Text(tokens, np.array([0, 3]), 3), 3)
    holed = Contexts.build(Text(tokens, np.array([0, 0, 3, 3]), 3), 3)
    np.testing.assert_array_equal(plain.count, holed.count)


def test_bad_input_is_refused() -> None:
    tokens, ptr = np.array([0, 1], np.int32), np.array([0, 2])
    for order in (0, -1, 1001):
        with pytest.raises(ValueError, match="order must be from 1 to 1000"):
            Contexts.build(Text(tokens, ptr, 2), order)
    with pytest.raises(ValueError, match="at least one word"):
        Contexts.build(Text(tokens[:0], np.array([0]), 2), 2)
    for bad, at in (
        (np.array([0, 2], np.int32), ptr),
        (np.array([-1, 0], np.int32), ptr),
        (tokens, np.array([0, 1])),
    ):
        with pytest.raises(ValueError, match=r"tokens holds|sentences must"):
            _core.ContextTree(bad, at, 2, 2, False)
    kernel = Contexts.build(Text(tokens, ptr, 2), 2).kernel
    n = len(kernel.target())
    for w in (np.zeros(n + 1), np.full(n, np.nan), np.full(n, -1.0), np.full(n, 2e3)):
        with pytest.raises(ValueError, match="weights must"):
            kernel.loss(w, np.empty(0), 1)
    with pytest.raises(ValueError, match="gradient must"):
        kernel.loss(np.zeros(n), np.empty(1), 1)
    with pytest.raises(ValueError, match="loss must be called first"):
        kernel.negative_entropy()
