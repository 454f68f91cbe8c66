"""Sequence tagging: chunking beside the paper, memory while learning, and speed beside CRFsuite.

Names have a page of their own.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import tag_chunking_small, tag_chunking_tables, tag_defaults, tag_speed

TITLE = "Sequence tagging"
SECTIONS = {
    "defaults": tag_defaults.section,
    "chunking": tag_chunking_tables.section,
    "small": tag_chunking_small.section,
    "speed": tag_speed.section,
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
