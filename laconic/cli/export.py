"""`laconic export`: a model as a file that other programs read."""

from __future__ import annotations

from typing import Annotated

import typer

from laconic.cli.console import guard, print_result
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelPath, check_output


@guard()
def export(
    model_path: ModelPath,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="The file to write; gzip if it ends in .gz."
        ),
    ],
    binary: Annotated[
        bool, typer.Option("--binary", help="Word vectors: word2vec's binary form, not its text.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a model for other programs: an ARPA file of a language model, a word2vec file of word vectors."""
    check_output(output)
    with Measured() as measured:
        counts = verb_for("export", model_path, binary=binary)(output)
    print_result({"model": model_path, "file": output, **counts, **measured.report()}, as_json)
