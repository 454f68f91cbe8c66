"""`laconic report`: a self-contained HTML page of what a model selected and why."""

from __future__ import annotations

from typing import Annotated

from laconic.cli.console import print_result
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelPath, check_output
from laconic.models.option import Option


def report(
    model_path: ModelPath,
    *,
    output: Annotated[str, Option("The HTML file to write.", flag="--output,-o", metavar="PAGE")],
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Write a page of what a model selected and why."""
    check_output(output, model_path)
    with Measured() as cost:
        verb_for("report", model_path, options)(output)
    print_result({"model": model_path, "page": output, **cost.report()}, as_json)
