"""Features mined in kernel spaces: combinations of words in documents, and how fast candidates are counted."""

from __future__ import annotations

from pathlib import Path

from benchmarks import mining_documents, mining_throughput

TITLE = "Mining of kernel spaces"
SECTIONS = {
    "documents": mining_documents.section,
    "throughput": mining_throughput.section,
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
