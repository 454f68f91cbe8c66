"""Text categorization: accuracy beside the paper and tuned peers, speed beside solvers."""

from __future__ import annotations

from pathlib import Path

from benchmarks import (
    classify_accuracy,
    classify_curves,
    classify_defaults,
    classify_few,
    classify_files,
    classify_labels,
    classify_phrases,
    classify_published,
    classify_speed,
    classify_structured,
    classify_structures,
    classify_subtrees,
    classify_tables,
)

TITLE = "Text categorization"
FIGURES = classify_curves.FIGURES
SECTIONS = {
    "defaults": classify_defaults.section,
    "structure": classify_structures.section,
    "words": classify_curves.section,
    "few": classify_few.section,
    "accuracy": classify_accuracy.section,
    "subtrees": classify_subtrees.section,
    "structured": classify_structured.section,
    "phrases": classify_phrases.section,
    "published": classify_published.section,
    "tables": classify_tables.section,
    "labels": classify_labels.section,
    "files": classify_files.section,
    "speed": classify_speed.section,
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
