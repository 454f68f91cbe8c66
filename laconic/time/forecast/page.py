"""A page about a model that forecasts: facts, trajectories of words, autocorrelations."""

from __future__ import annotations

from collections.abc import Sequence

from laconic.core.arrays import Array
from laconic.report.html import drawn, facts, page, section, text
from laconic.text.io import PathLike, atomic_writer
from laconic.time.explain import (
    Mover,
    autocorrelations,
    movers,
    output_of,
    strongest,
    trajectories_of,
)
from laconic.time.forecast.model import Forecaster
from laconic.time.plots import Series, plot_autocorrelations, plot_trajectories, series_by_step

N_ROWS, N_LINES, BINS = 15, 6, 20


def write_forecast_report(
    model: Forecaster,
    path: PathLike,
    blocks: Sequence[Sequence[str]] = (),
    series: tuple[Sequence[str], Sequence[float]] | None = None,
    label: str | None = None,
) -> None:
    """Write one self-contained HTML page.

    Blocks of words are drawn, by default one block of the words with the largest changes.
    """
    inner, names = model.model_, model.names_
    output = output_of(inner, label)
    observed = None if series is None else series_by_step(inner.clock_, *series)
    found = movers(inner, names, N_ROWS, output=output)
    most = [*found.rising, *found.falling]
    chosen = list(blocks) or [
        [one.name for one in sorted(most, key=lambda one: -abs(one.change))[:N_LINES]]
    ]
    table = trajectories_of(inner, output)
    title = f"A model of {len(inner.steps_)} steps, {inner.steps_[0]} to {inner.steps_[-1]}"
    parts = [
        f"<h1>{text(title)}</h1>",
        f'<p class="lead">{text(" ".join(repr(inner.penalty_).split()))}</p>',
        _facts(model),
    ]
    if len(inner.steps_) > 1:
        parts += [
            _drawing(block, names, table, inner.steps_, observed) for block in chosen if block
        ]
    parts.append(
        _movers(
            "Rising", "Words whose weight rose most from the first step to the last.", found.rising
        )
    )
    parts.append(_movers("Falling", "Words whose weight fell most.", found.falling))
    parts.append(
        _movers(
            "Strongest now",
            "Words with the largest weights at the last step, with which forecasts are made.",
            strongest(inner, names, N_ROWS, output=output),
        )
    )
    if hasattr(inner, "alpha_"):
        histogram = plot_autocorrelations({"features": autocorrelations(inner, BINS)})
        note = (
            "Number of features by mean autocorrelation: "
            "near -0.5 they stand still, near 0 they jump."
        )
        parts.append(section("Autocorrelations", note, drawn(histogram)))
    with atomic_writer(path) as stream:
        stream.write(page(f"laconic: {title.lower()}", "\n".join(parts)))


def _facts(model: Forecaster) -> str:
    inner = model.model_
    kept = f"of {model.n_features_total_:,}"
    rows = [
        ("features with a weight", f"{inner.n_selected_:,}", kept),
        ("steps of time", f"{len(inner.steps_):,}", inner.mode),
    ]
    rows.append(("objective", f"{inner.objective_:.6g}", f"certificate {inner.certificate_:.1e}"))
    if inner.interrupted_:
        rows.append(("training", "interrupted", ""))
    return facts(rows)


def _drawing(
    block: Sequence[str],
    names: Sequence[str],
    table: Array,
    steps: Sequence[str],
    series: Series | None,
) -> str:
    place = {name: number for number, name in enumerate(names)}
    unknown = [word for word in block if word not in place]
    if unknown:
        raise ValueError(f"the model has no weight for {unknown[0]!r}")
    lines = {word: table[place[word]] for word in block}
    note = "Weights by step of time." + (
        "" if series is None else " Shaded: the series that was given."
    )
    return section(", ".join(block), note, drawn(plot_trajectories(lines, steps, series)))


def _movers(title: str, note: str, rows: Sequence[Mover]) -> str:
    columns = ("first", "last", "change", "autocorrelation")
    head = "".join(f'<th class="number">{column}</th>' for column in columns)
    head = f"<tr><th>feature</th>{head}</tr>"
    body = "".join(_line(row) for row in rows)
    return section(title, note, f"<table><thead>{head}</thead><tbody>{body}</tbody></table>")


def _line(row: Mover) -> str:
    cells = [
        f"{row.first:.4f}",
        f"{row.last:.4f}",
        f"{row.change:+.4f}",
        "" if row.alpha is None else f"{row.alpha:.3f}",
    ]
    return (
        f"<tr><td>{text(row.name)}</td>"
        + "".join(f'<td class="number">{cell}</td>' for cell in cells)
        + "</tr>"
    )
