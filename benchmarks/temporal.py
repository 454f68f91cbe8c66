"""Models that change over time: forecasts of real targets from dated text, what moves, words of
text to come, speed, exact zeros.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import temporal_figures, temporal_forecast, temporal_sage, temporal_speed

TITLE = "Models that change over time"
FIGURES = temporal_figures.FIGURES
SECTIONS = {
    "protocol": temporal_forecast.protocol,
    "beige": temporal_forecast.section("beige"),
    "calls": temporal_forecast.section("calls"),
    "movies": temporal_forecast.section("movies"),
    "titles": temporal_forecast.section("titles"),
    "trajectories": temporal_figures.trajectories,
    "sage": temporal_sage.sage,
    "speed": temporal_speed.speed,
    "zeros": temporal_speed.zeros,
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
