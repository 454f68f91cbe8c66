"""Phrases of lists, such as names of cities, marked in sentences: a column for templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from laconic.core.arrays import Ints
from laconic.errors import InputError
from laconic.text.io import PathLike, name_of, open_text
from laconic.text.vocab import Vocab

SINGLE, OUTSIDE = "U", "O"


class PhraseList:
    """A list of phrases, which marks them in sentences.

    `marks` gives U for a phrase of one word, B, I .., E for the words of a longer one, and O
    outside phrases. Phrases do not overlap: from left to right the longest one counts.

    Parameters
    ----------
    phrases : iterable of str or of sequences of str
        The phrases; a string is split at white space. Case is ignored.
    capital : bool, default=True
        Whether the first word of a phrase must begin with a capital letter in the text.
    """

    def __init__(self, phrases: Iterable[str | Sequence[str]], capital: bool = True) -> None:
        split = (phrase.split() if isinstance(phrase, str) else phrase for phrase in phrases)
        self.phrases = frozenset(tuple(word.lower() for word in words) for words in split if words)
        self.capital = capital
        # Sizes of the phrases that begin with a word, longest first.
        self._sizes: dict[str, list[int]] = {}
        for first, size in sorted(
            {(phrase[0], len(phrase)) for phrase in self.phrases}, reverse=True
        ):
            self._sizes.setdefault(first, []).append(size)

    @classmethod
    def read(cls, path: PathLike, capital: bool = True) -> PhraseList:
        """Read a file with one phrase per line, words separated by spaces; plain or gzip."""
        with open_text(path) as lines:
            found = cls(lines, capital)
        if not found.phrases:
            raise InputError(f"{name_of(path)}: expected one phrase per line, found none.")
        return found

    def __len__(self) -> int:
        return len(self.phrases)

    def marks(self, words: Sequence[str], ptr: Ints) -> list[str]:
        """Return the letters of all tokens.

        Sentence s is tokens ptr[s]:ptr[s+1]; no phrase extends beyond it.
        """
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
        """Return the size of the longest phrase that these words begin with; 0 if there is none."""
        sizes = self._sizes[words[0]]
        return next(
            (size for size in sizes if size <= len(words) and tuple(words[:size]) in self.phrases),
            0,
        )


def letters(size: int) -> list[str]:
    """Return the letters that mark a phrase of `size` words."""
    return [SINGLE] if size == 1 else list(chain("B", "I" * (size - 2), "E"))
