"""Word vectors: sparse codes in forests beside principal components and gensim's skip-gram and
CBOW.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import embed_overcomplete, embed_sparsity, embed_speed, embed_tasks

TITLE = "Word vectors"
SECTIONS = {
    "tasks": embed_tasks.section,
    "large": embed_tasks.large,
    "speed": embed_speed.section,
    "sparsity": embed_sparsity.section,
    "overcomplete": embed_overcomplete.section,
}
FIGURES = embed_sparsity.FIGURES


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
