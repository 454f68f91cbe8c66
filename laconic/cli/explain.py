"""`laconic explain`: why a model decides as it does, for one document or as a whole."""

from __future__ import annotations

from typing import Annotated

from laconic.cli.console import print_result
from laconic.cli.kinds import verb_for
from laconic.cli.options import AsJson, ModelPath, check_file_output
from laconic.models.option import Option


def explain(
    model_path: ModelPath,
    document: Annotated[
        str | None,
        Option("A text, a file of documents, or - for standard input.", metavar="DOCUMENT"),
    ] = None,
    *,
    output: Annotated[
        str | None, Option("An HTML page to write.", flag="--output,-o", metavar="PAGE")
    ] = None,
    n: Annotated[int, Option("Number of rows of each listing.", flag="-n", minimum=1)] = 10,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Show what each word, phrase and sentence of a document adds to the score of a label.

    Without a document, the model itself is explained: its words, how sure they are, how good it is.
    """
    check_file_output(output, "A page", "--output")
    print_result(verb_for("explain", model_path, options)(document, output, n, as_json), as_json)
