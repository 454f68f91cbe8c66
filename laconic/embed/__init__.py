"""Word vectors by hierarchical sparse coding (Yogatama 2015, chapter 4)."""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="embed",
        model="laconic.embed.model:WordVectors",
        store="laconic.embed.store",
        cli="laconic.embed.cli",
        page="laconic.embed.page",
        reader="laconic.embed.foreign",
    ),
)
PUBLIC = {
    "OnlineDictionary": "laconic.embed.online_dictionary",
    "StochasticCoding": "laconic.embed.stochastic",
    "Svd": "laconic.embed.svd",
    "WordVectors": "laconic.embed.model",
}
