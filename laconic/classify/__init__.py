"""Text classification with structured sparsity (Yogatama 2015, chapter 5).

Documents become counts and groups in `preparation` (with `structure`, `topics` and `weighting`),
weights in `learn`, and predictions in `predict`; `model` is the estimator, `tuning` chooses its
strengths.
"""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="classify",
        model="laconic.classify.model:TextClassifier",
        store="laconic.classify.store",
        cli="laconic.classify.cli",
        page="laconic.classify.page:write_report",
        compact="laconic.classify.compact:CompactClassifier",
        discrete="laconic.classify.discrete",
        web="lib/classify.js:Classifier",
        demo="laconic.classify.demo:demo",
        help="Train a text classifier.",
    ),
)
PUBLIC = {
    "TextClassifier": "laconic.classify.model",
}
