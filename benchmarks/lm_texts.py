"""Texts for language models: sentences as lists of words, and pieces of them of a given number of
words.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.running import UNKNOWN_ID, SentenceEncoder

NUMBER = re.compile(r"[+-]?[\d.,/:-]*\d[\d.,/:-]*%?")
Sentences = list[list[str]]


class Piece(NamedTuple):
    """Training text and test text with one vocabulary: words seen once in training are <unk>."""

    train: Text
    test: Text
    encoder: SentenceEncoder


def sentences(file: Path) -> Sentences:
    """The lines of a file that are not blank, as words."""
    return list(iterate_sentences(file))


def iterate_sentences(file: Path) -> Iterator[list[str]]:
    """The same one by one, for those who need the first ones of a large file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from (words for line in lines if (words := line.split()))


def newswire(data: Path, part: str = "train") -> Sentences:
    """A part of Reuters-21578 in lower case, numbers one word."""
    text = sentences(data / "reuters21578" / f"reuters.{part}.txt.gz")
    normal = cache(lambda word: "#n" if NUMBER.fullmatch(word) else word.lower())
    return [[normal(word) for word in each] for each in text]


def penn(data: Path, part: str = "train") -> Sentences:
    """The Penn Treebank text of language models."""
    return sentences(data / "ptb" / f"ptb.{part}.txt.gz")


def perplexity(model: ContextModel, text: Text, unknown: bool = True) -> float:
    """Of words and ends of sentences; without `unknown`, as Nelakanti et al.

    (2013) count, unknown words are contexts but not predicted.
    """
    automaton = model.automaton()
    log_probs = automaton.score(text.tokens, text.ptr, automaton.start())[0]
    return float(np.exp(-log_probs[unknown | (text.tokens != UNKNOWN_ID)].mean()))


def piece(text: Sentences, first: int, n_train: int, n_test: int) -> Piece:
    """Return sentences of n_train words after `first` words, then sentences of n_test words."""
    begin, _ = _taken(text, 0, first)
    middle, train = _taken(text, begin, n_train)
    _, test = _taken(text, middle, n_test)
    encoder, ids = SentenceEncoder.learn(train, 2, None)
    return Piece(ids, encoder.encode(test), encoder)


def _taken(text: Sentences, begin: int, n_words: int) -> tuple[int, Sentences]:
    end = begin
    while end < len(text) and n_words >= len(text[end]):
        n_words -= len(text[end])
        end += 1
    return end, text[begin:end]
