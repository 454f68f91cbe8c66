"""Words that carry no topic, to be left out: lists that people give, and one of English."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from laconic.errors import InputError
from laconic.text.io import STANDARD_STREAM, open_text

ENGLISH = "english"


def stop_words_of(given: str | Sequence[str] | None) -> Collection[str]:
    """Return stop words: a list as it is, those of English, none for None.

    English has those of scikit-learn.
    """
    if given is None:
        return ()
    if not isinstance(given, str):
        return tuple(given)
    if given != ENGLISH:
        raise ValueError(
            f"stop_words is a list of words, or {ENGLISH!r} for the list of scikit-learn; got "
            f"{given!r}"
        )
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # not needed to predict most

    found: frozenset[str] = ENGLISH_STOP_WORDS
    return found


def read_stop_words(given: str) -> str | tuple[str, ...]:
    """Return "english", or the words of a file, one per line."""
    if given == ENGLISH:
        return given
    if given == STANDARD_STREAM:
        raise InputError("takes english or the name of a file with one word per line, not -.")
    with open_text(given) as stream:
        words = tuple(dict.fromkeys(word for line in stream if (word := line.strip())))
    if not words:
        raise InputError(f"{given}: expected stop words, one per line, found none.")
    return words
