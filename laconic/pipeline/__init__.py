"""From raw text to trees: one model per language."""

PUBLIC = {
    "Doc": "laconic.pipeline.doc",
}
