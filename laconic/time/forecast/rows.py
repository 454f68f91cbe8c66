"""Rows of dated documents with a value to forecast, and scores of forecasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from laconic.core.arrays import AnyArray, Bools
from laconic.errors import InputError
from laconic.text.io import name_of
from laconic.text.jsonl import Document
from laconic.time.dated import CATEGORY, NUMBER, OPTIONAL_CATEGORY, OPTIONAL_NUMBER, read_dated

if TYPE_CHECKING:
    from laconic.time.forecast.model import Forecaster
    from laconic.time.rolling import Forecasts

TEXT, DATE, TARGET = "text", "date", "target"


class Fields(NamedTuple):
    """Names of the fields of a row; `date` and `target` are None where they are not needed."""

    text: str = TEXT
    date: str | None = DATE
    target: str | None = TARGET
    numbers: tuple[str, ...] = ()


class DatedRows(NamedTuple):
    """Dated documents, their targets, numbers by column, and how many rows were left out."""

    documents: list[Document]
    dates: list[str]
    targets: list[Any]
    numbers: dict[str, list[float]]
    skipped: int


def fields_of(model: Forecaster, text_field: str | None = None) -> Fields:
    """Return the names of the fields in training, but for what is given."""
    known = {TEXT: TEXT, DATE: DATE, TARGET: TARGET, **model.fields_}
    return Fields(text_field or known[TEXT], known[DATE], known[TARGET], tuple(model.numbers_))


def read_rows(path: str, fields: Fields, labels: bool, skip_missing: bool) -> DatedRows:
    """Return the rows of a file; those without a target are left out or refused."""
    wanted = dict.fromkeys(fields.numbers, NUMBER)
    if fields.target is not None:
        kinds = (OPTIONAL_CATEGORY, OPTIONAL_NUMBER) if skip_missing else (CATEGORY, NUMBER)
        wanted[fields.target] = kinds[0] if labels else kinds[1]
    read = read_dated(path, wanted, fields.text, fields.date)
    targets: list[Any] = [] if fields.target is None else list(read.fields[fields.target])
    kept = [n for n in range(len(read.documents)) if not targets or not _missing(targets[n])]
    if not kept:
        raise InputError(f"{name_of(path)}: no row has a {fields.target!r}.")
    return DatedRows(
        [read.documents[n] for n in kept],
        [read.dates[n] for n in kept] if fields.date is not None else [],
        [targets[n] for n in kept] if targets else [],
        {name: [float(read.fields[name][n]) for n in kept] for name in fields.numbers},
        len(read.documents) - len(kept),
    )


def _missing(target: object) -> bool:
    return target == "" or target != target  # NaN


def has_labels(model: Forecaster) -> bool:
    """Return whether targets are labels."""
    return hasattr(model.model_, "classes_")


def model_scores(model: Forecaster, rows: DatedRows) -> dict[str, Any]:
    """Return the scores of one model on rows of any time."""
    predicted = model.predict(rows.documents, rows.numbers)
    clock = model.model_.clock_
    labels = np.array(
        [clock.label(step) for step in clock.steps(rows.dates).tolist()], dtype=object
    )
    return scores(predicted, rows.targets, labels)


def rolling_scores(found: Forecasts, targets: Sequence[Any]) -> dict[str, Any]:
    """Return the scores of rolling forecasts."""
    return scores(found.predicted, [targets[row] for row in found.rows.tolist()], found.labels)


def scores(predicted: AnyArray, targets: Sequence[Any], steps: AnyArray) -> dict[str, Any]:
    """Return mse, mae and r2 of numbers, or the accuracy of labels; in all and by step.

    r2 compares with the mean of these rows.
    """
    numeric = not isinstance(targets[0], str)
    gold: Any = np.asarray(targets)
    found = np.asarray(predicted) if numeric else np.asarray(predicted).astype(str)

    def score(rows: Bools) -> dict[str, Any]:
        counts: dict[str, Any] = {"documents": int(rows.sum())}
        if not numeric:
            return {**counts, "accuracy": float(np.mean(found[rows] == gold[rows]))}
        errors = found[rows] - gold[rows]
        return {**counts, "mse": float(np.mean(errors**2)), "mae": float(np.mean(np.abs(errors)))}

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


def error_of(found: dict[str, Any]) -> float:
    """Return the error that strengths are chosen by: mean squared, or the share of wrong labels."""
    return float(found["mse"]) if "mse" in found else 1 - float(found["accuracy"])
