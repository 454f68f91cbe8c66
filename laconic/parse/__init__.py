"""Dependency parsing with graph-based parsers of order 1 to 3."""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="parse",
        model="laconic.parse.model:Parser",
        store="laconic.parse.store",
        cli="laconic.parse.cli",
        page="laconic.parse.page:write_parse_report",
        compact="laconic.parse.compact:CompactParser",
        saves_compact=True,
        discrete="laconic.parse.discrete",
        web="lib/parse.js:Parser",
        help="Train a dependency parser.",
    ),
)
PUBLIC = {
    "Parser": "laconic.parse.model",
    "WordTagger": "laconic.parse.tags",
    "text_trees": "laconic.parse.texts",
}
