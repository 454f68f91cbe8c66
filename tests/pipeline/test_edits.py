"""Edits of strings: what is made of a source is the target they were found for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.pipeline.edits import (
    check_edit,
    check_split,
    edit_of,
    edited,
    split_by,
    splits_of,
)

WORDS = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1)


@given(WORDS, WORDS)
def test_an_edit_makes_its_target(source, target):
    edit = edit_of(source, target)
    check_edit(edit)
    assert edited(source, edit) == target


@given(WORDS, st.lists(WORDS, min_size=2, max_size=4))
def test_a_split_makes_its_words(token, words):
    for split in splits_of(token, words):
        check_split(split)
        assert split_by(token, split) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("walked", "walk"), ("Painted", "paint")),
        (("ungern", "gern"), ("Unklar", "klar")),
        (("IRAQ", "Iraq"), ("PARIS", "Paris")),
    ],
)
def test_words_that_change_alike_share_an_edit(one, other):
    assert edit_of(*one) == edit_of(*other)


def test_tokens_that_split_alike_share_a_split():
    shared = {*splits_of("don't", ["do", "n't"])} & {*splits_of("can't", ["ca", "n't"])}
    assert [split_by("weren't", split) for split in shared] == [["were", "n't"]]


def test_an_edit_that_does_not_fit_makes_nothing():
    assert edited("a", "l 0 3 0 x") is None
    assert split_by("a", splits_of("don't", ["don", "'t"])[0]) is None


@pytest.mark.parametrize("text", ["", "x", "l 1", "l 1 a 0 ", "q 0 0 0 x", "l -1 0 0 "])
def test_other_text_is_no_edit(text):
    with pytest.raises(InputError):
        check_edit(text)
    with pytest.raises(InputError):
        check_split(text)
