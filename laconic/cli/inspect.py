"""`laconic inspect`: what a model selected, what it threw away, and how good a solution it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from laconic.cli.console import guard, print_result
from laconic.cli.kinds import verb_for
from laconic.cli.options import AsJson, ModelPath


@guard()
def inspect(
    model_path: ModelPath,
    n: Annotated[
        int, typer.Option("-n", min=0, help="Words or features a label, and examples of what was kept and dropped.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what a model selected and what it threw away."""
    run = verb_for("inspect", model_path)
    print_result({"model": model_path, "bytes": Path(model_path).stat().st_size, **run(n, as_json)}, as_json)
