"""Lists of trees of sentences: the k best of a parser, of a treebank by parsers that have not seen the sentences they parse."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from laconic.core.ragged import pointers, ranges
from laconic.core.report import Callback, Event
from laconic.text.sequences import TokenColumns
from laconic.text.treebanks import Treebank

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class TreeLists(NamedTuple):
    """Trees ptr[s] .. ptr[s + 1] of sentence s, the best first: heads of their tokens, tree after tree, and the parser's scores."""

    tokens: TokenColumns
    ptr: Int64
    heads: Int32
    scores: NDArray[np.float64]

    @property
    def sentence(self) -> Int64:
        """Of every tree its sentence."""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))

    @property
    def tree_ptr(self) -> Int64:
        """Where the tokens of every tree begin."""
        return pointers(np.diff(self.tokens.ptr)[self.sentence])

    def some(self, chosen: NDArray[np.integer[Any]]) -> TreeLists:
        """The lists of these sentences."""
        tokens, trees = (
            self.tokens.some(chosen),
            ranges(self.ptr[:-1][chosen], self.ptr[1:][chosen]),
        )
        return TreeLists(
            tokens, pointers(np.diff(self.ptr)[chosen]), self.of_trees(trees), self.scores[trees]
        )

    def of_trees(self, trees: Int64) -> Int32:
        """The heads of some trees, one after the other."""
        return self.heads[ranges(self.tree_ptr[trees], self.tree_ptr[trees + 1])]

    def ranked(self, scores: NDArray[np.float64], k: int) -> TreeLists:
        """The k trees of every list with the highest of these scores, and them, in this order; equals stay in theirs."""
        length = np.diff(self.ptr)
        place = np.arange(len(scores)) - np.repeat(self.ptr[:-1], length)
        trees = np.lexsort((-scores, self.sentence))[place < k]
        return TreeLists(
            self.tokens, pointers(np.minimum(length, k)), self.of_trees(trees), scores[trees]
        )

    def right_heads(self, gold: Int32) -> Int64:
        """Of every tree how many of its heads are those of a treebank."""
        sentence, tree_ptr = self.sentence, self.tree_ptr
        right = self.heads == gold[ranges(self.tokens.ptr[sentence], self.tokens.ptr[sentence + 1])]
        return np.diff(pointers(right)[tree_ptr])

    def most_right(self, gold: Int32) -> int:
        """How many heads would be right if the best tree of every list were chosen."""
        return int(np.maximum.reduceat(self.right_heads(gold), self.ptr[:-1]).sum())


def k_best(parser: Any, tokens: TokenColumns, k: int) -> TreeLists:
    """Up to k trees of each sentence by a fitted Parser, crossing arcs still lifted."""
    tokens = parser._tagged(tokens)
    columns, ptr = parser.scorer_.encoder.encode(tokens)
    counts, heads, scores = parser.scorer_.kernel.k_best(
        columns, ptr, *parser._candidates(tokens), k
    )
    return TreeLists(tokens, pointers(counts), heads, scores)


def with_gold(lists: TreeLists, gold: Int32) -> tuple[TreeLists, Int64]:
    """The lists with the right tree last where they have it not, without a score (nan), and the numbers of the right trees."""
    lengths = np.diff(lists.tokens.ptr)
    right = lists.right_heads(gold) == lengths[lists.sentence]
    found = np.full(len(lengths), -1, dtype=np.int64)
    trees = np.flatnonzero(right)[::-1]
    found[lists.sentence[trees]] = trees
    absent = np.flatnonzero(found < 0)
    order = np.argsort(np.concatenate([lists.sentence, absent]), kind="stable")
    both = np.concatenate(
        [lists.heads, gold[ranges(lists.tokens.ptr[absent], lists.tokens.ptr[absent + 1])]]
    )
    tree_ptr = np.concatenate([lists.tree_ptr, lists.tree_ptr[-1] + pointers(lengths[absent])[1:]])
    heads = both[ranges(tree_ptr[:-1][order], tree_ptr[1:][order])]
    scores = np.concatenate([lists.scores, np.full(len(absent), np.nan)])[order]
    ptr = pointers(np.diff(lists.ptr) + (found < 0))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    found[absent] = len(lists.scores) + np.arange(len(absent))
    return TreeLists(lists.tokens, ptr, heads, scores), place[found]


def crossed(
    parser: Any, bank: Treebank, folds: int, k: int, callback: Callback | None = None
) -> TreeLists:
    """The k best trees of every sentence by a parser that learned from the other folds. A callback sees an Event of the stage "fold" after each."""
    n = len(bank)
    if not 2 <= folds <= n:
        raise ValueError(f"folds must be from 2 to the number of sentences, {n}, got {folds!r}")
    found = []
    fold_of = np.arange(n) * folds // n
    for number in range(folds):
        fold = np.flatnonzero(fold_of == number)
        learned = whole(
            clone(parser).set_params(labels=False).fit(bank.some(np.flatnonzero(fold_of != number)))
        )
        found.append(k_best(learned, bank.tokens.some(fold), k))
        if callback is not None and callback(Event("fold", len(found), folds)):
            raise KeyboardInterrupt
    return joined(found)


def whole(parser: Any) -> Any:
    """A fitted parser; KeyboardInterrupt if Ctrl-C cut its learning short: the lists of such a one are not what it will be."""
    if parser.interrupted_:
        raise KeyboardInterrupt
    return parser


def joined(parts: list[TreeLists]) -> TreeLists:
    """Lists of several sets of sentences as one."""
    names = parts[0].tokens.names
    values: list[Sequence[str]] = [
        list(chain.from_iterable(part.tokens.values[c] for part in parts))
        for c in range(len(names))
    ]
    tokens = TokenColumns(
        names, values, pointers(np.concatenate([np.diff(part.tokens.ptr) for part in parts]))
    )
    ptr = pointers(np.concatenate([np.diff(part.ptr) for part in parts]))
    return TreeLists(
        tokens,
        ptr,
        np.concatenate([part.heads for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )
