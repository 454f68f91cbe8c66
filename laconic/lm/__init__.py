"""Language models on suffix trees, log-linear and Kneser-Ney, mixed with classes of words.

The rooms are model, learn (what learners share), explain, store and cli. There is no page: what a
language model holds are tables, which `laconic inspect` prints. Compact files hold tries of n-grams
in few bits; plain ones hold gains and bases in single precision as they are.
"""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="lm",
        model="laconic.lm.model:LanguageModel",
        store="laconic.lm.store",
        cli="laconic.lm.cli",
        compact="laconic.lm.compact:CompactLanguageModel",
        reader="laconic.lm.foreign",
        web="lib/lm.js:LanguageModel",
        demo="laconic.lm.demo:demo",
        help="Train a language model.",
    ),
)
PUBLIC = {
    "ClassMixture": "laconic.lm.class_mixture",
    "KneserNey": "laconic.lm.kneser_ney",
    "LanguageModel": "laconic.lm.model",
    "LogLinear": "laconic.lm.log_linear",
    "NestedGroups": "laconic.lm.nested_groups",
    "NestedLasso": "laconic.lm.nested",
    "NestedRidge": "laconic.lm.nested",
    "NestedTree": "laconic.lm.nested_tree",
    "adapted": "laconic.lm.adaptation",
    "interpolated": "laconic.lm.interpolation",
}
