"""The labels section of the classify page: trees over labels on all of 20 Newsgroups, and several
labels per document on the genres of films.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks import corpora
from benchmarks.page import mcnemar, number, percent, table
from laconic import TextClassifier
from laconic.classify.label_tree import branches_of, path_scores
from laconic.classify.multilabel import (
    as_labels,
    best_thresholds,
    indicator,
    label_set_scores,
    lists_of,
    names_of,
)

SIZES = (100, 300)  # words
# The same reading of the words for every model, so that the tree alone makes the difference.
READING: Mapping[str, Any] = {
    "weighting": "log",
    "ngrams": 1,
    "prefixes": (),
    "contrast": 0.5,
    "frequency": 0.5,
    "folds": 2,
    "seconds": 600.0,
}
TEST_SHARE = 0.2
RESAMPLES = 2000
INTRODUCTION = """\
All of 20 Newsgroups by date (11,314 messages to learn from, 7,532 of later months to test on), \
with headers and quotes; all words. Three levels, read from the names: 20 labels in 4 groups \
of several, 3 of which have a group of several inside. Every model reads words
alike (weighting log, contrast 0.5, frequency 0.5), keeps at most the stated number of words, and \
has its strength and refit chosen by the log-loss of two folds; then it is fitted on all of train. \
Nothing is chosen on test. *Flat* is elastic net; *one group* the penalty of the tree without \
its middle levels (a word pays for all labels together, and for each): the control. Hierarchical \
F1 counts common nodes of the paths by names for all models. p is McNemar's test beside one \
group."""
FILMS = """\
Genres of 4,791 films from about 50 words of plot: 20 labels, 2.5 per film; a random fifth is the \
test (seed 0). TextClassifier() without options, beside tf-idf and one LinearSVC per genre, with \
its own threshold 0 and with thresholds
from five folds by the same rule as ours. The interval is of the difference of micro F1 (ours \
less theirs), by 2,000 bootstrap samples of the test films."""


class Measured(NamedTuple):
    """One model on the test messages."""

    accuracy: float
    hierarchical_f1: float
    words: int
    seconds: float
    right: np.ndarray[Any, Any]


def section(data: Path, quick: bool = False) -> str:
    """Both tables."""
    with threadpool_limits(1):
        parts = [
            "## Labels",
            INTRODUCTION,
            newsgroups_table(data, quick),
            "### Several labels per document",
            FILMS,
            films_table(data, quick),
        ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def newsgroups_table(data: Path, quick: bool) -> str:
    """Return one row per number of words and model."""
    train, test = (corpora.newsgroups(data, part, None) for part in ("train", "test"))
    if quick:
        train, test = (part.take(np.arange(0, len(part), 20)) for part in (train, test))
    labels = sorted(set(train.labels.tolist()))
    models: dict[str, dict[str, Any]] = {
        "flat": {"penalty": "elastic"},
        "one group": {"label_tree": dict.fromkeys(labels, "all")},
        "tree by names": {"label_tree": "dots"},
        "tree of confusions": {"label_tree": "confusion"},
    }
    rows = []
    for size in SIZES[:1] if quick else SIZES:
        found = {name: measure(train, test, size, own) for name, own in models.items()}
        control = found["one group"]
        for name, one in found.items():
            p = mcnemar(np.ones(len(test)), one.right, control.right).p_value
            rows.append(
                [
                    f"{size:,}",
                    name,
                    percent(one.accuracy),
                    percent(one.hierarchical_f1),
                    f"{one.words:,}",
                    number(one.seconds),
                    "" if one is control else f"{p:.2g}",
                ]
            )
    columns = ["at most", "model", "accuracy", "hierarchical F1", "words", "CPU s", "p"]
    return table(columns, rows)


def measure(train: corpora.Part, test: corpora.Part, size: int, own: dict[str, Any]) -> Measured:
    """Return one model on the test messages."""
    began = time.process_time()
    model = TextClassifier(**READING, max_features=size, **own).fit(train.texts, train.labels)
    seconds = time.process_time() - began
    predicted = model.predict(test.texts)
    branches, names = branches_of("dots", model.classes_), model.classes_.tolist()
    paths = {name: branches.path(k, name) for k, name in enumerate(names)}
    pairs = zip(test.labels.tolist(), predicted.tolist(), strict=True)
    right = (predicted == test.labels).astype(float)
    f1 = path_scores([(paths[a], paths[b]) for a, b in pairs]).f1
    return Measured(float(right.mean()), f1, model.report_.features_kept, seconds, right)


def films(data: Path) -> tuple[list[str], list[list[str]]]:
    """Return plots and genres."""
    with gzip.open(data / "tmdb_movies" / "docs.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row["text"] for row in rows], [row["genres"] for row in rows]


def films_table(data: Path, quick: bool) -> str:
    """Return one row per model."""
    texts, genres = films(data)
    order = np.random.default_rng(0).permutation(len(texts))[:: 8 if quick else 1]
    cut = int(TEST_SHARE * len(order))
    parts = [([texts[i] for i in rows], [genres[i] for i in rows]) for rows in
             (order[cut:].tolist(), order[:cut].tolist())]  # fmt: skip
    (train, gold), (test, wanted) = parts
    began = time.process_time()
    model = TextClassifier().fit(train, gold)
    own = model.predict(test).tolist()
    rows = [("TextClassifier()", own, model.report_.features_kept, time.process_time() - began)]
    rows += machines(train, gold, test)
    lines = []
    for name, predicted, features, seconds in rows:
        scores = label_set_scores(wanted, predicted)
        low, high = interval(wanted, own, predicted)
        lines.append(
            [
                name,
                percent(scores.micro_f1),
                percent(scores.macro_f1),
                percent(scores.subset_accuracy),
                f"{features:,}",
                number(seconds),
                "" if predicted is own else f"{100 * low:+.1f} to {100 * high:+.1f}",
            ]
        )
    columns = ["model", "micro F1", "macro F1", "all right", "features", "CPU s", "difference"]
    return table(columns, lines)


def machines(
    train: Sequence[str], gold: Sequence[Sequence[str]], test: Sequence[str]
) -> list[tuple[str, list[list[str]], int, float]]:
    """Return tf-idf and a LinearSVC per label, with its own threshold and with those of folds."""
    began = time.process_time()
    reader = TfidfVectorizer()
    X, Z = reader.fit_transform(train), reader.transform(test)
    names = names_of(as_labels(gold))
    Y = indicator(as_labels(gold), names)
    machine = OneVsRestClassifier(LinearSVC(random_state=0)).fit(X, Y)
    scores = machine.decision_function(Z)
    plain = time.process_time() - began
    folds = KFold(5, shuffle=True, random_state=0)
    held = cross_val_predict(machine, X, Y, cv=folds, method="decision_function")
    thresholds = best_thresholds(held, Y)
    whole = time.process_time() - began
    found: list[tuple[str, Callable[[], Any], float]] = [
        ("tf-idf + LinearSVC per label", lambda: scores > 0, plain),
        ("the same, thresholds from folds", lambda: scores > thresholds, whole),
    ]
    return [
        (name, lists_of(chosen(), names).tolist(), X.shape[1], seconds)
        for name, chosen, seconds in found
    ]


def interval(
    wanted: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any]
) -> tuple[float, float]:
    """Return the 95 % interval of the difference of micro F1 over samples of the documents."""
    counts = []
    for predicted in (ours, theirs):
        pairs = list(zip(wanted, predicted, strict=True))
        right = np.array([len(set(a) & set(b)) for a, b in pairs])
        total = np.array([len(set(a)) + len(set(b)) for a, b in pairs])
        counts.append((right, total))
    random = np.random.default_rng(0)
    found = []
    for _ in range(RESAMPLES):
        rows = random.integers(len(wanted), size=len(wanted))
        first, second = (2 * right[rows].sum() / total[rows].sum() for right, total in counts)
        found.append(first - second)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
