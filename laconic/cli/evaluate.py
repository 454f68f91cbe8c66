"""`laconic evaluate`: the scores of a model on labelled documents or sentences, on a treebank, or on text."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Annotated, Any

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import (
    COLUMNS_HELP,
    FORECASTERS,
    INPUT_HELP,
    SENTENCES_HELP,
    TAGGERS,
    TREEBANK_HELP,
    WORD_VECTORS,
    AsJson,
    Encoding,
    LabelField,
    ModelPath,
    Quiet,
    TextField,
)
from laconic.errors import InputError


@guard()
def evaluate(
    model_path: ModelPath,
    gold_paths: Annotated[
        list[str],
        typer.Argument(
            metavar="GOLD..",
            help=f"Labelled documents: {INPUT_HELP} For a tagger, {COLUMNS_HELP} For a parser, {TREEBANK_HELP} "
            f"For a language model, {SENTENCES_HELP} For word vectors, files of tasks: similar pairs, analogies, sentences to "
            "complete, or three treebanks of sentiments, to train, to choose and to test.",
        ),
    ],
    text_field: TextField = None,
    label_field: LabelField = None,
    constrained: Annotated[
        bool,
        typer.Option(
            "--constrained",
            help="Only sequences that the scheme of labels allows.",
            rich_help_panel=TAGGERS,
        ),
    ] = False,
    task: Annotated[
        str | None,
        typer.Option(
            help="What the files are for, if their form shall not tell: similarity, analogies, completion or sentiment.",
            rich_help_panel=WORD_VECTORS,
        ),
    ] = None,
    skip_missing: Annotated[
        bool,
        typer.Option(
            "--skip-missing", help="Leave out rows without a target.", rich_help_panel=FORECASTERS
        ),
    ] = False,
    encoding: Encoding = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Score a model on labelled documents or sentences, on a treebank, or on text.

    Of documents: accuracy, and precision, recall and F1 of each label. Of sentences: the same of chunks, as conlleval counts
    them, and the share of sentences without a fault. A label that the model does not know counts as missed. Of trees: the share
    of tokens with the right head (uas), and label too (las), and of complete trees; then without punctuation. Of text: perplexities.
    Of forecasts: mean squared and absolute errors, over all and by step of time. Of word vectors: Spearman's correlation with the scores of people, and accuracies.
    """
    with Measured() as cost, progress("loading", quiet=quiet) as bar:
        run = verb_for(
            "evaluate",
            model_path,
            text_field=text_field,
            label_field=label_field,
            constrained=constrained,
            task=task,
            skip_missing=skip_missing,
            encoding=encoding,
        )
        scores = run(_given(run, model_path, gold_paths), bar)
    print_result({**scores, **cost.report()}, as_json)


def _given(run: Callable[..., Any], model_path: str, gold_paths: list[str]) -> str | list[str]:
    """All files for models that take several, else the one."""
    if "gold_paths" in signature(run).parameters:
        return gold_paths
    if len(gold_paths) > 1:
        raise InputError(f"{model_path} is evaluated on one file, not on {len(gold_paths)}.")
    return gold_paths[0]
