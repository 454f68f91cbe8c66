"""Pictures of weights that move over time: trajectories, and histograms of autocorrelations.

They have the form of Figures 3.3 and 3.2 of Yogatama (2015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array
from laconic.report.plots import COLOURS, DASHES, FAINT, INK
from laconic.time.explain import AutocorrelationCounts
from laconic.time.times import TimeGrid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_TICKS = 16


class Series(NamedTuple):
    """An observed series: its name, and one value per step, NaN where there is none."""

    name: str
    values: Array


def series_by_step(
    clock: TimeGrid, dates: Sequence[str], values: ArrayLike, name: str = "observed"
) -> Series:
    """Return the mean of a series in every step of a clock; other times are left out."""
    steps, given = clock.steps(dates), np.asarray(values, dtype=np.float64)
    inside = (steps >= 0) & (steps < clock.n_steps)
    if not inside.any():
        raise ValueError("the series has no value within the steps of the model")
    total = np.bincount(steps[inside], given[inside], clock.n_steps)
    count = np.bincount(steps[inside], minlength=clock.n_steps)
    return Series(name, np.where(count > 0, total / np.maximum(count, 1), np.nan))


def plot_trajectories(
    lines: Mapping[str, ArrayLike],
    steps: Sequence[str],
    series: Series | None = None,
    title: str = "",
) -> Figure:
    """Draw weights by step, one line per name.

    An observed series is grey, with its own axis on the right.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(steps))
    mark = "o" if len(steps) == 1 else None
    if series is not None:
        beside = axes.twinx()
        axes.set_zorder(beside.get_zorder() + 1)
        axes.patch.set_visible(False)
        beside.fill_between(
            places, series.values, np.nanmin(series.values), color=FAINT, alpha=0.45, linewidth=0
        )
        beside.plot(places, series.values, color=INK, alpha=0.5, linewidth=1.0, marker=mark)
        beside.set_ylabel(f"{series.name} (shaded)", color="#555555", parse_math=False)
        beside.spines["top"].set_visible(False)
    for place, (name, line) in enumerate(lines.items()):
        style = DASHES[place // len(COLOURS) % len(DASHES)]
        shown = str(name).replace("$", r"\$")
        shown = f" {shown}" if shown.startswith("_") else shown
        axes.plot(
            places,
            np.asarray(line),
            color=COLOURS[place % len(COLOURS)],
            linestyle=style,
            marker=mark,
            lw=1.8,
            label=shown,
        )
    axes.axhline(0, color=INK, linewidth=0.8)
    apart = max(1, -(-len(steps) // MOST_TICKS))
    axes.set_xticks(
        places[::apart],
        [steps[place] for place in places[::apart]],
        rotation=45 if len(steps[0]) > 4 else 0,
    )
    axes.set_ylabel("weight")
    axes.margins(x=0.01)
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    axes.spines["top"].set_visible(False)
    if lines:
        axes.legend(loc="best", fontsize=9, frameon=True, framealpha=0.85, edgecolor="none")
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return figure


def plot_autocorrelations(found: Mapping[str, AutocorrelationCounts], title: str = "") -> Figure:
    """Draw histograms of E[alpha]: near -1/2 trajectories stand still, near 0 they jump."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 0.6 + 2.2 * len(found)), layout="constrained")
    panels = figure.subplots(len(found), 1, squeeze=False, sharex=True)[:, 0]
    for place, (axes, (name, (edges, counts))) in enumerate(
        zip(panels, found.items(), strict=True)
    ):
        axes.bar(
            edges[:-1],
            counts,
            np.diff(edges),
            align="edge",
            color=COLOURS[place % len(COLOURS)],
            edgecolor="white",
            lw=0.8,
        )
        axes.set_ylabel(name, parse_math=False)
        axes.set_axisbelow(True)
        axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel("mean of the autocorrelation parameter: -0.5 stands still, 0 jumps")
    panels[0].set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return figure
