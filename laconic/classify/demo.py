"""`laconic demo classify`: which of NumPy, SciPy and scikit-learn does a docstring belong to?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.classify.model import TextClassifier
from laconic.classify.selection import selection
from laconic.text import metrics
from laconic.text.docstrings import docstring_corpus
from laconic.text.held_out import HeldOut, hold_out, split_sizes

if TYPE_CHECKING:
    from laconic.cli.console import Bar

N_SHOWN = 10
# Strengths that serve this corpus; `laconic train` chooses them by data.
SETTINGS: tuple[dict[str, Any], ...] = (
    {"penalty": "lasso", "strength": 0.2},
    {"penalty": "sentence", "strength": 1e-4, "lasso": 0.2},
)
FACTS = ("features_kept", "features_total", "groups_kept", "groups_total", "certificate", "seconds")


def demo(seed: int, bar: Bar, as_json: bool) -> dict[str, Any]:
    """Train and inspect two small models on docstrings without names and imports."""
    split = hold_out(*docstring_corpus(), seed)
    models: list[TextClassifier] = []
    rows = []
    for settings in SETTINGS:
        bar.describe(f"training with the penalty {settings['penalty']}")
        model, row = _trained(settings, split)
        models.append(model)
        rows.append(row)
    return {
        **split_sizes("documents", split),
        "models": rows,
        **selection(models[-1], N_SHOWN, as_json),
    }


def _trained(
    settings: dict[str, Any], split: HeldOut[str, str]
) -> tuple[TextClassifier, dict[str, Any]]:
    model = TextClassifier(weighting="tfidf", **settings).fit(*split.train)
    predicted = model.predict(split.test[0])
    report = model.report_.as_dict()
    row = {
        "penalty": model.settings_["penalty"],
        "accuracy": metrics.accuracy(split.test[1], predicted),
        "macro_f1": metrics.macro_f1(split.test[1], predicted),
        **{name: report[name] for name in FACTS},
    }
    return model, row
