"""`laconic demo classify`: which of NumPy, SciPy and scikit-learn does a docstring belong to?"""

from __future__ import annotations

import time
from typing import Any

from laconic.classify.cli import selection
from laconic.classify.model import TextClassifier
from laconic.cli.console import Bar
from laconic.cli.split import Split, split_sizes, three_quarters
from laconic.text import metrics
from laconic.text.docstrings import docstring_corpus

N_SHOWN = 10
# Strengths that serve this corpus; `laconic train --dev` chooses them by data.
SETTINGS: tuple[dict[str, Any], ...] = (
    {"penalty": "lasso", "strength": 0.2},
    {"penalty": "sentence", "strength": 1e-4, "lasso": 0.2},
)


def demo(seed: int, bar: Bar, as_json: bool) -> dict[str, Any]:
    """Train and inspect two small models on docstrings, whose names and imports are taken out."""
    split = three_quarters(*docstring_corpus(), seed)
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


def _trained(settings: dict[str, Any], split: Split) -> tuple[TextClassifier, dict[str, Any]]:
    began = time.perf_counter()
    model = TextClassifier(weighting="tfidf", **settings).fit(*split.train)
    seconds = time.perf_counter() - began
    predicted = model.predict(split.test[0])
    row = {
        "penalty": model.penalty,
        "accuracy": metrics.accuracy(split.test[1], predicted),
        "macro_f1": metrics.macro_f1(split.test[1], predicted),
        "features_nonzero": model.n_features_selected_,
        "features_total": model.n_features_total_,
        "groups_selected": sum(summary.selected for summary in model.groups_.values()),
        "groups_total": sum(summary.total for summary in model.groups_.values()),
        "certificate": model.certificate_,
        "seconds": seconds,
    }
    return model, row
