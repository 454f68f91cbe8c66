"""From raw text to trees: one model per language, learned from one treebank in CoNLL-U.

There is no room `explain`: the parts are taggers and a parser, which explain themselves.
"""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="text",
        model="laconic.pipeline.model:Pipeline",
        store="laconic.pipeline.store",
        cli="laconic.pipeline.cli",
        page="laconic.pipeline.page:write_pipeline_report",
        compact="laconic.pipeline.compact:CompactPipeline",
        saves_compact=True,
        help="Train a pipeline from raw text to trees.",
    ),
)
PUBLIC = {
    "Doc": "laconic.pipeline.doc",
    "Pipeline": "laconic.pipeline.model",
}
