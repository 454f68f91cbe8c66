"""Language models on suffix trees, log-linear and Kneser-Ney, mixed with classes of words.

The rooms are model, learn (what learners share), explain, store and cli. There is no page: what a
language model holds are tables, which `laconic inspect` prints. There is no compact form either:
gains and bases are stored in single precision as they are, and ARPA files are what others read.
"""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="lm",
        model="laconic.lm.model:LanguageModel",
        store="laconic.lm.store",
        cli="laconic.lm.cli",
        reader="laconic.lm.foreign",
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
}
