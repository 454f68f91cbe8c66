"""The section on whole corpora: how fast log-linear models learn from 0.9 to 2.4 million words, and
what they reach beside Kneser-Ney.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.lm_texts import newswire, penn, perplexity, sentences
from benchmarks.page import table
from benchmarks.timing import measure_in_subprocess, peak_megabytes_so_far
from laconic.lm.contexts import Text
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.log_linear import LogLinear, model_of
from laconic.lm.nested import NestedRidge
from laconic.lm.nested_groups import NestedGroups
from laconic.lm.nested_tree import NestedTree
from laconic.lm.running import SentenceEncoder

PAPER_RATE = 13e6 / (7583 * 60)  # words a second of one pass, Nelakanti et al. (2013), section 7
PASSES = 80
MODELS: dict[str, Any] = {
    "modified Kneser-Ney": KneserNey(),
    "weighted square": NestedRidge(),
    "groups of contexts and extensions": NestedGroups(),
    "weighted tree": NestedTree(),
}
RUNS = (("ptb", 5), ("ptb", 9), ("wikitext2", 5), ("reuters21578", 5))


class Corpus(NamedTuple):
    """Three parts of a text as ids."""

    train: Text
    dev: Text
    test: Text


class Learned(NamedTuple):
    """Cost and result of one fit.

    Perplexities count every token, unknown words and ends among them.
    """

    dev: float
    test: float
    seconds: float
    passes: int
    gap: float
    megabytes: float
    weights: int


def corpus(name: str, data: Path, quick: bool) -> Corpus:
    """Train, dev and test; in Reuters words seen once are unknown, the others come with unknown
    words of their own.
    """
    if name == "reuters21578":
        parts = [newswire(data, part) for part in ("train", "valid", "test")]
    elif name == "ptb":
        parts = [penn(data, part) for part in ("train", "valid", "test")]
    else:
        parts = [
            sentences(data / name / f"wiki.{part}.tokens.gz") for part in ("train", "valid", "test")
        ]
    if quick:
        parts = [part[:300] for part in parts]
    encoder, train = SentenceEncoder.learn(parts[0], 2 if name == "reuters21578" else 1, None)
    return Corpus(train, *(encoder.encode(part) for part in parts[1:]))


def learn(name: str, order: int, how: Any, data: Path, quick: bool) -> Learned:
    """Fit one model on a corpus, in a process of its own."""
    given = corpus(name, data, quick)
    before, began = peak_megabytes_so_far(), time.process_time()
    if isinstance(how, KneserNey):
        model, passes, gap = how.learn(given.train, order).model, 1, 0.0
        weights = len(model.target)
    else:
        fitted = LogLinear(how, tol=2e-3, max_iter=8 if quick else PASSES).fit(given.train, order)
        passes, gap, weights = (
            fitted.report.n_iter,
            fitted.report.certificate,
            int(np.count_nonzero(fitted.weights)),
        )
        model = model_of(fitted, given.train)
    seconds = time.process_time() - began
    megabytes = peak_megabytes_so_far() - before
    return Learned(
        perplexity(model, given.dev),
        perplexity(model, given.test),
        seconds,
        passes,
        gap,
        megabytes,
        weights,
    )


def section(data: Path, quick: bool = False) -> str:
    """The section of the page."""
    rows = []
    for name, order in RUNS[:2] if quick else RUNS:
        n_tokens = len(corpus(name, data, quick).train.tokens)
        for model, how in MODELS.items():
            if model == "weighted tree" and (name, order) != RUNS[0]:
                continue  # its perplexity at one order and corpus is enough to place it
            best = measure_in_subprocess(learn, name, order, how, data, quick).value
            rate = n_tokens * best.passes / best.seconds
            log_linear = model != "modified Kneser-Ney"
            rows.append(
                [
                    name,
                    str(order),
                    model,
                    f"{best.dev:.1f}",
                    f"{best.test:.1f}",
                    best.weights,
                    best.seconds,
                    best.passes if log_linear else "–",
                    f"{best.gap:.0e}" if log_linear else "–",
                    int(rate) if log_linear else "–",
                    int(rate / PAPER_RATE) if log_linear else "–",
                    int(best.megabytes),
                ]
            )
            print(rows[-1], flush=True)
    columns = [
        "corpus",
        "order",
        "model",
        "dev",
        "test",
        "weights",
        "CPU s",
        "passes",
        "gap",
        "words/s of a pass",
        "times the paper's",
        "MB",
    ]
    learners = "; ".join(f"{model}: `{how!r}`" for model, how in MODELS.items())
    text = (
        "Perplexity of all tokens, <unk> and ends of sentences counted as words (the literature "
        "has about 141 for Kneser-Ney of order 5 on the Penn text: Mikolov et al. 2011). "
        "Penn Treebank text 887,521 words, WikiText-2 2,051,910, Reuters-21578 2,421,950 (lower "
        "case, numbers one word, words seen once unknown). One thread; CPU seconds and memory "
        "of everything from ids to a model. All with their default strengths; fits end at a "
        f"relative duality gap of 0.002 or after {PASSES} passes. The paper: 7,583 minutes for a "
        f"pass over 13 million words, {PAPER_RATE:.0f} words a second. "
        f"{learners}.\n"
    )
    return "\n".join(["## Whole corpora\n", text, table(columns, rows)])
