"""Reranking of a parser's trees with mined sub-trees (Qian and Liu 2015)."""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="rerank",
        model="laconic.rerank.model:Reranker",
        store="laconic.rerank.store",
        cli="laconic.rerank.cli",
        help="Train a parser, and a model that chooses among its best trees.",
    ),
)
PUBLIC = {
    "Reranker": "laconic.rerank.model",
}
