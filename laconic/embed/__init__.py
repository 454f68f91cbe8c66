"""Word vectors by hierarchical sparse coding (Yogatama 2015, chapter 4).

The rooms are model (a table, which looks words up and predicts nothing else), learn (what learners
share), explain, store, page and cli. There is no compact form: vectors are stored in single
precision without their zeros, and word2vec files are what other programs read.
"""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="embed",
        model="laconic.embed.model:WordVectors",
        store="laconic.embed.store",
        cli="laconic.embed.cli",
        page="laconic.embed.page:write_embed_report",
        reader="laconic.embed.foreign",
        web="lib/embed.js:WordVectors",
        demo="laconic.embed.demo:demo",
        help="Train word vectors.",
    ),
)
PUBLIC = {
    "OnlineDictionary": "laconic.embed.online_dictionary",
    "StochasticCoding": "laconic.embed.stochastic",
    "Svd": "laconic.embed.svd",
    "WordVectors": "laconic.embed.model",
}
