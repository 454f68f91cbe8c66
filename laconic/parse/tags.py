"""Tags from words alone, for parsers that read plain text.

A parser must learn from tags such as it will get: those of the training sentences are predicted by
taggers that learned from other sentences.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from laconic.core.parameters import HasParameters
from laconic.core.ragged import cut
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.models.loaded import check_fitted
from laconic.text.io import PathLike
from laconic.text.templates import Templates
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS, NOTHING

if TYPE_CHECKING:
    from laconic.tag.compact import CompactTagger
    from laconic.tag.learn import Learner
    from laconic.tag.model import Tagger

BETWEEN = "|"  # between the coarse and the fine tag of a label; no coarse tag has it
LEARNER = Mira(10)  # unless another one is given


class WordTagger(HasParameters):
    """tags = argmax_y sum_t (w_{y_t} . features of word t + edge[y_{t-1}, y_t]), from words alone.

    The coarse and the fine tag of a word are one label. The lemma is the word in lower case, and
    there is no morphology.

    Parameters
    ----------
    templates : str, path or Templates, default=None
        Feature templates over the column "word". None is the ready set "tagging".
    learner : learner, default=None
        What selects and weighs features. None is Mira(10).
    folds : int, default=5
        Number of parts of the training data that are tagged in turn, by taggers of the others.
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    tagger_ : Tagger
        The tagger of all sentences.

    Examples
    --------
    >>> from laconic import Mira, WordTagger
    >>> from laconic.text.token_columns import TokenColumns
    >>> from laconic.text.treebanks import COLUMNS
    >>> sentence = [("we", "we", "PRON", "PRP", "_"), ("eat", "eat", "VERB", "VBP", "_")]
    >>> tokens = TokenColumns.from_sentences([sentence] * 2, COLUMNS)
    >>> tagger = WordTagger(learner=Mira(2)).fit(tokens)
    >>> words = TokenColumns.from_sentences([["we", "eat"]], ("word",))
    >>> tagger.filled(words).column("fine")
    ['PRP', 'VBP']
    """

    tagger_: Tagger | CompactTagger

    def __init__(
        self,
        templates: PathLike | Templates | None = None,
        learner: Learner | str | None = None,
        folds: int = 5,
        n_jobs: int | None = None,
    ):
        self.templates = templates
        self.learner = learner
        self.folds = folds
        self.n_jobs = n_jobs

    def fit(self, tokens: TokenColumns, callback: Callback | None = None) -> WordTagger:
        """Learn from the words and tags of a treebank.

        Parameters
        ----------
        tokens : TokenColumns
            Sentences with the columns "word", "coarse" and "fine".
        callback : callable, optional
            Called with an Event after every pass; True stops.

        Returns
        -------
        WordTagger
            The tagger itself.
        """
        self.tagger_ = self._learn(tokens, np.arange(len(tokens)), callback)
        return self

    def crossed(self, tokens: TokenColumns, callback: Callback | None = None) -> TokenColumns:
        """Return the training sentences with tags by taggers that have not seen them.

        Every fold is tagged by a tagger that learned from the others.

        Parameters
        ----------
        tokens : TokenColumns
            The training sentences.
        callback : callable, optional
            Called with an Event after every pass; True stops the tagger at hand.
        """
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
        """Return the columns of a treebank for the words of sentences.

        Parameters
        ----------
        tokens : TokenColumns
            Sentences; only the first column, the words, is read.
        """
        check_fitted(self)
        return _columns(tokens, self.tagger_.predict_flat(_words(tokens)))

    def _learn(
        self,
        tokens: TokenColumns,
        chosen: NDArray[np.intp],
        callback: Callback | None,
    ) -> Tagger:
        from laconic.tag.model import Tagger  # not needed to predict

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
    """Return the column of words alone."""
    return TokenColumns(("word",), [tokens.values[0]], tokens.ptr)


def _columns(tokens: TokenColumns, labels: list[str]) -> TokenColumns:
    """Return the words with the other columns of a treebank, as the labels say."""
    words = tokens.values[0]
    parts = {label: label.partition(BETWEEN) for label in set(labels)}
    coarse, fine = [parts[label][0] for label in labels], [parts[label][2] for label in labels]
    lemmas = [word.lower() for word in words]
    return TokenColumns(COLUMNS, [words, lemmas, coarse, fine, [NOTHING] * len(words)], tokens.ptr)


def word_tagger_of(tagger: Tagger | CompactTagger) -> WordTagger:
    """Return the fitted model with this tagger."""
    if tagger.columns_ != ("word",):
        raise ValueError("a tagger of words has the one column 'word'")
    model = WordTagger(tagger.templates, tagger.learner, n_jobs=tagger.n_jobs)
    model.tagger_ = tagger
    return model
