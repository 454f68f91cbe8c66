"""Pictures of weights that move: what is drawn is what was given, whatever the names."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from laconic import AdaptivePrior, Forecaster, TemporalRegressor
from laconic.time.explain import AutocorrelationCounts
from laconic.time.forecast.page import write_forecast_report
from laconic.time.plots import Series, plot_autocorrelations, plot_trajectories, series_by_step
from laconic.time.times import TimeGrid

YEARS = TimeGrid("year", 1.0, 30.0, 4)  # 2000 to 2003


def test_a_series_is_averaged_by_step() -> None:
    found = series_by_step(
        YEARS, ["1999", "2000-03", "2000-09", "2002", "2010"], [9.0, 1.0, 3.0, 5.0, 9.0], "rate"
    )
    assert found.name == "rate" and np.array_equal(
        found.values, [2.0, np.nan, 5.0, np.nan], equal_nan=True
    )
    with pytest.raises(ValueError, match="no value within the steps"):
        series_by_step(YEARS, ["1950"], [1.0])


def test_lines_names_and_the_series_beside_them() -> None:
    lines = {"up": [0, 1, 2, 3], "_hidden $x$": [0, 0, 0, 0]}
    figure = plot_trajectories(
        lines, YEARS.labels(), Series("rate", np.array([1.0, np.nan, 2.0, 3.0])), "Title"
    )
    axes, beside = figure.axes
    assert [line.get_ydata().tolist() for line in axes.lines[:2]] == list(lines.values())
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["up", r" _hidden \$x\$"]
    assert (
        beside.get_ylabel() == "rate (shaded)"
        and [tick.get_text() for tick in axes.get_xticklabels()] == YEARS.labels()
    )
    figure.savefig(io.BytesIO(), format="svg")
    plot_trajectories({"one": [1.0]}, ["2000"]).savefig(io.BytesIO(), format="svg")
    many = plot_trajectories({"one": np.zeros(200)}, [f"{n}" for n in range(200)])
    assert len(many.axes[0].get_xticks()) <= 16


def test_histograms_one_below_the_other() -> None:
    counts = AutocorrelationCounts(np.linspace(-0.5, 0, 6), np.array([1, 2, 3, 4, 5]))
    figure = plot_autocorrelations({"all": counts, "few": counts})
    heights = [[bar.get_height() for bar in axes.patches] for axes in figure.axes]
    assert heights == [[1, 2, 3, 4, 5]] * 2 and figure.axes[1].get_ylabel() == "few"


def test_hostile_words_stay_words_on_a_page(tmp_path: Path) -> None:
    texts = [["<script>alert(1)</script>", "plain"], ["plain", "&amp;"]] * 10
    model = Forecaster(
        TemporalRegressor(AdaptivePrior(strength=0.01), step="year"), lowercase=False
    )
    model.fit(
        [[words] for words in texts], np.arange(20.0) % 2, [str(2000 + n // 5) for n in range(20)]
    )
    write_forecast_report(model, tmp_path / "page.html", [["plain", "<script>alert(1)</script>"]])
    content = (tmp_path / "page.html").read_text("utf-8")
    assert "<script>alert" not in content and "&lt;script&gt;alert" in content
    with pytest.raises(ValueError, match="the model has no weight for 'snow'"):
        write_forecast_report(model, tmp_path / "other.html", [["snow"]])
    assert not (tmp_path / "other.html").exists()
