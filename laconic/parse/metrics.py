"""Scores of predicted dependency trees, with and without punctuation, as in the CoNLL tasks.

    UAS = share of tokens with the right head
    LAS = share of tokens with the right head and label
    complete = share of sentences all of whose tokens are right

CoNLL-2007 scored all tokens, CoNLL-X all but those made of Unicode punctuation alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Bools, Ints
from laconic.text.token_columns import TokenColumns

UNIVERSAL_PUNCTUATION = "PUNCT"


class TreeScores(NamedTuple):
    """Shares of all tokens and sentences, and of `words`, the tokens other than punctuation.

    A share of nothing is 0. Without labels, las, labelled_complete and las_words are None.
    """

    uas: float
    las: float | None
    complete: float
    labelled_complete: float | None
    uas_words: float
    las_words: float | None
    complete_words: float
    n_tokens: int
    n_words: int


def punctuation_of(tokens: TokenColumns) -> Bools:
    """Return which tokens are punctuation.

    These are the tokens tagged PUNCT if the treebank has that tag, else those made of punctuation
    signs alone.
    """
    if "coarse" in tokens.names:
        tagged = np.array(
            [tag == UNIVERSAL_PUNCTUATION for tag in tokens.column("coarse")], dtype=bool
        )
        if tagged.any():
            return tagged
    words = tokens.column("word")
    signs = {
        word
        for word in set(words)
        if word and all(unicodedata.category(letter)[0] == "P" for letter in word)
    }
    return np.fromiter((word in signs for word in words), bool, len(words))


def tree_scores(
    gold_heads: ArrayLike,
    heads: ArrayLike,
    ptr: ArrayLike,
    gold_labels: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    punctuation: ArrayLike | None = None,
) -> TreeScores:
    """Return the scores of heads and labels against the gold ones.

    Sentence s is tokens ptr[s]:ptr[s+1]; empty sentences do not count.
    """
    gold, found, pointer = (
        np.asarray(gold_heads),
        np.asarray(heads),
        np.asarray(ptr, dtype=np.int64),
    )
    n = int(pointer[-1])
    word = np.ones(n, dtype=bool) if punctuation is None else ~np.asarray(punctuation, dtype=bool)
    if not len(gold) == len(found) == len(word) == n:
        raise ValueError(
            f"expected {n} gold heads, heads and punctuation marks, "
            f"got {len(gold)}, {len(found)} and {len(word)}"
        )
    starts = pointer[:-1][np.diff(pointer) > 0]
    right = gold == found
    labelled = _right_labels(gold_labels, labels, n)
    if labelled is not None:
        labelled &= right
    has_word = np.logical_or.reduceat(word, starts) if n else word
    return TreeScores(
        uas=_share(right),
        las=None if labelled is None else _share(labelled),
        complete=_share(_complete(right, starts)),
        labelled_complete=None if labelled is None else _share(_complete(labelled, starts)),
        uas_words=_share(right[word]),
        las_words=None if labelled is None else _share(labelled[word]),
        complete_words=_share(_complete(right | ~word, starts)[has_word]),
        n_tokens=n,
        n_words=int(word.sum()),
    )


def _right_labels(gold: Sequence[str] | None, found: Sequence[str] | None, n: int) -> Bools | None:
    if gold is None and found is None:
        return None
    if gold is None or found is None or not len(gold) == len(found) == n:
        sizes = ["no" if some is None else str(len(some)) for some in (gold, found)]
        raise ValueError(
            f"expected {n} gold and predicted labels, or neither, got {sizes[0]} and {sizes[1]}"
        )
    return np.fromiter((a == b for a, b in zip(gold, found, strict=True)), bool, n)


def _complete(right: Bools, starts: Ints) -> Bools:
    """Return for each sentence whether all its tokens are right."""
    return np.logical_and.reduceat(right, starts) if len(right) else right


def _share(right: Bools) -> float:
    return float(right.mean()) if len(right) else 0.0
