"""Columns of a token's place in its tree, by hand and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.parse.relation_columns import FAR, NONE, RELATION_COLUMNS, ROOT, relation_columns
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS


def bank(sentences: list[list[str]]) -> TokenColumns:
    """Tokens such as dog/NOUN; lemmas in small letters."""
    words, tags = (
        [token.split("/")[k] for sentence in sentences for token in sentence] for k in (0, 1)
    )
    lemmas = [word.lower() for word in words]
    return TokenColumns(
        COLUMNS,
        [words, lemmas, tags, tags, ["_"] * len(words)],
        np.cumsum([0, *map(len, sentences)]),
    )


def row(columns: TokenColumns, token: int) -> dict[str, str]:
    return {name: values[token] for name, values in zip(columns.names, columns.values, strict=True)}


def test_a_sentence_by_hand() -> None:
    tokens = bank(
        [["Go/V", "!/P"], ["The/D", "Dog/N", "of/A", "Ann/N", "sleeps/V", "here/R", "./P"]]
    )
    columns = relation_columns(tokens, [0, 1, 2, 5, 4, 2, 0, 5, 5])
    assert columns.names == RELATION_COLUMNS and columns.ptr is tokens.ptr
    dog = row(columns, 3)
    assert (
        dog["word"] == "Dog"
        and dog["head.lemma"] == "sleeps"
        and dog["side"] == "left"
        and dog["distance"] == "left3"
    )
    assert (
        dog["head.before"] == "N" and dog["head.after"] == "R" and dog["head.children"] == "N/P+R"
    )
    assert (
        dog["children"] == "D/N"
        and dog["left.lemma"] == dog["inner.lemma"] == "the"
        and dog["right.lemma"] == "ann"
    )
    assert dog["grand.coarse"] == dog["grand.lemma"] == ROOT and dog["grand.side"] == "root"
    assert dog["previous.lemma"] == NONE and dog["next.lemma"] == "here" and dog["rank"] == "0"
    stop = row(columns, 8)
    assert (
        stop["previous.lemma"] == "here"
        and stop["next.coarse"] == NONE
        and stop["rank"] == "1"
        and stop["head.coarse"] == "V"
    )
    verb = row(columns, 6)
    assert (
        verb["side"] == verb["distance"] == "root"
        and verb["head.word"] == ROOT
        and verb["grand.side"] == NONE
    )
    assert verb["head.before"] == verb["head.after"] == NONE and verb["head.children"] == "/V", (
        "of its own sentence alone"
    )
    of = row(columns, 4)
    assert of["grand.lemma"] == "dog" and of["grand.side"] == "right" and of["children"] == "/"


def test_heads_must_fit() -> None:
    tokens = bank([["a/X", "b/X"]])
    with pytest.raises(ValueError, match="a head for each of 2 tokens, got 1"):
        relation_columns(tokens, [0])
    for heads in ([0, 3], [-1, 0]):
        with pytest.raises(ValueError, match="counted from 1, or 0"):
            relation_columns(tokens, heads)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[list[str]], list[list[int]]]:
    """Sentences and heads; any heads will do, even cycles."""
    tags, heads = [], []
    for n in draw(st.lists(st.integers(1, 7), min_size=1, max_size=4)):
        tags.append([f"w{k}/{draw(st.sampled_from('NVD'))}" for k in range(n)])
        heads.append(
            [draw(st.integers(0, n).filter(lambda head, k=k: head != k + 1)) for k in range(n)]
        )
    return tags, heads


@settings(max_examples=60)
@given(trees())
def test_columns_agree_with_plain_loops(
    given_trees: tuple[list[list[str]], list[list[int]]],
) -> None:
    sentences, all_heads = given_trees
    columns = relation_columns(bank(sentences), [head for heads in all_heads for head in heads])
    token = 0
    for sentence, heads in zip(sentences, all_heads, strict=True):
        words, tags = (
            [text.split("/")[0] for text in sentence],
            [text.split("/")[1] for text in sentence],
        )

        def children(parent: int, heads: list[int] = heads) -> tuple[list[int], list[int]]:
            found = [k for k, head in enumerate(heads) if head == parent + 1]
            return [k for k in found if k < parent], [k for k in found if k > parent]

        def tag_set(parent: int, tags: list[str] = tags) -> str:
            return "/".join("+".join(sorted({tags[k] for k in side})) for side in children(parent))

        for k, head in enumerate(heads):
            seen = row(columns, token)
            (left, right), siblings = (
                children(k),
                sorted([*children(head - 1)[0], *children(head - 1)[1]]),
            )
            before, after = [s for s in siblings if s < k], [s for s in siblings if s > k]
            assert seen["left.lemma"] == (words[left[0]] if left else NONE)
            assert seen["inner.coarse"] == (tags[left[-1]] if left else NONE)
            assert seen["right.lemma"] == (words[right[-1]] if right else NONE)
            assert seen["previous.lemma"] == (words[before[-1]] if before else NONE)
            assert seen["next.coarse"] == (tags[after[0]] if after else NONE)
            assert seen["head.word"] == (words[head - 1] if head else ROOT)
            assert seen["children"] == tag_set(k) and seen["head.children"] == tag_set(head - 1)
            between = [s for s in siblings if min(k, head - 1) < s < max(k, head - 1)]
            assert seen["rank"] == str(min(3, len(between)))
            if head:
                far = max(bound for bound in FAR if bound <= abs(head - 1 - k))
                assert seen["distance"] == seen["side"] + str(far) and seen["side"] == (
                    "left" if k < head - 1 else "right"
                )
            token += 1
