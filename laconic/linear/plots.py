"""Pictures of searches over strengths, stability and intervals, as matplotlib Figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from laconic.core.arrays import Array, Ints
from laconic.linear.bootstrap import Intervals
from laconic.linear.cv import StrengthCV, standard_error
from laconic.linear.stability import StabilitySelection
from laconic.report.plots import COLOURS, DASHES, FAINT, INK, REMOVED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_cv(search: StrengthCV, title: str = "") -> Figure:
    """Draw held-out scores against strength (strong to weak), with standard errors over folds.

    Parameters
    ----------
    search : StrengthCV
        A fitted search.
    title : str, default=""
        The title of the figure.

    Returns
    -------
    figure : matplotlib.figure.Figure
        One line per combination of further parameters, that of the chosen one with its standard
        errors; the dashed line is the chosen strength, the dotted one the best, where the rule
        chose another. The mean number of features of the chosen line stands at the top.
    """
    axes, figure = new_axes(title)
    table = search.cv_results_
    names = [key for key in table if key.startswith("param_") and key != "param_strength"]
    decides = next(key for key in table if key.startswith("mean_test_"))
    strengths, means = table["param_strength"], table[decides]
    settings = [tuple(table[name][k] for name in names) for k in range(len(strengths))]
    chosen = tuple(search.best_params_[name.removeprefix("param_")] for name in names)
    for place, setting in enumerate(dict.fromkeys(settings)):
        mine = np.array([other == setting for other in settings])
        named = (f"{n.removeprefix('param_')} {v}" for n, v in zip(names, setting, strict=True))
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(strengths[mine], means[mine], color=colour, lw=1.7, label=", ".join(named))
        if setting == chosen:
            errors = np.array([standard_error(row) for row in search.scores_])
            low, high = means[mine] - errors, means[mine] + errors
            axes.fill_between(strengths[mine], low, high, color=colour, alpha=0.15, linewidth=0)
            _count_features(axes, strengths[mine], table["mean_selected"][mine])
    axes.axvline(search.best_strength_, color=INK, linestyle="--", linewidth=1.0)
    best = search.strengths_[int(np.argmax(search.scores_.mean(axis=1)))]
    if best != search.best_strength_:
        axes.axvline(best, color=INK, linestyle=":", linewidth=1.0)
    if names:
        axes.legend(frameon=False, fontsize=9)
    axes.set_ylabel(f"held-out {decides.removeprefix('mean_test_').replace('_', ' ')}")
    return figure


def plot_scores(search: StrengthCV, title: str = "") -> Figure:
    """Draw mean held-out scores of the chosen parameters with standard errors over folds.

    Parameters
    ----------
    search : StrengthCV
        A fitted search, or one from a file, which keeps no more than this.
    title : str, default=""
        The title of the figure.

    Returns
    -------
    figure : matplotlib.figure.Figure
        The dashed line is the chosen strength.
    """
    axes, figure = new_axes(title)
    mean = search.scores_.mean(axis=1)
    errors = np.array([standard_error(row) for row in search.scores_])
    axes.plot(search.strengths_, mean, color=COLOURS[0], lw=1.7)
    low, high = mean - errors, mean + errors
    axes.fill_between(search.strengths_, low, high, color=COLOURS[0], alpha=0.15, linewidth=0)
    axes.axvline(search.best_strength_, color=INK, linestyle="--", linewidth=1.0)
    axes.set_ylabel("held-out score")
    return figure


def new_axes(title: str) -> tuple[Axes, Figure]:
    """Return axes over strengths, from strong to weak, and their figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.8), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.margins(x=0.01, y=0.06)
    axes.set_xlabel("strength of the penalty (weaker to the right)")
    _finish(axes, title)
    return axes, figure


def _count_features(axes: Axes, strengths: Array, counts: Array) -> None:
    """Write mean numbers of features along the top."""
    shown = np.unique(np.linspace(0, len(strengths) - 1, min(9, len(strengths))).astype(int))
    top = axes.secondary_xaxis("top")
    top.set_xticks(strengths[shown], [f"{counts[k]:,.0f}" for k in shown], minor=False)
    top.set_xticks([], minor=True)
    top.tick_params(length=0, labelsize=8.5, labelcolor="#555555")
    top.spines["top"].set_visible(False)
    top.set_xlabel("features", color="#555555", fontsize=9)


def plot_stability(
    selection: StabilitySelection,
    names: Sequence[str] | None = None,
    n_named: int = 10,
    n_shown: int = 100,
    title: str = "",
) -> Figure:
    """Draw how often features had been selected along the path, most frequent ones in colours.

    Parameters
    ----------
    selection : StabilitySelection
        A fitted selection.
    names : sequence of str, (p), optional
        Names of the features.
    n_named : int, default=10
        Number of features in the legend, at most.
    n_shown : int, default=100
        Number of features drawn, at most.
    title : str, default=""
        The title of the figure.

    Returns
    -------
    figure : matplotlib.figure.Figure
        The dashed line is the threshold.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.8), layout="constrained")
    axes = figure.add_subplot()
    order = np.argsort(-selection.frequencies_, kind="stable")[:n_shown]
    order = order[selection.frequencies_[order] > 0]
    paths = selection.frequency_paths(order)
    places = np.arange(1, len(paths) + 1)
    for place in range(len(order) - 1, -1, -1):
        named = place < n_named
        axes.plot(
            places,
            paths[:, place],
            color=COLOURS[place % len(COLOURS)] if named else REMOVED,
            linestyle=DASHES[place // len(COLOURS) % len(DASHES)] if named else "-",
            linewidth=1.8 if named else 0.7,
            label=_name(names, int(order[place])) if named else None,
        )
    axes.axhline(selection.threshold, color=INK, linestyle="--", linewidth=1.0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("place on the path (weaker penalty to the right)")
    axes.set_ylabel("share of halves that selected it")
    if len(order):
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[::-1], labels[::-1], frameon=False, fontsize=9, loc="upper left")
    _finish(axes, title)
    return figure


def plot_intervals(
    intervals: Intervals, names: Sequence[str] | None = None, n_shown: int = 30, title: str = ""
) -> Figure:
    """Draw the largest weights with their bootstrap intervals.

    Parameters
    ----------
    intervals : Intervals
        What `bootstrap_intervals` returned, of a model with one output.
    names : sequence of str, (p), optional
        Names of the features.
    n_shown : int, default=30
        Number of weights, at most.
    title : str, default=""
        The title of the figure.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Filled dots are weights whose interval leaves out zero; at the right is the share of
        samples in which the weight is not zero.
    """
    from matplotlib.figure import Figure

    if intervals.estimate.ndim == 2 and len(intervals.estimate) > 1:
        raise ValueError("intervals of several outputs are drawn one by one: give one of them")
    estimate, low, high, share = (np.ravel(part) for part in intervals[:4])
    reach = np.maximum(np.abs(low), np.abs(high))
    order: Ints = np.argsort(-reach, kind="stable")[:n_shown]
    order = order[reach[order] > 0][::-1]
    figure = Figure(figsize=(7.2, 1.2 + 0.24 * max(len(order), 3)), layout="constrained")
    axes = figure.add_subplot()
    rows = np.arange(len(order))
    apart = (low[order] > 0) | (high[order] < 0)
    axes.hlines(rows, low[order], high[order], color=COLOURS[0], linewidth=2.0, alpha=0.55)
    for filled in (True, False):
        some = apart == filled
        face = COLOURS[0] if filled else "white"
        axes.plot(estimate[order][some], rows[some], "o", ms=5, mfc=face, mec=COLOURS[0])
    for row, j in zip(rows, order.tolist(), strict=True):
        axes.annotate(
            f"{share[j]:.0%}", (1.01, row), xycoords=("axes fraction", "data"), fontsize=8
        )
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(rows, [_name(names, j) for j in order.tolist()], parse_math=False)
    axes.set_xlabel(f"weight, with {intervals.level:.0%} interval")
    _finish(axes, title, "x")
    return figure


def _name(names: Sequence[str] | None, feature: int) -> str:
    return f"feature {feature}" if names is None else str(names[feature]).replace("$", r"\$")


def _finish(axes: Axes, title: str, grid: str = "y") -> None:
    axes.grid(axis="x" if grid == "x" else "y", color=FAINT, linewidth=0.5, alpha=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
