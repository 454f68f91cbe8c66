"""Phrases of lists in sentences."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.tag.phrases import PhraseList, letters

WORDS = st.sampled_from(["New", "york", "York", "Bay", "of", "Pigs"])


def test_the_longest_phrase_from_the_left_is_marked() -> None:
    cities = PhraseList(["New York", "York", "Bay of Pigs Town", "pigs"])
    words = ["In", "New", "York", "and", "york", "the", "Bay", "of", "Pigs", "NEW", "YORK"]
    marks = cities.marks(words, np.array([0, 9, len(words)]))
    assert " ".join(marks) == "O B E O O O O O U B E"


def test_a_phrase_does_not_go_beyond_its_sentence() -> None:
    found = PhraseList(["New York", "new"]).marks(
        ["New", "York", "New", "York"], np.array([0, 1, 2, 4])
    )
    assert found == ["U", "O", "B", "E"]


def test_without_capital_small_letters_count_too() -> None:
    words, ptr = ["the", "stock", "exchange"], np.array([0, 3])
    assert PhraseList(["Stock Exchange"], capital=False).marks(words, ptr) == ["O", "B", "E"]
    assert PhraseList(["Stock Exchange"]).marks(words, ptr) == ["O", "O", "O"]


def test_nothing_is_marked_in_no_sentences() -> None:
    assert PhraseList(["Rome"]).marks([], np.array([0])) == []


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=3), max_size=5),
    st.lists(st.lists(WORDS, max_size=6), max_size=4),
)
def test_marks_are_those_of_a_search_at_every_place(
    phrases: list[list[str]], sentences: list[list[str]]
) -> None:
    listed = {tuple(word.lower() for word in phrase) for phrase in phrases}
    expected = []
    for sentence in sentences:
        at = 0
        while at < len(sentence):
            sizes = [
                n
                for n in range(len(sentence) - at, 0, -1)
                if tuple(word.lower() for word in sentence[at : at + n]) in listed
            ]
            size = sizes[0] if sizes and sentence[at][0].isupper() else 0
            expected += letters(size) if size else ["O"]
            at += size or 1
    ptr = np.cumsum([0, *map(len, sentences)])
    assert (
        PhraseList(phrases).marks([word for sentence in sentences for word in sentence], ptr)
        == expected
    )


def test_a_file_has_a_phrase_a_line(tmp_path: Path) -> None:
    path = tmp_path / "cities.gz"
    path.write_bytes(gzip.compress(b"Rome\r\n\nNew  York\n"))
    assert PhraseList.read(path).phrases == {("rome",), ("new", "york")}


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "cities.txt"
    path.write_text("\n")
    with pytest.raises(InputError, match=r"cities\.txt: expected one phrase per line, found none"):
        PhraseList.read(path)
