"""Pictures of searches over strengths, stability and intervals, as matplotlib Figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from laconic.linear.cv import StrengthCV, standard_error
from laconic.report.plots import COLOURS, FAINT, INK

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


def new_axes(title: str) -> tuple[Axes, Figure]:
    """Return axes over strengths, from strong to weak, and their figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.8), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.margins(x=0.01, y=0.06)
    axes.set_xlabel("strength of the penalty (weaker to the right)")
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return axes, figure


def _count_features(axes: Axes, strengths: np.ndarray, counts: np.ndarray) -> None:
    """Write mean numbers of features along the top."""
    shown = np.unique(np.linspace(0, len(strengths) - 1, min(9, len(strengths))).astype(int))
    top = axes.secondary_xaxis("top")
    top.set_xticks(strengths[shown], [f"{counts[k]:,.0f}" for k in shown], minor=False)
    top.set_xticks([], minor=True)
    top.tick_params(length=0, labelsize=8.5, labelcolor="#555555")
    top.spines["top"].set_visible(False)
    top.set_xlabel("features", color="#555555", fontsize=9)
