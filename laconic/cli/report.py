"""`laconic report`: a self-contained HTML page of what a model selected and why."""

from __future__ import annotations

from typing import Annotated

import typer

from laconic.cli.console import guard, print_result
from laconic.cli.measure import Measured
from laconic.cli.options import INPUT_HELP, AsJson, LabelField, ModelPath, TextField, check_output, read_labelled


@guard()
def report(
    model_path: ModelPath,
    output: Annotated[str, typer.Option("-o", "--output", metavar="PAGE", help="The HTML file to write.")],
    documents_path: Annotated[
        str | None, typer.Option("--documents", help=f"Labelled documents, of which a few are shown: {INPUT_HELP}")
    ] = None,
    text_field: TextField = "text",
    label_field: LabelField = "label",
    as_json: AsJson = False,
) -> None:
    """Write a page of what a model selected and why."""
    check_output(output)
    from laconic.estimators.storage import load_model
    from laconic.report.page import write_report

    with Measured() as measured:
        model = load_model(model_path)
        documents, labels = read_labelled(documents_path, text_field, label_field) if documents_path is not None else (None, None)
        write_report(model, output, documents, labels)
    print_result({"model": model_path, "page": output, **measured.report()}, as_json)
