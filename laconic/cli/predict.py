"""`laconic predict`: what a model says about new input."""

from __future__ import annotations

import sys
from typing import Annotated

from laconic.cli.console import print_result, progress
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelPath, Quiet, check_output
from laconic.models.option import Option
from laconic.text.io import STANDARD_STREAM


def predict(
    model_path: ModelPath,
    input_path: Annotated[
        str, Option("May be compressed; - is standard input.", metavar="INPUT")
    ] = STANDARD_STREAM,
    *,
    output: Annotated[
        str, Option("Where the predictions go.", flag="--output,-o", metavar="FILE")
    ] = STANDARD_STREAM,
    quiet: Quiet = False,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Predict with a model. With -o, a summary is printed."""
    check_output(output, model_path, input_path)
    # A bar would be drawn into the predictions.
    shared = output == STANDARD_STREAM and sys.stdout.isatty()
    with Measured() as cost, progress("loading", quiet=quiet or shared) as bar:
        counts = verb_for("predict", model_path, options)(input_path, output, bar)
    if output != STANDARD_STREAM:
        print_result({"output": output, **counts, **cost.report()}, as_json)
