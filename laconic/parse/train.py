"""`laconic train parse`: a treebank to a model file."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, cast

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
from laconic.cli.options import TREEBANK_HELP, AsJson, Encoding, Quiet, check_strength
from laconic.cli.training import check_model_output, end_interrupted, fit_by_passes
from laconic.errors import InputError
from laconic.parse.template_sets import SETS
from laconic.tag.learners import TREE_LEARNERS, Wishes, make_learner, penalties_help
from laconic.text.treebanks import read_treebank

TREES = "Trees"
MODELS = ("arcs", "siblings", "carreras", "grand siblings", "tri siblings")
OF_ORDER = {1: "arcs", 2: "carreras", 3: "grand siblings"}


@guard()
def train(
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN",
            help=f"Sentences with trees in {TREEBANK_HELP} gzip is fine, - is standard input.",
        ),
    ],
    dev: Annotated[
        str | None, typer.Option(help="Sentences with trees to report scores on.")
    ] = None,
    output: Output = None,
    model: Annotated[
        str | None,
        typer.Option(
            help=f"Which parts of trees are scored: {', '.join(MODELS)}.", rich_help_panel=TREES
        ),
    ] = None,
    order: Annotated[
        int | None,
        typer.Option(
            help="1: arcs, 2: carreras, 3: grand siblings.", min=1, max=3, rich_help_panel=TREES
        ),
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            help=f"{', '.join(SETS)}, or a file; without it, what suits the model.",
            rich_help_panel=TREES,
        ),
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            help="Brown clusters for cluster views: bits, tab, word a line.", rich_help_panel=TREES
        ),
    ] = None,
    crossing: Annotated[
        bool,
        typer.Option(
            "--crossing",
            help="Arcs may cross (arcs alone); else they are lifted.",
            rich_help_panel=TREES,
        ),
    ] = False,
    single_root: Annotated[
        bool | None,
        typer.Option(
            "--single-root/--several-roots",
            help="Without it, as in the training data.",
            rich_help_panel=TREES,
        ),
    ] = None,
    own_tags: Annotated[
        bool,
        typer.Option(
            "--own-tags",
            help="Learn a tagger beside: sentences then need words alone.",
            rich_help_panel=TREES,
        ),
    ] = False,
    labels: Annotated[
        bool,
        typer.Option("--labels/--no-labels", help="Learn relation labels.", rich_help_panel=TREES),
    ] = True,
    prune: Annotated[
        float | None,
        typer.Option(
            help="Arcs this much less probable than the best are left out; 0: none are.",
            rich_help_panel=TREES,
        ),
    ] = None,
    learner: Annotated[
        str, typer.Option(help=f"{', '.join(TREE_LEARNERS)}.", rich_help_panel=LEARNING)
    ] = "mira",
    penalty: Annotated[
        str | None, typer.Option(help=penalties_help(TREE_LEARNERS), rich_help_panel=LEARNING)
    ] = None,
    strength: Strength = None,
    lasso: Lasso = None,
    budget: Budget = 30,
    every: Every = None,
    group_weight: Annotated[
        str | None,
        typer.Option(
            help="sparseptron: weight of a template: one, log, 'sqrt log'.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            help="Passes over the sentences: 10, if not given.", min=1, rich_help_panel=LEARNING
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
    """Learn a parser of sentences.

    Ctrl-C stops the training after the pass at hand and keeps what was learned.
    """
    check_strength("--strength", strength)
    check_strength("--lasso", lasso)
    chosen = chosen_model(model, order)
    check_model_output(output)
    wishes = Wishes(penalty, strength, lasso, budget, epochs, every, group_weight, seed)
    with Measured() as cost:
        first = make_learner(learner, wishes, learners=TREE_LEARNERS)
        second = (
            None
            if refit is None
            else make_learner(
                refit, Wishes(epochs=refit_epochs, seed=seed), "--refit", TREE_LEARNERS
            )
        )
        with progress("reading", quiet=quiet) as bar:
            data = read_treebank(train, encoding or "utf-8")
            dev_data = None if dev is None else read_treebank(dev, encoding or "utf-8")
            bar.describe("importing")
            from laconic.parse.cli import account, scores
            from laconic.parse.labels import LEARNER
            from laconic.parse.model import Parser
            from laconic.parse.predict import TreeModel
            from laconic.parse.tags import LEARNER as TAG_LEARNER
            from laconic.parse.tags import WordTagger
            from laconic.tag.predict import RefitFeatures

        tagger = WordTagger(n_jobs=jobs) if own_tags else None
        parser = Parser(
            cast(TreeModel, chosen),
            templates,
            first,
            second,
            cast(RefitFeatures, refit_features),
            crossing,
            labels,
            single_root=single_root,
            prune=prune,
            clusters=clusters,
            n_jobs=jobs,
            tagger=tagger,
        )
        taggers = [TAG_LEARNER] * (1 + tagger.folds) if tagger is not None else []
        learners = (*taggers, first, second, LEARNER if labels and data.labels else None)
        fit_by_passes(
            lambda callback: parser.fit(data, callback=callback), learners, "tokens", quiet
        )
        if output is not None:
            parser.save(output)
        dev_scores = {} if dev_data is None else {"dev": scores(parser, dev_data)}
    report = {
        "model": output,
        **cost.report(),
        "sentences": len(data),
        "tokens": len(data.heads),
        **account(parser),
    }
    if as_json:
        report["trace"] = [asdict(epoch) for epoch in parser.trace_]
    print_result({**report, **dev_scores}, as_json)
    if parser.interrupted_:
        end_interrupted(output)


def chosen_model(name: str | None, order: int | None) -> str:
    """The parts of trees that --model or --order name."""
    if name is not None and order is not None:
        raise InputError(
            "--model and --order both say which parts of trees are scored: give one of them."
        )
    if name is None:
        return OF_ORDER[order or 1]
    plain = name.replace("-", " ")
    if plain not in MODELS:
        raise InputError(f"--model is one of {', '.join(MODELS)}, not {name!r}.")
    return plain
