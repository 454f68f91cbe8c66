"""How the documents section of the mining page is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.page import mcnemar, number, percent, table
from benchmarks.timing import Measured

INTRODUCTION = """\
Sublinear tf-idf of words, and beside it (times a scale of 0.03, 0.1 or 0.3) columns of zeros and \
ones: bigrams, or combinations of words anywhere in a document
that `KernelMiner` found. It searches the words that are in at most a tenth of the documents, one \
round from the scores of a linear SVM (hinge loss, C = 1),
with proximal steps: what is kept are combinations that occur, among the support vectors, more \
often in one class than in the other by more than the threshold C.
Then a lasso or a ridge (`SparseClassifier`, log-loss) on words and combinations. Threshold, scale \
and strength are those of the lowest log-loss on dev; nothing is
chosen on test. (Strengths for newsgroups were extended downwards after a first run of this \
section, whose choices on dev lay at the end of the list; test had been
seen then.) `p` is McNemar's exact test on test against words alone with the same penalty. Kept \
are non-zero weights. Seconds and peak memory (what it added)
are of the chosen search, SVM included, in a process of its own."""
STRONGEST_TEXT = (
    "The largest weights of mined combinations, by class, in the ridge of the largest degree."
)
TRIALS_TEXT = """\
Accuracy and log-loss on dev of a ridge on words and pairs of words (degree 2, C = {threshold}; \
scale and strength by the log-loss): each line changes one
thing. `wrong` are documents within the margin in the first and in the last round."""


class Row(NamedTuple):
    """A model of the page, chosen on dev."""

    features: str
    penalty: str
    dev: float
    log_loss: float  # on dev
    test: float
    kept: NDArray[np.intp]  # by order, from 1
    setting: tuple[int | None, float | None, float]  # threshold, scale, strength
    fit_seconds: float
    mining: Measured | None
    right: NDArray[np.bool_]  # on test
    strongest: dict[str, list[str]]


class Trial(NamedTuple):
    """One way to mine pairs, on dev: pairs, examples wrong in the first and the last round, and a
    ridge on words and pairs.
    """

    features: str
    pairs: int
    wrong: tuple[int, int]
    seconds: float
    accuracy: float
    log_loss: float


def layout(
    rows: Mapping[str, Sequence[Row]], trials: Mapping[str, Sequence[Trial]], threshold: int
) -> str:
    """All tables."""
    parts = ["## Documents", INTRODUCTION]
    for title, found in rows.items():
        parts += [f"### {title}", models_table(found), verdict(found)]
    parts += ["### What was found", STRONGEST_TEXT, strongest_table(rows)]
    parts += ["### What each choice of the search does", TRIALS_TEXT.format(threshold=threshold)]
    parts += [f"{title}:\n\n{trials_table(found)}" for title, found in trials.items()]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def models_table(found: Sequence[Row]) -> str:
    """A row a model."""
    words = {row.penalty: row for row in found if row.features == "words"}
    rows = []
    for row in found:
        plain = words[row.penalty]
        p = (
            "–"
            if row is plain
            else number(mcnemar(np.ones(len(row.right)), row.right, plain.right).p_value, 2)
        )
        setting = [number(value, 1) for value in row.setting]
        costs = (
            [None, None] if row.mining is None else [row.mining.seconds, row.mining.peak_megabytes]
        )
        kept = [
            number(int(count)) if order == 0 or count else "–"
            for order, count in enumerate(row.kept)
        ]
        scores = [
            percent(row.dev),
            number(row.log_loss, 3),
            percent(row.test),
            p,
            number(int(row.kept.sum())),
        ]
        rows.append(
            [f"{row.features}, {row.penalty}", *scores, *kept, *setting, *costs, row.fit_seconds]
        )
    orders = ["kept", "words", "order 2", "order 3", "order 4"]
    return table(
        [
            "features",
            "dev",
            "dev log-loss",
            "test",
            "p",
            *orders,
            "C",
            "scale",
            "strength",
            "mining s",
            "mining MB",
            "fit s",
        ],
        rows,
    )


def verdict(found: Sequence[Row]) -> str:
    """Of each penalty, the mined row that dev prefers beside words and bigrams on test."""
    lines = []
    for penalty in dict.fromkeys(row.penalty for row in found):
        rows = [row for row in found if row.penalty == penalty]
        mined = min((row for row in rows if row.mining is not None), key=lambda row: row.log_loss)
        gold = np.ones(len(mined.right))
        others = []
        for name in ("words", "words, bigrams"):
            other = next(row for row in rows if row.features == name)
            p = mcnemar(gold, mined.right, other.right).p_value
            others.append(
                f"{100 * (mined.test - other.test):+.1f} points on test against {name} (p = "
                f"{number(p, 2)})"
            )
        lines.append(
            f"* {penalty}: of the mined, dev prefers {mined.features.split('mined to ')[1]}: "
            + ", ".join(others)
        )
    return "\n".join(lines)


def strongest_table(rows: Mapping[str, Sequence[Row]]) -> str:
    """A row for each class of each task."""
    lines: list[list[Any]] = []
    for title, found in rows.items():
        largest = [row for row in found if row.mining is not None and row.penalty == "ridge"][-1]
        for label, names in largest.strongest.items():
            lines.append([title, label, "; ".join(f"`` {name} ``" for name in names) or "none"])
    return table(["task", "class", "combinations"], lines)


def trials_table(found: Sequence[Trial]) -> str:
    """A row for each way to mine."""
    rows = [
        [
            trial.features,
            number(trial.pairs) if trial.wrong[0] else "–",
            " → ".join(number(count) for count in trial.wrong) if trial.wrong[0] else "–",
            number(trial.seconds) if trial.wrong[0] else "–",
            percent(trial.accuracy),
            number(trial.log_loss, 4),
        ]
        for trial in found
    ]
    return table(["search", "pairs", "wrong", "mining s", "dev", "dev log-loss"], rows)
