"""`laconic demo`: small models beside larger ones, on real text that every installation has."""

from __future__ import annotations

import time
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from laconic.cli.classify import selection
from laconic.cli.console import Bar, guard, print_result, progress
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, Quiet

if TYPE_CHECKING:
    from laconic.estimators.text import TextClassifier

N_SHOWN = 10
N_TAG_SHOWN = 6
# Strengths that serve this corpus; `laconic train --dev` chooses them by data.
SETTINGS: tuple[dict[str, Any], ...] = (
    {"regularizer": "lasso", "strength": 0.2},
    {"regularizer": "sentence", "strength": 1e-4, "lasso": 0.2},
)


TEMPLATES = """
ngrams(word, 1..3, -2..2)
ngrams(shape, 1..4, -3..3)
ngrams(prefix2, 1..3, -2..2)
ngrams(suffix3, 1..3, -2..2)
ngrams(punct, 1..5, -4..4)
"""
BUDGET = 15


class Task(str, Enum):
    """What may be shown."""

    classify = "classify"
    tag = "tag"


class Split(NamedTuple):
    """Examples and labels, three quarters to learn from and one to test on."""

    train: tuple[list[Any], list[Any]]
    test: tuple[list[Any], list[Any]]


@guard()
def demo(
    task: Annotated[Task, typer.Argument(help="Which models: of whole docstrings, or of their words.")] = Task.classify,
    seed: Annotated[int, typer.Option(help="Seed of the split into training and test examples.", min=0)] = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Train and inspect two small models on docstrings.

    classify: which of NumPy, SciPy and scikit-learn does a docstring belong to? Their names, imports and examples are taken out first.
    tag: which words of a sentence did its author mark as code or as a formula? The marks are taken out and become the labels.
    """
    with Measured() as cost, progress("reading the docstrings of numpy, scipy and scikit-learn", quiet=quiet) as bar:
        result = (_classify if task is Task.classify else _tag)(seed, bar, as_json)
    print_result({**cost.report(), **result}, as_json)


def _classify(seed: int, bar: Bar, as_json: bool) -> dict[str, Any]:
    from laconic.text.docstrings import docstring_corpus

    split = _split(*docstring_corpus(), seed)
    models: list[TextClassifier] = []
    rows = []
    for settings in SETTINGS:
        bar.describe(f"training with the regularizer {settings['regularizer']}")
        model, row = _trained(settings, split)
        models.append(model)
        rows.append(row)
    return {**_counts("documents", split), "models": rows, **selection(models[-1], N_SHOWN, as_json)}


def _tag(seed: int, bar: Bar, as_json: bool) -> dict[str, Any]:
    from laconic import Mira, Sparseptron, Tagger
    from laconic.cli.tag import inspect
    from laconic.text.markup import markup_corpus
    from laconic.text.patterns import parse_templates

    split = _split(*markup_corpus(), seed)
    templates = parse_templates(TEMPLATES, ("word",))
    rows = []
    for learner, refit in ((Mira(5), None), (Sparseptron(BUDGET), Mira(10))):
        bar.describe(f"training {learner}")
        began = time.perf_counter()
        model = Tagger(templates, learner, refit, columns=("word",)).fit(*split.train)
        seconds = time.perf_counter() - began
        rows.append(
            {
                "learner": f"{learner}, then {refit}" if refit else str(learner),
                "f1": model.score(*split.test),
                "templates": f"{len(model.templates_)} of {len(templates)}",
                "features_nonzero": model.n_features_selected_,
                "features_held_most": max(held for epoch in model.trace_ for _, held in epoch.held),
                "seconds": seconds,
            }
        )
    shown = inspect(model, N_TAG_SHOWN, as_json)
    wanted = ("templates", "features", "bigrams") if as_json else ("templates kept", "features")
    return {**_counts("sentences", split), "models": rows, **{name: shown[name] for name in wanted}}


def _counts(name: str, split: Split) -> dict[str, int]:
    sizes = len(split.train[0]), len(split.test[0])
    return {name: sum(sizes), f"{name}_train": sizes[0], f"{name}_test": sizes[1]}


def _split(examples: list[Any], labels: list[Any], seed: int) -> Split:
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    n_test = len(order) // 4
    train, test = (([examples[i] for i in part], [labels[i] for i in part]) for part in (order[n_test:], order[:n_test]))
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
