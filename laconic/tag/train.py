"""`laconic train tag`: labelled sentences in columns to a model file."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, cast

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.learning_options import (
    LEARNING,
    Budget,
    Every,
    Jobs,
    Lasso,
    Output,
    RefitEpochs,
    RefitFeatures,
    RefitLearner,
    Seed,
    Strength,
)
from laconic.cli.measure import Measured
from laconic.cli.options import COLUMNS_HELP, AsJson, Encoding, Quiet, check_strength
from laconic.cli.training import check_model_output, end_interrupted, fit_by_passes
from laconic.errors import InputError
from laconic.tag.conll import read_columns
from laconic.tag.learners import LEARNERS, Wishes, make_learner, penalties_help
from laconic.text.sequences import TokenColumns

if (
    TYPE_CHECKING
):  # numerics are imported when the work begins, so that `--help` and wrong options answer at once
    from laconic.tag.model import Tagger

SCHEMES = ("IOB1", "IOB2", "BIOES")


@guard()
def train(
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN", help=f"Labelled {COLUMNS_HELP} gzip is fine, - is standard input."
        ),
    ],
    dev: Annotated[str | None, typer.Option(help="Labelled sentences to report scores on.")] = None,
    output: Output = None,
    columns: Annotated[
        str, typer.Option(help="Names of the columns; the last holds the labels.")
    ] = "word,pos,label",
    templates: Annotated[
        str,
        typer.Option(
            help="chunking, chunking72, ner, ner_clusters, or a file (laconic's, CRF++'s or Wapiti's)."
        ),
    ] = "chunking",
    clusters: Annotated[
        str | None, typer.Option(help="Brown clusters for cluster views: bits, tab, word a line.")
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            help="Learn labels in this scheme: IOB1, IOB2 or BIOES; without it, as they come."
        ),
    ] = None,
    constrained: Annotated[
        bool,
        typer.Option(
            "--constrained", help="Predict only sequences that the scheme of labels allows."
        ),
    ] = False,
    learner: Annotated[
        str, typer.Option(help=f"{', '.join(LEARNERS)}.", rich_help_panel=LEARNING)
    ] = "mira",
    penalty: Annotated[
        str | None,
        typer.Option(
            help=penalties_help(LEARNERS),
            rich_help_panel=LEARNING,
        ),
    ] = None,
    strength: Strength = None,
    lasso: Lasso = None,
    budget: Budget = 30,
    every: Every = None,
    group_weight: Annotated[
        str | None,
        typer.Option(
            help="sparseptron, crf: weight of a template: one, log, 'sqrt log'.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            help="Passes over the sentences; steps at most of crf.", min=1, rich_help_panel=LEARNING
        ),
    ] = None,
    refit: RefitLearner = None,
    refit_epochs: RefitEpochs = None,
    refit_features: RefitFeatures = "templates",
    seed: Seed = 0,
    jobs: Jobs = None,
    encoding: Encoding = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a tagger of tokens.

    Ctrl-C stops the training after the pass at hand and keeps what was learned.
    """
    check_strength("--strength", strength)
    check_strength("--lasso", lasso)
    names = _column_names(columns)
    if scheme is not None and scheme not in SCHEMES:
        raise InputError(f"--scheme is one of {', '.join(SCHEMES)}, not {scheme!r}.")
    check_model_output(output)
    wishes = Wishes(penalty, strength, lasso, budget, epochs, every, group_weight, seed)
    with Measured() as cost:
        first = make_learner(learner, wishes)
        second = (
            None
            if refit is None
            else make_learner(refit, Wishes(epochs=refit_epochs, seed=seed), "--refit")
        )
        with progress("reading", quiet=quiet) as bar:
            data = read_columns(train, names, encoding=encoding or "utf-8")
            dev_data = (
                None if dev is None else read_columns(dev, names, encoding=encoding or "utf-8")
            )
            bar.describe("importing")
            from laconic.tag.cli import account, scores
            from laconic.tag.model import Tagger
            from laconic.tag.predict import RefitFeatures
            from laconic.text.labels import Scheme

        model = Tagger(
            templates,
            first,
            second,
            cast(RefitFeatures, refit_features),
            columns=names[:-1],
            scheme=cast(Scheme, scheme),
            clusters=clusters,
            constrained=constrained,
            n_jobs=jobs,
        )
        _fit(model, data, quiet)
        if output is not None:
            model.save(output)
        dev_scores = (
            {} if dev_data is None or dev is None else {"dev": scores(model, dev_data, dev)}
        )
    report = {
        "model": output,
        **cost.report(),
        "sentences": len(data),
        "tokens": len(data.values[-1]),
        "labels": len(model.classes_),
        **account(model),
    }
    if as_json:
        report["trace"] = [asdict(epoch) for epoch in model.trace_]
    print_result({**report, **dev_scores}, as_json)
    if model.interrupted_:
        end_interrupted(output)


def _column_names(columns: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in columns.split(","))
    if len(names) < 2 or len(set(names)) != len(names) or not all(names):
        raise InputError(
            f"--columns needs two or more different names, the last for the labels, not {columns!r}."
        )
    return names


def _fit(model: Tagger, data: TokenColumns, quiet: bool) -> None:
    """Fit with a bar by pass; Ctrl-C stops after a pass."""
    labels = data.values[-1]
    by_sentence = [labels[a:b] for a, b in pairwise(data.ptr.tolist())]
    tokens = TokenColumns(data.names[:-1], data.values[:-1], data.ptr)
    fit_by_passes(
        lambda callback: model.fit(tokens, by_sentence, callback),
        (model.learner, model.refit),
        "labels",
        quiet,
    )
