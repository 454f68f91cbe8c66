"""`laconic train parse`: a treebank to a model file."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.options import ANY_FILE, TREEBANK_HELP, UTF8, Encoding
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.models.option import Option, OptionValues, Parameters
from laconic.parse.scores import scores
from laconic.parse.template_sets import SETS
from laconic.tag.learners import (
    LEARNING,
    REFIT,
    TREE_LEARNERS,
    LearningOptions,
    make_learners,
    penalties_help,
)
from laconic.tag.scores import most_held, refit_text
from laconic.text.treebanks import read_treebank

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.parse.model import Parser
    from laconic.parse.predict import TreeModel

TREES = "Trees"
MODELS: tuple[TreeModel, ...] = ("arcs", "siblings", "carreras", "grand siblings", "tri siblings")
OF_ORDER: dict[int, TreeModel] = {1: "arcs", 2: "carreras", 3: "grand siblings"}
MODEL = Parameters(
    "laconic.parse.model:Parser",
    {
        TREES: (
            "templates",
            "clusters",
            "crossing",
            "single_root",
            "labels",
            "prune",
            "most_tokens",
        ),
        REFIT: ("refit_features",),
        "": ("n_jobs",),
    },
    {
        "templates": Option(
            f"{', '.join(SETS)}, or a file; without it, those that suit the model.",
            metavar="NAME|FILE",
        ),
        "clusters": Option(
            "Brown clusters for cluster views, one per line: bits, tab, word.", metavar="FILE"
        ),
        "single_root": Option(
            "Whether one word alone hangs on the root; without it, as in the training data.",
            flag="--single-root/--several-roots",
        ),
        "prune": Option(
            "Leave out arcs that are less probable than this times the best; 0 keeps all.",
            minimum=0,
        ),
        "most_tokens": Option(
            "Longer sentences are cut at punctuation and joined again; none is learned from.",
            metavar="N",
            minimum=1,
        ),
    },
)


class TreeOptions(NamedTuple):
    """Options of a parser that are not parameters of its constructor."""

    model: Annotated[
        str | None, Option(f"Parts of trees that are scored: {', '.join(MODELS)}.", panel=TREES)
    ] = None
    order: Annotated[
        int | None, Option("1: arcs, 2: carreras, 3: grand siblings.", panel=TREES)
    ] = None
    own_tags: Annotated[
        bool,
        Option("Train a tagger too: sentences then need words alone.", panel=TREES),
    ] = False


def train(
    path: Annotated[
        str, Option(f"Sentences with trees. {TREEBANK_HELP} {ANY_FILE}", metavar="TRAIN")
    ],
    run: Run,
    *,
    dev: Annotated[
        str | None, Option("Sentences with trees to report scores on.", metavar="DEV")
    ] = None,
    trees: TreeOptions,
    model: Annotated[OptionValues, MODEL],
    learner: Annotated[str, Option(f"{', '.join(TREE_LEARNERS)}.", panel=LEARNING)] = "mira",
    penalty: Annotated[str | None, Option(penalties_help(TREE_LEARNERS), panel=LEARNING)] = None,
    options: LearningOptions,
    encoding: Encoding = UTF8,
) -> Trained:
    """Train a dependency parser.

    Ctrl-C stops the training after the current pass and keeps what was learned.
    """
    parts = chosen_model(trees.model, trees.order)
    first, second = make_learners(TREE_LEARNERS, learner, penalty, options)
    data = read_treebank(path, encoding)
    dev_data = None if dev is None else read_treebank(dev, encoding)
    run.bar.describe("importing")
    from laconic.parse.model import Parser
    from laconic.parse.tags import WordTagger

    tagger = WordTagger(n_jobs=model.get("n_jobs")) if trees.own_tags else None
    parser = Parser(parts, learner=first, refit=second, tagger=tagger, **model)
    run.bar.describe("encoding")
    run.fit(lambda callback: parser.fit(data, callback=callback))
    facts: dict[str, Any] = {"sentences": len(data), "tokens": len(data.heads)}
    facts |= parser_facts(parser)
    if run.as_json:
        facts["trace"] = [asdict(event) for event in parser.report_.trace]
    return Trained(parser, facts, None if dev_data is None else lambda: scores(parser, dev_data))


def chosen_model(name: str | None, order: int | None = None) -> TreeModel:
    """Return the parts of trees that --model or --order name."""
    if name is not None and order is not None:
        raise InputError(
            "--model and --order both say which parts of trees are scored: give one of them."
        )
    if name is None:
        if order not in (None, *OF_ORDER):
            raise InputError(f"--order must be one of 1, 2, 3, not {order}.")
        return OF_ORDER[order or 1]
    plain = name.replace("-", " ")
    for model in MODELS:
        if model == plain:
            return model
    raise InputError(f"--model must be one of {', '.join(MODELS)}, not {name!r}.")


def parser_facts(model: Parser) -> dict[str, Any]:
    """Return what is known of a parser besides its fit report."""
    labeler = None if model.labeler_ is None else model.labeler_.tagger_
    return {
        "parts": model.model,
        "refit": refit_text(model.refit),
        "crossing": model.crossing,
        "single_root": model.shape_.single_root,
        "degrees_of_freedom": model.weights_.n_distinct,
        "features_held_most": most_held(model.report_.trace),
        "tag_weights": 0 if model.tagger_ is None else model.tagger_.tagger_.n_features_selected_,
        "labels": 0 if labeler is None else len(labeler.classes_),
        "label_weights": 0 if labeler is None else labeler.n_features_selected_,
    }
