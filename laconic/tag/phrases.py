"""Phrases of lists, such as the names of cities, found in sentences: a column of letters for templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from laconic.errors import InputError
from laconic.text.io import PathLike, name_of, open_text
from laconic.text.vocab import Vocab

SINGLE, OUTSIDE = "U", "O"


class PhraseList:
    """marks(words, ptr)[t]: U for a phrase of one word; B, I .., E for the words of a longer one; O outside phrases.

    Phrases do not overlap: from left to right the longest one counts. Capitals are ignored, but with `capital` (for names) the
    first word of a phrase must begin with one in the text.
    """

    def __init__(self, phrases: Iterable[str | Sequence[str]], capital: bool = True) -> None:
        split = (phrase.split() if isinstance(phrase, str) else phrase for phrase in phrases)
        self.phrases = frozenset(tuple(word.lower() for word in words) for words in split if words)
        self.capital = capital
        self._sizes: dict[
            str, list[int]
        ] = {}  # of the phrases that begin with a word, longest first
        for first, size in sorted(
            {(phrase[0], len(phrase)) for phrase in self.phrases}, reverse=True
        ):
            self._sizes.setdefault(first, []).append(size)

    @classmethod
    def read(cls, path: PathLike, capital: bool = True) -> PhraseList:
        """A phrase a line, its words parted by spaces; plain or gzip."""
        with open_text(path) as lines:
            found = cls(lines, capital)
        if not found.phrases:
            raise InputError(f"{name_of(path)}: expected a phrase a line, found none.")
        return found

    def __len__(self) -> int:
        return len(self.phrases)

    def marks(self, words: Sequence[str], ptr: npt.NDArray[np.int64]) -> list[str]:
        """The letters of all tokens; sentence s is tokens ptr[s]:ptr[s+1], and no phrase goes beyond it."""
        distinct = Vocab()
        ids = distinct.grow(words)
        opens = np.array(
            [
                word.lower() in self._sizes and (not self.capital or word[:1].isupper())
                for word in distinct.words
            ],
            bool,
        )
        starts = np.flatnonzero(opens[ids]) if len(ids) else np.zeros(0, int)
        ends = np.asarray(ptr)[np.searchsorted(ptr, starts, side="right")]
        found = [OUTSIDE] * len(words)
        free = 0
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            if start < free:
                continue
            size = self._longest(
                [
                    word.lower()
                    for word in words[
                        start : min(end, start + self._sizes[words[start].lower()][0])
                    ]
                ]
            )
            if size:
                found[start : start + size] = letters(size)
                free = start + size
        return found

    def _longest(self, words: Sequence[str]) -> int:
        """The size of the longest phrase that these words begin with; 0 if there is none."""
        sizes = self._sizes[words[0]]
        return next(
            (size for size in sizes if size <= len(words) and tuple(words[:size]) in self.phrases),
            0,
        )


def letters(size: int) -> list[str]:
    """What marks a phrase of `size` words."""
    return [SINGLE] if size == 1 else list(chain("B", "I" * (size - 2), "E"))
