"""The accuracy section of the classify page: the regularizers and features of the paper, and tuned
peers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from benchmarks import corpora, peers
from benchmarks.classify_compare import PLAIN, QUICK
from benchmarks.classify_models import PAPER, UNIT, Bench, cell, over_tasks, seconds
from benchmarks.page import number, percent, table
from benchmarks.peers import Outcome

SUM = "sentence+topics+brown"
FEATURES = ("topics", "brown")
# Test accuracies of Yogatama (2015), Tables 5.3 and 5.8: (features in lasso, ridge, elastic; as
# regularizer).
PAPER_ACCURACY = {
    "science": {"topics": (90.63, 91.90, 91.90, 93.67), "brown": (86.96, 90.51, 91.14, 93.04)},
    "sports": {"topics": (91.33, 93.47, 93.84, 94.97), "brown": (82.66, 88.94, 85.43, 93.71)},
    "religion": {"topics": (91.35, 92.47, 91.35, 93.03), "brown": (94.98, 96.93, 96.93, 92.89)},
    "computer": {"topics": (85.20, 86.87, 86.35, 88.42), "brown": (55.72, 96.65, 67.57, 86.36)},
}
INTRODUCTION = """\
Test accuracy in percent, non-zero weights in brackets. Strengths are tuned on dev by accuracy (20 \
% of train, stratified, seed 0;
SST and convote have their own dev), ties go to the smaller model; nothing is fitted on dev, and \
no strength is chosen on test. The
standard error of an accuracy is 1 to 1.7 points, so differences below that are noise unless a \
paired test says otherwise. The
tree regularizer takes the neutral constituents of SST; newsgroups have it by dependency subtrees \
in the next section. A sum gives each of its regularizers the same strength. Topics (1,000, 10
words each) and Brown clusters (5,000) are learned from the training documents alone."""
SECONDS_TEXT = """\
Wall-clock seconds on unigram counts, two tasks at a time: the chosen fit from zero to a \
certificate of 1e-3 / the whole grid at
1e-2. `prepare` is encoding, topics and clusters, once for all models of a task. Both cores are \
busy, so that seconds are rough."""


class Key(NamedTuple):
    """A model of the page."""

    regularizer: str
    weighting: str = "count"
    features: str = ""


class Measured(NamedTuple):
    """One task with all its models."""

    title: str
    models: dict[Key, Outcome]
    prepare_seconds: float


def section(data: Path, quick: bool = False) -> str:
    """Fit everything, two tasks at a time, and lay the tables out."""
    return layout(over_tasks(measure, data, quick))


def measure(name: str, stripped: bool, data: Path, quick: bool) -> Measured:
    """All models of one task.

    BLAS gets one thread: two would fight the other worker over vectors of this size.
    """
    with threadpool_limits(1):
        task = corpora.load(name, data, stripped)
        families = ["sentence", "topics", "brown"] + (["tree"] if name == "sst" else [])
        features = FEATURES if name in PAPER_ACCURACY and not stripped else ()
        size = {"n_topics": 20, "n_clusters": 50} if quick else {}
        bench = Bench(task, families, features, **size)
        counts, unit = (QUICK, QUICK) if quick else (PAPER, UNIT)
        models = {}
        for regularizer in (*PLAIN, *families, SUM):
            models[Key(regularizer)] = bench.tuned(regularizer, "count", counts)
            models[Key(regularizer, "tfidf")] = bench.tuned(regularizer, "tfidf", unit)
        for feature in features:
            for regularizer in PLAIN:
                models[Key(regularizer, features=feature)] = bench.tuned(
                    regularizer, "count", counts, (feature,)
                )
        models[Key("liblinear lasso")] = peers.lasso(task)
        models[Key("scikit-learn ridge")] = peers.ridge(task)
        return Measured(task.name, models, bench.seconds)


def layout(found: Sequence[Measured]) -> str:
    """All tables."""
    parts = [
        "## Accuracy",
        INTRODUCTION,
        "### Unigram counts, the paper's protocol and grids",
        accuracy_table(found, "count", ("liblinear lasso", "scikit-learn ridge")),
        "### tf-idf, strengths from 1e-4 to 10, extra lasso from 0.01 to 1",
        accuracy_table(found, "tfidf"),
        "### Topics and clusters as features and as regularizers (Table 5.8)",
        features_table(found),
        "### Seconds",
        SECONDS_TEXT,
        seconds_table(found),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def accuracy_table(found: Sequence[Measured], weighting: str, others: Sequence[str] = ()) -> str:
    """Return one row per task and one column per regularizer, our best accuracy in bold."""
    columns = [*PLAIN, "sentence", "tree", "topics", "brown", SUM]
    rows = []
    for task in found:
        ours = [task.models.get(Key(column, weighting)) for column in columns]
        top = max(outcome.accuracy for outcome in ours if outcome is not None)
        marked = [
            f"**{cell(o)}**" if o is not None and o.accuracy == top else cell(o) for o in ours
        ]
        rows.append([task.title, *marked, *(cell(task.models[Key(other)]) for other in others)])
    return table(["task", *columns, *others], rows)


def features_table(found: Sequence[Measured]) -> str:
    """Ours, and the paper's in brackets."""
    rows = []
    for task in found:
        for kind in FEATURES if task.title in PAPER_ACCURACY else ():
            ours = [task.models[Key(name, features=kind)] for name in PLAIN] + [
                task.models[Key(kind)]
            ]
            paper = PAPER_ACCURACY[task.title][kind]
            rows.append(
                [
                    f"{task.title}, {kind}",
                    *(f"{percent(o.accuracy)} [{p:.1f}]" for o, p in zip(ours, paper, strict=True)),
                ]
            )
    return table(
        ["task", "lasso + features", "ridge + features", "elastic + features", "regularizer"], rows
    )


def seconds_table(found: Sequence[Measured]) -> str:
    """Seconds of the chosen fit / of the whole grid."""
    columns = [*PLAIN, "sentence", "tree", "topics", "brown", SUM]

    rows = [
        [
            task.title,
            number(task.prepare_seconds),
            *(seconds(task.models.get(Key(c))) for c in columns),
        ]
        for task in found
    ]
    return table(["task", "prepare", *columns], rows)
