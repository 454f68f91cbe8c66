"""Language models on suffix trees, log-linear and Kneser-Ney."""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="lm",
        model="laconic.lm.model:LanguageModel",
        store="laconic.lm.store",
        cli="laconic.lm.cli",
        reader="laconic.lm.foreign",
    ),
)
PUBLIC = {
    "KneserNey": "laconic.lm.kneser_ney",
    "LanguageModel": "laconic.lm.model",
    "LogLinear": "laconic.lm.log_linear",
    "NestedGroups": "laconic.lm.nested_groups",
    "NestedLasso": "laconic.lm.nested",
    "NestedRidge": "laconic.lm.nested",
    "NestedTree": "laconic.lm.nested_tree",
}
