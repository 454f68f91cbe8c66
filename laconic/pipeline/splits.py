"""Multiword tokens: which words a token stands for, learned by a tagger of tokens.

A label is a split (see `laconic.pipeline.edits`), or ONE for a token that is one word.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from laconic.core.arrays import Ints
from laconic.core.parameters import HasParameters
from laconic.core.ragged import cut, pointers
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.pipeline.edits import split_by, splits_of
from laconic.pipeline.templates import SPLITS, templates_of
from laconic.text.conllu import FORM, Conllu
from laconic.text.token_columns import TokenColumns

if TYPE_CHECKING:
    from laconic.tag.compact import CompactTagger
    from laconic.tag.model import Tagger

ONE = "1"
COLUMNS = ("word",)


class Splitter(HasParameters):
    """split of each token = argmax_y sum_t (w_{y_t} . features of t + edge[y_{t-1}, y_t]).

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    tagger_ : Tagger or None
        The tagger of tokens; None if the treebank has no multiword tokens.
    """

    tagger_: Tagger | CompactTagger | None

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def fit(self, sentences: Conllu, callback: Callback | None = None) -> Splitter:
        """Learn from the tokens of a treebank and their words."""
        surface, forms = sentences.surface, sentences.fields[FORM]
        tokens, words = [forms[row] for row in surface.rows.tolist()], sentences.words(FORM)
        spans = pairwise(surface.word_ptr.tolist())
        given = [tuple(words[begin:end]) for begin, end in spans]
        split = _chosen({pair for pair in zip(tokens, given, strict=True) if len(pair[1]) > 1})
        labels = [split.get(pair, ONE) for pair in zip(tokens, given, strict=True)]
        self.tagger_ = None
        if len(set(labels)) > 1:
            from laconic.tag.model import Tagger  # not needed to predict

            tagger = Tagger(
                templates_of(SPLITS, COLUMNS), Mira(20), columns=COLUMNS, n_jobs=self.n_jobs
            )
            columns = TokenColumns(COLUMNS, [tokens], surface.ptr)
            self.tagger_ = tagger.fit(columns, list(cut(labels, surface.ptr)), callback)
        return self

    def split(self, tokens: list[str], ptr: Ints) -> tuple[list[str], Ints]:
        """Return the words of sentences, and (n_tokens + 1) the words of each token."""
        if self.tagger_ is None:
            return tokens, np.arange(len(tokens) + 1)
        labels = self.tagger_.predict_flat(TokenColumns(COLUMNS, [tokens], ptr))
        lengths = np.ones(len(tokens), np.int64)
        words: list[list[str]] = [[token] for token in tokens]
        for at, label in enumerate(labels):
            if label != ONE:
                words[at] = split_by(tokens[at], label) or [tokens[at]]
                lengths[at] = len(words[at])
        return list(chain.from_iterable(words)), pointers(lengths)


def _chosen(pairs: set[tuple[str, tuple[str, ...]]]) -> dict[tuple[str, tuple[str, ...]], str]:
    """Return for each token and its words the split that most of them share."""
    possible = {pair: splits_of(*pair) for pair in sorted(pairs)}
    counts = Counter(chain.from_iterable(possible.values()))
    return {pair: max(splits, key=counts.__getitem__) for pair, splits in possible.items()}
