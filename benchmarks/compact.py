"""Compact models: a handful of weight values beside all of them (names, chunks, documents), and the
smallest files.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import compact_accuracy, compact_files

TITLE = "Compact models"
SECTIONS = {
    "accuracy": compact_accuracy.section,
    "chunking": compact_accuracy.chunking,
    "documents": compact_accuracy.documents,
    "files": compact_files.section,
}
FIGURES = compact_accuracy.FIGURES


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
