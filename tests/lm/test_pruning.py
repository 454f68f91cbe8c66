"""Pruning: losses are true divergences, probabilities sum to 1, and sizes are as requested."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts, Text
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.pruning import (
    Prunable,
    _losses,
    _without,
    condensed,
    expected_frequencies,
    pruned,
    seen_frequencies,
    shorter_pairs,
)

SENTENCES = st.lists(st.lists(st.integers(1, 4), max_size=7), min_size=1, max_size=8)


def text_of(sentences: list[list[int]]) -> Text:
    tokens = np.array([word for words in sentences for word in [*words, 0]], np.int32)
    return Text(tokens, np.cumsum([0, *(len(words) + 1 for words in sentences)]), 6)


def learned(sentences: list[list[int]], order: int) -> ContextModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KneserNey().learn(text_of(sentences), order).model


@settings(max_examples=40)
@given(SENTENCES, st.integers(2, 4))
def test_a_loss_is_the_divergence_that_leaving_one_ngram_out_makes(
    sentences: list[list[int]], order: int
) -> None:
    model = learned(sentences, order)
    context, depth = model.context_of_pairs(), model.depth
    frequency = expected_frequencies(model, 0)
    losses, before = _losses(model, frequency), model.automaton()
    inner = np.flatnonzero(context > 0)
    for pair in inner[:: max(1, len(inner) // 5)].tolist():
        kept = np.arange(len(context)) != pair
        c = int(context[pair])
        smaller = _without(model, kept, depth, context)
        if smaller.n_contexts < model.n_contexts:
            continue  # it was the only one of its context
        # Contexts that end with this n-gram would need it: look only at the distribution after c.
        base = smaller.base[c]
        p, q = before.distribution(c), np.full(6, np.nan)
        for word in range(6):
            at = c
            while np.isnan(q[word]):
                pairs = slice(smaller.ptr[at], smaller.ptr[at + 1])
                found = np.flatnonzero(smaller.target[pairs] == word)
                if len(found):
                    q[word] = smaller.gain[pairs][found[0]] + base
                at = int(smaller.parent[at])
        assert np.exp(q).sum() == pytest.approx(1, abs=1e-6)
        assert losses[pair] == pytest.approx(frequency[c] * np.sum(np.exp(p) * (p - q)), abs=1e-5)


@settings(max_examples=80)
@given(SENTENCES, st.integers(1, 4), st.data())
def test_sizes_and_sums(sentences: list[list[int]], order: int, data: st.DataObject) -> None:
    model = learned(sentences, order)
    size = data.draw(st.integers(6, len(model.target) + 3))
    smaller = pruned([Prunable(model, expected_frequencies(model, 0))], size)[0].checked()
    assert len(smaller.target) == min(size, len(model.target))
    automaton = smaller.automaton()
    for state in range(smaller.n_contexts):
        assert np.exp(automaton.distribution(state)).sum() == pytest.approx(1, abs=1e-5)


@settings(max_examples=30)
@given(SENTENCES, st.integers(1, 4))
def test_nothing_changes_where_nothing_is_removed(sentences: list[list[int]], order: int) -> None:
    model = learned(sentences, order)
    same = pruned([Prunable(model, expected_frequencies(model, 0))], len(model.target))[0]
    for left, right in zip(model[:4], same[:4], strict=True):
        assert np.array_equal(left, right)
    assert same.gain + same.base[same.context_of_pairs()] == pytest.approx(
        model.gain + model.base[model.context_of_pairs()]
    )
    old, new = model.automaton(), same.automaton()
    for state in range(model.n_contexts):
        assert np.exp(new.distribution(state)) == pytest.approx(
            np.exp(old.distribution(state)), abs=1e-6
        )


@settings(max_examples=60)
@given(SENTENCES, st.integers(1, 4), st.data())
def test_ngrams_that_change_nothing_are_removed(
    sentences: list[list[int]], order: int, data: st.DataObject
) -> None:
    model = learned(sentences, order)
    gain, base, shorter, context = (
        model.gain.copy(),
        model.base.copy(),
        shorter_pairs(model),
        model.context_of_pairs(),
    )
    idle = np.array([data.draw(st.booleans()) for _ in range(model.n_contexts)])
    for c in range(1, model.n_contexts):  # parents first
        if idle[c]:
            base[c] = base[model.parent[c]]
            gain[context == c] = gain[shorter[context == c]]
    model = model._replace(gain=gain, base=base)
    smaller = condensed(model).checked()
    assert not set(
        np.flatnonzero(np.bincount(smaller.parent + 1, minlength=smaller.n_contexts + 1)[1:] == 0)
    ) & set(
        np.flatnonzero(
            (smaller.parent >= 0)
            & (np.diff(smaller.ptr) == 0)
            & (smaller.base == smaller.base[smaller.parent])
        )
    )
    old, new = model.automaton(), smaller.automaton()
    for words in [*sentences[:3], [1, 2, 3, 4], [5, 1]]:
        for t in range(len(words) + 1):
            states = [a.advance(a.start(), np.array(words[:t], np.int32)) for a in (old, new)]
            assert new.distribution(states[1]) == pytest.approx(
                old.distribution(states[0]), abs=1e-6
            )
    assert len(condensed(smaller).target) == len(smaller.target)


def test_nothing_is_removed_where_all_matters() -> None:
    model = learned([[1, 2, 3], [1, 2], [2, 4]], 3)
    assert len(condensed(model).target) == len(model.target)


@settings(max_examples=40)
@given(SENTENCES, st.integers(1, 4))
def test_frequencies_are_counts_of_what_comes_before(
    sentences: list[list[int]], order: int
) -> None:
    model, text = learned(sentences, order), text_of(sentences)
    contexts = Contexts.build(text, order)
    counts = np.bincount(contexts.of_pairs(np.arange(len(contexts.parent))), contexts.count)
    assert seen_frequencies(model, text) == pytest.approx(counts / len(text.tokens))


def test_a_size_without_room_for_words() -> None:
    model = learned([[1, 2]], 2)
    with pytest.raises(ValueError, match="size must be at least 6, the number of words"):
        pruned([Prunable(model, expected_frequencies(model, 0))], 5)
