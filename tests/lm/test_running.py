"""Sentences as ids with their ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic import _core
from laconic.lm.running import SentenceEncoder, split_sentences


def test_words_are_numbered_as_they_come() -> None:
    encoder, text = SentenceEncoder.learn(["b a b", ["c d", "a"], ""])
    assert encoder.words == ["<unk>", "</s>", "b", "a", "c d"]
    assert text.tokens.tolist() == [2, 3, 2, 1, 4, 3, 1, 1]
    assert text.ptr.tolist() == [0, 4, 7, 8] and text.n_words == len(encoder) == 5
    again = encoder.encode(["a x", [], ["<unk>", "c d"]])
    assert again.tokens.tolist() == [3, 0, 1, 1, 0, 4, 1] and again.ptr.tolist() == [0, 3, 4, 7]
    assert encoder.ids(["a", "</s>", "x"]).tolist() == [3, 1, 0]


def test_rare_words_and_those_outside_a_vocabulary_are_unknown() -> None:
    encoder, text = SentenceEncoder.learn(["b a b", "a c <unk>"], min_count=2)
    assert encoder.words == ["<unk>", "</s>", "b", "a"]
    assert text.tokens.tolist() == [2, 3, 2, 1, 3, 0, 0, 1]
    encoder, text = SentenceEncoder.learn(["b a b"], vocabulary=["z", "b", "<unk>", "z"])
    assert encoder.words == ["<unk>", "</s>", "z", "b"]
    assert text.tokens.tolist() == [3, 0, 3, 1]


@pytest.mark.parametrize("mark", ["<s>", "</s>"])
def test_marks_of_starts_and_ends_are_not_words(mark: str) -> None:
    for last in (["a", mark], f"a {mark}"):
        with pytest.raises(ValueError, match="sentence 3 holds <s> or </s>"):
            SentenceEncoder.learn(["a b", "", last])
    with pytest.raises(ValueError, match="sentence 2 holds <s> or </s>"):
        SentenceEncoder.learn(["a b"])[0].encode(["a", ["b", mark]])


@pytest.mark.parametrize(
    ("sentences", "says"),
    [
        ("a b", "got one string"),
        ([["a", 1]], "sentence 1 must be a string"),
        (["a", [None]], "sentence 2 must be a string"),
    ],
)
def test_other_inputs_are_refused(sentences: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        split_sentences(sentences)


def test_names_of_files_are_not_sentences(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a b\n")
    for given_paths in ([str(path)], [path], path, (str(path), str(path))):
        with pytest.raises(ValueError, match=r"name of a file: .*text\.txt|got one string or path"):
            SentenceEncoder.learn(given_paths)
    assert len(SentenceEncoder.learn([str(path), "a sentence"])[0]) == 5


def test_bad_parameters() -> None:
    for count in (0, 1.5, "2"):
        with pytest.raises(ValueError, match="min_count"):
            SentenceEncoder.learn(["a"], min_count=count)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="<s> is the start"):
        SentenceEncoder.learn(["a"], vocabulary=["<s>"])
    with pytest.raises(ValueError, match="the first words"):
        SentenceEncoder(["a", "b"])
    with pytest.raises(ValueError, match="<s> is the start"):
        SentenceEncoder(["<unk>", "</s>"]).ids(["<s>"])


@given(
    st.lists(
        st.text(
            st.sampled_from(
                "ab\u00e9\u4e2d\0 \n\t\x1c\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000\ud800"
            ),
            max_size=12,
        ),
        max_size=6,
    )
)
def test_strings_are_split_as_python_splits_them(sentences: list[str]) -> None:
    encoder = SentenceEncoder(
        ["<unk>", "</s>", "a", "b", "ab", "\u00e9", "\u4e2d", "a\u00e9", "\ud800", "a\0"]
    )
    of_strings, of_words = (
        encoder.encode(sentences),
        encoder.encode([sentence.split() for sentence in sentences]),
    )
    assert of_strings.tokens.tolist() == of_words.tokens.tolist()
    assert of_strings.ptr.tolist() == of_words.ptr.tolist()


@given(
    st.lists(
        st.text(st.sampled_from("ab\u00e9\u4e2d\0 \n\x85\u3000\ud800"), max_size=12), max_size=6
    ),
    st.integers(1, 3),
)
def test_words_of_strings_are_learned_as_those_of_lists(
    sentences: list[str], min_count: int
) -> None:
    of_strings, text = SentenceEncoder.learn(sentences, min_count)
    of_words, same = SentenceEncoder.learn([sentence.split() for sentence in sentences], min_count)
    assert of_strings.words == of_words.words
    assert (
        text.tokens.tolist() == same.tokens.tolist()
        and text.ptr.tolist() == same.ptr.tolist()
        and text.n_words == same.n_words
    )


def test_many_words_keep_their_numbers() -> None:
    words = [
        "<unk>",
        "</s>",
        *(f"a rather long word {i}".replace(" ", "_") for i in range(3000)),
        *map(str, range(3000)),
    ]
    encoder = SentenceEncoder(words)
    assert encoder.encode([" ".join(words[2:])]).tokens.tolist() == [*range(2, len(words)), 1]
    assert encoder.encode(["30000 x"]).tokens.tolist() == [0, 0, 1]


def test_the_binding_of_the_index() -> None:
    with pytest.raises(ValueError, match="twice"):
        _core.WordIndex(np.frombuffer(b"abab", np.uint8), np.array([0, 2, 4]))
    with pytest.raises(ValueError, match="ptr must end at 4"):
        _core.WordIndex(np.frombuffer(b"abab", np.uint8), np.array([0, 2]))
