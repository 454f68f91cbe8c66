"""`laconic predict`: documents to labels, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.measure import Measured
from laconic.cli.options import INPUT_HELP, AsJson, ModelPath, Quiet, TextField, check_output
from laconic.text.io import STANDARD_STREAM
from laconic.text.jsonl import Document, read_documents, write_jsonl

if TYPE_CHECKING:
    from laconic.estimators.text import TextClassifier


@guard()
def predict(
    model_path: ModelPath,
    input_path: Annotated[str, typer.Argument(metavar="INPUT", help=f"Documents: {INPUT_HELP}")] = "-",
    output: Annotated[str, typer.Option("--output", "-o", help="Where the labels go.")] = STANDARD_STREAM,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of every label.")] = False,
    text_field: TextField = "text",
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Predict the label of each document.

    Each line of the output is a JSON object with the label; with -o, a summary is printed.
    """
    check_output(output)
    with Measured() as cost, progress("loading", quiet=quiet) as bar:
        from laconic.estimators.storage import load_model

        model = load_model(model_path)
        bar.describe("reading")
        documents = read_documents(input_path, text_field, label_field=None).documents
        bar.describe("predicting")
        rows = list(_rows(model, documents, proba))
    write_jsonl(output, rows)
    if output != STANDARD_STREAM:
        print_result({"output": output, "documents": len(documents), **cost.report()}, as_json)


def _rows(model: TextClassifier, documents: list[Document], proba: bool) -> Iterator[dict[str, Any]]:
    if not proba:
        yield from ({"label": label} for label in model.predict(documents).tolist())
        return
    labels = model.classes_.tolist()
    for row in model.predict_proba(documents):
        yield {"label": labels[int(row.argmax())], "probabilities": dict(zip(map(str, labels), row.tolist(), strict=True))}
