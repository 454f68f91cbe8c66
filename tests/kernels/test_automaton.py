"""The automaton of contexts: bad arrays raise; samples agree with the distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ngrams import arpas

from laconic import _core
from laconic.lm.arpa import Arpa
from laconic.lm.backoff import context_model
from laconic.lm.context_model import ContextModel

# Words 0, 1, 2; contexts (), (1), (0 1); after (1) come 0 and 2, after (0 1) comes 2; (0 1) needs
# (0), and its pair with 1.
GOOD: dict[str, Any] = {
    "parent": [-1, 0, 0, 1],
    "word": [-1, 1, 0, 0],
    "ptr": [0, 3, 5, 6, 7],
    "target": [0, 1, 2, 0, 2, 1, 2],
    "gain": [-1.0, -1.5, -2.0, -0.5, -0.25, -0.125, -0.75],
    "base": [0.0, -0.1, -0.2, -0.3],
}

NUMBERS = {"a": 0, "b": 1, "c": 2}


def model(**changes: Any) -> ContextModel:
    return ContextModel(**{name: np.array(values) for name, values in {**GOOD, **changes}.items()})


def test_one_step_at_a_time() -> None:
    automaton = model().checked().automaton()
    for state, word, after, log_prob in (
        (0, "b", 1, -1.5),
        (2, "b", 3, -0.325),
        (3, "c", 0, -1.05),
        (3, "a", 2, -0.8),
        (3, "b", 1, -1.8),
    ):
        assert automaton.score_word(state, word, NUMBERS, 2) == pytest.approx((after, log_prob))
    assert automaton.score_word(3, "x", NUMBERS, 2) == automaton.score_word(3, "c", NUMBERS, 2)
    of_three, lengths = automaton.score(np.array([0, 1, 2], np.int32), np.array([0, 3]), 0)
    assert of_three == pytest.approx([-1.0, -0.325, -1.05])
    assert lengths.tolist() == [1, 2, 3]
    assert automaton.advance(0, np.array([2, 0, 1], np.int32)) == 3
    assert automaton.start() == 0
    assert (
        model(word=[-1, 1, 0, 3], target=[0, 1, 2, 0, 2, 1, 1], parent=[-1, 0, 0, 0])
        .automaton()
        .start()
        == 3
    )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"parent": [0, 0, 0, 1]}, "the first context must be the empty one"),
        ({"parent": [-1, 0, 3, 1]}, "parents must come before"),
        ({"parent": [-1, 0, -1, 1]}, "parents must come before"),
        ({"word": [-1, 1, 4, 0]}, "word of a context"),
        ({"word": [-1, 3, 0, 0]}, "before the start of a sentence"),
        ({"word": [-1, 1, 1, 0]}, "a context is there twice"),
        ({"word": [-1, 1, 2, 0]}, "not without its newest word"),
        ({"word": [-1, 1]}, "word must have one entry per context"),
        ({"ptr": [0, 3, 5, 6]}, "an entry more"),
        ({"ptr": [0, 3, 5, 6, 8]}, "ptr must end at 7"),
        ({"ptr": [0, 3, 6, 5, 7]}, "ptr must not decrease"),
        ({"ptr": [0, 0, 5, 6, 7]}, "a pair for every word"),
        ({"target": [0, 2, 1, 0, 2, 1, 2]}, "a pair for every word"),
        ({"target": [0, 1, 2, 2, 0, 1, 2]}, "must rise"),
        ({"target": [0, 1, 2, 0, 3, 1, 2]}, "target of a pair"),
        ({"target": [0, 1, 2, 0, 2, 2, 2]}, "ends with a pair that is not there"),
        ({"gain": [-1.0, -1.5, -2.0, -0.5, -0.25, -0.125, np.inf]}, "gains must be finite"),
        ({"gain": [-1.0]}, "gain must have one entry per pair"),
        ({"base": [0.0, -0.1, -0.2, np.nan]}, "bases must be finite"),
        ({"base": [0.0]}, "base must have one entry per context"),
        ({"borrowed": [1, 0, 0, 0, 0, 0, 0]}, "borrowed must"),
        (
            {name: [] for name in ("parent", "word", "target", "gain", "base")} | {"ptr": [0]},
            "there must be a context",
        ),
    ],
)
def test_bad_arrays_raise(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        model(**changes).checked()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("score_word", (4, "a", NUMBERS, 0)),
        ("score_word", (-1, "a", NUMBERS, 0)),
        ("score_word", (0, "x", NUMBERS, 3)),
        ("score_word", (0, "a", {"a": 3}, 0)),
        ("advance", (0, np.array([3], np.int32))),
        ("score", (np.array([0], np.int32), np.array([0, 2]), 0)),
        ("score", (np.array([-1], np.int32), np.array([0, 1]), 0)),
        ("score", (np.array([0], np.int32), np.array([0, 1]), 9)),
        ("distribution", (4,)),
        ("best", (4, 1)),
        ("best", (0, 0)),
        ("sample", (-1, 0, 0, 0, 5)),
        ("sample", (1, 0, 0, 3, 5)),
        ("sample", (1, 0, 0, 0, 0)),
    ],
)
def test_bad_questions_raise(method: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):
        getattr(model().automaton(), method)(*arguments)


@pytest.mark.parametrize(
    ("words", "n_rows", "needed", "says"),
    [
        ([0], [], [1], "a 1-gram"),
        ([0, 0, 0], [1, 2], [0, 0, 0], "impossible number"),
        ([0, 0, 0], [1, -1], [0], "impossible number"),
        ([0, 0, 0], [1], [0], "words of all"),
        ([0, 0, 0], [1, 1], [0], "needed must"),
        ([0, 0, 1], [1, 1], [0, 0], "outside"),
        ([1, 0], [2], [0, 0], "the words 0, 1"),
    ],
)
def test_bad_ngrams_raise(
    words: list[int], n_rows: list[int], needed: list[int], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        _core.contexts_of_ngrams(
            np.array(words, np.int32), np.array(n_rows, np.int64), np.array(needed, np.uint8)
        )


@settings(max_examples=100)
@given(arpas(), st.integers(1, 5), st.data())
def test_the_best_words_are_those_of_the_distribution(
    arpa: Arpa, k: int, data: st.DataObject
) -> None:
    found, _ = context_model(arpa)
    automaton = found.automaton()
    state = data.draw(st.integers(0, found.n_contexts - 1))
    of_all = automaton.distribution(state)
    words, log_probs = automaton.best(state, k)
    assert len(set(words.tolist())) == len(words) == min(k, len(of_all))
    assert log_probs == pytest.approx(np.sort(of_all)[::-1][:k], abs=1e-6)
    assert log_probs == pytest.approx(of_all[words], abs=1e-6)


def test_samples_follow_the_distribution() -> None:
    automaton = model().automaton()
    tokens, ptr = automaton.sample(20_000, 7, 3, 0, 1)
    counts = np.array([np.sum(np.diff(ptr) == 0), np.sum(tokens == 1), np.sum(tokens == 2)])
    weights = np.exp(automaton.distribution(3))
    assert counts / 20_000 == pytest.approx(weights / weights.sum(), abs=0.01)
    again, _ = automaton.sample(20_000, 7, 3, 0, 1)
    assert np.array_equal(tokens, again)
    assert not np.array_equal(tokens, automaton.sample(20_000, 8, 3, 0, 1)[0])
    assert np.diff(automaton.sample(500, 1, 0, 0, 2)[1]).max() == 2


def test_threads_change_nothing() -> None:
    random = np.random.default_rng(0)
    tokens, ptr = random.integers(0, 3, 30_000).astype(np.int32), np.arange(0, 30_001, 3)
    automaton = model().automaton()
    for one, four in zip(
        automaton.score(tokens, ptr, 1, 1), automaton.score(tokens, ptr, 1, 4), strict=True
    ):
        assert np.array_equal(one, four)
