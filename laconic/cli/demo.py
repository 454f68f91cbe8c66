"""`laconic demo`: the lasso beside sentences as groups, on real text that every installation has."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from laconic.cli.classify import selection
from laconic.cli.console import guard, print_result, progress
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, Quiet

if TYPE_CHECKING:
    from laconic.estimators.text import TextClassifier

N_SHOWN = 10
# Strengths that serve this corpus; `laconic train --dev` chooses them by data.
SETTINGS: tuple[dict[str, Any], ...] = (
    {"regularizer": "lasso", "strength": 0.2},
    {"regularizer": "sentence", "strength": 1e-4, "lasso": 0.2},
)


class Split(NamedTuple):
    """Documents and labels, three quarters to learn from and one to test on."""

    train: tuple[list[str], list[str]]
    test: tuple[list[str], list[str]]


@guard()
def demo(
    seed: Annotated[int, typer.Option(help="Seed of the split into training and test documents.", min=0)] = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Train and inspect two small models on docstrings.

    Which of NumPy, SciPy and scikit-learn does a docstring belong to? Their names, imports and examples are taken out first.
    """
    with Measured() as cost, progress("reading the docstrings of numpy, scipy and scikit-learn", quiet=quiet) as bar:
        split = _split(seed)
        models: list[TextClassifier] = []
        rows = []
        for settings in SETTINGS:
            bar.describe(f"training with the regularizer {settings['regularizer']}")
            model, row = _trained(settings, split)
            models.append(model)
            rows.append(row)
    result = {
        "documents": len(split.train[0]) + len(split.test[0]),
        "documents_train": len(split.train[0]),
        "documents_test": len(split.test[0]),
        **cost.report(),
        "models": rows,
        **selection(models[-1], N_SHOWN, as_json),
    }
    print_result(result, as_json)


def _split(seed: int) -> Split:
    import numpy as np

    from laconic.text.docstrings import docstring_corpus

    documents, labels = docstring_corpus()
    order = np.random.default_rng(seed).permutation(len(documents)).tolist()
    n_test = len(order) // 4
    train, test = (([documents[i] for i in part], [labels[i] for i in part]) for part in (order[n_test:], order[:n_test]))
    return Split(train, test)


def _trained(settings: dict[str, Any], split: Split) -> tuple[TextClassifier, dict[str, Any]]:
    from laconic import metrics
    from laconic.estimators.text import TextClassifier

    began = time.perf_counter()
    model = TextClassifier(weighting="tfidf", **settings).fit(*split.train)
    seconds = time.perf_counter() - began
    predicted = model.predict(split.test[0])
    row = {
        "regularizer": model.regularizer,
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
