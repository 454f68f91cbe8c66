"""`laconic demo`: small models beside larger ones, on real text that every installation has."""

from __future__ import annotations

import sys
from typing import Annotated

from laconic.cli.coloured import Marked, print_marked
from laconic.cli.console import print_result, progress
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, Quiet, Seed, check_output
from laconic.errors import InputError
from laconic.models.demonstration import Demonstration
from laconic.models.kind import all_kinds, find
from laconic.models.option import Option
from laconic.web.export import export_page


def demo(
    task: Annotated[
        str,
        Option("classify, tag, lm or embed: what is learned from docstrings.", metavar="TASK"),
    ] = "classify",
    *,
    output: Annotated[
        str, Option("The page to write, with a model inside.", flag="--output,-o", metavar="PAGE")
    ] = "demo.html",
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Train small models on docstrings, compare them, and write a page with one of them inside.

    classify: Which of NumPy, SciPy and scikit-learn does a docstring belong to? Their names,
    imports and examples are removed first.

    tag: Which words of a sentence did its author mark as code or as a formula? The marks are
    removed and become the labels.

    lm: What is the next word of a docstring?

    embed: Which words are used alike?
    """
    demos = {kind.name: kind.demo for kind in all_kinds() if kind.demo}
    if task not in demos:
        raise InputError(f"TASK must be one of {', '.join(demos)}, not {task!r}.")
    check_output(output)
    reading = "reading the docstrings of numpy, scipy and scikit-learn"
    with Measured() as cost, progress(reading, quiet=quiet) as bar:
        shown: Demonstration = find(demos[task])(seed, bar)
    title = f"laconic demo {task}"
    page = {"page": output, "page_bytes": export_page(shown.model, output, title, shown.example)[0]}
    if as_json:
        print_result({**shown.facts, **page, **cost.report()}, as_json)
        return
    print(f"{shown.opening}\n")
    print_result({**cost.report(), **shown.facts}, as_json)
    print()
    if shown.marked:
        print_marked([[Marked(*piece) for piece in line] for line in shown.marked])
        print()
    sys.stdout.flush()
    print(f"The last model is inside of a page of {page['page_bytes']:,} bytes: open {output}")
    print(f"Next, on a file of yours: {shown.next}")
    print("and then:                 laconic export model.laconic -o page.html")
