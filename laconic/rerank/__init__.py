"""Reranking of a parser's trees with mined sub-trees (Qian and Liu 2015).

The rooms are model (which predicts by its parser, so that there is no room `predict`), learn,
explain, store and cli. There is no page: the features are sub-trees, which `laconic inspect`
draws. There is no compact form yet: only that of the parser inside.
"""

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
