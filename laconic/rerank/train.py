"""`laconic train rerank`: a treebank to a parser and a model that chooses among its trees."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.options import ANY_FILE, TREEBANK_HELP, UTF8, Encoding, Jobs, n_bytes
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.models.option import Option, OptionValues, Parameters
from laconic.parse.scores import scores
from laconic.parse.train import MODELS, chosen_model
from laconic.rerank.scores import beside
from laconic.text.treebanks import read_treebank

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.mine.polynomial import Polynomial
    from laconic.mine.sub_trees import SubTrees
    from laconic.rerank.model import Reranker

LISTS, SEARCH = "Parser and its lists of trees", "Search of features"
PARTS, PASSES = "tri siblings", 6  # of the parser
TREES, PRODUCTS = "trees", "products"
MODEL = Parameters(
    "laconic.rerank.model:Reranker",
    {
        LISTS: ("k", "folds"),
        SEARCH: ("threshold", "rounds", "pretrain_epochs", "memory"),
        "": ("random_state",),
    },
    {
        "k": Option(flag="-k"),
        "memory": Option(
            "Memory for the search, such as 500M or 4G; 1G, if not given.",
            metavar="SIZE",
            parse=n_bytes,
        ),
    },
)


class SearchOptions(NamedTuple):
    """Options of the space of features that is searched."""

    kernel: Annotated[
        str,
        Option(
            "Features are sub-trees (trees) or sets of features of arcs (products).",
            panel=SEARCH,
            choices=(TREES, PRODUCTS),
        ),
    ] = TREES
    arcs: Annotated[
        int | None,
        Option(
            "trees: number of arcs of the largest sub-trees.",
            of="laconic.mine.sub_trees:SubTrees",
            panel=SEARCH,
        ),
    ] = None
    degree: Annotated[
        int | None,
        Option(
            "products: number of features of the largest sets.",
            of="laconic.mine.polynomial:Polynomial",
            panel=SEARCH,
        ),
    ] = None


def train(
    path: Annotated[
        str, Option(f"Sentences with trees. {TREEBANK_HELP} {ANY_FILE}", metavar="TRAIN")
    ],
    run: Run,
    *,
    dev: Annotated[
        str | None,
        Option(
            "Sentences with trees to weigh the parser's scores on, and to report scores on.",
            metavar="DEV",
        ),
    ] = None,
    model: Annotated[
        str, Option(f"Parts of trees that the parser scores: {', '.join(MODELS)}.", panel=LISTS)
    ] = PARTS,
    epochs: Annotated[
        int, Option("Number of passes of the parser over the training data.", panel=LISTS)
    ] = PASSES,
    options: Annotated[OptionValues, MODEL],
    search: SearchOptions,
    jobs: Jobs = None,
    encoding: Encoding = UTF8,
) -> Trained:
    """Train a dependency parser, and a model that chooses among its best trees.

    The parser is also trained without each fold of the sentences, so that the lists of trees to
    choose from are like those of new sentences. After Ctrl-C nothing is written.
    """
    parts = chosen_model(model)
    _check_kernel(search)
    data = read_treebank(path, encoding)
    dev_data = None if dev is None else read_treebank(dev, encoding)
    run.bar.describe("importing")
    from laconic.core.solvers.online import Mira
    from laconic.parse.model import Parser
    from laconic.rerank.model import Reranker

    mira = Mira(epochs, random_state=options.get("random_state", 0))
    parser = Parser(parts, learner=mira, n_jobs=jobs)
    reranker = Reranker(parser, kernel=_kernel(search), **options)
    run.bar.describe("training the parsers of the folds")
    run.fit(lambda callback: reranker.fit(data, dev=dev_data, callback=callback), at_once=True)
    facts: dict[str, Any] = {"sentences": len(data), "tokens": len(data.heads)}
    facts |= {**reranker_facts(reranker), "orders": searched(reranker)}
    if run.as_json:
        facts["rounds"] = [asdict(one) for one in reranker.rounds_]
    if dev_data is None:
        return Trained(reranker, facts)
    return Trained(
        reranker, facts, lambda: {**scores(reranker, dev_data), **beside(reranker, dev_data)}
    )


def _check_kernel(search: SearchOptions) -> None:
    for flag, given, wanted in (
        ("--arcs", search.arcs, TREES),
        ("--degree", search.degree, PRODUCTS),
    ):
        if given is not None and search.kernel != wanted:
            raise InputError(f"{flag} does not go with --kernel {search.kernel}.")


def _kernel(search: SearchOptions) -> SubTrees | Polynomial:
    from laconic.mine.polynomial import Polynomial
    from laconic.mine.sub_trees import SubTrees

    if search.kernel == TREES:
        return SubTrees() if search.arcs is None else SubTrees(search.arcs)
    return Polynomial() if search.degree is None else Polynomial(search.degree)


def reranker_facts(model: Reranker) -> dict[str, Any]:
    """Return what is known of a reranker besides its fit report."""
    parser = model.parser_
    return {
        "parser": {"parts": parser.model, "weights": parser.n_features_selected_},
        "k": model.k,
        "folds": model.folds,
        "kernel": repr(model.used_kernel),
        "threshold": model.threshold,
        "basic_features": len(model.space_),
        "beta": model.beta_,
        "labels": 0 if parser.labeler_ is None else len(parser.labeler_.tagger_.classes_),
    }


def searched(model: Reranker) -> list[dict[str, Any]]:
    """Return one row per order of features."""
    from laconic.rerank.explain import order_rows

    return [row._asdict() for row in order_rows(model)]
