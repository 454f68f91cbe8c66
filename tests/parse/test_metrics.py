"""Scores of trees on examples counted by hand, and which tokens are punctuation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.parse.metrics import punctuation_of, tree_scores
from laconic.text.token_columns import TokenColumns

# "She slept ." "Go !" "..."
PTR = [0, 3, 5, 5, 6]
GOLD_HEADS = [2, 0, 2, 0, 1, 0]
GOLD_LABELS = ["nsubj", "root", "punct", "root", "punct", "root"]
PUNCTUATION = [False, False, True, False, True, True]


def tokens(words: list[str], coarse: list[str]) -> TokenColumns:
    return TokenColumns(("word", "coarse"), [words, coarse], np.array([0, len(words)]))


def test_scores_counted_by_hand() -> None:
    heads = [2, 0, 1, 0, 1, 0]  # one mark of punctuation has another head
    labels = ["obj", "root", "punct", "root", "punct", "punct"]
    scores = tree_scores(GOLD_HEADS, heads, PTR, GOLD_LABELS, labels, PUNCTUATION)
    assert scores.n_tokens == 6 and scores.n_words == 3
    assert scores.uas == pytest.approx(5 / 6) and scores.uas_words == 1
    assert scores.las == pytest.approx(3 / 6) and scores.las_words == pytest.approx(2 / 3)
    assert scores.complete == pytest.approx(2 / 3) and scores.labelled_complete == pytest.approx(
        1 / 3
    )
    assert scores.complete_words == 1, "of the two sentences with words"


def test_a_right_label_at_a_wrong_head_is_wrong() -> None:
    scores = tree_scores([0, 1], [0, 0], [0, 2], ["root", "obj"], ["root", "obj"])
    assert (
        scores.uas == scores.las == scores.las_words == 0.5
        and scores.complete == scores.labelled_complete == 0
    )


def test_without_labels_and_without_punctuation() -> None:
    scores = tree_scores(GOLD_HEADS, GOLD_HEADS, PTR)
    assert scores.las is scores.las_words is scores.labelled_complete is None
    assert (
        scores.uas == scores.uas_words == scores.complete == scores.complete_words == 1
        and scores.n_words == 6
    )
    nothing = tree_scores([], [], [0, 0], [], [])
    assert (
        nothing.n_tokens == 0
        and nothing.uas == nothing.complete == nothing.las == nothing.complete_words == 0
    )
    no_words = tree_scores([0], [0], [0, 1], punctuation=[True])
    assert no_words.uas == 1 and no_words.uas_words == no_words.complete_words == 0


def test_sizes_must_fit() -> None:
    with pytest.raises(
        ValueError, match="expected 2 gold heads, heads and punctuation marks, got 2, 1 and 2"
    ):
        tree_scores([0, 1], [0], [0, 2])
    with pytest.raises(
        ValueError, match="expected 2 gold and predicted labels, or neither, got 2 and no"
    ):
        tree_scores([0, 1], [0, 1], [0, 2], ["a", "b"])


def test_punctuation_by_tag_and_by_signs() -> None:
    words = ["Go", "!", "--", "$", "_", "", "a.", "»", "।"]
    by_signs = punctuation_of(tokens(words, ["V"] * len(words)))
    assert by_signs.tolist() == [False, True, True, False, True, False, False, True, True]
    by_tag = punctuation_of(tokens([":-)", "!", "-"], ["SYM", "PUNCT", "NOUN"]))
    assert by_tag.tolist() == [False, True, False]


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=6
        ),
        min_size=1,
    )
)
def test_scores_agree_with_counting_one_by_one(
    sentences: list[list[tuple[int, int, bool]]],
) -> None:
    flat = [token for sentence in sentences for token in sentence]
    gold, found, mark = (list(column) for column in zip(*flat, strict=True))
    scores = tree_scores(gold, found, np.cumsum([0, *map(len, sentences)]), punctuation=mark)
    of_words = [[a == b for a, b, is_mark in sentence if not is_mark] for sentence in sentences]
    complete = [all(rights) for rights in of_words if rights]
    rights = [right for sentence in of_words for right in sentence]
    assert scores.uas == pytest.approx(np.mean([a == b for a, b, _ in flat]))
    assert scores.complete == pytest.approx(
        np.mean([all(a == b for a, b, _ in sentence) for sentence in sentences])
    )
    assert scores.uas_words == pytest.approx(
        np.mean(rights) if rights else 0
    ) and scores.n_words == len(rights)
    assert scores.complete_words == pytest.approx(np.mean(complete) if complete else 0)
