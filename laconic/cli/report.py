"""`laconic report`: a self-contained HTML page of what a model selected and why."""

from __future__ import annotations

from typing import Annotated

import typer

from laconic.cli.console import guard, print_result
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import (
    FORECASTERS,
    INPUT_HELP,
    WORD_VECTORS,
    AsJson,
    Label,
    LabelField,
    ModelPath,
    TextField,
    check_output,
)


@guard()
def report(
    model_path: ModelPath,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="PAGE", help="The HTML file to write.")
    ],
    documents: Annotated[
        str | None, typer.Option(help=f"Labelled documents, of which a few are shown: {INPUT_HELP}")
    ] = None,
    text_field: TextField = None,
    label_field: LabelField = None,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="'A B; C D'",
            help="Word vectors, models over time: words to draw, in blocks parted by semicolons.",
            rich_help_panel=WORD_VECTORS,
        ),
    ] = None,
    series: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="An observed series to draw beside trajectories: a line of names, then a date and a value a line, parted by commas or tabs.",
            rich_help_panel=FORECASTERS,
        ),
    ] = None,
    label: Label = None,
    as_json: AsJson = False,
) -> None:
    """Write a page of what a model selected and why."""
    check_output(output)
    with Measured() as measured:
        run = verb_for(
            "report",
            model_path,
            documents=documents,
            text_field=text_field,
            label_field=label_field,
            words=words,
            series=series,
            label=label,
        )
        run(output)
    print_result({"model": model_path, "page": output, **measured.report()}, as_json)
