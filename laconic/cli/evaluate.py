"""`laconic evaluate`: the scores of a model on labelled documents or sentences, on a treebank, or on text."""

from __future__ import annotations

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
    TREEBANK_HELP,
    AsJson,
    Encoding,
    LabelField,
    ModelPath,
    Quiet,
    TextField,
)


@guard()
def evaluate(
    model_path: ModelPath,
    gold_path: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help=f"Labelled documents: {INPUT_HELP} For a tagger, {COLUMNS_HELP} For a parser, {TREEBANK_HELP} "
            f"For a language model, {SENTENCES_HELP}",
        ),
    ],
    text_field: TextField = None,
    label_field: LabelField = None,
    constrained: Annotated[
        bool, typer.Option("--constrained", help="Only sequences that the scheme of labels allows.", rich_help_panel=TAGGERS)
    ] = False,
    encoding: Encoding = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Score a model on labelled documents or sentences, on a treebank, or on text.

    Of documents: accuracy, and precision, recall and F1 of each label. Of sentences: the same of chunks, as conlleval counts
    them, and the share of sentences without a fault. A label that the model does not know counts as missed. Of trees: the share
    of tokens with the right head (uas), and label too (las), and of complete trees; then without punctuation. Of text: perplexities.
    """
    with Measured() as cost, progress("loading", quiet=quiet) as bar:
        run = verb_for(
            "evaluate",
            model_path,
            text_field=text_field,
            label_field=label_field,
            constrained=constrained,
            encoding=encoding,
        )
        scores = run(gold_path, bar)
    print_result({**scores, **cost.report()}, as_json)
