"""Dependency parsing: orders 1 to 3 beside peers, selection of templates on six languages, few
weight values, crossing arcs.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import (
    parse_compress,
    parse_crossing,
    parse_orders,
    parse_selection,
    parse_values,
)

TITLE = "Dependency parsing"
SECTIONS = {
    "english": parse_orders.english,
    "third": parse_orders.third,
    "danish": parse_orders.danish,
    "peers": parse_orders.peers,
    "crossing": parse_crossing.section,
    "compress": parse_compress.section,
    "values": parse_values.section,
    "selection": parse_selection.section,
}
FIGURES = parse_selection.FIGURES


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
