"""`laconic train lm`: sentences to a model of the next word."""

from __future__ import annotations

from collections.abc import Iterable
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
from laconic.lm.learning_options import (
    CLASSES,
    KNESER_NEY,
    LOG_LINEAR,
    LOG_LINEAR_MODELS,
    NgramLearnerOptions,
    PenaltyOptions,
    chosen_learner,
)
from laconic.lm.scores import model_facts, orders, scores
from laconic.lm.sentences import read_sentences
from laconic.models.option import (
    Option,
    OptionValues,
    Parameters,
)

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.lm.compact import CompactLanguageModel
    from laconic.lm.log_linear import LogLinear
    from laconic.lm.model import LanguageModel

FILES = "Size and files"
MODEL = Parameters("laconic.lm.model:LanguageModel", {"": ("order", "min_count", "n_jobs")})
SOLVER = Parameters("laconic.lm.log_linear:LogLinear", {LOG_LINEAR_MODELS: ("tol", "max_iter")})


class OutputOptions(NamedTuple):
    """Options of what is written besides the model."""

    max_ngrams: Annotated[
        int | None,
        Option(
            "Keep this number of n-grams, single words included, at the least loss, and learn the "
            "weights of log-linear ones anew.",
            panel=FILES,
            metavar="N",
        ),
    ] = None
    size: Annotated[
        int | None,
        Option(
            "Keep as many n-grams as a compact model file of this size holds, such as 500K or 5MB, "
            "in the same way.",
            panel=FILES,
            metavar="BYTES",
            parse=n_bytes,
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
    vocabulary: Annotated[
        str | None,
        Option(
            "Words to know, one per line; all others become <unk>.", panel=FILES, metavar="FILE"
        ),
    ] = None
    mix: Annotated[
        str | None,
        Option(
            "Mix with this model, a file of laconic or an ARPA file, such as one of much general "
            "text; weights are those under which --dev is most likely.",
            panel=FILES,
            metavar="MODEL",
        ),
    ] = None
    log_linear: Annotated[
        bool,
        Option(
            "--mix: multiply n-grams of words, with the exponents under which --dev is most "
            "likely, instead of summing them up.",
            panel=FILES,
        ),
    ] = False
    prior: Annotated[
        str | None,
        Option(
            "Go on learning from this model, such as one of much general text: it is adapted to "
            "TRAIN as its domain.",
            panel=FILES,
            metavar="MODEL",
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

    def default_learner(self) -> str:
        """Return the best learner that these options go with."""
        if self.memory is not None:
            return KNESER_NEY
        return LOG_LINEAR if self.arpa else CLASSES

    def check(self, dev: str | None, has_passes: bool, given: Iterable[str]) -> None:
        """Raise an InputError for options that do not go together, or a file that cannot be.

        `has_passes` says whether the learner is log-linear, `given` names parameters of the model.
        """
        if self.size is not None and self.max_ngrams is not None:
            raise InputError("--size does not go with --max-ngrams: both say how much is kept.")
        if self.mix is not None and dev is None:
            raise InputError("--mix needs --dev, on which the weights of the models are chosen.")
        if self.log_linear and self.mix is None:
            raise InputError("--log-linear goes with --mix.")
        taken = [f"--{name.replace('_', '-')}" for name in given if name != "n_jobs"]
        taken += [] if self.vocabulary is None else ["--vocabulary"]
        if self.prior is not None and taken:
            raise InputError(
                f"{taken[0]} does not go with --prior, whose model has an order and words."
            )
        if self.prior is not None and not has_passes:
            raise InputError("--prior goes with the learners classes and log-linear.")
        check_file_output(self.arpa, "an ARPA file", "--arpa")

    def words(self, encoding: str) -> list[str] | None:
        """Return the words of the vocabulary, if one is given."""
        if self.vocabulary is None:
            return None
        words = read_sentences(self.vocabulary, encoding)
        several = next((word for word in words if len(word.split()) > 1), None)
        if several is not None:
            raise InputError(
                f"{self.vocabulary}: expected one word per line, found {several[:60]!r}."
            )
        return words

    def streams(self, *others: object) -> bool:
        """Return whether a memory is given; InputError unless --arpa and none of `others` is."""
        own = (self.max_ngrams, self.size, self.vocabulary, self.mix, self.prior)
        if self.memory is not None and (not self.arpa or any(own) or any(others)):
            raise InputError(
                "--memory is for a Kneser-Ney model in an ARPA file: it goes with --arpa, without "
                "-o, --dev, --max-ngrams, --size, --vocabulary, --mix, --prior and other learners."
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
    learning: NgramLearnerOptions,
    nested: PenaltyOptions,
    solver: Annotated[OptionValues, SOLVER],
    also: OutputOptions,
    encoding: Encoding = UTF8,
) -> Trained:
    """Train a language model: the probability of each word given those before it in its sentence.

    Ctrl-C stops a log-linear model after the current pass and keeps what was learned; of the
    Kneser-Ney learners nothing is written.
    """
    if not 1 <= model.get("order", 1) <= MOST_ORDER:
        raise InputError(f"--order must be from 1 to {MOST_ORDER}, not {model['order']}.")
    chosen = chosen_learner(
        learning, nested.given(), solver, model.get("n_jobs"), also.default_learner()
    )
    also.check(dev, chosen.has_passes, model)
    if also.streams(run.output, dev, chosen.has_passes):
        return _stream(path, run, chosen.learner, also, {**model, "encoding": encoding})
    sentences = list(chain.from_iterable(read_sentences(each, encoding) for each in path))
    dev_sentences = None if dev is None else read_sentences(dev, encoding)
    run.bar.describe("importing")
    from laconic.lm.interpolation import interpolated
    from laconic.lm.model import LanguageModel

    other = None if also.mix is None else _model_of(also.mix, "--mix")
    found: LanguageModel | CompactLanguageModel
    if also.prior is not None:
        fitted, text, refit = *_adapted(also.prior, sentences, chosen.learner, run), None
    else:
        fitted = LanguageModel(learner=chosen.learner, vocabulary=also.words(encoding), **model)
        text = _fit(fitted, sentences, also.max_ngrams, run, at_once=not chosen.has_passes)
        refit = chosen.refit(fitted.report_)
    if other is not None:
        run.bar.describe("mixing")
        fitted = interpolated([fitted, other], dev_sentences, log_linear=also.log_linear)
    found = fitted
    if also.max_ngrams is not None or also.size is not None:
        run.bar.describe("pruning")
        found = _smaller(fitted, also, text if other is None else sentences, refit)
    facts: dict[str, Any] = {} if also.arpa is None else _written(found, also.arpa, run)
    facts |= {"sentences": len(sentences), "words": len(text.tokens) - len(sentences)}
    if chosen.by_default and also.prior is None:
        from laconic.lm.default import reason

        facts["chosen"] = reason(text, found.order)
    facts |= {**model_facts(found), "orders": orders(found)}
    dev_scores = None if dev_sentences is None else lambda: scores(found, dev_sentences)
    return Trained(found, facts, dev_scores)


def _written(model: LanguageModel | CompactLanguageModel, path: str, run: Run) -> dict[str, Any]:
    """Write an ARPA file, and return what a report says of it."""
    run.bar.describe("writing")
    model.to_arpa(path)
    run.kept = True
    return {"arpa": path}


def _smaller(
    model: LanguageModel, also: OutputOptions, kept: Text | list[str], refit: LogLinear | None
) -> LanguageModel | CompactLanguageModel:
    """Return the model cut down to a number of n-grams or of bytes."""
    if also.size is None:
        return model.prune(also.max_ngrams or 0, kept, refit)
    from laconic.lm.sizing import sized

    try:
        return sized(model, also.size, kept, refit)
    except ValueError as error:
        raise InputError(f"--size: {error}.") from None


def _model_of(path: str, flag: str) -> LanguageModel:
    """Return the language model of a file."""
    from laconic.lm.compact import CompactLanguageModel
    from laconic.lm.foreign import read, recognizes
    from laconic.lm.model import LanguageModel
    from laconic.models.save import load

    other = read(path) if recognizes(path) else load(path)
    if isinstance(other, CompactLanguageModel):
        other = other.plain()
    if not isinstance(other, LanguageModel):
        raise InputError(f"{flag} {path}: expected a language model, found another kind of model.")
    return other


def _adapted(path: str, sentences: list[str], learner: Any, run: Run) -> tuple[LanguageModel, Text]:
    """Return the model of a file adapted to sentences, and these encoded."""
    from laconic.lm.adaptation import adapted

    prior = _model_of(path, "--prior")
    run.bar.describe("learning")
    found = run.fit(lambda callback: adapted(prior, sentences, learner, callback))
    return found, found.encoder_.encode(sentences)


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


def _fit(
    model: LanguageModel, sentences: list[str], max_ngrams: int | None, run: Run, at_once: bool
) -> Text:
    """Fit, and return the encoded training data."""
    from laconic.lm.running import SentenceEncoder

    run.bar.describe("encoding")
    encoder, text = SentenceEncoder.learn(sentences, model.min_count, model.vocabulary)
    if max_ngrams is not None and max_ngrams < len(encoder):
        raise InputError(
            f"--max-ngrams must be at least {len(encoder)}, the number of words, which are all "
            f"kept, not {max_ngrams}."
        )
    run.bar.describe("learning")
    run.fit(lambda callback: model.fit_text(encoder, text, callback), at_once)
    return text
