"""Very long sentences: cut where punctuation is strongest, parsed in pieces, joined to one tree.

    sentence = piece_1 .. piece_n,   root of piece_i  ->  root of piece_1   for i = 2 .. n

Time and memory of a parser grow with the square of the sentence, and more: a page without full
stops would take minutes and gigabytes. A sentence of N tokens in pieces of at most M costs as much
as N / M sentences of M tokens.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.ragged import pointers
from laconic.text.token_columns import TokenColumns

MOST_TOKENS = 400  # real sentences are shorter but for a handful per language
ENDS = frozenset(".!?…。！？｡؟۔।॥።")  # what ends sentences
OPENING = ("Ps", "Pi")  # punctuation that belongs to what follows


class Pieces(NamedTuple):
    """Sentences cut into pieces.

    Parameters
    ----------
    tokens : TokenColumns
        The pieces, as sentences.
    ptr : array of shape (n_sentences + 1,)
        Sentence s is the pieces ptr[s]:ptr[s + 1].
    """

    tokens: TokenColumns
    ptr: Ints

    @classmethod
    def of(cls, tokens: TokenColumns, most: int) -> Pieces:
        """Return sentences in pieces of at most `most` tokens; most sentences are one piece."""
        if most < 1:
            raise ValueError(f"most_tokens must be above 0, got {most!r}")
        lengths = np.diff(tokens.ptr)
        if not np.any(lengths > most):
            return cls(tokens, np.arange(len(tokens) + 1))
        words = tokens.values[0]
        sizes: list[list[int]] = [[n] for n in lengths.tolist()]
        for s in np.flatnonzero(lengths > most).tolist():
            sizes[s] = _cut(words[int(tokens.ptr[s]) : int(tokens.ptr[s + 1])], most)
        ptr = pointers(n for pieces in sizes for n in pieces)
        return cls(TokenColumns(tokens.names, tokens.values, ptr), pointers(map(len, sizes)))

    @property
    def cut(self) -> Ints:
        """The numbers of the sentences that are more than one piece."""
        found: Ints = np.flatnonzero(np.diff(self.ptr) > 1)
        return found

    def whole(self, heads: Ints32) -> Ints32:
        """Return the heads of whole sentences from those of pieces."""
        found = heads.copy()
        for s in self.cut.tolist():
            span = slice(*self.tokens.ptr[self.ptr[s : s + 2]].tolist())
            found[span] = self.joined(s, heads[span])
        return found

    def joined(self, s: int, heads: Ints32) -> Ints32:
        """Return the heads of sentence s from those of its pieces, one after the other.

        The last root of the first piece is chosen: arcs from it cross no arc of the pieces.
        """
        bounds = self.tokens.ptr[self.ptr[s] : self.ptr[s + 1] + 1] - self.tokens.ptr[self.ptr[s]]
        found = heads.copy()
        for begin, end in pairwise(bounds[1:].tolist()):
            root = 1 + int(np.flatnonzero(heads[: bounds[1]] == 0)[-1])
            part = heads[begin:end]
            found[begin:end] = np.where(part == 0, root, part + begin)
        return found


def best_sums(scores: Sequence[Array], k: int) -> tuple[Ints, Array]:
    """Return the k best choices of one tree per piece, and the sums of their scores, best first.

    scores[i] are those of the trees of piece i; row c of the choices has one number per piece.
    """
    chosen, total = np.zeros((1, 0), np.int64), np.zeros(1)
    for part in scores:
        sums = (total[:, None] + np.asarray(part)).ravel()
        best = np.argsort(-sums, kind="stable")[:k]
        before, last = np.divmod(best, len(part))
        chosen, total = np.column_stack([chosen[before], last]), sums[best]
    return chosen, total


def _cut(words: Sequence[str], most: int) -> list[int]:
    """Return the sizes of pieces of at most `most` words, cut in their second halves.

    The best place is the last one after the strongest punctuation.
    """
    strength = np.array(_strengths(words))
    sizes, begin = [], 0
    while len(words) - begin > most:
        window = strength[begin + (most - 1) // 2 : begin + most]
        size = most - int(np.argmax(window[::-1]))
        sizes.append(size)
        begin += size
    return [*sizes, len(words) - begin]


def _strengths(words: Sequence[str]) -> list[int]:
    """Return how good a place to cut is after every word: 2 sentence ends, 1 other punctuation.

    Of several signs in a row, such as a full stop and quotes, the last one has that of them all.
    """
    found = [_strength(word) for word in words]
    for i in range(len(found) - 1):
        if found[i] and found[i + 1]:
            found[i], found[i + 1] = 0, max(found[i], found[i + 1])
    return found


def _strength(word: str) -> int:
    kinds = [unicodedata.category(letter) for letter in word]
    if not word or any(kind[0] != "P" or kind in OPENING for kind in kinds):
        return 0
    return 2 if ENDS & set(word) else 1
