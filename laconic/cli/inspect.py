"""`laconic inspect`: what a model selected, what it threw away, and how good a solution it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from laconic.cli.console import guard, print_result
from laconic.cli.kinds import verb_for
from laconic.cli.options import (
    LANGUAGE_MODELS,
    WORD_VECTORS,
    AsJson,
    EffectName,
    Label,
    ModelPath,
    Since,
)


@guard()
def inspect(
    model_path: ModelPath,
    n: Annotated[
        int,
        typer.Option(
            "-n",
            min=0,
            help="Words or features a label, and examples of what was kept and dropped.",
        ),
    ] = 20,
    complete: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="The -n most likely words after these, instead.",
            rich_help_panel=LANGUAGE_MODELS,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="So many sentences drawn from the model, instead.",
            rich_help_panel=LANGUAGE_MODELS,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="Seed of --sample: 0, if not given.", rich_help_panel=LANGUAGE_MODELS
        ),
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(
            metavar="WORD", help="The -n nearest words, instead.", rich_help_panel=WORD_VECTORS
        ),
    ] = None,
    analogy: Annotated[
        str | None,
        typer.Option(
            metavar="'A B C'",
            help="The -n words that are to C as B is to A, instead.",
            rich_help_panel=WORD_VECTORS,
        ),
    ] = None,
    since: Since = None,
    label: Label = None,
    effect: EffectName = None,
    as_json: AsJson = False,
) -> None:
    """Show what a model selected and what it threw away.

    Of a language model: its longest contexts and heaviest n-grams, how it goes on after some words, or sentences that it makes up.
    Of a model over time: the words whose weights rose and fell most, and how many stand still.
    Of a model of text over time: the words that each effect makes likelier, and those that rose and fell most for one.
    Of word vectors: the words that have most of each dimension, in the order of the forest; nearest words; analogies.
    """
    run = verb_for(
        "inspect",
        model_path,
        complete=complete,
        sample=sample,
        seed=seed,
        near=near,
        analogy=analogy,
        since=since,
        label=label,
        effect=effect,
    )
    print_result(
        {"model": model_path, "bytes": Path(model_path).stat().st_size, **run(n, as_json)}, as_json
    )
