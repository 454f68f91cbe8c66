"""Words and sentence ends of the scripts of the world, for texts that are not ASCII alone.

A word is a letter, digit or underscore and the letters, digits and combining marks that follow:
vowel signs of Indic scripts and the points of Arabic and Hebrew are marks, and joiners may stand
between them. Where a script writes no blanks between words (Chinese, Japanese, Thai, Lao, Khmer,
Burmese), every pair of neighbouring characters is a word, which is what a classifier without a
segmenter does best with. Composed and decomposed letters (NFC, NFD) are the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby, pairwise
from typing import NamedTuple

JOINERS = "\u200c\u200d"
# Han, kana, Thai, Lao, Burmese, Khmer.
UNSEGMENTED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\uff66-\uff9f\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u103f\u1050-\u108f\ua9e0-\ua9fe"
    "\uaa60-\uaa7f\u1780-\u17d3"
)
_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")
# What needs no more than the rules for ASCII: Latin, Greek, Cyrillic, punctuation and symbols.
_BEYOND_ASCII_RULES = re.compile(
    "[^\x00-\u02ff\u0370-\u0373\u0375-\u0482\u048a-\u0588\u2010-\u203b\u203d-\u2046\u204a-\u205f"
    "\u20a0-\u20cf\u2100-\u2125\u2127-\u2129\u212c-\u2bff]"
)
_FIRST_MARK, _PAST_MARKS = 0x300, 0x1F000
# Stops that no blank need follow: CJK, Devanagari, Arabic, Urdu, Armenian, Ethiopic, Khmer,
# Burmese, Tibetan, doubled ones. A full-width full stop may stand in a number.
SENTENCE_END = re.compile(
    r"(?:[\u3002\uff01\uff1f\uff61\u0964\u0965\u061f\u06d4\u0589\u1362\u1367\u17d4\u17d5\u104b"
    r"\u0f0d\u203c\u2047-\u2049]|\uff0e(?![0-9\uff10-\uff19]))+"
    r"[\"')\]}\u2019\u201d\u00bb\u300d\u300f\uff09\u3011\u300b\u3015\uff3d]*"
)


class _Patterns(NamedTuple):
    """Words where blanks separate all; runs of both kinds; a character with its marks."""

    word: re.Pattern[str]
    run: re.Pattern[str]
    character: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Return the expressions over the marks that this Python's Unicode has."""
    places = [
        place
        for place in range(_FIRST_MARK, _PAST_MARKS)
        if unicodedata.category(chr(place)) in ("Mn", "Mc")
    ]
    marks = "\U000e0100-\U000e01ef" + JOINERS
    for _, group in groupby(enumerate(places), lambda one: one[1] - one[0]):
        block = [place for _, place in group]
        marks += f"{chr(block[0])}-{chr(block[-1])}"
    return _Patterns(
        re.compile(rf"\w[\w{marks}]+"),
        re.compile(
            rf"(?P<dense>(?:(?=\w)[{UNSEGMENTED}][{marks}]*)+)|[^\W{UNSEGMENTED}]"
            rf"(?:[^\W{UNSEGMENTED}]+|[{marks}]+)+"
        ),
        re.compile(rf"(?=\w)[{UNSEGMENTED}][{marks}]*"),
    )


def has_own_rules(text: str) -> bool:
    """Return whether the rules for ASCII are not enough for a text."""
    return not text.isascii() and _BEYOND_ASCII_RULES.search(text) is not None


def normal(text: str) -> str:
    """Return the text with composed letters, which is most often the text itself."""
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def words_of(text: str) -> list[str]:
    """Return the words of a text of any script; see `laconic.text.tokens.words`."""
    text = normal(text)
    patterns = _patterns()
    if _UNSEGMENTED.search(text) is None:
        found: list[str] = patterns.word.findall(text)
        return found if JOINERS[0] not in text and JOINERS[1] not in text else _trimmed(found)
    return _trimmed(text[start:end] for start, end in _spans(text, patterns))


def spans_of(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words of a text; neighbouring pairs of characters overlap."""
    patterns = _patterns()
    if _UNSEGMENTED.search(text) is None:
        return [match.span() for match in patterns.word.finditer(text)]
    return list(_spans(text, patterns))


def _spans(text: str, patterns: _Patterns) -> Iterator[tuple[int, int]]:
    for run in patterns.run.finditer(text):
        if run["dense"] is None:
            yield run.span()
            continue
        characters = [one.span() for one in patterns.character.finditer(text, *run.span())]
        if len(characters) == 1:
            yield characters[0]
        for (start, _), (_, end) in pairwise(characters):
            yield start, end


def _trimmed(words: Iterable[str]) -> list[str]:
    """Return words without joiners at their ends; nothing else may be left of single letters."""
    stripped = (word.strip(JOINERS) for word in words)
    return [word for word in stripped if len(word) > 1 or _UNSEGMENTED.match(word)]


def share_unsegmented(words: Iterable[str]) -> float:
    """Return the share of words in scripts without blanks between words."""
    found = [word.isascii() or _UNSEGMENTED.match(word) is None for word in words]
    return 1 - sum(found) / len(found) if found else 0.0
