"""Long sentences in pieces: where they are cut, and that one tree comes back."""

from __future__ import annotations

import time
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsers import SENTENCES, TREES, fitted

from laconic import Parser, load
from laconic.core.ragged import cut, pointers
from laconic.parse.pieces import Pieces, best_sums
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import first_on_cycle, read_treebank

WORDS = st.lists(st.sampled_from(["a", "the", ",", ".", '"', "(", "!"]), max_size=40)


def pieces_of(sentences: list[list[str]], most: int) -> tuple[Pieces, list[list[str]]]:
    pieces = Pieces.of(TokenColumns.from_sentences(sentences, ("word",)), most)
    return pieces, [list(part) for part in cut(pieces.tokens.values[0], pieces.tokens.ptr)]


@given(st.lists(WORDS, max_size=4), st.integers(1, 12))
def test_pieces_are_short_and_nothing_is_lost(sentences: list[list[str]], most: int) -> None:
    pieces, parts = pieces_of(sentences, most)
    assert all(len(part) <= most for part in parts)
    for words, (begin, end) in zip(sentences, pairwise(pieces.ptr), strict=True):
        assert [word for part in parts[begin:end] for word in part] == words
        assert end - begin == 1 or len(words) > most
        assert all(len(part) >= most / 2 for part in parts[begin : end - 1])


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a b c . e , g h i", "a b c ."),  # a full stop is better than a comma behind it
        ("a b c d , f g h i", "a b c d ,"),
        ("a b c d e f g h i", "a b c d e f g h"),  # nothing to cut at
        ('a b c d . " g h i', 'a b c d . "'),  # behind closing quotes
        ("a b c d , e ( g h", "a b c d ,"),  # not behind an opening parenthesis
        ("a . c d e f g h i", "a . c d e f g h"),  # not in the first half
    ],
)
def test_cuts_are_at_the_best_punctuation(text: str, first: str) -> None:
    assert pieces_of([text.split()], 8)[1][0] == first.split()


def forests(n: int) -> st.SearchStrategy[list[int]]:
    """Projective heads of n words, built as a random binary split of the span."""

    def build(draw: st.DrawFn, begin: int, end: int, head: int, heads: list[int]) -> None:
        if begin < end:
            root = draw(st.integers(begin, end - 1))
            heads[root] = head
            build(draw, begin, root, root + 1, heads)
            build(draw, root + 1, end, root + 1, heads)

    @st.composite
    def one(draw: st.DrawFn) -> list[int]:
        heads = [0] * n
        build(draw, 0, n, 0, heads)
        return heads

    return one()


@given(st.data(), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_projective_pieces_make_one_projective_tree(
    choice: st.DataObject, lengths: list[int]
) -> None:
    tokens = TokenColumns(("word",), [["a"] * sum(lengths)], pointers(lengths))
    pieces = Pieces(tokens, np.array([0, len(lengths)]))
    parts = [choice.draw(forests(n)) for n in lengths]
    whole = pieces.whole(np.array(list(chain(*parts)), np.int32)).tolist()
    assert whole.count(0) == 1 and first_on_cycle(whole) is None
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(whole, 1)]
    assert not any(a < c < b < d for a, b in arcs for c, d in arcs)
    start = 0
    for part in parts:  # arcs within pieces are as they were
        inside = [head + start if head else None for head in part]
        assert all(a is None or a == b for a, b in zip(inside, whole[start:], strict=False))
        start += len(part)


@given(
    st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=4), min_size=1, max_size=4),
    st.integers(1, 6),
)
def test_the_best_sums_are_those_of_all_choices(scores: list[list[int]], k: int) -> None:
    scores = [sorted(part, reverse=True) for part in scores]
    chosen, sums = best_sums([np.array(part, float) for part in scores], k)
    every = np.zeros(1)
    for part in scores:
        every = np.add.outer(every, part).ravel()
    assert sums.tolist() == sorted(every.tolist(), reverse=True)[:k]
    assert len({tuple(row) for row in chosen.tolist()}) == len(chosen)
    for row, total in zip(chosen.tolist(), sums.tolist(), strict=True):
        assert sum(part[i] for part, i in zip(scores, row, strict=True)) == total


@pytest.mark.parametrize("model", ["arcs", "carreras"])
def test_long_sentences_between_short_ones(model: str) -> None:
    parser = fitted(model=model)
    long = [token for sentence in [SENTENCES[2]] * 5 for token in sentence]
    short = parser.set_params(most_tokens=len(SENTENCES[2])).predict(SENTENCES)
    found = parser.predict([*SENTENCES[:3], long])
    assert found[:3] == short[:3]
    heads = short[2].heads
    root = heads.index(0) + 1
    assert found[3].heads == heads + [
        head + 4 * piece if head else root for piece in range(1, 5) for head in heads
    ]
    ranked = parser.predict_k_best([*SENTENCES[:3], long], 3)
    assert [lists[0][0] for lists in ranked] == found
    assert [lists[0][1] for lists in ranked[:3]] == [
        lists[0][1] for lists in parser.predict_k_best(SENTENCES[:3], 3)
    ]
    assert len({tuple(tree.heads) for tree, _ in ranked[3]}) == 3


@pytest.mark.slow
def test_5000_tokens_take_seconds(data: object) -> None:
    bank = read_treebank(f"{data}/ud/Danish-DDT/dev.conllu.gz").some(np.arange(100))
    parser = Parser("arcs", labels=False).fit(bank)
    values = [(list(column) * 10)[:5000] for column in bank.tokens.values]
    page = TokenColumns(bank.tokens.names, values, np.array([0, 5000]))
    start = time.process_time()
    heads, _ = parser.parse(page)
    assert time.process_time() - start < 30  # about 4; 60 and gigabytes where nothing is cut
    assert np.count_nonzero(heads == 0) == 1 or not parser.shape_.single_root
    assert first_on_cycle(heads.tolist()) is None


def test_training_leaves_long_sentences_out_and_says_so() -> None:
    X, y = SENTENCES * 2, TREES * 2
    with pytest.warns(UserWarning, match="left out 2 of 8 sentences, which have more than 4 tok"):
        parser = Parser(most_tokens=4).fit(X, y)
    few = [s for s in range(8) if s % 4 != 3]
    other = Parser().fit([X[s] for s in few], [y[s] for s in few])
    assert parser.predict(X[:3]) == other.predict(X[:3])
    with pytest.raises(ValueError, match="every sentence has more than 2 tokens: split them"):
        fitted(most_tokens=2)
    with pytest.raises(ValueError, match="most_tokens must be above 0, got 0"):
        parser.set_params(most_tokens=0).predict(X)


def test_one_sentence_is_too_few_and_says_so() -> None:
    with pytest.warns(UserWarning, match="one sentence to learn from"):
        Parser().fit(SENTENCES[:1], TREES[:1])


def test_files_keep_the_bound(tmp_path: object) -> None:
    fitted(most_tokens=77).save(f"{tmp_path}/model")
    assert load(f"{tmp_path}/model").most_tokens == 77
