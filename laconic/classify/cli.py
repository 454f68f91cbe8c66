"""The commands for classifiers of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from laconic.classify.explanation.cli import explain as explain
from laconic.classify.train import train as train
from laconic.cli.compression import Compression, compress_model
from laconic.cli.console import Bar
from laconic.cli.options import (
    DOCUMENTS_HELP,
    LABEL_FIELD,
    TEXT_FIELD,
    LabelField,
    TextField,
    read_columns,
    read_labelled,
)
from laconic.cli.training import fit_facts
from laconic.models.option import Option
from laconic.text.columns import Columns
from laconic.text.jsonl import Document, write_jsonl

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier


def predict(
    model: TextClassifier,
    input_path: Annotated[
        str, Option(f"Documents: {DOCUMENTS_HELP} Other text has one document per line.")
    ],
    output: str,
    bar: Bar,
    *,
    proba: Annotated[bool, Option("Add the probability of every label.")] = False,
    text_field: TextField = TEXT_FIELD,
    whole: Annotated[bool, Option("Plain text is one document, not one per line.")] = False,
) -> dict[str, Any]:
    """Write one JSON object per document: its label, and its file if the input is a folder."""
    bar.describe("reading")
    found = read_columns(input_path, Columns(text_field, None), whole)
    bar.describe("predicting")
    rows: Iterable[dict[str, Any]] = _rows(model, found.documents, proba)
    if found.files is not None:
        rows = ({"file": file, **row} for file, row in zip(found.files, rows, strict=True))
    write_jsonl(output, list(rows))
    return {"documents": len(found.documents)}


def _rows(
    model: TextClassifier, documents: list[Document], proba: bool
) -> Iterator[dict[str, Any]]:
    if not proba:
        yield from ({"label": label} for label in model.predict(documents).tolist())
        return
    labels = model.classes_.tolist()
    for row in model.predict_proba(documents):
        yield {
            "label": labels[int(row.argmax())],
            "probabilities": dict(zip(map(str, labels), row.tolist(), strict=True)),
        }


def evaluate(
    model: TextClassifier,
    gold: Annotated[str, Option(f"Labelled documents: {DOCUMENTS_HELP}")],
    bar: Bar,
    *,
    text_field: TextField = TEXT_FIELD,
    label_field: LabelField = LABEL_FIELD,
) -> dict[str, Any]:
    """Return the accuracy, and precision, recall and F1 of each label.

    A label that the model does not know counts as missed.
    """
    from laconic.text import metrics

    bar.describe("reading")
    documents, labels = read_labelled(gold, text_field, label_field)
    bar.describe("predicting")
    predicted = [str(label) for label in model.predict(documents).tolist()]
    scores = metrics.label_scores(labels, predicted)
    names = ("label", *scores._fields[1:])
    return {
        "documents": len(documents),
        "accuracy": metrics.accuracy(labels, predicted),
        "macro_f1": float(scores.f1.mean()),
        "labels": [
            dict(zip(names, row, strict=True))
            for row in zip(*(column.tolist() for column in scores), strict=True)
        ],
    }


def compress(
    model: TextClassifier,
    output: str,
    settings: Compression,
    bar: Bar,
    *,
    text_field: TextField = TEXT_FIELD,
    label_field: LabelField = LABEL_FIELD,
) -> dict[str, Any]:
    """Choose the values on labelled documents."""

    def read(path: str) -> tuple[list[Document], list[str]]:
        return read_labelled(path, text_field, label_field)

    return compress_model(model, output, settings, read, bar)


def inspect(model: TextClassifier, n: int, as_json: bool) -> dict[str, Any]:
    """Show the strongest words of each label, and groups that were kept and dropped."""
    from laconic.classify.selection import selection, settings_facts, tried_facts

    facts = {
        **settings_facts(model),
        "labels": model.classes_.tolist(),
        **fit_facts(model),
        **tried_facts(model, as_json),
    }
    return {**facts, **selection(model, n, as_json)}


def report(
    model: TextClassifier,
    output: str,
    *,
    documents: Annotated[
        str | None,
        Option(f"Labelled documents, a few of which are shown: {DOCUMENTS_HELP}", metavar="FILE"),
    ] = None,
    text_field: TextField = TEXT_FIELD,
    label_field: LabelField = LABEL_FIELD,
) -> None:
    """Show words, groups and a few documents with the words that decide them."""
    from laconic.classify.page import write_report

    shown = (None, None) if documents is None else read_labelled(documents, text_field, label_field)
    write_report(model, output, *shown)
