"""Lists of trees against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsers import SENTENCES, fitted

from laconic.core.ragged import pointers
from laconic.parse.lists import TreeLists, joined, k_best, with_gold
from laconic.text.token_columns import TokenColumns

Plain = list[
    tuple[list[str], list[tuple[list[int], float]]]
]  # of each sentence its words, and trees with scores


@st.composite
def plain_lists(draw: st.DrawFn) -> Plain:
    """Draw sentences of up to four words, each with one to three lists of heads, trees or not."""
    found = []
    for _ in range(draw(st.integers(0, 5))):
        n = draw(st.integers(0, 4))
        heads = st.lists(st.integers(0, n), min_size=n, max_size=n)
        trees = draw(st.lists(st.tuples(heads, st.floats(-9, 9)), min_size=1, max_size=3))
        found.append((draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)), trees))
    return found


def tree_lists(plain: Plain) -> TreeLists:
    tokens = TokenColumns.from_sentences([words for words, _ in plain], ("word",))
    heads = [head for _, trees in plain for tree, _ in trees for head in tree]
    scores = [score for _, trees in plain for _, score in trees]
    return TreeLists(
        tokens,
        pointers([len(trees) for _, trees in plain]),
        np.array(heads, np.int32),
        np.array(scores, np.float64),
    )


def as_plain(lists: TreeLists) -> Plain:
    """What the arrays say, read one by one."""
    found, at = [], 0
    for s, sentence in enumerate(lists.tokens.sentences()):
        trees = []
        for k in range(int(lists.ptr[s]), int(lists.ptr[s + 1])):
            trees.append((lists.heads[at : at + len(sentence)].tolist(), float(lists.scores[k])))
            at += len(sentence)
        found.append(([word for (word,) in sentence], trees))
    assert at == len(lists.heads)
    return found


def gold_of(plain: Plain, choice: st.DataObject) -> list[list[int]]:
    """Heads of each sentence: those of one of its trees, or others."""
    found = []
    for words, trees in plain:
        others = st.lists(st.integers(0, len(words)), min_size=len(words), max_size=len(words))
        found.append(choice.draw(st.sampled_from([tree for tree, _ in trees]) | others))
    return found


def flat(heads: list[list[int]]) -> np.ndarray:
    return np.array([head for tree in heads for head in tree], np.int32)


@pytest.mark.slow
@settings(max_examples=50)
@given(plain=plain_lists(), choice=st.data())
def test_some_and_joined(plain: Plain, choice: st.DataObject) -> None:
    lists = tree_lists(plain)
    assert as_plain(lists) == plain
    chosen = choice.draw(st.permutations(range(len(plain))))[
        : choice.draw(st.integers(0, len(plain)))
    ]
    assert as_plain(lists.some(np.array(chosen, np.int64))) == [plain[s] for s in chosen]
    cut = choice.draw(st.integers(0, len(plain)))
    assert as_plain(joined([tree_lists(plain[:cut]), tree_lists(plain[cut:])])) == plain


@settings(max_examples=50)
@given(plain=plain_lists(), k=st.integers(1, 4), choice=st.data())
def test_ranked_by_other_scores(plain: Plain, k: int, choice: st.DataObject) -> None:
    n = sum(len(trees) for _, trees in plain)
    scores = choice.draw(st.lists(st.sampled_from([-1.5, 0.0, 2.0]), min_size=n, max_size=n))
    new = iter(scores)
    wanted = [
        (words, sorted(((tree, next(new)) for tree, _ in trees), key=lambda each: -each[1])[:k])
        for words, trees in plain
    ]
    assert as_plain(tree_lists(plain).ranked(np.array(scores, np.float64), k)) == wanted


@pytest.mark.slow
@settings(max_examples=50)
@given(plain=plain_lists(), choice=st.data())
def test_right_heads(plain: Plain, choice: st.DataObject) -> None:
    gold = gold_of(plain, choice)
    right = [
        [sum(a == b for a, b in zip(tree, wanted, strict=True)) for tree, _ in trees]
        for (_, trees), wanted in zip(plain, gold, strict=True)
    ]
    lists = tree_lists(plain)
    assert lists.right_heads(flat(gold)).tolist() == [n for counts in right for n in counts]
    assert lists.most_right(flat(gold)) == sum(max(counts) for counts in right)


@settings(max_examples=50)
@given(plain=plain_lists(), choice=st.data())
def test_gold_is_there_exactly_once(plain: Plain, choice: st.DataObject) -> None:
    distinct = [
        (words, list({tuple(tree): (tree, score) for tree, score in trees}.values()))
        for words, trees in plain
    ]
    gold = gold_of(distinct, choice)
    found, right = with_gold(tree_lists(distinct), flat(gold))
    for s, ((words, trees), (before, _), wanted) in enumerate(
        zip(as_plain(found), distinct, gold, strict=True)
    ):
        assert words == before and [tree for tree, _ in trees].count(wanted) == 1
        assert (
            found.ptr[s] <= right[s] < found.ptr[s + 1]
            and trees[right[s] - found.ptr[s]][0] == wanted
        )
        added = wanted not in [tree for tree, _ in distinct[s][1]]
        assert trees[: len(trees) - added] == distinct[s][1]
        assert not added or (trees[-1][0] == wanted and np.isnan(trees[-1][1]))


def test_the_lists_of_a_parser_are_those_it_predicts() -> None:
    parser, sentences = (
        fitted(model="carreras"),
        SENTENCES[:3],
    )  # the last one has a crossing arc, which is lifted in lists
    lists = k_best(parser, TokenColumns.from_sentences(sentences, parser.columns), 3)
    found = [
        [(tree.heads, score) for tree, score in trees]
        for trees in parser.predict_k_best(sentences, 3)
    ]
    at = 0
    for s, trees in enumerate(found):
        assert lists.scores[lists.ptr[s] : lists.ptr[s + 1]].tolist() == [
            score for _, score in trees
        ]
        for heads, _ in trees:
            assert lists.heads[at : at + len(heads)].tolist() == heads
            at += len(heads)
