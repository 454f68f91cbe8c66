"""A page of what `laconic inspect` says: facts in boxes, lists of rows as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from laconic.report.html import facts, page, section, text
from laconic.text.io import PathLike, atomic_writer

MOST_ROWS = 500  # of a table
MOST_LETTERS = 60  # of a fact in a box
NOTHING = "-"


def write_inspection(title: str, found: Mapping[str, Any], path: PathLike) -> None:
    """Write one self-contained HTML page of figures and listings.

    Parameters
    ----------
    title : str
        What the page is about.
    found : dict
        Values, which become boxes; lists of dicts, which become tables; and dicts of both.
    path : str or Path
        The file to write.
    """
    boxes, parts = [], []
    for name, value in _flat(found):
        if _is_table(value):
            parts.append(section(_spelled(name), "", table(value[:MOST_ROWS])))
        elif isinstance(value, Sequence) and not isinstance(value, str) and value:
            listed = ", ".join(map(shown, value[:MOST_ROWS]))
            parts.append(section(_spelled(name), "", f"<p>{text(listed)}</p>"))
        elif len(shown(value)) > MOST_LETTERS:
            parts.append(section(_spelled(name), "", f"<p>{text(shown(value))}</p>"))
        elif shown(value) != NOTHING:
            boxes.append((_spelled(name), shown(value), ""))
    body = "\n".join([f"<h1>{text(title)}</h1>", facts(boxes), *parts])
    with atomic_writer(path) as stream:
        stream.write(page(title, body))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as a table whose columns are the names of their values."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    numeric = {c: all(isinstance(row.get(c), int | float | None) for row in rows) for c in columns}
    marks = {c: ' class="number"' if numeric[c] else "" for c in columns}
    head = "".join(f"<th{marks[c]}>{text(_spelled(c))}</th>" for c in columns)
    body = "".join(
        "<tr>" + "".join(f"<td{marks[c]}>{text(shown(row.get(c)))}</td>" for c in columns) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="plot"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def shown(value: object) -> str:
    """Return a value as people read it.

    >>> shown(1234567), shown(0.123456), shown(None), shown([1, "a"])
    ('1,234,567', '0.12346', '-', '1, a')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.5g}" if math.isfinite(value) else NOTHING
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value)) or NOTHING
    return NOTHING if value is None or value == {} else str(value)


def _flat(found: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested dicts, with joined names."""
    for name, value in found.items():
        plain = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(plain, Mapping) and plain:
            yield from _flat(plain, f"{prefix}{name}: ")
        else:
            yield f"{prefix}{name}", plain


def _is_table(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(row, Mapping) for row in value)
    )


def _spelled(name: object) -> str:
    return str(name).replace("_", " ")
