"""Which fields of rows hold the text, the label, and the numbers and categories beside them."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from laconic.errors import InputError
from laconic.text.json_rows import json_kind
from laconic.text.tables import TableRow

TEXT, LABEL = "text", "label"
# What people call them; of several, the first of the list that is there is taken.
TEXT_NAMES = (
    "text", "sentence", "review", "reviewtext", "document", "doc", "content", "body", "message",
    "comment", "tweet", "post", "article", "utterance", "question", "query", "sms", "abstract",
    "description", "summary", "headline", "title",
)  # fmt: skip
LABEL_NAMES = (
    "label", "class", "category", "target", "sentiment", "topic", "labelname", "labels",
    "classname", "polarity", "intent", "genre", "emotion", "tag", "genres", "tags", "categories",
    "rating", "stars", "score", "y",
)  # fmt: skip


class Columns(NamedTuple):
    """Names of the fields of a row; `label` is None where labels are not wanted.

    "text" and "label" also stand for the usual other names of such fields. With `lists` a label may
    be a list of labels.
    """

    text: str = TEXT
    label: str | None = LABEL
    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    lists: bool = False

    @property
    def more(self) -> tuple[str, ...]:
        """Return the names of the fields beside text and label."""
        return (*self.numbers, *self.categories)


def known_name(names: Iterable[str], wanted: str, known: Sequence[str]) -> str | None:
    """Return the field that is called `wanted`, or, of the usual fields, as people call it."""
    found = list(names)
    if wanted in found:
        return wanted
    if wanted not in known[:1]:
        return None
    by_letters = {re.sub(r"[\W_]+", "", name.lower()): name for name in reversed(found)}
    return next((by_letters[name] for name in known if name in by_letters), None)


def is_header(cells: Sequence[str], fields: Columns) -> bool:
    """Return whether the first line of a table has names of columns, and not a document."""
    if len(set(cells)) < len(cells) and not any(cells):
        return False
    text = known_name(cells, fields.text, TEXT_NAMES)
    label = None if fields.label is None else known_name(cells, fields.label, LABEL_NAMES)
    return text is not None or (label is not None and label == fields.label != LABEL)


def opens_table(line: str, cells: Sequence[str], fields: Columns) -> bool:
    """Return whether a line of a file of any name has names of columns: words without blanks."""
    words = len(cells) > 1 and re.fullmatch(r"[^\W\d]\w*(?:[,;|\t][^\W\d]\w*)+", line.strip())
    return bool(words) and is_header(cells, fields)


def by_position(fields: Columns, cells: Collection[str]) -> bool:
    """Return whether fields are numbers of columns, and not names of any."""
    given = [name for name in (fields.text, fields.label) if name is not None]
    return any(name.isascii() and name.isdigit() and name not in cells for name in given)


def chosen_fields(row: Mapping[str, Any], fields: Columns, place: str) -> Columns:
    """Return the fields as the first row names them; InputError that lists what there is.

    Of the two columns of a table, one is the text if the other is the label, and the reverse.
    """
    text = known_name(row, fields.text, TEXT_NAMES)
    wanted = LABEL if fields.label is None else fields.label
    label = known_name([name for name in row if name != text], wanted, LABEL_NAMES)
    left = [name for name in row if name not in (text, label, *fields.more)]
    if isinstance(row, TableRow) and len(left) == 1 and (text is None) != (label is None):
        if text is None and fields.text == TEXT:
            text = left[0]
        elif label is None and wanted == LABEL:
            label = left[0]
    if text is None:
        raise missing(row, fields.text, "--text", place)
    return fields._replace(text=text, label=None if fields.label is None else label or wanted)


def missing(row: Mapping[str, Any], name: str, option: str, place: str) -> InputError:
    """Return the error for a field that a row does not have."""
    what = "column" if isinstance(row, TableRow) else "field"
    advice = f"; name it with {option}" if name in (TEXT, LABEL) and len(row) > 1 else ""
    return InputError(f"{place}: the {what} {name!r} is missing; found {_names(row)}{advice}.")


def field(row: Mapping[str, Any], name: str, place: str) -> object:
    """Return the field of this name, which the row must have."""
    if name not in row:
        raise missing(row, name, f"--{name}", place)
    return row[name]


def _names(row: Mapping[str, Any]) -> str:
    """Return the first fields of a row, for a message."""
    names = [repr(name) for name in row]
    return "no field" if not names else ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


def number(row: Mapping[str, Any], name: str, place: str) -> float:
    """Return a number beside the text; NaN where the cell is empty."""
    value = field(row, name, place)
    if isinstance(value, str) and isinstance(row, TableRow):
        with contextlib.suppress(ValueError):
            value = float(value) if value.strip() else None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    shown = repr(value) if isinstance(value, str | float) else json_kind(value)
    raise InputError(f"{place}: {name!r} is a number, not {shown:.60}.")


def category(row: Mapping[str, Any], name: str, place: str) -> str:
    """Return a category beside the text; "" where the cell is empty."""
    value = field(row, name, place)
    if value is None:
        return ""
    if isinstance(value, str | int):
        return str(value).strip()
    raise InputError(
        f"{place}: {name!r} is a category: a string, an integer or a boolean, "
        f"not {json_kind(value)}."
    )


def label_list(value: list[Any], name: str, place: str) -> list[str]:
    """Return different labels of one document as text."""
    texts = (label_text(one, f"{name}[{k}]", place) for k, one in enumerate(value))
    return list(dict.fromkeys(texts))


def label_text(value: object, name: str, place: str) -> str:
    """Return a label, which is a string, an integer or a boolean, as text."""
    if isinstance(value, str | int):  # a boolean is an integer
        return str(value)
    raise InputError(
        f"{place}: {name!r} is a string, an integer or a boolean, not {json_kind(value)}."
    )
