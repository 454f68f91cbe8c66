"""`laconic inspect`: what a model selected and dropped, and how good a solution it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from laconic.cli.console import print_result
from laconic.cli.kinds import verb_for
from laconic.cli.options import AsJson, ModelPath
from laconic.models.option import Option


def inspect(
    model_path: ModelPath,
    *,
    n: Annotated[
        int,
        Option(
            "Number of rows of each listing: words or features per label, examples of what was "
            "kept and dropped.",
            flag="-n",
            minimum=0,
        ),
    ] = 20,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Show what a model selected and what it dropped."""
    found = verb_for("inspect", model_path, options)(n, as_json)
    print_result({"model": model_path, "bytes": Path(model_path).stat().st_size, **found}, as_json)
