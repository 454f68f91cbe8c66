"""`laconic predict`: the labels of documents or of tokens, the trees of sentences, the probabilities or the vectors of words."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import (
    COLUMNS_HELP,
    INPUT_HELP,
    SENTENCES_HELP,
    TAGGERS,
    TAGGERS_AND_PARSERS,
    TREEBANK_HELP,
    WORD_VECTORS,
    AsJson,
    Encoding,
    ModelPath,
    Quiet,
    TextField,
    check_output,
)
from laconic.text.io import STANDARD_STREAM


@guard()
def predict(
    model_path: ModelPath,
    input_path: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help=f"Documents: {INPUT_HELP} For a tagger, {COLUMNS_HELP} For a parser, {TREEBANK_HELP} "
            f"For a language model, {SENTENCES_HELP} For word vectors, words.",
        ),
    ] = STANDARD_STREAM,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where the labels go.")
    ] = STANDARD_STREAM,
    proba: Annotated[
        bool,
        typer.Option("--proba", help="Add the probability of every label to those of documents."),
    ] = False,
    text_field: TextField = None,
    marginals: Annotated[
        bool,
        typer.Option(
            "--marginals",
            help="Add a column of probable labels and their probabilities.",
            rich_help_panel=TAGGERS,
        ),
    ] = False,
    k_best: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Taggers: so many columns, one for each of the best sequences, their scores in a line `# score` before each "
            "sentence. Parsers and rerankers: so many copies of each sentence, each with one of the best trees and a line `# score`.",
            rich_help_panel=TAGGERS_AND_PARSERS,
        ),
    ] = None,
    constrained: Annotated[
        bool,
        typer.Option(
            "--constrained",
            help="Only sequences that the scheme of labels allows.",
            rich_help_panel=TAGGERS,
        ),
    ] = False,
    nearest: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="So many nearest words with their cosines, not vectors.",
            rich_help_panel=WORD_VECTORS,
        ),
    ] = None,
    encoding: Encoding = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Predict the label of each document or of each token, the tree of each sentence, how likely each word is, or vectors of words.

    Of documents, each line of the output is a JSON object with the label. Of tokens, the lines of the input are written with
    a column added, batch by batch; of sentences of treebanks, with heads and labels filled in. Of text, a line for each
    word and each end of a sentence: the word, its log10 probability, and the n-gram that gave it. Of words: a line
    with the word and its vector, or a line for each of its nearest words; words that are not known are left out. With -o, a summary is printed.
    """
    check_output(output)
    shared = (
        output == STANDARD_STREAM and sys.stdout.isatty()
    )  # a bar would be drawn into the labels
    with Measured() as cost, progress("loading", quiet=quiet or shared) as bar:
        run = verb_for(
            "predict",
            model_path,
            proba=proba,
            text_field=text_field,
            marginals=marginals,
            k_best=k_best,
            constrained=constrained,
            nearest=nearest,
            encoding=encoding,
        )
        counts = run(input_path, output, bar)
    if output != STANDARD_STREAM:
        print_result({"output": output, **counts, **cost.report()}, as_json)
