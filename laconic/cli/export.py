"""`laconic export`: a model as a file that other programs read."""

from __future__ import annotations

from typing import Annotated

from laconic.cli.console import print_result
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelPath, check_output
from laconic.models.option import Option


def export(
    model_path: ModelPath,
    *,
    output: Annotated[
        str,
        Option(
            "The file to write; compressed if it ends in .gz.",
            flag="--output,-o",
            metavar="FILE",
        ),
    ],
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Write a model as a file that other programs read."""
    check_output(output)
    with Measured() as cost:
        counts = verb_for("export", model_path, options)(output)
    print_result({"model": model_path, "file": output, **counts, **cost.report()}, as_json)
