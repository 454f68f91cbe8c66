"""Figs. 3.2 and 3.3's form on the Beige Book: how far autocorrelations of words lie from each
other, and trajectories beside what they follow.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.page import table
from benchmarks.temporal_data import SETS
from laconic import AdaptivePrior, TemporalRegressor
from laconic.time.explain import autocorrelations
from laconic.time.plots import Series, plot_autocorrelations, plot_trajectories

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[str, Figure] = {}
STILL = -0.45  # trajectories with a mean of alpha below this stand still or nearly so
N_MOVING, N_DRAWN, N_STRONGEST = 12, 4, 50


def trajectories(data: Path, quick: bool) -> str:
    """A model of the year behind each report, from its words alone; two figures."""
    beige = SETS["beige"](data)
    rows = np.flatnonzero(beige.times < 1984) if quick else np.arange(len(beige.y))
    X, names = beige.X[rows, :-1], beige.names[:-1]
    y, years = beige.X[rows, -1].toarray().ravel(), beige.times[rows]
    model = TemporalRegressor(AdaptivePrior(strength=0.05, floor=1e-3, tau=10.0), tol=3e-3).fit(
        X, y, times=years
    )
    table_ = model.trajectories_
    size = np.abs(table_).max(axis=1)
    widest = [
        feature
        for feature in np.argsort(-np.ptp(table_, axis=1), kind="stable").tolist()
        if model.alpha_[feature] > STILL
    ]
    seen = [
        float(np.mean(y[years == year])) for year in range(int(years.min()), int(years.max()) + 1)
    ]
    follows = {
        feature: float(np.corrcoef(table_[feature], seen)[0, 1]) for feature in widest[:N_MOVING]
    }
    moving = sorted(follows, key=lambda feature: -abs(follows[feature]))[:N_DRAWN]
    series = Series("mean change of unemployment", np.array(seen))
    FIGURES["temporal_trajectories.svg"] = plot_trajectories(
        {names[feature]: table_[feature] for feature in moving},
        model.steps_,
        series,
        "Words of the Beige Book",
    )
    both = {
        "all words": autocorrelations(model, 25),
        f"{N_STRONGEST} strongest": autocorrelations(model, 25, N_STRONGEST),
    }
    FIGURES["temporal_autocorrelations.svg"] = plot_autocorrelations(
        both, "Autocorrelations of words of the Beige Book"
    )
    still = [
        feature
        for feature in np.argsort(-size, kind="stable").tolist()
        if model.alpha_[feature] <= STILL
    ]
    listed = [
        [
            kind,
            names[feature],
            float(table_[feature].min()),
            float(table_[feature].max()),
            float(model.alpha_[feature]),
        ]
        for kind, some in (("moves", moving), ("stands still", still[:N_DRAWN]))
        for feature in some
    ]
    large = int(np.sum(size > 0.05))
    correlations = [follows[feature] for feature in moving]
    return "\n".join(
        [
            "## What moves and what stands still (Beige Book)",
            "Target: the change of a district's unemployment over the twelve months before a "
            "report, from the words of the report alone; all years, tau 10.",
            "",
            "![trajectories](temporal_trajectories.svg)",
            "",
            f"Of {len(names):,} words {large} have a weight above 0.05 at some time; drawn are "
            f"the {N_DRAWN} of the {N_MOVING} that move most which follow the mean change of "
            f"unemployment best (correlations {min(correlations):.2f} to "
            f"{max(correlations):.2f}). They are in reports of all years, but tell of rising "
            "unemployment in recessions alone (1975, "
            "1982, 1991, 2001, 2009), which no weight that stands still could say.",
            "",
            "![autocorrelations](temporal_autocorrelations.svg)",
            "",
            "Almost all words are as good as zero and have the autocorrelation that the prior "
            "has by itself, the peak in the upper panel. Among the strongest, "
            "which the data tell something about, many stand still (-0.5) and others move, each "
            "in its own way: one smoothness for all words would fit neither.",
            "",
            table(["kind", "word", "least weight", "largest weight", "mean of alpha"], listed),
        ]
    )
