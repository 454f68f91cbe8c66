"""`laconic train lm`: sentences to a model of the next word."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.options import (
    ANY_FILE,
    SENTENCES_HELP,
    UTF8,
    Encoding,
    check_file_output,
    n_bytes,
)
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.lm.contexts import MOST_ORDER, Text
from laconic.lm.scores import orders, scores
from laconic.lm.sentences import read_sentences
from laconic.models.option import (
    STRENGTH_HELP,
    Option,
    OptionValues,
    Parameters,
    read_strength,
)

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.lm.learn import NgramLearner
    from laconic.lm.model import LanguageModel

KNESER_NEY, INTERPOLATED, LOG_LINEAR = LEARNERS = ("kneser-ney", "interpolated", "log-linear")
# Penalties that know how contexts are nested, and which of them take these options.
NESTED = ("nested-groups", "nested-ridge", "nested-lasso", "nested-tree", "nested-tree-inf")
GROUPS, TREES = NESTED[0], NESTED[3:]
TAKERS = {"growth": NESTED, "ridge": (GROUPS, *TREES), "fade": TREES}
LEARNING, LOG_LINEAR_MODELS, FILES = "Learning", "Log-linear models", "Size and files"
MODEL = Parameters("laconic.lm.model:LanguageModel", {"": ("order", "min_count", "n_jobs")})
SOLVER = Parameters("laconic.lm.log_linear:LogLinear", {LOG_LINEAR_MODELS: ("tol", "max_iter")})


class PenaltyOptions(NamedTuple):
    """Options of the penalty of a log-linear model; None is the penalty's own default."""

    strength: Annotated[
        float | None, Option(STRENGTH_HELP, panel=LOG_LINEAR_MODELS, parse=read_strength)
    ] = None
    growth: Annotated[
        float | None,
        Option(
            "nested-*: factor of the strength for every word of a context; without it, 0.85 for "
            "nested-tree and nested-tree-inf, and by counts of n-grams for the others.",
            panel=LOG_LINEAR_MODELS,
            above=0,
        ),
    ] = None
    ridge: Annotated[
        float | None,
        Option(
            "nested-groups, nested-tree, nested-tree-inf: strength of the extra ridge, beside the "
            "penalty: of single words beside groups, of all weights beside trees.",
            panel=LOG_LINEAR_MODELS,
            minimum=0,
        ),
    ] = None
    fade: Annotated[
        float | None,
        Option(
            "nested-tree, nested-tree-inf: in the norm a weight is divided by this for every word "
            "of its context.",
            panel=LOG_LINEAR_MODELS,
            above=0,
        ),
    ] = None

    def given(self) -> OptionValues:
        """Return the options that are not None."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class OutputOptions(NamedTuple):
    """Options of what is written besides the model."""

    max_ngrams: Annotated[
        int | None,
        Option(
            "Prune to this number of n-grams, single words included, at the least loss.",
            panel=FILES,
            metavar="N",
        ),
    ] = None
    arpa: Annotated[
        str | None,
        Option(
            "Write an ARPA file too, with the same probabilities; compressed if it ends in .gz.",
            panel=FILES,
            metavar="FILE",
        ),
    ] = None
    memory: Annotated[
        int | None,
        Option(
            "kneser-ney, interpolated: memory to use, such as 500M or 4G; larger texts go through "
            "temporary files, and the ARPA file is all that is written.",
            panel=FILES,
            metavar="SIZE",
            parse=n_bytes,
        ),
    ] = None

    def streams(self, *others: object) -> bool:
        """Return whether a memory is given; InputError unless --arpa and none of `others` is."""
        if self.memory is not None and (not self.arpa or self.max_ngrams or any(others)):
            raise InputError(
                "--memory is for a Kneser-Ney model in an ARPA file: it goes with --arpa, without "
                "-o, --dev, --max-ngrams and --learner log-linear."
            )
        return self.memory is not None


def train(
    path: Annotated[list[str], Option(f"{SENTENCES_HELP} {ANY_FILE}", metavar="TRAIN")],
    run: Run,
    *,
    dev: Annotated[
        str | None, Option("Sentences to report perplexities on.", metavar="DEV")
    ] = None,
    model: Annotated[OptionValues, MODEL],
    learner: Annotated[
        str,
        Option(
            "kneser-ney (modified: three discounts for each order), interpolated (Kneser-Ney with "
            "one), or log-linear.",
            panel=LEARNING,
            choices=LEARNERS,
        ),
    ] = KNESER_NEY,
    penalty: Annotated[
        str | None,
        Option(
            f"log-linear: {', '.join(NESTED)}, lasso, ridge, elastic, another name of a penalty, "
            "or a sum such as lasso+ridge.",
            panel=LEARNING,
            metavar="NAME",
        ),
    ] = None,
    nested: PenaltyOptions,
    solver: Annotated[OptionValues, SOLVER],
    also: OutputOptions,
    encoding: Encoding = UTF8,
) -> Trained:
    """Train a language model: the probability of each word given those before it in its sentence.

    Ctrl-C stops a log-linear model after the current pass and keeps what was learned; of the other
    learners nothing is written.
    """
    penalty = _check(learner, penalty, {**nested.given(), **solver})
    if not 1 <= model.get("order", 1) <= MOST_ORDER:
        raise InputError(f"--order must be from 1 to {MOST_ORDER}, not {model['order']}.")
    check_file_output(also.arpa, "an ARPA file", "--arpa")
    made = _learner(learner, penalty, nested.given(), solver, model.get("n_jobs"))
    if also.streams(run.output, dev, learner == LOG_LINEAR):
        return _stream(path, run, made, also, {**model, "encoding": encoding})
    sentences = list(chain.from_iterable(read_sentences(each, encoding) for each in path))
    dev_sentences = None if dev is None else read_sentences(dev, encoding)
    run.bar.describe("importing")
    from laconic.lm.model import LanguageModel

    found = LanguageModel(learner=made, **model)
    text = _fit(found, sentences, also.max_ngrams, run, at_once=learner != LOG_LINEAR)
    if also.max_ngrams is not None:
        run.bar.describe("pruning")
        found = found.prune(also.max_ngrams, text)
    if also.arpa is not None:
        run.bar.describe("writing")
        found.to_arpa(also.arpa)
        run.kept = True
    facts: dict[str, Any] = {"arpa": also.arpa} if also.arpa else {}
    facts |= {"sentences": len(sentences), "words": len(text.tokens) - len(sentences)}
    facts |= {**model_facts(found), "orders": orders(found)}
    dev_scores = None if dev_sentences is None else lambda: scores(found, dev_sentences)
    return Trained(found, facts, dev_scores)


def _stream(
    paths: list[str], run: Run, learner: Any, also: OutputOptions, options: OptionValues
) -> Trained:
    """Estimate a model within `also.memory` bytes, and write its ARPA file."""
    from laconic.lm.stream import write_kneser_ney

    options.pop("n_jobs", None)
    run.bar.describe("learning")
    found = run.fit(
        lambda _: write_kneser_ney(
            paths, also.arpa or "", learner, memory=also.memory or 0, **options
        ),
        at_once=True,
    )
    run.kept = True
    facts = {name: getattr(found, name) for name in ("sentences", "words", "vocabulary")}
    ngrams = [{"order": k, "ngrams": n} for k, n in enumerate(found.n_ngrams_, 1)]
    return Trained(found, {"arpa": also.arpa, **facts, "orders": ngrams})


def model_facts(model: LanguageModel) -> dict[str, Any]:
    """Return what is known of a language model besides its fit report."""
    return {"order": model.order, "vocabulary": len(model.encoder_)}


def _check(learner: str, penalty: str | None, given: OptionValues) -> str:
    """Return the penalty; InputError for options that do not go with it or with the learner."""
    wanted = {**({} if penalty is None else {"penalty": penalty}), **given}
    penalty = penalty or GROUPS
    for name in wanted:
        if learner != LOG_LINEAR:
            raise InputError(f"--{name.replace('_', '-')} does not go with --learner {learner}.")
        if name in TAKERS and penalty not in TAKERS[name]:
            raise InputError(f"--{name} does not go with --penalty {penalty}.")
    return penalty


def _learner(
    name: str, penalty: str, given: OptionValues, solver: OptionValues, jobs: int | None
) -> NgramLearner:
    """Return the learner of a name; `given` are parameters of its penalty."""
    from laconic.lm.kneser_ney import KneserNey

    if name != LOG_LINEAR:
        return KneserNey(modified=name == KNESER_NEY)
    from joblib import effective_n_jobs

    from laconic.lm.any_penalty import NESTED as MADE
    from laconic.lm.any_penalty import nested_penalty
    from laconic.lm.log_linear import LogLinear

    strength = given.pop("strength", None)
    try:
        if penalty in MADE:
            chosen = nested_penalty(MADE[penalty]().replace(**given), strength)
        else:
            nested_penalty(penalty, strength)  # checked now, stated by its name
            return LogLinear(penalty, strength=strength, **solver, n_jobs=effective_n_jobs(jobs))
    except ValueError as error:
        raise InputError(f"--penalty {penalty}: {error}.") from None
    return LogLinear(chosen, **solver, n_jobs=effective_n_jobs(jobs))


def _fit(
    model: LanguageModel, sentences: list[str], max_ngrams: int | None, run: Run, at_once: bool
) -> Text:
    """Fit, and return the encoded training data."""
    from laconic.lm.running import SentenceEncoder

    run.bar.describe("encoding")
    encoder, text = SentenceEncoder.learn(sentences, model.min_count)
    if max_ngrams is not None and max_ngrams < len(encoder):
        raise InputError(
            f"--max-ngrams must be at least {len(encoder)}, the number of words, which are all "
            f"kept, not {max_ngrams}."
        )
    run.bar.describe("learning")
    run.fit(lambda callback: model.fit_text(encoder, text, callback), at_once)
    return text
