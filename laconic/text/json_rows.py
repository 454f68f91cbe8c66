"""JSON objects from files, one per line or in one array, each with its place in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from laconic.errors import InputError

# Where a row begins, as messages say it ("reviews.jsonl:7"), and its values by name.
Row: TypeAlias = tuple[str, dict[str, Any]]
_BLANK = re.compile(r"\s*")
_DECODER = json.JSONDecoder()


def is_array(first: str) -> bool:
    """Return whether the first line that is not blank opens an array of objects."""
    opening = first.strip()
    return opening[:1] == "[" and opening[1:].lstrip()[:1] in ("", "{", "]")


def line_rows(lines: Iterable[tuple[str, str]]) -> Iterator[Row]:
    """Yield the object of each line, from (place, line)."""
    for place, line in lines:
        try:
            row = json.loads(line)
        except RecursionError as error:
            raise InputError(f"{place}: the JSON is nested too deeply.") from error
        except ValueError as error:
            raise InputError(f"{place}: expected one JSON object per line ({error}).") from error
        yield place, _checked(row, place)


def array_rows(text: str, name: str) -> Iterator[Row]:
    """Yield the objects of an array with the lines where they begin."""
    line, seen = 1, 0

    def place_at(position: int) -> str:
        nonlocal line, seen
        line, seen = line + text.count("\n", seen, position), position
        return f"{name}:{line}"

    def after_blanks(position: int) -> int:
        found = _BLANK.match(text, position)
        return position if found is None else found.end()

    at = after_blanks(text.index("[") + 1)
    while text[at : at + 1] != "]":
        place = place_at(at)
        try:
            row, at = _DECODER.raw_decode(text, at)
        except RecursionError as error:
            raise InputError(f"{place}: the JSON is nested too deeply.") from error
        except ValueError as error:
            raise InputError(f"{place}: expected a JSON object ({error}).") from error
        yield place, _checked(row, place)
        at = after_blanks(at)
        if text[at : at + 1] == ",":
            at = after_blanks(at + 1)
        elif text[at : at + 1] != "]":
            raise InputError(f"{place_at(at)}: expected a comma or the end of the JSON array.")
    if after_blanks(at + 1) < len(text):
        raise InputError(f"{place_at(after_blanks(at + 1))}: expected nothing after the array.")


def _checked(row: object, place: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(f"{place}: expected a JSON object, found {json_kind(row)}.")
    return row


def json_kind(value: object) -> str:
    """Return what JSON calls the type of `value`."""
    if value is None:
        return "null"
    if isinstance(value, list):
        kinds = sorted({json_kind(part) for part in value}) if len(value) < 1000 else []
        return (
            f"a list of {' and '.join(kinds)}"
            if kinds and "list" not in " ".join(kinds)
            else "a list"
        )
    return {
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a number",
        dict: "an object",
    }.get(type(value), f"of type {type(value).__name__}")
