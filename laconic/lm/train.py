"""`laconic train lm`: sentences to a model of the next word."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any

import typer

from laconic.cli.console import Bar, guard, print_result, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.learning_options import LEARNING, Jobs, Output, Strength
from laconic.cli.measure import Measured
from laconic.cli.options import (
    SENTENCES_HELP,
    AsJson,
    Encoding,
    Quiet,
    check_output,
    check_strength,
)
from laconic.cli.training import check_model_output, end_interrupted
from laconic.errors import InputError
from laconic.lm.contexts import MOST_ORDER, Text
from laconic.lm.sentences import read_sentences
from laconic.text.io import STANDARD_STREAM

if TYPE_CHECKING:
    from laconic.lm.model import LanguageModel

METHODS = ("kneser-ney", "interpolated", "log-linear")
PENALTIES = ("groups", "ridge", "lasso", "tree", "tree-inf")
WITH_RIDGE, WITH_FADE = ("groups", "tree", "tree-inf"), ("tree", "tree-inf")
LOG_LINEAR = METHODS[-1]


@guard()
def train(
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN",
            help=f"{SENTENCES_HELP.capitalize()} gzip is fine, - is standard input.",
        ),
    ],
    dev: Annotated[str | None, typer.Option(help="Sentences to report perplexities on.")] = None,
    output: Output = None,
    order: Annotated[
        int, typer.Option(help="Words of the longest n-grams, the predicted one among them.")
    ] = 5,
    min_count: Annotated[
        int,
        typer.Option(
            min=1,
            help="Words that occur less often are <unk>; 1: <unk> is a word that never occurs.",
        ),
    ] = 1,
    method: Annotated[
        str,
        typer.Option(
            help="kneser-ney (modified: three discounts for each order), interpolated (Kneser-Ney with one), or log-linear.",
            rich_help_panel=LEARNING,
        ),
    ] = METHODS[0],
    penalty: Annotated[
        str | None,
        typer.Option(
            help=f"log-linear: {', '.join(PENALTIES)}; groups, if not given.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    strength: Strength = None,
    growth: Annotated[
        float | None,
        typer.Option(
            help="log-linear: the strength is multiplied by this with every word of a context; if not given, 0.85 for tree and tree-inf, and counts of n-grams say it for the others.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    ridge: Annotated[
        float | None,
        typer.Option(
            help="log-linear: strength of a ridge beside tree and tree-inf, and on single words beside groups.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    fade: Annotated[
        float | None,
        typer.Option(
            help="log-linear: in the norms of tree and tree-inf a weight is divided by this with every word of its context.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            help="log-linear: relative duality gap at which to stop: 0.001, if not given.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="log-linear: passes over the text, at most: 200, if not given.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    prune: Annotated[
        int | None,
        typer.Option(
            help="Keep so many n-grams, single words among them, and lose as little as possible."
        ),
    ] = None,
    arpa: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write an ARPA file too, with the same probabilities; gzip if it ends in .gz.",
        ),
    ] = None,
    jobs: Jobs = None,
    encoding: Encoding = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a language model: how likely each word is after those before it in its sentence.

    Ctrl-C stops a log-linear model after the pass at hand and keeps what was learned; of the other methods nothing is written.
    """
    wishes = {
        "penalty": penalty,
        "strength": strength,
        "growth": growth,
        "ridge": ridge,
        "fade": fade,
        "tol": tol,
        "max_iter": max_iter,
    }
    _check(order, method, wishes)
    check_model_output(output)
    if arpa == STANDARD_STREAM:
        raise InputError("an ARPA file is written to a file: give its name with --arpa.")
    if arpa is not None:
        check_output(arpa)
    with Measured() as cost, progress("reading", quiet=quiet) as bar:
        sentences = read_sentences(train, encoding or "utf-8")
        dev_sentences = None if dev is None else read_sentences(dev, encoding or "utf-8")
        bar.describe("importing")
        from laconic import LanguageModel
        from laconic.lm.cli import account, orders, scores

        model = LanguageModel(order, _learner(method, wishes, jobs), min_count, n_jobs=jobs)
        text = _fit(model, sentences, prune, bar)
        if prune is not None:
            bar.describe("pruning")
            model = model.prune(prune, text)
        bar.describe("writing")
        if output is not None:
            model.save(output)
        if arpa is not None:
            model.to_arpa(arpa)
        bar.describe("scoring")
        dev_scores = {} if dev_sentences is None else {"dev": scores(model, dev_sentences)}
    report = {
        "model": output,
        **({"arpa": arpa} if arpa else {}),
        **cost.report(),
        "sentences": len(sentences),
        "words": len(text.tokens) - len(sentences),
    }
    print_result({**report, **account(model), **dev_scores, "orders": orders(model)}, as_json)
    if model.interrupted_:
        end_interrupted(output)


def _check(order: int, method: str, wishes: dict[str, Any]) -> None:
    """InputError for options that cannot be, alone or together."""
    if not 1 <= order <= MOST_ORDER:
        raise InputError(f"--order must be from 1 to {MOST_ORDER}, not {order}.")
    if method not in METHODS:
        raise InputError(f"--method is one of {', '.join(METHODS)}, not {method!r}.")
    for name, value in wishes.items():
        if value is not None and method != LOG_LINEAR:
            raise InputError(f"--{name.replace('_', '-')} does not go with --method {method}.")
    penalty = wishes["penalty"] or PENALTIES[0]
    if penalty not in PENALTIES:
        raise InputError(f"--penalty is one of {', '.join(PENALTIES)}, not {penalty!r}.")
    for name, wanted in (("ridge", WITH_RIDGE), ("fade", WITH_FADE)):
        if wishes[name] is not None and penalty not in wanted:
            raise InputError(f"--{name} does not go with --penalty {penalty}.")
    check_strength("--strength", wishes["strength"])
    check_strength("--ridge", wishes["ridge"])
    for name in ("growth", "fade", "tol"):
        if (value := wishes[name]) is not None and not 0 < value < math.inf:
            raise InputError(f"--{name} must be a number above 0, not {value}.")


def _learner(method: str, wishes: dict[str, Any], jobs: int | None) -> Any:
    from joblib import effective_n_jobs

    from laconic import KneserNey, LogLinear, NestedGroups, NestedLasso, NestedRidge, NestedTree

    if method != LOG_LINEAR:
        return KneserNey(modified=method == METHODS[0])
    made: dict[str, Callable[..., Any]] = {
        "groups": NestedGroups,
        "ridge": NestedRidge,
        "lasso": NestedLasso,
        "tree": NestedTree,
    }
    made["tree-inf"] = partial(NestedTree, norm="inf")
    penalty = made[wishes["penalty"] or PENALTIES[0]](
        **_given(wishes, "strength", "growth", "ridge", "fade")
    )
    return LogLinear(penalty, **_given(wishes, "tol", "max_iter"), n_jobs=effective_n_jobs(jobs))


def _given(wishes: dict[str, Any], *names: str) -> dict[str, Any]:
    """Those of the names that are not None."""
    return {name: wishes[name] for name in names if wishes[name] is not None}


def _fit(model: LanguageModel, sentences: list[str], prune: int | None, bar: Bar) -> Text:
    """Fit, tell of every pass and of what the learner warns of, and end after a pass at Ctrl-C; the text that was learned from."""
    from laconic.lm.running import SentenceEncoder

    bar.describe("encoding")
    encoder, text = SentenceEncoder.learn(sentences, model.min_count)
    if prune is not None and prune < len(encoder):
        raise InputError(
            f"--prune must be at least {len(encoder)}, the number of words, which all stay, not {prune}."
        )
    bar.describe("learning")
    n_passes = count(1)

    def on_pass(step: Any) -> bool:
        gap = f", relative gap {step.certificate:.1e}" if math.isfinite(step.certificate) else ""
        bar.describe(f"pass {next(n_passes)}: objective {step.value:.6g}{gap}")
        return interrupt.requested

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if hasattr(model.learner, "max_iter"):
            with graceful_interrupt() as interrupt:
                model.fit_text(encoder, text, on_pass)
        else:
            model.fit_text(encoder, text)
    for warning in caught:
        print(f"laconic: {warning.message}.", file=sys.stderr)
    return text
