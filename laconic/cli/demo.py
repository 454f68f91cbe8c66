"""`laconic demo`: small models beside larger ones, on real text that every installation has."""

from __future__ import annotations

from typing import Annotated

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, Quiet
from laconic.errors import InputError
from laconic.models.kind import all_kinds, find


@guard()
def demo(
    task: Annotated[
        str,
        typer.Argument(
            help="Which models: classify (of whole docstrings) or tag (of their words)."
        ),
    ] = "classify",
    seed: Annotated[
        int, typer.Option(help="Seed of the split into training and test examples.", min=0)
    ] = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Train and inspect two small models on docstrings.

    classify: which of NumPy, SciPy and scikit-learn does a docstring belong to? Their names,
    imports and examples are taken out first.
    tag: which words of a sentence did its author mark as code or as a formula? The marks are taken
    out and become the labels.
    """
    shown = {kind.name: kind.demo for kind in all_kinds() if kind.demo}
    if task not in shown:
        raise InputError(f"the task of a demo is one of {', '.join(shown)}, not {task!r}.")
    with (
        Measured() as cost,
        progress("reading the docstrings of numpy, scipy and scikit-learn", quiet=quiet) as bar,
    ):
        result = find(shown[task])(seed, bar, as_json)
    print_result({**cost.report(), **result}, as_json)
