"""`laconic train rerank`: a treebank to a parser, and to a model that chooses among its trees."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, cast

import typer

from laconic.cli.console import Bar, guard, print_result, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.learning_options import Jobs, Output, Seed
from laconic.cli.measure import Measured
from laconic.cli.options import TREEBANK_HELP, AsJson, Encoding, Quiet
from laconic.cli.training import check_model_output
from laconic.core.report import Event
from laconic.errors import InputError
from laconic.parse.train import MODELS, chosen_model
from laconic.text.treebanks import read_treebank

LISTS, SEARCH = "Parser and its lists of trees", "Search of features"
PARTS, PASSES = "tri siblings", 6  # of the parser
KERNELS = ("trees", "products")


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
        str | None,
        typer.Option(
            help="Sentences with trees to choose the parser's share by, and to report scores on."
        ),
    ] = None,
    output: Output = None,
    model: Annotated[
        str,
        typer.Option(
            help=f"Which parts of trees the parser scores: {', '.join(MODELS)}.",
            rich_help_panel=LISTS,
        ),
    ] = PARTS,
    epochs: Annotated[
        int, typer.Option(help="The parser's passes over the sentences.", rich_help_panel=LISTS)
    ] = PASSES,
    k: Annotated[
        int | None,
        typer.Option("-k", help="Trees of a sentence: 10, if not given.", rich_help_panel=LISTS),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            help="Parsers that make lists of sentences they have not seen: 10, if not given.",
            rich_help_panel=LISTS,
        ),
    ] = None,
    kernel: Annotated[
        str,
        typer.Option(
            help="Features are sub-trees (trees) or sets of arcs' features (products).",
            rich_help_panel=SEARCH,
        ),
    ] = KERNELS[0],
    arcs: Annotated[
        int | None,
        typer.Option(
            help="trees: arcs of the largest ones: 3, if not given.", rich_help_panel=SEARCH
        ),
    ] = None,
    degree: Annotated[
        int | None,
        typer.Option(
            help="products: members of the largest ones: 2, if not given.", rich_help_panel=SEARCH
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(
            help="Features that occur no more often are left out: 3, if not given.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="Rounds: 1, if not given.", rich_help_panel=SEARCH)
    ] = None,
    pretrain_epochs: Annotated[
        int | None,
        typer.Option(
            help="Passes of the model of single arcs that the search begins with: 10, if not given; with fewer it finds more.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option(
            help="Megabytes that the search may use: 1024, if not given.", rich_help_panel=SEARCH
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    encoding: Encoding = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a parser of sentences, and to choose the best of its trees by what their sub-trees look like.

    The parser learns again without each part of the sentences, for lists of trees such as it will make of new ones. After Ctrl-C
    nothing is written.
    """
    parts = chosen_model(model, None)
    _check_kernel(kernel, arcs, degree)
    check_model_output(output)
    with Measured() as cost, progress("reading", quiet=quiet) as bar:
        data = read_treebank(train, encoding or "utf-8")
        dev_data = None if dev is None else read_treebank(dev, encoding or "utf-8")
        bar.describe("importing")
        from laconic import Mira, Parser, Polynomial, Reranker, SubTrees
        from laconic.parse.cli import scores
        from laconic.parse.predict import TreeModel
        from laconic.rerank.cli import account, beside, searched

        chosen = _given(
            k=k, folds=folds, threshold=threshold, rounds=rounds, pretrain_epochs=pretrain_epochs
        )
        chosen |= _given(memory=None if memory is None else memory * 2**20)
        space = (
            SubTrees(**_given(arcs=arcs))
            if kernel == "trees"
            else Polynomial(**_given(degree=degree))
        )
        parser = Parser(
            cast(TreeModel, parts), learner=Mira(epochs, random_state=seed), n_jobs=jobs
        )
        reranker = Reranker(parser, kernel=space, random_state=seed, **chosen)
        bar.describe(f"learning without fold 1 of {reranker.folds}")
        with graceful_interrupt(at_once=True) as interrupt:
            reranker.fit(
                data,
                dev=dev_data,
                callback=lambda event: _tell(bar, event, reranker.folds) or interrupt.requested,
            )
        if interrupt.requested:
            raise KeyboardInterrupt
        if output is not None:
            bar.describe("writing")
            reranker.save(output)
        bar.describe("scoring")
        dev_scores = (
            {}
            if dev_data is None
            else {"dev": {**scores(reranker, dev_data), **beside(reranker, dev_data)}}
        )
    report: dict[str, Any] = {
        "model": output,
        **cost.report(),
        "sentences": len(data),
        "tokens": len(data.heads),
    }
    report |= {**account(reranker), **dev_scores, "orders": searched(reranker)}
    if as_json:
        report["rounds"] = [asdict(step) for step in reranker.rounds_]
    print_result(report, as_json)


def _tell(bar: Bar, event: Event, folds: int) -> bool:
    """Show how far it is; False: go on."""
    if event.stage in ("order", "round"):
        bar.describe(str(event))
    elif event.stage == "fold" and event.done < folds:
        bar.describe(f"learning without fold {event.done + 1} of {folds}")
    else:
        bar.describe("learning the parser and searching features")
    return False


def _check_kernel(kernel: str, arcs: int | None, degree: int | None) -> None:
    if kernel not in KERNELS:
        raise InputError(f"--kernel is one of {', '.join(KERNELS)}, not {kernel!r}.")
    for option, given, wanted in (("--arcs", arcs, "trees"), ("--degree", degree, "products")):
        if given is not None and kernel != wanted:
            raise InputError(f"{option} does not go with --kernel {kernel}.")


def _given(**options: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in options.items() if value is not None}
