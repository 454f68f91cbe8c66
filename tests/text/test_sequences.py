"""Sentences to integer columns and back."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.text.sequences import AFTER_BASE, BEFORE_BASE, SequenceEncoder
from laconic.text.token_columns import TokenColumns
from laconic.text.views import WordClusters, make_view

VIEWS = ["word", "pos", "shape", "suffix2", "prefix1(pos)", "cluster2"]
CLUSTERS = WordClusters({"a": "00", "b": "010", "ab": "1"})
TOKENS = st.tuples(
    st.text(alphabet="abA1.", min_size=1, max_size=3), st.sampled_from(["NN", "VB", "."])
)
SENTENCES = st.lists(st.lists(TOKENS, max_size=5), max_size=6)


def encoder() -> SequenceEncoder:
    return SequenceEncoder(VIEWS, ("word", "pos"), CLUSTERS)


@given(SENTENCES, SENTENCES)
def test_ids_stand_for_the_views_of_each_token(train: list, test: list) -> None:
    """An id decodes to the view's value; -1 where there is none or training did not show it."""
    made = encoder()
    grown = made.grow(train)
    made.freeze()
    again = made.encode(train)
    np.testing.assert_array_equal(again.columns, grown.columns)
    restored = SequenceEncoder.from_state(json.loads(json.dumps(made.to_state())))
    encoded = made.encode(test)
    np.testing.assert_array_equal(restored.encode(test).columns, encoded.columns)
    assert (
        encoded.ptr.tolist() == [0, *np.cumsum([len(s) for s in test]).tolist()]
        and encoded.ptr.dtype == np.int64
    )
    assert encoded.columns.dtype == np.int32 and encoded.columns.flags.c_contiguous
    for row, name in enumerate(VIEWS):
        view = make_view(name, made.columns, CLUSTERS)
        source = made.columns.index(view.column)
        seen = {view.function(token[source]) for sentence in train for token in sentence} - {None}
        assert made.n_values[row] == len(seen)
        for value, token in zip(
            encoded.columns[row].tolist(), [t for s in test for t in s], strict=True
        ):
            string = view.function(token[source])
            assert (made.value_name(name, value) if value >= 0 else None) == (
                string if string in seen else None
            )


def test_grows_in_parts_until_frozen() -> None:
    made = SequenceEncoder(["word", "lower"], ("word",))
    first = made.grow([["A", "b"], []])
    second = made.grow([["a", "A"]])
    assert first.columns.tolist() == [[0, 1], [0, 1]] and second.columns.tolist() == [
        [2, 0],
        [0, 0],
    ]
    assert made.freeze().frozen and made.view_index == {"word": 0, "lower": 1}
    with pytest.raises(ValueError, match="frozen"):
        made.grow([["new"]])
    assert made.encode([[("B",), ("c",)]]).columns.tolist() == [[-1, -1], [1, -1]]
    assert made.encode([]).columns.shape == (2, 0) and made.encode([]).ptr.tolist() == [0]


def test_narrowed_keeps_some_views_and_values() -> None:
    made = encoder()
    made.grow([[("a", "NN"), ("b", "VB"), ("1", ".")]])
    small = made.freeze().narrowed({"shape": [1], "word": [2, 0]})
    assert small.views == ("shape", "word") and small.frozen
    assert small.encode([[("1", "NN"), ("a", "x"), ("b", "VB")]]).columns.tolist() == [
        [0, -1, -1],
        [0, 1, -1],
    ]
    shapes = made.narrowed({"shape": [0]})
    assert shapes.encode([[("xyz", "NN"), ("Z", "NN")]]).columns.tolist() == [[0, -1]]


def test_names_of_values() -> None:
    made = SequenceEncoder(["word"], ("word",))
    made.grow([["x"]])
    names = [
        made.value_name("word", value)
        for value in (0, -1, BEFORE_BASE + 1, BEFORE_BASE + 12, AFTER_BASE + 2)
    ]
    assert names == ["x", "(none)", "_B-1", "_B-12", "_B+2"]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([["word"]], r"a token needs 2 strings \(word, pos\), but one is 'word'"),
        ([[("a", "NN"), ("b",)]], r"one is \('b',\)"),
        (["a sentence"], "split it into tokens first"),
        ([[3]], "one is 3"),
        (np.array(["a sentence"]), "split it into tokens first"),
        ([np.array([3, 4])], "one is 3"),
    ],
)
def test_sentences_that_do_not_fit(sentences: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        encoder().grow(sentences)


def test_arrays_of_strings_are_sentences() -> None:
    lists = [[("a", "NN"), ("b", "VB")], [("ab", "NN")]]
    for given_arrays in (
        [np.array(s) for s in lists],
        [list(map(np.array, s)) for s in lists],
        [np.array(s, dtype=object) for s in lists],
    ):
        tokens = TokenColumns.from_sentences(given_arrays, ("word", "pos"))
        assert list(tokens.sentences()) == lists and {
            type(v) for values in tokens.values for v in values
        } == {str}
    whole = np.array([["a", "b"], ["ab", "a"]])
    for words in (whole, list(whole), [list(row) for row in whole]):
        tokens = TokenColumns.from_sentences(words, ("word",))
        assert list(tokens.values[0]) == ["a", "b", "ab", "a"] and tokens.ptr.tolist() == [0, 2, 4]
    encoded = encoder().grow([np.array(s) for s in lists])
    np.testing.assert_array_equal(encoded.columns, encoder().grow(lists).columns)


def test_columns_by_name_and_bad_names() -> None:
    tokens = TokenColumns.from_sentences(
        [[("a", "NN", "O")], [("b", "VB", "O")]], ("word", "pos", "label")
    )
    assert encoder().grow(tokens).columns.shape == (6, 2) and len(tokens) == 2
    assert list(tokens.sentences()) == [[("a", "NN", "O")], [("b", "VB", "O")]]
    with pytest.raises(ValueError, match="no column 'tag'; the columns are word, pos, label"):
        SequenceEncoder(["tag"], ("tag",)).grow(tokens)
    for views, columns in ((["word", "word"], ["word"]), (["word"], ["word", "word"]), ([], [])):
        with pytest.raises(ValueError, match="distinct"):
            SequenceEncoder(views, columns)


def test_columns_are_added_by_name() -> None:
    tokens = TokenColumns.from_sentences([["a", "b"], ["c"]], ("word",))
    more = tokens.with_columns({"list": ["O", "U", "O"]})
    assert list(more.sentences()) == [[("a", "O"), ("b", "U")], [("c", "O")]] and tokens.names == (
        "word",
    )
    with pytest.raises(ValueError, match="'word' already"):
        tokens.with_columns({"word": ["a", "b", "c"]})
    with pytest.raises(ValueError, match="'list' has 2 strings for 3 tokens"):
        tokens.with_columns({"list": ["O", "U"]})


@given(sentences=SENTENCES, choice=st.data())
def test_some_sentences(sentences: list, choice: st.DataObject) -> None:
    chosen = choice.draw(
        st.lists(st.integers(0, len(sentences) - 1), max_size=8) if sentences else st.just([])
    )
    part = TokenColumns.from_sentences(sentences, ("word", "pos")).some(np.array(chosen, np.int64))
    assert list(part.sentences()) == [sentences[s] for s in chosen] and len(part) == len(chosen)


@pytest.mark.slow
def test_speed_does_not_hang_on_the_number_of_views() -> None:
    """At least 500,000 tokens a second with ten views; a slow machine gets a factor of five."""
    rng = np.random.default_rng(0)
    words = [f"Word{k}" for k in range(10_000)]
    sentences = [
        [(words[k], "NN") for k in rng.integers(0, 10_000, 25).tolist()] for _ in range(4000)
    ]
    views = [
        "word",
        "pos",
        "lower",
        "shape",
        "prefix1",
        "prefix2",
        "prefix3",
        "suffix1",
        "suffix2",
        "suffix3",
    ]
    made = SequenceEncoder(views)
    made.grow(sentences)
    start = time.process_time()  # others may want the processor, too
    made.freeze().encode(sentences)
    assert 100_000 / (time.process_time() - start) > 100_000
