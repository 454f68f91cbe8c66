"""Pictures that explain a classifier, as matplotlib Figures: in pages, or for a paper as they are.

`figure.savefig("confusion.pdf")` writes any format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from laconic.classify.explanation.quality import Quality, Reliability
from laconic.classify.explanation.stability import LearningPoint, Stability
from laconic.report.plots import COLOURS, FAINT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.24  # inches per word
NARROW = 5.6  # inches; pages scroll what is narrower
LONGEST = 28  # characters of a name


def _axes(width: float, height: float, n: int = 1) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = [figure.add_subplot(1, n, k + 1) for k in range(n)]
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _short(name: object) -> str:
    shown = str(name).replace("$", r"\$")
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def plot_stability(found: Stability, label: object, n: int = 20) -> Figure:
    """Draw how often the surest words of a label are chosen, and the intervals of their weights."""
    rows = found.words[found.words["label"] == label][:n]
    figure, (left, right) = _axes(8.4, 0.9 + ROW * max(1, len(rows)), 2)
    place = np.arange(len(rows))
    left.barh(place, rows["chosen"], color=COLOURS[0], height=0.7)
    left.set_xlim(0, 1)
    left.set_xlabel("share of resamples with the word")
    left.set_yticks(place, [_short(word) for word in rows["word"]], parse_math=False)
    spread = np.stack([rows["weight"] - rows["low"], rows["high"] - rows["weight"]])
    right.errorbar(
        rows["weight"], place, xerr=np.maximum(spread, 0), fmt="o", ms=4, lw=1.4, color=COLOURS[0]
    )
    right.axvline(0, color=INK, linewidth=0.8)
    right.set_xlabel(f"weight, with {found.level:.0%} percentiles")
    right.set_yticks(place, [""] * len(rows))
    for axes in (left, right):
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.grid(axis="x", color=FAINT, linewidth=0.5, alpha=0.6)
        axes.set_axisbelow(True)
    return figure


def plot_confusion(quality: Quality) -> Figure:
    """Draw the confusion matrix, rows by gold label: counts, shaded by the share of the row."""
    n = len(quality.labels)
    size = 2.2 + 0.42 * n
    figure, (axes,) = _axes(max(NARROW, size + 0.8), size)
    total = quality.confusion.sum(axis=1, keepdims=True)
    share = quality.confusion / np.maximum(1, total)
    # Squares and no picture: pages show nothing that is embedded.
    axes.pcolormesh(
        np.arange(n + 1) - 0.5, np.arange(n + 1) - 0.5, share, cmap="Blues", vmin=0, vmax=1
    )
    axes.set_ylim(n - 0.5, -0.5)
    axes.set_aspect("equal")
    for i in range(n):
        for j in range(n):
            if quality.confusion[i, j]:
                axes.text(
                    j,
                    i,
                    f"{quality.confusion[i, j]}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if share[i, j] > 0.5 else INK,
                )
    names = [_short(label) for label in quality.labels]
    axes.set_xticks(range(n), names, rotation=45, ha="right", fontsize=9, parse_math=False)
    axes.set_yticks(range(n), names, fontsize=9, parse_math=False)
    axes.set_xlabel("predicted")
    axes.set_ylabel("gold")
    return figure


def plot_calibration(reliability: Reliability) -> Figure:
    """Draw the share of right predictions against their mean probability, over how many there are.

    On the dashed line probabilities are what they say.
    """
    figure, (axes,) = _axes(NARROW, 4.0)
    axes.plot([0, 1], [0, 1], color=INK, linestyle="--", linewidth=0.9)
    full = reliability.documents > 0
    behind = axes.twinx()
    behind.bar(
        (reliability.low + reliability.high) / 2,
        reliability.documents,
        width=np.diff(reliability.low)[0] * 0.9,
        color=FAINT,
        alpha=0.5,
    )
    behind.set_ylabel("documents (grey)")
    behind.spines["top"].set_visible(False)
    axes.set_zorder(behind.get_zorder() + 1)
    axes.patch.set_visible(False)
    axes.plot(
        reliability.confidence[full],
        reliability.accuracy[full],
        marker="o",
        color=COLOURS[0],
        linewidth=1.6,
    )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("probability of the predicted label")
    axes.set_ylabel("share that is right")
    return figure


def plot_learning_curve(points: Sequence[LearningPoint]) -> Figure:
    """Draw accuracy against the number of documents learned from."""
    figure, (axes,) = _axes(NARROW, 3.6)
    documents = [point.documents for point in points]
    accuracy = [point.accuracy for point in points]
    axes.plot(documents, accuracy, marker="o", color=COLOURS[0], linewidth=1.6)
    axes.set_xscale("log")
    axes.set_xticks(documents, [f"{count:,}" for count in documents], fontsize=9)
    axes.minorticks_off()
    axes.set_xlabel("training documents")
    axes.set_ylabel("accuracy")
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    return figure
