"""Sequence tagging with structured sparsity (Martins et al. 2011)."""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="tag",
        model="laconic.tag.model:Tagger",
        store="laconic.tag.store",
        cli="laconic.tag.cli",
        page="laconic.tag.page:write_tag_report",
        compact="laconic.tag.compact:CompactTagger",
        discrete="laconic.tag.discrete",
        web="lib/tag.js:Tagger",
        demo="laconic.tag.demo:demo",
        help="Train a tagger of tokens.",
    ),
)
PUBLIC = {
    "AutoLearner": "laconic.tag.auto",
    "Crf": "laconic.tag.crf",
    "Tagger": "laconic.tag.model",
}
