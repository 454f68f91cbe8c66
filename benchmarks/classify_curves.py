"""The section `words` of the classify page: accuracy at N words.

One path per model, every strength of it cut to N words and refitted.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.classify_defaults import Corpus
from benchmarks.classify_structures import CONTROL, Score, chosen_corpora
from benchmarks.page import percent, table
from laconic import TextClassifier
from laconic.classify import preparation
from laconic.classify.folds import HeldOutRows, Refits, StrengthPath
from laconic.classify.held_out import split
from laconic.classify.learn import strongest
from laconic.classify.preparation import Prepared

FIGURES: dict[str, Figure] = {}
PICTURE = "classify-words.svg"
SIZES = (10, 30, 100, 300, 1000)
FOLDS = 2
STEP, LAST = 0.6, 1e-3  # of the shares of the strongest strength
RIDGES = (0.4, 0.02, 0.001)
LEAST_SHARE = 0.5  # of N words that a setting must keep
BEYOND = 1.5  # times the largest N, where a path ends
WORDS: dict[str, Any] = {"weighting": "log", "contrast": 0.5}
STRUCTURES = {"sentences": "sentence", "topics": "topics", "clusters": "brown"}
SHARES = (0.01, 0.1)  # strengths of groups beside the elastic net
TEXT = f"""\
At most N words: of every strength of a path the N strongest words are kept and fitted again under a
ridge. Strength, ridge and the strength of the groups beside the elastic net (0.01 or 0.1) are those
with the lowest mean log-loss on {FOLDS} folds of the training documents. All models read logarithms
of counts with a contrast of 0.5, but lasso has no contrast. Settings with less than
{LEAST_SHARE:.0%} of N words are left out. In brackets the p of McNemar's exact test against
*{CONTROL}* at the same N."""


class Curve(NamedTuple):
    """Predictions on test of the model of at most N words, by N as far as the path reaches."""

    name: str
    predictions: dict[int, NDArray[Any]]


class Setting(NamedTuple):
    """One way to get N words: a model, a share of its strongest strength, and a ridge."""

    model: int
    share: float
    ridge: float


def models_of(name: str) -> list[TextClassifier]:
    """Return the models among which the folds choose, by the name of a curve."""
    if name == "lasso":
        return [TextClassifier("lasso", strength=1.0, weighting="log")]
    if name == CONTROL:
        return [TextClassifier("elastic", strength=1.0, **WORDS)]
    if name == "latent sentences":
        return [TextClassifier("latent sentence", strength=1.0, **WORDS)]
    group = STRUCTURES[name]
    return [
        TextClassifier(f"elastic+{group}", strength={"elastic": 1.0, group: share}, **WORDS)
        for share in SHARES
    ]


NAMES = ("lasso", CONTROL, *STRUCTURES, "latent sentences")


def curves_of(
    train: Sequence[str],
    labels: NDArray[Any],
    test: Sequence[str],
    quick: bool,
    sizes: Sequence[int] = SIZES,
) -> list[Curve]:
    """Return a curve for each kind of model; if quick, for those without groups."""
    names = NAMES[:2] if quick else NAMES
    folds = split(labels, FOLDS, 0)
    found = []
    for name in names:
        models = [model.stated() for model in models_of(name)]
        whole = models[0].prepare(train, labels)
        tables = [scores(model, whole, folds, sizes) for model in models]
        predictions = {}
        for size in sizes:
            pool = {
                (loss, Setting(number, share, ridge))
                for number, one in enumerate(tables)
                for (n, share, ridge), loss in one.items()
                if n == size
            }
            if not pool:  # no setting of the path keeps enough words on all folds
                continue
            best = min(pool)[1]
            predictions[size] = predicted(models[best.model], whole, size, best, test)
        found.append(Curve(name, predictions))
    return found


def scores(
    model: TextClassifier, whole: Prepared, folds: Sequence[Any], sizes: Sequence[int]
) -> dict[tuple[int, float, float], float]:
    """Return the mean log-loss over folds of (N, share, ridge), where all folds have it."""
    found: dict[tuple[int, float, float], list[float]] = {}
    for rows, held in folds:
        part = preparation.part_of(model, whole, rows)
        X = preparation.held_out_rows(model, part, whole, held)
        path = StrengthPath(model, part)
        gold = np.searchsorted(path.classes, whole.labels[held])
        for share, weights, _, _ in path.walk(iter(shares())):
            n_kept = int(np.any(weights != 0, axis=1).sum())
            for size in sizes:
                kept = strongest(weights, size)
                if len(kept) < LEAST_SHARE * size:
                    continue
                refits, out = Refits(path, kept), HeldOutRows(X[:, kept], gold, path.problem.loss)
                for ridge in RIDGES:
                    loss = float(out.score(*refits.fit(ridge)).loss.mean())
                    found.setdefault((size, share, ridge), []).append(loss)
            if n_kept > BEYOND * max(sizes):
                break
    return {key: float(np.mean(v)) for key, v in found.items() if len(v) == len(folds)}


def shares() -> list[float]:
    """Return shares of the strongest strength, from strong to weak."""
    found = [0.95, 0.85]
    while found[-1] * STEP > LAST:
        found.append(found[-1] * STEP)
    return found


def predicted(
    model: TextClassifier, whole: Prepared, size: int, setting: Setting, test: Sequence[str]
) -> NDArray[Any]:
    """Fit all training documents at a setting, and return the labels of test documents."""
    prepared = preparation.adapt(model, whole)
    path = StrengthPath(model, prepared)
    wanted = [share for share in shares() if share >= setting.share]
    weights = [step[1] for step in path.walk(iter(wanted))][-1]
    kept = strongest(weights, size)
    coef, intercept = Refits(path, kept).fit(setting.ridge)
    model.adopt_preparation(prepared)
    rows = model.vectorize(test)
    if prepared.contrast is not None:
        rows = rows.multiply(prepared.contrast[None, :]).tocsr()
    values = np.asarray(rows[:, kept] @ coef + intercept)
    number = (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else values.argmax(axis=1)
    return np.asarray(path.classes)[number]


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
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        curves = [curves_of(each.train, each.train_labels, each.test, quick) for each in corpora]
    if corpus is None:
        FIGURES[PICTURE] = drawn(corpora, curves)
    score = Score()
    rows = [
        row
        for each, found in zip(corpora, curves, strict=True)
        for row in curve_rows(each, found, score)
    ]
    return "\n\n".join(
        [
            "## Accuracy at N words",
            TEXT,
            f"![accuracy over the number of words]({PICTURE})",
            table(["corpus", "model", *(f"{n:,}" for n in SIZES)], rows).rstrip("\n"),
            score.sentence("Groups at N words") + "\n",
        ]
    )
