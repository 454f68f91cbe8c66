"""What a tagger of sentence ends reads of tokens: their strings, blanks, stops and capitals.

    token  the token
    gap    what follows it: nothing, a blank, or the end of the paragraph
    since  tokens from the last stop, or from the paragraph's begin, to the token
    until  tokens from there to the next stop, or to the paragraph's end
    known  of a token with capitals: whether the training text has it in lower case

Headings have no stop at their end: short pieces between stops tell them apart, and capitals of
words that are no names.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from laconic.core.arrays import Bools, Ints
from laconic.pipeline.units import GLUED, LAST, SPACED
from laconic.text.token_columns import TokenColumns

COLUMNS = ("token", "gap", "since", "until", "known")
# Characters at the end of a token that end sentences, where a blank follows.
STOPS = frozenset(".!?…\u061f\u06d4\u3002\uff01\uff1f\u0964\u0965")
# A distance is called by the largest of these below it, or 0.
FAR = np.array([1, 2, 3, 5, 8, 13, 25])
# It is to a stop, or to an end of the paragraph.
_DISTANCES = [f"{kind}{far}" for kind in (".", "$") for far in (0, *FAR.tolist())]
NO_LETTER, LOWER, UNKNOWN, KNOWN = "-", "l", "0", "1"


def token_columns(
    tokens: list[str], space_after: Bools, ptr: Ints, words: Set[str]
) -> TokenColumns:
    """Return the columns of the tokens of paragraphs.

    words: those of the training text in lower case, see `lower_case_words`.
    """
    gaps = np.where(space_after, SPACED, GLUED).astype(object)
    gaps[ptr[1:][np.diff(ptr) > 0] - 1] = LAST
    stops = np.array([token[-1] in STOPS for token in tokens], bool) & (gaps != GLUED)
    known = {token: _known(token, words) for token in set(tokens)}
    values: list[Sequence[str]] = [tokens, gaps.tolist(), *_distances(stops, ptr)]
    return TokenColumns(COLUMNS, [*values, list(map(known.__getitem__, tokens))], ptr)


def lower_case_words(tokens: Set[str]) -> frozenset[str]:
    """Return those of the tokens that could have capitals, and have none."""
    return frozenset(token for token in tokens if token.lower() == token != token.upper())


def _known(token: str, words: Set[str]) -> str:
    lower = token.lower()
    if lower == token:
        return LOWER if token[0].isalpha() else NO_LETTER
    return KNOWN if lower in words else UNKNOWN


def _distances(stops: Bools, ptr: Ints) -> tuple[list[str], list[str]]:
    """Return since and until of all tokens; `stops`: which of them are stops."""
    n = len(stops)
    number = np.arange(n)
    begins, ends = (np.repeat(bound, np.diff(ptr)) for bound in (ptr[:-1], ptr[1:] - 1))
    opening = np.maximum.accumulate(np.where(np.append(False, stops[:-1]), number, 0)[:n])
    closing = np.minimum.accumulate(np.append(np.where(stops, number, n), n)[::-1])[::-1][1:]
    since = _names(number - np.maximum(opening, begins) + 1, opening <= begins)
    until = _names(np.minimum(closing, ends) - number, closing > ends)
    return since, until


def _names(distance: Ints, at_end: Bools) -> list[str]:
    step = np.searchsorted(FAR, distance) + at_end * (len(FAR) + 1)
    return list(map(_DISTANCES.__getitem__, step.tolist()))
