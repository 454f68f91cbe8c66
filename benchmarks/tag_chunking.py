"""Chunking of CoNLL-2000: the corpus, its held-out part, and one measured fit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from laconic.core.ragged import cut, pointers
from laconic.core.report import passes_of
from laconic.tag.conll import read_columns
from laconic.tag.model import Tagger
from laconic.text.metrics import chunk_scores
from laconic.text.templates import Templates
from laconic.text.token_columns import TokenColumns

NAMES = ("word", "pos", "label")
BUDGETS = (10, 20, 30, 40, 50)


class Split(NamedTuple):
    """Training and evaluation sentences."""

    train: TokenColumns
    test: TokenColumns


class Fit(NamedTuple):
    """A fitted tagger on its evaluation sentences, and the templates it kept."""

    f1: float
    weights: int
    templates: int
    held: int
    seconds: float
    kept: Templates


def corpus(data: Path, quick: bool) -> Split:
    """The shared task's train and test."""
    train, test = (
        read_columns(data / "conll2000" / f"{part}.txt.gz", NAMES) for part in ("train", "test")
    )
    return Split(pick(train, range(60)), pick(test, range(30))) if quick else Split(train, test)


def held_out(tokens: TokenColumns, tenths: Sequence[int] = (9,)) -> Split:
    """Of every ten sentences, those numbered `tenths` (counted from 0) apart."""
    numbers = np.arange(len(tokens))
    apart = np.isin(numbers % 10, tenths)
    return Split(pick(tokens, numbers[~apart]), pick(tokens, numbers[apart]))


def pick(tokens: TokenColumns, sentences: Iterable[int]) -> TokenColumns:
    """Some of the sentences."""
    spans = [range(*tokens.ptr[s : s + 2]) for s in sentences]
    values = [[column[t] for span in spans for t in span] for column in tokens.values]
    return TokenColumns(tokens.names, list(values), pointers(map(len, spans)))


def labels_of(tokens: TokenColumns) -> list[list[str]]:
    """The labels, a list a sentence."""
    return list(cut(list(tokens.column("label")), tokens.ptr))


def measure(tagger: Tagger, split: Split) -> Fit:
    """Fit, and score chunks."""
    began = time.perf_counter()
    tagger.fit(split.train, labels_of(split.train))
    seconds = time.perf_counter() - began
    scores = chunk_scores(
        list(split.test.column("label")), tagger.predict_flat(split.test), split.test.ptr
    )
    return Fit(
        100 * scores.f1,
        tagger.n_features_selected_,
        len(tagger.templates_),
        most_held(tagger),
        seconds,
        tagger.templates_,
    )


def most_held(tagger: Tagger) -> int:
    """The largest number of weights in memory at any time while it learned."""
    return max((n for epoch in passes_of(tagger.trace_) for _, n in epoch.held), default=0)


def row(name: str, fit: Fit, everything: Fit, paper: tuple[float, int] | None = None) -> list[Any]:
    """One line of a table."""
    theirs = [f"{paper[0]:.2f}", paper[1]] if paper else ["–", "–"]
    return [
        name,
        f"{fit.f1:.2f}",
        fit.weights,
        fit.templates,
        percent(fit.held, everything.held),
        fit.seconds,
        *theirs,
    ]


def percent(part: float, whole: float) -> str:
    """`7.5 %`."""
    return f"{100 * part / max(1, whole):.1f} %"
