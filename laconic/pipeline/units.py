"""Units of raw text: the smallest pieces that tokens are put together from.

A unit is a run of letters with their marks, a run of digits, or one other character that is no
blank; where a script writes no blanks between words every letter is a unit. With `every_letter`
that is so in all scripts, for treebanks whose tokens end inside of such runs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Ints
from laconic.core.ragged import pointers
from laconic.text.scripts import JOINERS, UNSEGMENTED
from laconic.text.token_columns import TokenColumns

LETTER, MARK, DIGIT, BLANK, ALONE, OTHER = "LMN SP"
# What follows a unit: nothing, a blank, or the end of the paragraph.
GLUED, SPACED, LAST = "-", "_", "$"
COLUMNS = ("unit", "gap")
PARAGRAPH = "\n\n"
_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")
_UNIT = {
    False: re.compile("L[LM]*|N+|[SMP]M*"),
    True: re.compile("[LS]M*|N+|[MP]M*"),
}


class _Types(dict[int, str]):
    """The type of each character, looked up when it is first seen."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character.isspace() or category == "Cc":
            found = BLANK
        elif category[0] == "M" or character in JOINERS:
            found = MARK
        elif category[0] == "L":
            found = ALONE if _UNSEGMENTED.match(character) else LETTER
        else:
            found = DIGIT if category[0] == "N" else OTHER
        self[code] = found
        return found


_TYPES = _Types()


class Units(NamedTuple):
    """The units of paragraphs.

    begins, ends  (n_units) where each stands in the text of all paragraphs, one after the other
    ptr           (n_paragraphs + 1) units of each paragraph
    text          all paragraphs, with PARAGRAPH between them
    """

    begins: Ints
    ends: Ints
    ptr: Ints
    text: str

    @property
    def gaps(self) -> list[str]:
        """What follows each unit."""
        spaced = np.ones(len(self.begins), np.int8)
        spaced[:-1] = self.begins[1:] > self.ends[:-1]
        spaced[self.ptr[1:][np.diff(self.ptr) > 0] - 1] = 2
        return list(map((GLUED, SPACED, LAST).__getitem__, spaced.tolist()))

    def columns(self) -> TokenColumns:
        """Return the units as columns of a tagger: the strings, and what follows each."""
        spans = map(slice, self.begins.tolist(), self.ends.tolist())
        return TokenColumns(COLUMNS, [list(map(self.text.__getitem__, spans)), self.gaps], self.ptr)


def units_of(paragraphs: Sequence[str], every_letter: bool = False) -> Units:
    """Return the units of paragraphs."""
    text = PARAGRAPH.join(paragraphs)
    types = text.translate(_TYPES)
    found = [match.span() for match in _UNIT[every_letter].finditer(types)]
    flat = np.fromiter(chain.from_iterable(found), np.int64, 2 * len(found)).reshape(-1, 2)
    bounds = pointers(len(paragraph) + len(PARAGRAPH) for paragraph in paragraphs)
    return Units(flat[:, 0], flat[:, 1], np.searchsorted(flat[:, 0], bounds), text)
