"""`laconic compress`: a model with a handful of weight values, in a small file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from laconic.cli.compression import Compression
from laconic.cli.console import print_result, progress
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelPath, Quiet, check_file_output
from laconic.cli.training import end_interrupted
from laconic.errors import InputError
from laconic.models.option import Option


def compress(
    model_path: ModelPath,
    *,
    output: Annotated[str, Option("The model file to write.", flag="--output,-o", metavar="OUT")],
    settings: Compression,
    quiet: Quiet = False,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Give a model few weight values, and write it to a small file.

    The values are learned from the weights; with --dev, the best of several sets by the score. With
    --data weights are learned again, too, over the features that the model has, and the better
    model is kept. The scores printed are of the file that is written. Ctrl-C keeps the best so far.
    """
    if settings.values is not None and settings.values % 2:
        raise InputError(f"--values must be an even number, not {settings.values}.")
    if settings.lasso is not None and settings.data is None:
        raise InputError(
            "--lasso is for learning the weights again: give the training data with --data."
        )
    check_file_output(output, "a model", "-o", model_path)
    with Measured() as cost, progress("loading", quiet=quiet) as bar:
        found = verb_for("compress", model_path, options)(output, settings, bar)
    notes = found.pop("notes", [])
    size = {"bytes": Path(output).stat().st_size, "bytes_before": Path(model_path).stat().st_size}
    print_result({"model": output, **cost.report(), **size, **found}, as_json)
    for note in notes:
        print(f"laconic: {note}", file=sys.stderr)
    if found["interrupted"]:
        end_interrupted(output)
