"""Dated documents from JSON lines: a text, a date, and fields with numbers or categories."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from laconic.errors import InputError
from laconic.text.columns import field
from laconic.text.corpus import Document, empty_file
from laconic.text.io import PathLike, name_of, open_text
from laconic.text.json_rows import json_kind
from laconic.text.jsonl import checked_text, iterate_rows

NUMBER, CATEGORY, EITHER = "number", "category", "either"
OPTIONAL_NUMBER, OPTIONAL_CATEGORY = OPTIONAL = ("optional number", "optional category")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?:[T ][0-9:.+Z-]*)?")


class Dated(NamedTuple):
    """Documents in the order of their file, their dates, and the values of each field.

    Dates look like 2008, 2008-07 or 2008-07-31; the values of a field are all floats or all
    strings.
    """

    documents: list[Document]
    dates: list[str]
    fields: dict[str, list[float] | list[str]]


def read_dated(
    path: PathLike,
    fields: Mapping[str, str],
    text_field: str = "text",
    date_field: str | None = "date",
) -> Dated:
    """Read documents of a JSON-lines file ("-" for standard input); blank lines are skipped.

    A date is a string in ISO 8601, whose time of day is dropped, or a year; with date_field=None
    there are no dates. `fields` says which values each field has:

    NUMBER                a finite number or a boolean
    OPTIONAL_NUMBER       the same, NaN where it is null or absent
    CATEGORY              a string, an integer or a boolean
    OPTIONAL_CATEGORY     the same, "" where it is null or absent
    EITHER                numbers or strings, as in the first row
    """
    documents: list[Document] = []
    dates: list[str] = []
    kinds = dict(fields)
    values: dict[str, list[float] | list[str]] = {name: [] for name in fields}
    for place, row in iterate_rows(path):
        documents.append(checked_text(field(row, text_field, place), text_field, place))
        if date_field is not None:
            dates.append(_checked_date(field(row, date_field, place), date_field, place))
        for name, kind in kinds.items():
            value = row.get(name) if kind in OPTIONAL else field(row, name, place)
            if kind == EITHER:
                kinds[name] = kind = CATEGORY if isinstance(value, str) else NUMBER
            checked = _checked_value(value, kind, name, place)
            values[name].append(checked)  # type: ignore[arg-type]  # one kind per field
    if not documents:
        raise empty_file(path)
    return Dated(documents, dates, values)


def read_series(path: PathLike) -> tuple[list[str], list[float]]:
    """Read dates and values from the first two columns of a table.

    Columns are separated by commas or tabs, the first line has their names, and rows without a
    value are left out.
    """
    dates, values = [], []
    with open_text(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.isspace():
                continue
            place = f"{name_of(path)}:{number}"
            date, *rest = re.split(r"[,\t]", line.strip())
            if not rest:
                raise InputError(
                    f"{place}: expected a date and a value, separated by a comma or a tab."
                )
            if number == 1 or not rest[0].strip():
                continue
            dates.append(_checked_date(date, "date", place))
            try:
                values.append(float(rest[0]))
            except ValueError:
                values.append(math.nan)
            if not math.isfinite(values[-1]):
                raise InputError(f"{place}: expected a number after the date, not {rest[0]!r:.60}.")
    if not values:
        raise InputError(f"{name_of(path)}: expected a line of names, and then dates with values.")
    return dates, values


def _checked_date(date: object, name: str, place: str) -> str:
    text = str(date) if type(date) is int else date
    found = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is not None:
        year, month, day = found.groups()
        try:
            datetime.date(int(year), int(month or 1), int(day or 1))
        except ValueError:
            pass
        else:
            return "-".join(part for part in (year, month, day) if part)
    shown = repr(date) if isinstance(date, str | int | float) else json_kind(date)
    raise InputError(
        f"{place}: {name!r} is a date such as 2008-07-31, 2008-07 or 2008, not {shown:.60}."
    )


def _checked_value(value: object, kind: str, name: str, place: str) -> float | str:
    if value is None and kind in OPTIONAL:
        return math.nan if kind == OPTIONAL_NUMBER else ""
    if kind in (CATEGORY, OPTIONAL_CATEGORY):
        if isinstance(value, str | int):
            return str(value)
        raise InputError(
            f"{place}: {name!r} is a category: a string, an integer or a boolean, "
            f"not {json_kind(value)}."
        )
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    shown = repr(value) if isinstance(value, str | int | float) else json_kind(value)
    raise InputError(f"{place}: {name!r} is a number, not {shown:.60}.")
