"""The section `structure` of the classify page: what groups of the text bring beside their control.

The control of every structured model is the elastic net with the same words, contrast and refits,
and no groups.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.classify_defaults import Corpus, corpora_of, pages_corpora
from benchmarks.page import mcnemar, number, percent, table
from laconic import TextClassifier

TASKS = ("religion, stripped", "computer, stripped")
SURE = 0.05
CONTROL, DEFAULT = "elastic, no groups", "defaults"
WORDS = {"weighting": "log", "ngrams": 1, "prefixes": (), "contrast": 0.5, "frequency": 0.0}
MODELS: dict[str, dict[str, Any]] = {
    CONTROL: {"penalty": "elastic", **WORDS},
    "sentences": {"penalty": "sentence", **WORDS},
    "topics": {"penalty": "topics", **WORDS},
    "clusters": {"penalty": "brown", **WORDS},
    "latent sentences": {"penalty": "latent sentence", **WORDS},
    DEFAULT: {},
    "structure auto": {"structure": "auto"},
}
TEXT = f"""\
Fitted on all training documents, everything that is open chosen on their folds; test is used once.
The first five read the same words (logarithms of counts, contrast 0.5, refits), so that *{CONTROL}*
is the control of the groups: p is McNemar's exact test against it. The last two choose their
words too; the last p is against *{DEFAULT}*. `groups` are chosen sentences for latent groups, and
groups with any weight for the others. Tests are not corrected for their number."""


class Fitted(NamedTuple):
    """One model on all training documents."""

    predictions: NDArray[Any]
    words: int
    groups: str
    seconds: float


def chosen_corpora(data: Path, quick: bool, corpus: Path | None) -> Iterator[Corpus]:
    """Yield a few tasks of the page, or the corpora of a folder."""
    if corpus is not None:
        yield from corpora_of(corpus)
        return
    for each in pages_corpora(data, False):
        if each.name in (TASKS[:1] if quick else TASKS):
            yield each
        if each.name == TASKS[0 if quick else -1]:
            return


def fitted(corpus: Corpus, settings: dict[str, Any]) -> Fitted:
    """Fit one model as a user would."""
    began = time.process_time()
    model = TextClassifier(**settings).fit(corpus.train, corpus.train_labels)
    seconds = time.process_time() - began
    report = model.report_
    groups = f"{report.groups_kept:,} of {report.groups_total:,}" if report.groups_total else "–"
    return Fitted(model.predict(corpus.test), report.features_kept, groups, seconds)


class Score:
    """How often models are ahead of their control, and behind it, and how often that is sure."""

    def __init__(self) -> None:
        self.ahead: list[float] = []
        self.behind: list[float] = []

    def add(self, gold: NDArray[Any], ours: NDArray[Any], control: NDArray[Any]) -> float:
        """Count one comparison, and return the p of McNemar's exact test."""
        test = mcnemar(gold, ours, control)
        if test.only_first != test.only_second:
            side = self.ahead if test.only_first > test.only_second else self.behind
            side.append(test.p_value)
        return test.p_value

    def sentence(self, what: str) -> str:
        """Return the counts as a sentence."""
        sure = [sum(p < SURE for p in side) for side in (self.ahead, self.behind)]
        return (
            f"{what}: ahead of the control in {len(self.ahead)} comparisons (p below {SURE} in "
            f"{sure[0]}), behind it in {len(self.behind)} ({sure[1]})."
        )


def whole_rows(corpus: Corpus, quick: bool, score: Score) -> list[list[Any]]:
    """Return the rows of one corpus in the table of whole training sets."""
    names = (CONTROL, "latent sentences", DEFAULT) if quick else tuple(MODELS)
    found = {name: fitted(corpus, MODELS[name]) for name in names}
    rows = []
    for k, (name, one) in enumerate(found.items()):
        same_words = MODELS[name].keys() >= WORDS.keys()
        control = CONTROL if same_words else DEFAULT
        ours, other = one.predictions, found[control].predictions
        p_value = (score if same_words else Score()).add(corpus.test_labels, ours, other)
        rows.append(
            [
                corpus.name if k == 0 else "",
                name,
                percent(np.mean(one.predictions == corpus.test_labels)),
                "" if name == control else number(p_value),
                one.words,
                one.groups,
                one.seconds,
            ]
        )
    return rows


def section(data: Path, quick: bool, corpus: Path | None = None) -> str:
    """Return the section as Markdown."""
    score, rows = Score(), []
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for each in chosen_corpora(data, quick, corpus):
            rows += whole_rows(each, quick, score)
    columns = ["corpus", "model", "accuracy", "p", "words", "groups", "CPU s"]
    return "\n\n".join(
        [
            "## What structure brings",
            TEXT,
            table(columns, rows).rstrip("\n"),
            score.sentence("Groups on all documents") + "\n",
        ]
    )
