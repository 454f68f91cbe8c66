"""Features mined in kernel spaces: sub-trees that rerank trees, combinations of words in documents,
how fast candidates are counted.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import mining_documents, mining_languages, mining_reranking, mining_throughput

TITLE = "Mining of kernel spaces"
SECTIONS = {
    "english": mining_reranking.section("english", "Reranking, English Web Treebank"),
    "penn": mining_reranking.section("penn", "Reranking, Penn Treebank sample"),
    "products": mining_reranking.products,
    "thresholds": mining_reranking.thresholds,
    "languages": mining_languages.section,
    "documents": mining_documents.section,
    "throughput": mining_throughput.section,
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
