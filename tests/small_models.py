"""Small models of the kinds that go into web pages and are served."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from parsers import SENTENCES, TREES

from laconic import (
    KneserNey,
    LanguageModel,
    Mira,
    Parser,
    Tagger,
    TextClassifier,
    WordTagger,
    WordVectors,
)


def classifier() -> TextClassifier:
    texts = ["sun and sand", "snow and ice", "sun and heat", "ice and frost"] * 5
    labels = ["warm", "<b>cold</b>", "warm", "<b>cold</b>"] * 5
    return TextClassifier("lasso", strength=0.5).fit(texts, labels)


def tagger() -> Tagger:
    sentences = [["the", "cat", "sat"], ["a", "dog", "ran"], ["<i>", "cat", "ran"]] * 4
    return Tagger(learner=Mira()).fit(sentences, [["B-NP", "I-NP", "B-VP"]] * 12)


def language_model() -> LanguageModel:
    return LanguageModel(2, KneserNey()).fit(["<b> sun and sand", "the sun and ice", "the sun"] * 4)


def vectors() -> WordVectors:
    codes = np.eye(4, 3, dtype=np.float32) + np.float32(0.1)
    return WordVectors()._adopt(["<b>", "music", "songs", "law"], np.ones(4), codes)


def parser() -> Parser:
    tagger = WordTagger(learner=Mira(2), folds=2)
    return Parser(learner=Mira(2), tagger=tagger).fit(SENTENCES * 3, TREES * 3)


MODELS: dict[str, Callable[[], Any]] = {
    "classify": classifier,
    "tag": tagger,
    "lm": language_model,
    "embed": vectors,
    "parse": parser,
}
