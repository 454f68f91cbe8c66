"""Trees of sentences, and what every predictor of trees does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from laconic.core.arrays import Ints, Ints32
from laconic.core.ragged import cut
from laconic.core.report import Reported
from laconic.models.save import Saved
from laconic.text.token_columns import Token, TokenColumns
from laconic.text.treebanks import Treebank

ParseSentences: TypeAlias = Treebank | TokenColumns | Iterable[Sequence[Token]]
GivenTree: TypeAlias = Sequence[int] | tuple[Sequence[int], Sequence[str] | None]
ParsedTokens: TypeAlias = tuple[Ints32, list[str] | None]


class DependencyTree(NamedTuple):
    """The tree of a sentence.

    Parameters
    ----------
    heads : list of int
        The place of every token's head in the sentence, counted from 1; 0 at a root.
    labels : list of str or None
        The relations of tokens to their heads, if there are any.
    """

    heads: list[int]
    labels: list[str] | None


RankedTree: TypeAlias = tuple[DependencyTree, float]


def as_trees(heads: Ints32, labels: list[str] | None, ptr: Ints) -> list[DependencyTree]:
    """Return one tree per sentence, from the heads and labels of all tokens."""
    trees = cut(heads.tolist(), ptr)
    if labels is None:
        return [DependencyTree(part, None) for part in trees]
    return [
        DependencyTree(part, names) for part, names in zip(trees, cut(labels, ptr), strict=True)
    ]


class TreePredictor(Reported, Saved, ABC):
    """What predicts trees: a parser, or a reranker of a parser's trees."""

    @abstractmethod
    def parse(self, X: ParseSentences) -> ParsedTokens:
        """Return the heads and labels of all tokens, one after the other.

        Parameters
        ----------
        X : list of list of tokens, TokenColumns or Treebank
            Sentences.

        Returns
        -------
        heads : array of int32
            The place of every token's head in its sentence, counted from 1; 0 at a root.
        labels : list of str or None
            The relations of tokens to their heads; None if the model has no labels.
        """

    @abstractmethod
    def predict_k_best(self, X: ParseSentences, k: int) -> list[list[RankedTree]]:
        """Return the best trees of every sentence.

        Parameters
        ----------
        X : list of list of tokens, TokenColumns or Treebank
            Sentences.
        k : int
            Number of trees per sentence, at most.

        Returns
        -------
        list of list of (DependencyTree, float)
            Different trees with their scores, best first.
        """

    def tagged(self, X: ParseSentences) -> TokenColumns | None:
        """Return the sentences with the tags that were predicted; None if none are.

        Parameters
        ----------
        X : list of list of tokens, TokenColumns or Treebank
            Sentences.
        """
        return None

    @abstractmethod
    def _tokens(self, X: ParseSentences) -> TokenColumns:
        """Return sentences of any of these kinds as columns."""

    def predict(self, X: ParseSentences) -> list[DependencyTree]:
        """Return the best tree of every sentence.

        Parameters
        ----------
        X : list of list of tokens, TokenColumns or Treebank
            Sentences.
        """
        tokens = self._tokens(X)
        return as_trees(*self.parse(tokens), tokens.ptr)

    def score(self, X: ParseSentences, y: Sequence[GivenTree] | None = None) -> float:
        """Return the share of tokens with the right head.

        Parameters
        ----------
        X : list of list of tokens, TokenColumns or Treebank
            Sentences.
        y : list of trees, optional
            The right trees, or lists of heads; None if X is a Treebank.
        """
        bank = self._bank(X, y)
        return float(np.mean(self.parse(bank.tokens)[0] == bank.heads))

    def _bank(self, X: ParseSentences, y: Sequence[GivenTree] | None = None) -> Treebank:
        """Return sentences and trees as a treebank; X itself if it is one."""
        if isinstance(X, Treebank) and y is None:
            return X
        tokens = self._tokens(X)
        if y is None:
            raise ValueError("trees are needed: give y, or a Treebank")
        trees = [tree if isinstance(tree, tuple) else (tree, None) for tree in y]
        if len(trees) != len(tokens):
            raise ValueError(f"there are {len(tokens)} sentences, but {len(trees)} trees")
        for number, (tree, n) in enumerate(zip(trees, np.diff(tokens.ptr).tolist(), strict=True)):
            if len(tree[0]) != n:
                raise ValueError(f"sentence {number} has {n} tokens, but {len(tree[0])} heads")
        heads = np.fromiter(
            (head for tree in trees for head in tree[0]), np.int32, int(tokens.ptr[-1])
        )
        labels = [label for tree in trees for label in tree[1] or ()]
        if len(labels) not in (0, len(heads)):
            raise ValueError(f"there are {len(heads)} tokens, but {len(labels)} labels")
        return Treebank(tokens, heads, labels)
