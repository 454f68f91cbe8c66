"""The structure section of the classify page: what groups of the text bring beside their control.

The control of every structured model is the elastic net with the same words, contrast and refits,
and no groups.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.classify_curves import LEAST_SHARE, SIZES, Curve, curves_of
from benchmarks.classify_defaults import Corpus, corpora_of, pages_corpora
from benchmarks.page import mcnemar, number, percent, table
from laconic import TextClassifier

TASKS = ("science", "sst", "religion, stripped")
SURE = 0.05
FIGURES: dict[str, Figure] = {}
PICTURE = "classify-words.svg"
CONTROL, DEFAULT = "elastic, no groups", "defaults"
WORDS = {"weighting": "log", "ngrams": 1, "prefixes": (), "contrast": 0.5, "frequency": 0.0}
MODELS: dict[str, dict[str, Any]] = {
    CONTROL: {"penalty": "elastic", **WORDS},
    "sentences": {"penalty": "sentence", **WORDS},
    "topics": {"penalty": "topics", **WORDS},
    "clusters": {"penalty": "brown", **WORDS},
    "latent sentences": {"penalty": "latent sentence", **WORDS},
    "latent sentences, words open": {"penalty": "latent sentence"},
    DEFAULT: {},
    "structure auto": {"structure": "auto"},
}
NUMBERS, DRAWS = (50, 200), 3
FEW: dict[str, tuple[dict[str, Any], bool]] = {
    "lasso": ({"penalty": "lasso"}, False),
    "elastic": ({"penalty": "elastic"}, False),
    "ridge": ({"penalty": "ridge"}, False),
    "clusters": ({"penalty": "brown"}, True),
    "topics": ({"penalty": "topics"}, True),
    "ridge, clusters as features": ({"penalty": "ridge", "features": ("brown",)}, True),
    "ridge, topics as features": ({"penalty": "ridge", "features": ("topics",)}, True),
}
FEW_TEXT = f"""\
Means over {DRAWS} draws of labelled documents, the same for all models, and deviations over the
draws. The rest of the training documents is the unlabelled text of the lower rows, from which
topics and clusters are learned. As features they are columns beside the words under one ridge, so
that words which no labelled document has get weights. `words`: mean at {NUMBERS[0]} documents."""
WHOLE_TEXT = f"""\
Fitted on all training documents, everything that is open chosen on their folds; test is used once.
The first five read the same words (logarithms of counts, contrast 0.5, refits), so that *{CONTROL}*
is the control of the groups: p is McNemar's exact test against it. The last three choose their
words too; their p is against *{DEFAULT}*. `groups` are chosen sentences for latent groups, and
groups with any weight for the others. Tests are not corrected for their number."""
CURVE_TEXT = f"""\
At most N words: of every strength of a path the N strongest words are kept and fitted again under a
ridge. Strength, ridge and the strength of the groups beside the elastic net (0.01 or 0.1) are those
with the lowest mean log-loss on three folds of the training documents. All models read words as
above; lasso has no contrast. Settings with less than {LEAST_SHARE:.0%} of N words are left out. In
brackets the p of McNemar's exact test against *{CONTROL}* at the same N."""


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


def few_rows(corpus: Corpus, quick: bool) -> list[list[Any]]:
    """Return the rows of one corpus in the table of few labelled documents."""
    accuracy: dict[str, list[list[float]]] = {name: [] for name in FEW}
    words: dict[str, list[int]] = {name: [] for name in FEW}
    numbers = NUMBERS[:1] if quick else NUMBERS
    texts = np.array(corpus.train, dtype=object)
    for n in numbers:
        for name in FEW:
            accuracy[name].append([])
        for draw in range(1 if quick else DRAWS):
            rows = few_of(corpus.train_labels, n, draw)
            rest = texts[np.setdiff1d(np.arange(len(texts)), rows)].tolist()
            for name, (settings, reads_rest) in FEW.items():
                model = TextClassifier(**settings)
                more = {"unlabelled": rest} if reads_rest else {}
                model.fit(texts[rows].tolist(), corpus.train_labels[rows], **more)
                right = model.predict(corpus.test) == corpus.test_labels
                accuracy[name][-1].append(float(np.mean(right)))
                if n == numbers[0]:
                    words[name].append(int(model.report_.features_kept))
    return [
        [
            corpus.name if k == 0 else "",
            name + (", unlabelled text" if FEW[name][1] else ""),
            *(f"{percent(np.mean(a))} ± {percent(np.std(a))}" for a in accuracy[name]),
            round(np.mean(words[name])),
        ]
        for k, name in enumerate(FEW)
    ]


def few_of(labels: NDArray[Any], n: int, seed: int) -> NDArray[np.intp]:
    """Return n random rows, as many of each label."""
    order = np.random.default_rng(seed).permutation(len(labels))
    classes = np.unique(labels)
    parts = [order[labels[order] == label][: n // len(classes)] for label in classes]
    return np.sort(np.concatenate(parts))


def curve_rows(
    corpus: Corpus, curves: Sequence[Curve], score: Score, sizes: Sequence[int] = SIZES
) -> list[list[Any]]:
    """Return the rows of one corpus in the table of accuracy at N words."""
    control = next(curve for curve in curves if curve.name == CONTROL)
    rows = []
    for k, curve in enumerate(curves):
        cells = []
        for size in sizes:
            if size not in curve.predictions or size not in control.predictions:
                cells.append("–")
                continue
            ours = curve.predictions[size]
            counted = score if curve.name not in ("lasso", CONTROL) else Score()
            test = counted.add(corpus.test_labels, ours, control.predictions[size])
            shown = percent(np.mean(ours == corpus.test_labels))
            cells.append(shown if curve is control else f"{shown} ({test:.2f})")
        rows.append([corpus.name if k == 0 else "", curve.name, *cells])
    return rows


def drawn(corpora: Sequence[Corpus], curves: Sequence[Sequence[Curve]]) -> Figure:
    """Draw accuracy over the number of words, one panel per corpus."""
    figure = Figure(figsize=(4.2 * len(corpora), 3.4), layout="constrained")
    panels = figure.subplots(1, len(corpora), squeeze=False)[0]
    for panel, corpus, found in zip(panels, corpora, curves, strict=True):
        for curve in found:
            shares = [np.mean(p == corpus.test_labels) for p in curve.predictions.values()]
            style = "--" if curve.name in ("lasso", CONTROL) else "-"
            panel.plot(list(curve.predictions), 100 * np.array(shares), style, label=curve.name)
        panel.set(xscale="log", xlabel="words with a weight, at most", title=corpus.name)
    panels[0].set_ylabel("accuracy on test, percent")
    panels[0].legend(fontsize=7, frameon=False)
    return figure


def section(data: Path, quick: bool, corpus: Path | None = None) -> str:
    """Return the section as Markdown."""
    corpora = list(chosen_corpora(data, quick, corpus))
    groups, at_size = Score(), Score()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        whole = [row for each in corpora for row in whole_rows(each, quick, groups)]
        curves = [curves_of(each.train, each.train_labels, each.test, quick) for each in corpora]
        few = [row for each in corpora[::2] for row in few_rows(each, quick)]
    if corpus is None:
        FIGURES[PICTURE] = drawn(corpora, curves)
    at_n = [
        row
        for each, found in zip(corpora, curves, strict=True)
        for row in curve_rows(each, found, at_size)
    ]
    numbers = [f"{n} documents" for n in (NUMBERS[:1] if quick else NUMBERS)]
    sizes = [f"{n:,}" for n in SIZES]
    columns = ["corpus", "model", "accuracy", "p", "words", "groups", "CPU s"]
    parts = [
        "## What structure brings",
        WHOLE_TEXT,
        table(columns, whole),
        groups.sentence("Groups on all documents"),
        "### Accuracy at N words",
        CURVE_TEXT,
        f"![accuracy over the number of words]({PICTURE})",
        table(["corpus", "model", *sizes], at_n),
        at_size.sentence("Groups at N words"),
        "### Few labelled documents",
        FEW_TEXT,
        table(["corpus", "model", *numbers, "words"], few),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"
