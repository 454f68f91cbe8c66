"""`laconic demo`: small models beside larger ones, on real text that every installation has."""

from __future__ import annotations

from typing import Annotated

from laconic.cli.console import print_result, progress
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, Quiet, Seed
from laconic.errors import InputError
from laconic.models.kind import all_kinds, find
from laconic.models.option import Option


def demo(
    task: Annotated[
        str,
        Option("classify: label whole docstrings; tag: label their words.", metavar="TASK"),
    ] = "classify",
    *,
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Train and inspect two small models on docstrings.

    classify: Which of NumPy, SciPy and scikit-learn does a docstring belong to? Their names,
    imports and examples are removed first.

    tag: Which words of a sentence did its author mark as code or as a formula? The marks are
    removed and become the labels.
    """
    demos = {kind.name: kind.demo for kind in all_kinds() if kind.demo}
    if task not in demos:
        raise InputError(f"TASK must be one of {', '.join(demos)}, not {task!r}.")
    reading = "reading the docstrings of numpy, scipy and scikit-learn"
    with Measured() as cost, progress(reading, quiet=quiet) as bar:
        result = find(demos[task])(seed, bar, as_json)
    print_result({**cost.report(), **result}, as_json)
