"""`laconic train embed`: text to vectors of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.options import ANY_FILE, SENTENCES_HELP, check_file_output, n_bytes
from laconic.cli.slots import numbers
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.models.option import (
    STRENGTH_HELP,
    Option,
    OptionValues,
    Parameters,
    read_strength,
)

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.embed.learn import CodeLearner
    from laconic.embed.model import WordVectors

ONLINE, STOCHASTIC, SVD = LEARNERS = ("online", "stochastic", "svd")
FOREST, LASSO = PENALTIES = ("forest", "lasso")
LEARNING, COUNTING, ASSOCIATION = "Learning", "Counting", "Association"
MODEL = Parameters(
    "laconic.embed.model:WordVectors",
    {
        COUNTING: (
            "window",
            "dynamic",
            "min_count",
            "max_size",
            "n_contexts",
            "rare",
            "subsample",
            "memory",
        ),
        ASSOCIATION: ("association", "smoothing", "shift", "exponent", "weighting", "scale"),
        "": ("random_state", "n_jobs"),
    },
    {
        "max_size": Option(flag="--max-words", minimum=1),
        "n_contexts": Option(minimum=1),
        "memory": Option(
            "Memory for counting, such as 500M or 4G; larger texts go through temporary files.",
            metavar="SIZE",
            parse=n_bytes,
        ),
        "weighting": Option(flag="--pair-weighting", minimum=0),
    },
)


class CodeOptions(NamedTuple):
    """Options of how vectors are learned; None and False are the learner's own default."""

    size: Annotated[
        int | None,
        Option("Number of dimensions: 52, if not given.", flag="--dimensions", minimum=1),
    ] = None
    penalty: Annotated[
        str | None,
        Option(
            "forest (dimensions in trees, from coarse to fine), lasso or, of the online learner, "
            "another name of a penalty or a sum such as lasso+ridge.",
            panel=LEARNING,
        ),
    ] = None
    strength: Annotated[
        float | dict[str, float] | None,
        Option(STRENGTH_HELP, panel=LEARNING, parse=read_strength),
    ] = None
    branching: Annotated[
        tuple[int, ...] | None,
        Option(
            "forest: number of children of a node at each depth: 3,3, if not given.",
            panel=LEARNING,
            parse=numbers,
        ),
    ] = None
    positive: Annotated[bool, Option("Allow no negative number in a vector.", panel=LEARNING)] = (
        False
    )
    components: Annotated[
        int | None,
        Option(
            "online: code this number of principal components, not all contexts.",
            panel=LEARNING,
            minimum=1,
        ),
    ] = None
    power: Annotated[
        float | None,
        Option(
            "online, svd: power of the sizes of components, from 0 (all alike) to 1 (as they are).",
            panel=LEARNING,
        ),
    ] = None
    epochs: Annotated[
        int | None,
        Option("Number of passes over the training data.", panel=LEARNING, minimum=1),
    ] = None
    negatives: Annotated[
        float | None,
        Option(
            "stochastic: number of zeros drawn for each association: 1, if not given.",
            panel=LEARNING,
            minimum=0,
        ),
    ] = None
    recode: Annotated[
        bool, Option("stochastic: solve for all vectors exactly at the end.", panel=LEARNING)
    ] = False


def train(
    path: Annotated[list[str], Option(f"{SENTENCES_HELP} {ANY_FILE}", metavar="TEXT")],
    run: Run,
    *,
    word2vec: Annotated[
        str | None,
        Option("Write a word2vec file too; binary if it ends in .bin or .bin.gz.", metavar="FILE"),
    ] = None,
    learner: Annotated[
        str,
        Option(
            "online (dictionary learning), stochastic (for texts too large for it), or svd (no "
            "zeros).",
            panel=LEARNING,
            choices=LEARNERS,
        ),
    ] = ONLINE,
    code: CodeOptions,
    model: Annotated[OptionValues, MODEL],
) -> Trained:
    """Train word vectors from the words that occur near each other.

    Ctrl-C stops the learning after the current pass and keeps what was learned; while words are
    counted, nothing is written.
    """
    check_file_output(word2vec, "a word2vec file", "--word2vec")
    if model.get("weighting") and learner == STOCHASTIC:
        raise InputError(f"--pair-weighting does not go with --learner {learner}.")
    run.bar.describe("importing")
    from laconic.embed.model import WordVectors

    shared: OptionValues = {
        name: model[name] for name in ("n_jobs", "random_state") if name in model
    }
    vectors = WordVectors(_learner(learner, code, shared), **model)
    n_associations = _fit(vectors, path, run)
    if word2vec is not None:
        run.bar.describe("writing")
        run.kept = True
        vectors.to_word2vec(word2vec, word2vec.removesuffix(".gz").endswith(".bin"))
    facts: dict[str, Any] = {"word2vec": word2vec} if word2vec else {}
    return Trained(vectors, {**facts, "associations": n_associations, **vector_facts(vectors)})


def vector_facts(model: WordVectors) -> dict[str, Any]:
    """Return what is known of word vectors besides their fit report."""
    n_words, size = model.codes_.shape
    report = model.report_
    return {
        "words": n_words,
        "size": size,
        "occurrences": int(model.counts_.sum()),
        "share_of_zeros": 1 - report.features_kept / report.features_total,
    }


def _fit(model: WordVectors, paths: list[str], run: Run) -> int:
    """Count, learn, and return the number of associations."""
    run.bar.describe("counting")
    given = model.associations(paths)
    run.bar.describe(f"learning: {len(given.words):,} words, {given.matrix.nnz:,} associations")
    run.fit(
        lambda callback: model.fit_associations(
            given.words, given.counts, given.matrix, callback, given.weights
        )
    )
    return int(given.matrix.nnz)


def _learner(name: str, code: CodeOptions, shared: OptionValues) -> CodeLearner:
    """Return the learner of a name; InputError for options that it does not have."""
    from laconic.embed.online_dictionary import OnlineDictionary
    from laconic.embed.stochastic import StochasticCoding
    from laconic.embed.svd import Svd

    if code.branching is not None and code.penalty == LASSO:
        raise InputError("--branching does not go with --penalty lasso.")
    makers = {ONLINE: OnlineDictionary, STOCHASTIC: StochasticCoding, SVD: Svd}
    learner: Any = makers[name](**shared)
    known = learner.get_params(deep=False)
    chosen = {}
    for option, value in code._asdict().items():
        if value is None or value is False:
            continue
        parameter = "passes" if option == "epochs" and "passes" in known else option
        if parameter not in known:
            raise InputError(f"--{option} does not go with --learner {name}.")
        chosen[parameter] = value
    made: Any = learner.set_params(**chosen)
    if name != SVD:
        try:
            made.code_terms()
        except ValueError as error:
            raise InputError(f"--penalty {code.penalty}: {error}.") from None
    return made  # type: ignore[no-any-return]
