"""Tags from words alone, for parsers that read plain text.

A parser is to learn from tags such as it will get: those of the training sentences come from taggers that learned from the other ones.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from laconic.core.ragged import cut
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.models.checks import Arrays, Contents
from laconic.tag.model import Tagger
from laconic.tag.store import pack as pack_tagger
from laconic.tag.store import unpack as unpack_tagger
from laconic.text.sequences import TokenColumns
from laconic.text.treebanks import COLUMNS, NOTHING

BETWEEN = "|"  # stands between coarse and fine tag in a label; no coarse tag has it
LEARNER = Mira(10)  # if no other is asked for


class WordTagger(BaseEstimator):
    """Learn the coarse and fine tag of words, as one label; the lemma is the word in small letters, and there is no morphology.

    templates: "tagging" if None; learner: Mira(10) if None; folds: the parts of the training data that `crossed` tags in turn
    """

    def __init__(
        self, templates: Any = None, learner: Any = None, folds: int = 5, n_jobs: int | None = None
    ):
        self.templates = templates
        self.learner = learner
        self.folds = folds
        self.n_jobs = n_jobs

    def fit(self, tokens: TokenColumns, callback: Callback | None = None) -> WordTagger:
        """Learn from the words and tags of a treebank."""
        self.tagger_ = self._learn(tokens, np.arange(len(tokens)), callback)
        return self

    def crossed(self, tokens: TokenColumns, callback: Callback | None = None) -> TokenColumns:
        """The training sentences with tags by taggers that have not seen them: every fold's by one that learned from the others."""
        if self.folds < 2:
            raise ValueError(f"folds must be at least 2, got {self.folds!r}")
        fold = np.arange(len(tokens)) % self.folds
        tags: list[list[str]] = [[] for _ in range(len(tokens))]
        for k in range(min(self.folds, len(tokens))):
            rest, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            tagger = self._learn(tokens, rest if len(rest) else held, callback)
            for s, labels in zip(
                held.tolist(), tagger.predict(_words(tokens).some(held)), strict=True
            ):
                tags[s] = labels
        return _columns(tokens, list(chain.from_iterable(tags)))

    def filled(self, tokens: TokenColumns) -> TokenColumns:
        """The columns of a treebank for sentences of which the first column, the words, is all that is looked at."""
        check_is_fitted(self)
        return _columns(tokens, self.tagger_.predict_flat(_words(tokens)))

    def _learn(
        self,
        tokens: TokenColumns,
        chosen: NDArray[np.intp],
        callback: Callback | None,
    ) -> Tagger:
        labels = [
            BETWEEN.join(pair)
            for pair in zip(tokens.column("coarse"), tokens.column("fine"), strict=True)
        ]
        by_sentence = list(cut(labels, tokens.ptr))
        templates = "tagging" if self.templates is None else self.templates
        learner = LEARNER if self.learner is None else self.learner
        tagger = Tagger(templates, learner, columns=("word",), n_jobs=self.n_jobs)
        return tagger.fit(
            _words(tokens).some(chosen), [by_sentence[s] for s in chosen.tolist()], callback
        )


def _words(tokens: TokenColumns) -> TokenColumns:
    """The words alone."""
    return TokenColumns(("word",), [tokens.values[0]], tokens.ptr)


def _columns(tokens: TokenColumns, labels: list[str]) -> TokenColumns:
    """The words with what a treebank says of them, told by the labels."""
    words = tokens.values[0]
    parts = {label: label.partition(BETWEEN) for label in set(labels)}
    coarse, fine = [parts[label][0] for label in labels], [parts[label][2] for label in labels]
    lemmas = [word.lower() for word in words]
    return TokenColumns(COLUMNS, [words, lemmas, coarse, fine, [NOTHING] * len(words)], tokens.ptr)


def pack_word_tagger(model: WordTagger) -> Contents:
    """Arrays and JSON of a fitted model, which are those of its tagger."""
    check_is_fitted(model)
    return pack_tagger(model.tagger_)


def unpack_word_tagger(arrays: Arrays, meta: dict[str, Any]) -> WordTagger:
    """The model that gave these, or a ValueError that says what is wrong with them."""
    return word_tagger_of(unpack_tagger(arrays, meta))


def word_tagger_of(tagger: Any) -> WordTagger:
    """The fitted model with this tagger."""
    if tuple(tagger.columns) != ("word",):
        raise ValueError("a tagger of words has the one column 'word'")
    model = WordTagger(tagger.templates, tagger.learner, n_jobs=tagger.n_jobs)
    model.tagger_ = tagger
    return model
