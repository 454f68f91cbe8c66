"""The commands for models that forecast from dated documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.console import Bar
from laconic.cli.options import TrainedTextField
from laconic.cli.training import fit_facts
from laconic.errors import InputError
from laconic.models.option import Option
from laconic.text.jsonl import write_jsonl
from laconic.time.cli import Label, Since
from laconic.time.dated import read_series
from laconic.time.facts import moved
from laconic.time.forecast.rows import fields_of, has_labels, model_scores, read_rows
from laconic.time.forecast.train import forecaster_facts
from laconic.time.forecast.train import train as train

if TYPE_CHECKING:
    from laconic.time.forecast.model import Forecaster


def predict(
    model: Forecaster,
    input_path: Annotated[str, Option("JSON lines with a text.")],
    output: str,
    bar: Bar,
    *,
    proba: Annotated[bool, Option("Add the probability of every label.")] = False,
    text_field: TrainedTextField = None,
) -> dict[str, Any]:
    """Write one JSON object per document: its forecast or its label."""
    if proba and not has_labels(model):
        raise InputError("--proba is for labels, and this model forecasts a number.")
    bar.describe("reading")
    fields = fields_of(model, text_field)._replace(date=None, target=None)
    rows = read_rows(input_path, fields, False, False)
    bar.describe("predicting")
    name = "label" if has_labels(model) else "forecast"
    found = [{name: value} for value in model.predict(rows.documents, rows.numbers).tolist()]
    if proba:
        names = [str(label) for label in model.model_.classes_.tolist()]
        for row, chances in zip(
            found, model.predict_proba(rows.documents, rows.numbers).tolist(), strict=True
        ):
            row["probabilities"] = dict(zip(names, chances, strict=True))
    write_jsonl(output, found)
    return {"documents": len(found)}


def evaluate(
    model: Forecaster,
    gold: Annotated[str, Option("JSON lines with a text, a date and a target.")],
    bar: Bar,
    *,
    text_field: TrainedTextField = None,
    skip_missing: Annotated[bool, Option("Leave out rows without a target.")] = False,
) -> dict[str, Any]:
    """Return mean squared and absolute errors, or the accuracy, in all and by step."""
    bar.describe("reading")
    rows = read_rows(gold, fields_of(model, text_field), has_labels(model), skip_missing)
    bar.describe("predicting")
    return model_scores(model, rows)


def inspect(
    model: Forecaster, n: int, as_json: bool, *, since: Since = None, label: Label = None
) -> dict[str, Any]:
    """Show the words whose weights rose and fell most."""
    facts = {**forecaster_facts(model), **fit_facts(model)}
    return {**facts, **moved(model.model_, model.names_, n, since, label)}


def report(
    model: Forecaster,
    output: str,
    *,
    words: Annotated[
        str | None,
        Option("Words to draw, in blocks separated by semicolons.", metavar="'A B; C D'"),
    ] = None,
    series: Annotated[
        str | None,
        Option(
            "An observed series to draw beside trajectories: a line of names, then one date and "
            "one value per line, separated by commas or tabs.",
            metavar="FILE",
        ),
    ] = None,
    label: Label = None,
) -> None:
    """Show the trajectories of words."""
    from laconic.time.forecast.page import write_forecast_report

    blocks = [block.split() for block in (words or "").split(";")]
    write_forecast_report(
        model,
        output,
        [block for block in blocks if block],
        None if series is None else read_series(series),
        label,
    )
