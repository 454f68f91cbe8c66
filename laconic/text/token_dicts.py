"""Tokens as dicts of features, as other taggers take them: a column per key.

    {"word.lower()": "dogs", "word.istitle()": False, "length": 4}

A string is a value, True is "true", False, None and a key that is absent are the empty string, and
a number is the category of its first two digits (0.1372 -> 0.14): there are no weights times
numbers. Signs that names of columns cannot have become underscores: word.lower().
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real

ABSENT = ""
_OTHER_SIGNS = re.compile(r"[^\w.-]")


def dict_columns(tokens: Sequence[object], names: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the column of each name, one string per token; without names those of all keys.

    >>> dict_columns([{"word": "He", "-1:title": True}, {"word": "ran", "size": 3}], None)
    {'word': ['He', 'ran'], '_-1_title': ['true', ''], 'size': ['', '3']}
    """
    dicts = [token for token in tokens if isinstance(token, Mapping)]
    if len(dicts) < len(tokens):
        bad = next(token for token in tokens if not isinstance(token, Mapping))
        raise ValueError(f"some tokens are dicts of features, but one is {bad!r}")
    key_of = _columns_of(dict.fromkeys(key for token in dicts for key in token))
    chosen = list(key_of) if names is None else list(names)
    if not chosen:
        raise ValueError("tokens are dicts without any features")
    if not set(chosen) & key_of.keys():
        raise ValueError(
            f"no token has any of the features {', '.join(chosen[:5])}, which the model knows"
        )
    return {
        name: [_as_string(token.get(key_of[name])) for token in dicts]
        if name in key_of
        else [ABSENT] * len(dicts)
        for name in chosen
    }


def _columns_of(keys: Iterable[object]) -> dict[str, object]:
    """Return the key of each column."""
    found: dict[str, object] = {}
    for key in keys:
        if not isinstance(key, str) or not key:
            raise ValueError(f"names of features must be strings, got {key!r}")
        name = _OTHER_SIGNS.sub("_", key)
        if not (name[0].isalpha() or name[0] == "_"):
            name = f"_{name}"
        if name in found:
            raise ValueError(
                f"the features {found[name]!r} and {key!r} would both be the column {name}: "
                "rename one of them"
            )
        found[name] = key
    return found


def _as_string(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is False:
        return ABSENT
    if value is True:
        return "true"
    if isinstance(value, Real):
        return f"{float(value):.2g}"
    raise ValueError(
        f"a feature is a string, a boolean or a number, got {value!r}: give each part of a list or "
        "of a vector a name of its own"
    )
