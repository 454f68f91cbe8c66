"""`laconic compress`: a model with a handful of weight values, in a small file."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from laconic.cli.compression import Compression
from laconic.cli.console import INTERRUPTED, guard, print_result, progress
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import (
    COLUMNS_HELP,
    INPUT_HELP,
    TREEBANK_HELP,
    AsJson,
    Encoding,
    LabelField,
    ModelPath,
    Quiet,
    TextField,
    check_output,
    check_strength,
)
from laconic.errors import InputError


@guard()
def compress(
    model_path: ModelPath,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The model file to write.")
    ],
    values: Annotated[
        int,
        typer.Option(
            help="Values that weights may take besides 0, half of them negative: 2, 4, 8 .."
        ),
    ] = 8,
    data: Annotated[
        str | None,
        typer.Option(
            help=f"The training data, to learn the weights again: {INPUT_HELP} For a tagger, {COLUMNS_HELP} For a parser, {TREEBANK_HELP}"
        ),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(help="Data of the same form, on which the size of the values is chosen."),
    ] = None,
    eta: Annotated[
        float | None,
        typer.Option(help="The size of the values: they are 1.5, 4.5, 16.5 .. times this."),
    ] = None,
    lasso: Annotated[
        float | None,
        typer.Option(help="Strength of the lasso with --data: the model's own, if known."),
    ] = None,
    names: Annotated[
        bool,
        typer.Option(
            "--names/--no-names",
            help="Keep the names of features, so that the model can be inspected.",
        ),
    ] = True,
    text_field: TextField = None,
    label_field: LabelField = None,
    encoding: Encoding = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Give a model few weight values, and write it to a small file.

    Without --data weights are rounded. With it they are learned again under the constraint, over the features that the model
    has. Ctrl-C keeps the best so far.
    """
    if values < 2 or values % 2:
        raise InputError(f"--values is an even number of 2 or more, not {values}.")
    if eta is not None and not (math.isfinite(eta) and eta > 0):
        raise InputError(f"--eta must be a number above 0, not {eta}.")
    check_strength("--lasso", lasso)
    if lasso is not None and data is None:
        raise InputError(
            "--lasso is for learning the weights again: give the training data with --data."
        )
    if output == "-":
        raise InputError("a model is written to a file: give its name with -o.")
    check_output(output)
    wishes = Compression(output, values // 2, data, dev, eta, lasso, names)
    with Measured() as cost, progress("loading", quiet=quiet) as bar:
        run = verb_for(
            "compress",
            model_path,
            text_field=text_field,
            label_field=label_field,
            encoding=encoding,
        )
        account = run(wishes, bar)
    size = {"bytes": Path(output).stat().st_size, "bytes_before": Path(model_path).stat().st_size}
    print_result({"model": output, **cost.report(), **size, **account}, as_json)
    if account["interrupted"]:
        print(f"laconic: interrupted; the best model so far is in {output}.", file=sys.stderr)
        raise SystemExit(INTERRUPTED)
