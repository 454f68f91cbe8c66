"""Options of `train tag` and `train parse`, which learn with the same learners: what they mean is said once."""

from __future__ import annotations

from typing import Annotated

import typer

LEARNING, REFIT = "Learning", "Refit"

Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
]
Strength = Annotated[
    float | None, typer.Option(help="Strength of the penalty.", rich_help_panel=LEARNING)
]
Lasso = Annotated[
    float | None,
    typer.Option(
        help="Strength of the lasso in elastic and sparse-group.", rich_help_panel=LEARNING
    ),
]
Budget = Annotated[
    int, typer.Option(help="sparseptron: templates that may stay.", min=1, rich_help_panel=LEARNING)
]
Every = Annotated[
    int | None,
    typer.Option(
        help="sparseptron, fobos: rounds between shrinkings.", min=1, rich_help_panel=LEARNING
    ),
]
RefitLearner = Annotated[
    str | None,
    typer.Option(help="A second learner, on what the first has kept.", rich_help_panel=REFIT),
]
RefitEpochs = Annotated[int | None, typer.Option(help="Its passes.", min=1, rich_help_panel=REFIT)]
RefitFeatures = Annotated[
    str,
    typer.Option(
        help="All features of the kept templates, or the kept features.", rich_help_panel=REFIT
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the order of sentences.", min=0)]
Jobs = Annotated[int | None, typer.Option(help="Threads; -1 for all cores.")]
