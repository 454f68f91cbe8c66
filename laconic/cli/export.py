"""`laconic export`: a model as a file that other programs read, web pages among them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from laconic.cli.console import print_result
from laconic.cli.kinds import loaded, verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelPath, check_output
from laconic.errors import InputError
from laconic.models.option import Option

PACKED = "the model was packed on the way; laconic compress gives it few values, and a smaller file"


def export(
    model_path: ModelPath,
    *,
    output: Annotated[
        str,
        Option(
            "The file to write: a web page (.html) or a module of JavaScript (.js) with the model "
            "inside, or a file of another program; compressed if it ends in .gz.",
            flag="--output,-o",
            metavar="FILE",
        ),
    ],
    title: Annotated[
        str | None, Option("Title of a web page. Without it the name of the model.", metavar="TEXT")
    ] = None,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Write a model as a web page, or as a file that other programs read."""
    check_output(output, model_path)
    suffix = Path(output).suffix.lower()
    if title is not None and suffix != ".html":
        raise InputError("--title is for web pages: give -o a name that ends in .html.")
    with Measured() as cost:
        if suffix in (".html", ".js"):
            found, notes = _into_web(model_path, output, title, options)
        else:
            found, notes = verb_for("export", model_path, options)(output), []
    print_result({"model": model_path, "file": output, **found, **cost.report()}, as_json)
    for note in notes:
        print(f"laconic: {note}", file=sys.stderr)


def _into_web(
    path: str, output: str, title: str | None, options: dict[str, object]
) -> tuple[dict[str, Any], list[str]]:
    """Write a page or a module; return what to print, and remarks."""
    from laconic.web.export import export_module, export_page

    if options:
        name = next(iter(options)).replace("_", "-")
        raise InputError(f"--{name} does not go with a web page or a module of JavaScript.")
    model = loaded(path)
    if output.lower().endswith(".js"):
        done = export_module(model, output)
    else:
        done = export_page(model, output, title or Path(path).name.split(".")[0] or path)
    counts = {"bytes": done.n_bytes, "model_bytes": done.model_bytes}
    return counts, [f"{PACKED}."] if done.packed else []
