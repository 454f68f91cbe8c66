"""Lists of trees of sentences: the k best trees of a parser, for training data by cross-fitting."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.ragged import cut, pointers, ranges
from laconic.core.report import Callback, Event
from laconic.parse.pieces import Pieces, best_sums
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import Treebank

if TYPE_CHECKING:
    from laconic.parse.model import Parser
    from laconic.parse.predict import ParsePredictor


class TreeLists(NamedTuple):
    """Lists of trees, one list per sentence.

    Parameters
    ----------
    tokens : TokenColumns
        The sentences.
    ptr : array of shape (n_sentences + 1,)
        Sentence s has the trees ptr[s]:ptr[s + 1], best first.
    heads : array of int32
        The heads of all tokens, tree after tree.
    scores : array of shape (n_trees,)
        The parser's scores.
    """

    tokens: TokenColumns
    ptr: Ints
    heads: Ints32
    scores: Array

    @property
    def sentence(self) -> Ints:
        """The sentence of every tree."""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))

    @property
    def tree_ptr(self) -> Ints:
        """The boundaries of the tokens of every tree."""
        return pointers(np.diff(self.tokens.ptr)[self.sentence])

    def some(self, chosen: NDArray[np.integer[Any]]) -> TreeLists:
        """Return the lists of these sentences."""
        tokens, trees = (
            self.tokens.some(chosen),
            ranges(self.ptr[:-1][chosen], self.ptr[1:][chosen]),
        )
        return TreeLists(
            tokens, pointers(np.diff(self.ptr)[chosen]), self.of_trees(trees), self.scores[trees]
        )

    def of_trees(self, trees: Ints) -> Ints32:
        """Return the heads of some trees, one after the other."""
        return self.heads[ranges(self.tree_ptr[trees], self.tree_ptr[trees + 1])]

    def ranked(self, scores: Array, k: int) -> TreeLists:
        """Return the k trees of every list with the highest of these scores, in this order.

        Trees with equal scores stay in their order.
        """
        length = np.diff(self.ptr)
        place = np.arange(len(scores)) - np.repeat(self.ptr[:-1], length)
        trees = np.lexsort((-scores, self.sentence))[place < k]
        return TreeLists(
            self.tokens, pointers(np.minimum(length, k)), self.of_trees(trees), scores[trees]
        )

    def right_heads(self, gold: Ints32) -> Ints:
        """Return the number of right heads of every tree."""
        sentence, tree_ptr = self.sentence, self.tree_ptr
        right = self.heads == gold[ranges(self.tokens.ptr[sentence], self.tokens.ptr[sentence + 1])]
        return np.diff(pointers(right)[tree_ptr])

    def most_right(self, gold: Ints32) -> int:
        """Return the number of right heads if the best tree of every list were chosen."""
        return int(np.maximum.reduceat(self.right_heads(gold), self.ptr[:-1]).sum())


def k_best(parser: ParsePredictor, tokens: TokenColumns, k: int) -> TreeLists:
    """Return up to k trees of each sentence by a fitted parser, crossing arcs still lifted."""
    pieces = parser._pieces(parser._tagged(tokens))
    columns, ptr = parser.scorer_.encoder.encode(pieces.tokens)
    counts, heads, scores = parser.scorer_.kernel.k_best(
        columns, ptr, *parser._candidates(pieces.tokens), k
    )
    found = TreeLists(pieces.tokens, pointers(counts), heads, scores)
    return of_pieces(found, pieces, k) if len(pieces.cut) else found


def of_pieces(lists: TreeLists, pieces: Pieces, k: int) -> TreeLists:
    """Return the lists of whole sentences: the k best sums of scores of one tree per piece."""
    trees = list(cut(lists.heads, lists.tree_ptr))
    heads, scores = [np.zeros(0, np.int32)], [np.zeros(0)]
    for s, (begin, end) in enumerate(pairwise(pieces.ptr.tolist())):
        bounds = lists.ptr[begin : end + 1]
        chosen, sums = best_sums(list(cut(lists.scores, bounds)), k)
        scores.append(sums)
        for row in (chosen + bounds[:-1]).tolist():
            heads.append(pieces.joined(s, np.concatenate([trees[tree] for tree in row])))
    tokens = TokenColumns(
        lists.tokens.names, lists.tokens.values, lists.tokens.ptr[pieces.ptr].copy()
    )
    ptr = pointers(len(sums) for sums in scores[1:])
    return TreeLists(tokens, ptr, np.concatenate(heads), np.concatenate(scores))


def with_gold(lists: TreeLists, gold: Ints32) -> tuple[TreeLists, Ints]:
    """Return the lists with the right tree in each, and the numbers of the right trees.

    A right tree that was not in its list comes last, without a score (nan).
    """
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
    parser: Parser, bank: Treebank, folds: int, k: int, callback: Callback | None = None
) -> TreeLists:
    """Return the k best trees of every sentence, by a parser that learned from the other folds.

    Parameters
    ----------
    parser : Parser
        The parser; clones of it learn.
    bank : Treebank
        Sentences with trees.
    folds : int
        Number of folds.
    k : int
        Number of trees per sentence, at most.
    callback : callable, optional
        Called with an Event of the stage "fold" after each; True raises KeyboardInterrupt.
    """
    n = len(bank)
    if not 2 <= folds <= n:
        raise ValueError(f"folds must be from 2 to the number of sentences, {n}, got {folds!r}")
    from sklearn.base import clone  # not needed to predict

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


def whole(parser: Parser) -> Parser:
    """Return a fitted parser, or raise KeyboardInterrupt if its fit was interrupted.

    The lists of such a parser are not those that a whole fit would give.
    """
    if parser.interrupted_:
        raise KeyboardInterrupt
    return parser


def joined(parts: list[TreeLists]) -> TreeLists:
    """Return the lists of several sets of sentences as one."""
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
