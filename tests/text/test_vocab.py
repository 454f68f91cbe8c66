"""Vocabularies: ids are dense, stable and one-to-one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.text.vocab import Vocab


@given(st.lists(st.lists(st.text(max_size=3), max_size=8), max_size=5))
def test_growing_gives_dense_ids_that_lead_back_to_the_words(documents: list[list[str]]) -> None:
    vocab = Vocab()
    ids = [vocab.grow(document) for document in documents]
    assert [[vocab.words[i] for i in row] for row in ids] == documents
    assert (
        len(vocab) == len(vocab.words) == len({word for document in documents for word in document})
    )
    assert vocab.ids(vocab.words).tolist() == list(range(len(vocab)))


def test_lookup_never_grows() -> None:
    vocab = Vocab(["a", "b"])
    assert vocab.ids(["b", "new", "a"]).tolist() == [1, -1, 0]
    assert (vocab.id("b"), vocab.id("new")) == (1, -1)
    assert "new" not in vocab and "a" in vocab and len(vocab) == 2


def test_words_follow_growth() -> None:
    vocab = Vocab()
    assert (vocab.add("a"), vocab.add("b"), vocab.add("a")) == (0, 1, 0)
    assert vocab.words == ["a", "b"]
    vocab.add("c")
    assert vocab.words == ["a", "b", "c"]


def test_frozen_takes_no_new_word() -> None:
    vocab = Vocab(["a"]).freeze()
    with pytest.raises(ValueError, match="frozen"):
        vocab.add("b")
    assert vocab.ids(["b"]).tolist() == [-1] and len(vocab) == 1


def test_renumber_keeps_in_the_order_given() -> None:
    small = Vocab("abcd").renumber([3, 1])
    assert small.words == ["d", "b"] and small.frozen and small.ids(["b", "a"]).tolist() == [1, -1]
    assert len(Vocab("abcd").renumber([])) == 0


@pytest.mark.parametrize("keep", [[4], [-1], [0, 9]])
def test_renumber_refuses_ids_out_of_range(keep: list[int]) -> None:
    with pytest.raises(ValueError, match=r"0\.\.3"):
        Vocab("abcd").renumber(keep)


def test_repeated_words_are_refused() -> None:
    with pytest.raises(ValueError, match="repeated"):
        Vocab(["a", "a"])
