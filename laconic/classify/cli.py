"""The commands for classifiers of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from laconic.classify.explanation.cli import explain as explain
from laconic.classify.fields import fields_of
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
    with_columns,
)
from laconic.cli.training import fit_facts
from laconic.errors import InputError
from laconic.models.option import Option
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
    at_least: Annotated[
        float | None,
        Option("With a tree over labels: paths end where no node has this probability.", minimum=0),
    ] = None,
) -> dict[str, Any]:
    """Write one JSON object per document: its label, and its file if the input is a folder.

    With a tree over labels also the path to the label, with several labels the list of them.
    """
    if at_least is not None and (model.taxonomy_ is None or at_least > 1):
        raise InputError("--at-least is a probability, for models with --label-tree.")
    bar.describe("reading")
    found = read_columns(input_path, fields_of(model, text_field, None), whole)
    bar.describe("predicting")
    rows: Iterable[dict[str, Any]] = _rows(model, with_columns(found), proba, at_least)
    if found.files is not None:
        rows = ({"file": file, **row} for file, row in zip(found.files, rows, strict=True))
    write_jsonl(output, list(rows))
    return {"documents": len(found.documents)}


def _rows(
    model: TextClassifier, documents: list[Document], proba: bool, at_least: float | None
) -> Iterator[dict[str, Any]]:
    name = "label" if model.thresholds_ is None else "labels"
    scores = model.all_scores(documents)
    rows: list[dict[str, Any]] = [{name: label} for label in model.decide(scores).tolist()]
    if model.taxonomy_ is not None and model.thresholds_ is None:
        paths = model.paths_of(scores, at_least or 0.0).tolist()
        rows = [{**row, "path": path} for row, path in zip(rows, paths, strict=True)]
    if not proba:
        yield from rows
        return
    import numpy as np

    labels = list(map(str, model.classes_.tolist()))
    chances = np.exp(model.log_proba_of(scores))
    for found, chance in zip(rows, chances.tolist(), strict=True):
        yield {**found, "probabilities": dict(zip(labels, chance, strict=True))}


def evaluate(
    model: TextClassifier,
    gold: Annotated[str, Option(f"Labelled documents: {DOCUMENTS_HELP}")],
    bar: Bar,
    *,
    text_field: TextField = TEXT_FIELD,
    label_field: LabelField = LABEL_FIELD,
) -> dict[str, Any]:
    """Return the accuracy, and precision, recall and F1 of each label.

    A label that the model does not know counts as missed. Of several labels per document: F1 over
    all decisions (micro) and over labels (macro), and the share of documents with all labels right.
    """
    from laconic.classify.scores import scores

    bar.describe("reading")
    documents, labels = read_labelled(gold, fields_of(model, text_field, label_field))
    bar.describe("predicting")
    found = scores(model, labels, model.predict(documents))
    return {"documents": len(documents), **found.overall, "labels": found.by_label}


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
        return read_labelled(path, fields_of(model, text_field, label_field))

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

    fields = fields_of(model, text_field, label_field)
    shown = (None, None) if documents is None else read_labelled(documents, fields)
    write_report(model, output, *shown)


def answer(model: TextClassifier, given: Any) -> dict[str, Any]:
    """Return the label or labels of a text, and the probability of each label."""
    if not isinstance(given, str):
        raise InputError("an input is a text.")
    scores = model.all_scores([given])
    chances = model.predict_proba([given])[0].tolist()
    names = map(str, model.classes_.tolist())
    return {
        "label": model.decide(scores).tolist()[0],
        "probabilities": dict(zip(names, chances, strict=True)),
    }
