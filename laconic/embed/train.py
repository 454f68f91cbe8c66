"""`laconic train embed`: text to vectors of words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from laconic.cli.console import Bar, guard, print_result, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.learning_options import LEARNING, Jobs, Output, Strength
from laconic.cli.measure import Measured
from laconic.cli.options import SENTENCES_HELP, AsJson, Quiet, check_output, check_strength
from laconic.cli.training import check_model_output, end_interrupted
from laconic.core.report import Event
from laconic.embed.word_counts import RARE
from laconic.errors import InputError
from laconic.text.io import STANDARD_STREAM

if TYPE_CHECKING:
    from laconic.embed.model import WordVectors

ONLINE, STOCHASTIC, SVD = LEARNERS = ("online", "stochastic", "svd")
PENALTIES = ("forest", "lasso")
COUNTING, ASSOCIATION = "Counting", "Association"
UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


@guard()
def train(
    train: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT..",
            help=f"{SENTENCES_HELP.capitalize()} gzip is fine, - is standard input.",
        ),
    ],
    output: Output = None,
    word2vec: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a word2vec file too; binary if it ends in .bin or .bin.gz."
        ),
    ] = None,
    size: Annotated[int | None, typer.Option(min=1, help="Dimensions: 52, if not given.")] = None,
    learner: Annotated[
        str,
        typer.Option(
            help="online (dictionary learning), stochastic (for texts too large for it), or svd (no zeros).",
            rich_help_panel=LEARNING,
        ),
    ] = ONLINE,
    penalty: Annotated[
        str | None,
        typer.Option(
            help="forest (dimensions in trees, from coarse to fine) or lasso: forest, if not given.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    strength: Strength = None,
    branching: Annotated[
        str | None,
        typer.Option(
            help="forest: children of a node at each depth: 3,3, if not given.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    positive: Annotated[
        bool,
        typer.Option(
            "--positive", help="No number of a vector is below 0.", rich_help_panel=LEARNING
        ),
    ] = False,
    components: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="online: code so many principal components, evened out, not all neighbours.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(
            help="Of the sizes of components, 0 (all alike) to 1 (as they are).",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    passes: Annotated[
        int | None, typer.Option(min=1, help="Passes over the words.", rich_help_panel=LEARNING)
    ] = None,
    negatives: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="stochastic: zeros that are drawn for each association: 1, if not given.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    recode: Annotated[
        bool,
        typer.Option(
            "--recode",
            help="stochastic: solve for all vectors exactly at the end.",
            rich_help_panel=LEARNING,
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of all that is random.", rich_help_panel=LEARNING)
    ] = 0,
    window: Annotated[
        int, typer.Option(help="Words to each side that count.", rich_help_panel=COUNTING)
    ] = 5,
    dynamic: Annotated[
        bool,
        typer.Option(
            "--dynamic",
            help="The farther a word of the window, the less it counts.",
            rich_help_panel=COUNTING,
        ),
    ] = False,
    min_count: Annotated[
        int,
        typer.Option(
            min=1, help="Words that occur less often have no vector.", rich_help_panel=COUNTING
        ),
    ] = 10,
    max_size: Annotated[
        int | None,
        typer.Option(
            min=1, help="Only so many words, the most frequent.", rich_help_panel=COUNTING
        ),
    ] = None,
    contexts: Annotated[
        int | None,
        typer.Option(
            min=1, help="Only so many of them count as neighbours.", rich_help_panel=COUNTING
        ),
    ] = None,
    rare: Annotated[
        str,
        typer.Option(
            help="Other words: gap (keep their place), drop, or mark (are one word, #rare#).",
            rich_help_panel=COUNTING,
        ),
    ] = RARE[0],
    subsample: Annotated[
        float | None,
        typer.Option(
            help="Words of a greater frequency than this count less, as in word2vec.",
            rich_help_panel=COUNTING,
        ),
    ] = None,
    memory: Annotated[
        str,
        typer.Option(
            help="Memory for counting, such as 500M or 4G; larger texts go through temporary files.",
            rich_help_panel=COUNTING,
        ),
    ] = "2G",
    association: Annotated[
        str, typer.Option(help="ppmi or pmi.", rich_help_panel=ASSOCIATION)
    ] = "ppmi",
    smoothing: Annotated[
        float, typer.Option(help="Power of the counts of neighbours.", rich_help_panel=ASSOCIATION)
    ] = 0.75,
    shift: Annotated[
        float, typer.Option(help="Its logarithm is taken off.", rich_help_panel=ASSOCIATION)
    ] = 1.0,
    exponent: Annotated[
        float,
        typer.Option(
            help="Power of associations: 0.5 makes those of rare words count less.",
            rich_help_panel=ASSOCIATION,
        ),
    ] = 1.0,
    weighting: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Pairs of words count by the number of their meetings to this power: try 0.65 for few dimensions; not with stochastic.",
            rich_help_panel=ASSOCIATION,
        ),
    ] = 0.0,
    scale: Annotated[
        float,
        typer.Option(
            help="0 to 1: how much dimensions are made to count alike.", rich_help_panel=ASSOCIATION
        ),
    ] = 0.0,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn vectors of words from what stands near them.

    Ctrl-C stops learning after the pass at hand and keeps what was learned; while words are counted, nothing is written.
    """
    check_model_output(output)
    _check_word2vec(word2vec)
    check_strength("--strength", strength)
    n_bytes = _bytes(memory)
    if weighting and learner == STOCHASTIC:
        raise InputError(f"--weighting does not go with --learner {learner}.")
    wishes = {
        "size": size,
        "penalty": penalty,
        "strength": strength,
        "branching": _branching(branching),
    }
    wishes |= {
        "components": components,
        "power": power,
        "positive": positive or None,
        "passes": passes,
        "negatives": negatives,
        "recode": recode or None,
    }
    with Measured() as cost, progress("importing", quiet=quiet) as bar:
        from laconic import WordVectors
        from laconic.embed.cli import account

        model = WordVectors(
            _learner(learner, wishes, seed, jobs),
            window=window,
            dynamic=dynamic,
            n_contexts=contexts,
            subsample=subsample,
            min_count=min_count,
            max_size=max_size,
            rare=rare,
            association=association,
            smoothing=smoothing,
            shift=shift,
            exponent=exponent,
            weighting=weighting,
            scale=scale,
            memory=n_bytes,
            n_jobs=jobs,
            random_state=seed,
        )
        n_associations = _fit(model, train, bar)
        bar.describe("writing")
        if output is not None:
            model.save(output)
        if word2vec is not None:
            model.to_word2vec(word2vec, word2vec.removesuffix(".gz").endswith(".bin"))
    report = {"model": output, **({"word2vec": word2vec} if word2vec else {}), **cost.report()}
    print_result({**report, "associations": n_associations, **account(model)}, as_json)
    if model.interrupted_:
        end_interrupted(output)


def _fit(model: WordVectors, train: list[str], bar: Bar) -> int:
    """Count, learn with Ctrl-C after each pass, and give the number of associations."""
    bar.describe("counting")
    given = model.associations(train)
    bar.describe(f"learning: {len(given.words):,} words, {given.matrix.nnz:,} associations")
    with graceful_interrupt() as interrupt:

        def on_pass(event: Event) -> bool:
            bar.describe(f"learning: {event}")
            return interrupt.requested

        model.fit_associations(given.words, given.counts, given.matrix, on_pass, given.weights)
    return int(given.matrix.nnz)


def _learner(name: str, wishes: dict[str, Any], seed: int, jobs: int | None) -> Any:
    """The learner of a name; InputError for options that it does not have."""
    from laconic import OnlineDictionary, StochasticCoding, Svd

    makers = {ONLINE: OnlineDictionary, STOCHASTIC: StochasticCoding, SVD: Svd}
    if name not in makers:
        raise InputError(f"--learner is one of {', '.join(makers)}, not {name!r}.")
    if wishes["penalty"] not in (None, *PENALTIES):
        raise InputError(f"--penalty is one of {', '.join(PENALTIES)}, not {wishes['penalty']!r}.")
    if wishes["branching"] is not None and wishes["penalty"] == "lasso":
        raise InputError("--branching does not go with --penalty lasso.")
    learner = makers[name](n_jobs=jobs, random_state=seed)
    known = learner.get_params(deep=False)
    chosen = {}
    for option, value in wishes.items():
        if value is None:
            continue
        parameter = "epochs" if option == "passes" and "epochs" in known else option
        if parameter not in known:
            raise InputError(f"--{option} does not go with --learner {name}.")
        chosen[parameter] = value
    return learner.set_params(**chosen)


def _branching(given: str | None) -> tuple[int, ...] | None:
    if given is None:
        return None
    if not re.fullmatch(r"\d{1,4}(,\d{1,4})*", given, re.ASCII):
        raise InputError(
            f"--branching takes numbers of children with commas between them, such as 3,3, not {given!r}."
        )
    return tuple(map(int, given.split(",")))


def _bytes(given: str) -> int:
    match = re.fullmatch(r"(\d{1,15})([kmg]?)b?", given.strip().lower(), re.ASCII)
    if match is None:
        raise InputError(f"--memory takes a number of bytes, such as 500M or 4G, not {given!r}.")
    return int(match[1]) * UNITS[match[2]]


def _check_word2vec(path: str | None) -> None:
    if path == STANDARD_STREAM:
        raise InputError("a word2vec file is written to a file: give its name with --word2vec.")
    if path is not None:
        check_output(path)
