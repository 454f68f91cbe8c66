"""The verbs for models that forecast from dated documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from laconic.cli.console import Bar
from laconic.cli.options import TEXT_FIELD
from laconic.errors import InputError
from laconic.text.io import name_of
from laconic.text.jsonl import Document, write_jsonl
from laconic.time.cli import learned, moved
from laconic.time.dated import (
    CATEGORY,
    NUMBER,
    OPTIONAL_CATEGORY,
    OPTIONAL_NUMBER,
    read_dated,
    read_series,
)

if TYPE_CHECKING:
    from laconic.time.forecast.model import Forecaster
    from laconic.time.rolling import Forecasts


class Fields(NamedTuple):
    """What the fields of a row are called; `date` and `target` are None where they are not asked for."""

    text: str = TEXT_FIELD
    date: str | None = "date"
    target: str | None = "target"
    numbers: tuple[str, ...] = ()


class Rows(NamedTuple):
    """Dated documents, what is to be forecast, numbers by column, and how many rows were left out since they have no target."""

    documents: list[Document]
    dates: list[str]
    targets: list[Any]
    numbers: dict[str, list[float]]
    skipped: int


def fields_of(model: Forecaster, text_field: str | None = None) -> Fields:
    """What fields were called in training, but for what is given."""
    known = {"text": "text", "date": "date", "target": "target", **model.fields_}
    return Fields(
        text_field or known["text"], known["date"], known["target"], tuple(model.numbers_)
    )


def read_rows(path: str, fields: Fields, labels: bool, skip_missing: bool) -> Rows:
    """The rows of a file; those without a target are left out if that is wished, else refused."""
    wanted = dict.fromkeys(fields.numbers, NUMBER)
    if fields.target is not None:
        kinds = (OPTIONAL_CATEGORY, OPTIONAL_NUMBER) if skip_missing else (CATEGORY, NUMBER)
        wanted[fields.target] = kinds[0] if labels else kinds[1]
    read = read_dated(path, wanted, fields.text, fields.date)
    targets: list[Any] = [] if fields.target is None else list(read.fields[fields.target])
    kept = [n for n in range(len(read.documents)) if not targets or not _missing(targets[n])]
    if not kept:
        raise InputError(f"{name_of(path)}: no row has a {fields.target!r}.")
    numbers = {name: [float(read.fields[name][n]) for n in kept] for name in fields.numbers}
    dates = [read.dates[n] for n in kept] if fields.date is not None else []
    return Rows(
        [read.documents[n] for n in kept],
        dates,
        [targets[n] for n in kept] if targets else [],
        numbers,
        len(read.documents) - len(kept),
    )


def has_labels(model: Forecaster) -> bool:
    """Whether targets are labels."""
    return hasattr(model.model_, "classes_")


def _missing(target: Any) -> bool:
    return target == "" or target != target  # NaN


def predict(
    model: Forecaster,
    input_path: str,
    output: str,
    bar: Bar,
    *,
    proba: bool = False,
    text_field: str | None = None,
) -> dict[str, Any]:
    """Write a JSON object a document: its forecast or its label."""
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
    gold_path: str,
    bar: Bar,
    *,
    text_field: str | None = None,
    skip_missing: bool = False,
) -> dict[str, Any]:
    """Mean squared and absolute errors, or accuracy, over all and by step."""
    bar.describe("reading")
    rows = read_rows(gold_path, fields_of(model, text_field), has_labels(model), skip_missing)
    bar.describe("predicting")
    return scores_of(model, rows)


def scores_of(model: Forecaster, rows: Rows) -> dict[str, Any]:
    """Scores of one model on rows of any time."""
    predicted = model.predict(rows.documents, rows.numbers)
    clock = model.model_.clock_
    labels = np.array(
        [clock.label(step) for step in clock.steps(rows.dates).tolist()], dtype=object
    )
    return scores(predicted, rows.targets, labels)


def rolling_scores(found: Forecasts, targets: Sequence[Any]) -> dict[str, Any]:
    """Scores of rolling forecasts."""
    return scores(found.predicted, [targets[row] for row in found.rows.tolist()], found.labels)


def scores(predicted: Any, targets: Sequence[Any], steps: Any) -> dict[str, Any]:
    """mse, mae and r2 of numbers (r2 against the mean of these rows), accuracy of labels; and by step, in order."""
    numeric = not isinstance(targets[0], str)
    gold: Any = np.asarray(targets)
    found = np.asarray(predicted) if numeric else np.asarray(predicted).astype(str)

    def score(rows: Any) -> dict[str, Any]:
        told: dict[str, Any] = {"documents": int(rows.sum())}
        if not numeric:
            return {**told, "accuracy": float(np.mean(found[rows] == gold[rows]))}
        errors = found[rows] - gold[rows]
        return {**told, "mse": float(np.mean(errors**2)), "mae": float(np.mean(np.abs(errors)))}

    total = score(np.ones(len(gold), dtype=bool))
    if numeric:
        spread = float(np.var(gold))
        total["r2"] = 1 - total["mse"] / spread if spread > 0 else None
    return {
        **total,
        "by step": [
            {"step": str(label), **score(steps == label)} for label in sorted(set(steps.tolist()))
        ],
    }


def error_of(told: dict[str, Any]) -> float:
    """What strengths are chosen by: the mean squared error, or the share of wrong labels."""
    return told["mse"] if "mse" in told else 1 - told["accuracy"]


def account(model: Forecaster) -> dict[str, Any]:
    """What was learned, how well solved, and how much of what there was is kept."""
    return {
        "words": len(model.encoder_.vocab),
        "numbers": list(model.numbers_),
        **learned(model.model_),
        "features_total": model.n_features_total_,
    }


def inspect(
    model: Forecaster, n: int, as_json: bool, *, since: str | None = None, label: str | None = None
) -> dict[str, Any]:
    """What the model is, the words that rose and fell most, and how many stand still."""
    return {**account(model), **moved(model.model_, model.names_, n, since, label)}


def report(
    model: Forecaster,
    output: str,
    *,
    words: str | None = None,
    series: str | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """A page with the trajectories of words, beside an observed series if there is one."""
    from laconic.time.forecast.page import write_forecast_report

    blocks = [block.split() for block in (words or "").split(";")]
    write_forecast_report(
        model,
        output,
        [block for block in blocks if block],
        None if series is None else read_series(series),
        label,
    )
    return {}
