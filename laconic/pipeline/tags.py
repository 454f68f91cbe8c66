"""UPOS, XPOS and FEATS of words, in two steps.

The first tagger reads words and says their parts of speech. The second one knows those, of the
neighbours too, and chooses all three columns at once as one label. It learns from parts of speech
such as the first one predicts for words that it has not seen (crossed folds).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from laconic.core.parameters import HasParameters
from laconic.core.ragged import cut
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.pipeline.templates import MORPHOLOGY, UPOS, templates_of
from laconic.text.token_columns import TokenColumns

if TYPE_CHECKING:
    from laconic.tag.compact import CompactTagger
    from laconic.tag.model import Tagger

BETWEEN = "\t"  # no field has it
FOLDS = 5
# Fewer passes are enough for labels that only others learn from.
LEARNER, CROSSED = Mira(10), Mira(5)
# Rarer labels are taken for the most similar ones of these: the path is sought among their pairs.
MOST_LABELS = 300


class Tags(NamedTuple):
    """The three columns, one string per word."""

    upos: list[str]
    xpos: list[str]
    feats: list[str]

    def joined(self) -> list[str]:
        """Return one string per word."""
        return list(map(BETWEEN.join, zip(*self, strict=True)))

    @classmethod
    def of(cls, joined: Sequence[str]) -> Tags:
        """Return the columns that `joined` joined."""
        parts = {label: label.split(BETWEEN) for label in set(joined)}
        columns: list[list[str]] = [[parts[label][k] for label in joined] for k in range(3)]
        return cls(*columns)


class WordTags(HasParameters):
    """(upos, xpos, feats) = argmax_y sum_t (w_{y_t} . features of t + edge[y_{t-1}, y_t]).

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    upos_ : Tagger or None
        The tagger of parts of speech; None where all words have the same.
    morphology_ : Tagger or None
        The tagger of all three columns; None where all words have the same.
    constant_ : str
        The three columns of the first word, for where there is no tagger.
    """

    upos_: Tagger | CompactTagger | None
    morphology_: Tagger | CompactTagger | None
    constant_: str

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def fit(self, words: TokenColumns, tags: Tags, callback: Callback | None = None) -> WordTags:
        """Learn from words and their tags."""
        self.fit_crossed(words, tags, callback, crossed=False)
        return self

    def fit_crossed(
        self,
        words: TokenColumns,
        tags: Tags,
        callback: Callback | None = None,
        crossed: bool = True,
    ) -> Tags:
        """Learn, and return the tags of each sentence by taggers that have not seen it."""
        joined = tags.joined()
        self.constant_ = joined[0]
        self.upos_ = self.morphology_ = None
        if len(set(joined)) == 1:
            return tags
        upos, labels, found = tags.upos, frequent(joined), tags
        several = len(set(upos)) > 1
        if several:
            upos = self._crossed(UPOS, words, upos, callback)
        with_upos = words.with_columns({"upos": upos})
        # The taggers of folds come first: none is in memory beside one that is kept.
        if crossed:
            found = Tags.of(self._crossed(MORPHOLOGY, with_upos, labels, callback))
        if several:
            self.upos_ = self._learn(UPOS, words, tags.upos, callback)
        self.morphology_ = self._learn(MORPHOLOGY, with_upos, labels, callback)
        return found

    def predict(self, words: TokenColumns) -> Tags:
        """Return the tags of words."""
        if self.morphology_ is None:
            return Tags.of([self.constant_] * int(words.ptr[-1]))
        if self.upos_ is None:
            upos = [self.constant_.split(BETWEEN)[0]] * int(words.ptr[-1])
        else:
            upos = self.upos_.predict_flat(words)
        return Tags.of(self.morphology_.predict_flat(words.with_columns({"upos": upos})))

    def _learn(
        self,
        templates: str,
        words: TokenColumns,
        labels: list[str],
        callback: Callback | None,
        learner: Mira = LEARNER,
    ) -> Tagger:
        from laconic.tag.model import Tagger  # not needed to predict

        tagger = Tagger(
            templates_of(templates, words.names), learner, columns=words.names, n_jobs=self.n_jobs
        )
        return tagger.fit(words, list(cut(labels, words.ptr)), callback)

    def _crossed(
        self, templates: str, words: TokenColumns, labels: list[str], callback: Callback | None
    ) -> list[str]:
        """Return the labels of each fold by a tagger of the others."""
        by_sentence = list(cut(labels, words.ptr))

        def learned(rest: TokenColumns, chosen: list[int]) -> Callable[[TokenColumns], list[str]]:
            flat = list(chain.from_iterable(by_sentence[s] for s in chosen))
            if len(set(flat)) < 2:
                return lambda held: [flat[0]] * int(held.ptr[-1])
            return self._learn(templates, rest, flat, callback, CROSSED).predict_flat

        return crossed_folds(words, learned)


def crossed_folds(
    words: TokenColumns,
    learned: Callable[[TokenColumns, list[int]], Callable[[TokenColumns], list[str]]],
) -> list[str]:
    """Return what predictors that were learned from other folds say of each sentence.

    learned(sentences, their numbers) returns a predictor. One sentence alone has no other fold.
    """
    fold = np.arange(len(words)) % FOLDS
    found: list[list[str]] = [[] for _ in range(len(words))]
    for k in range(min(FOLDS, len(words))):
        held = np.flatnonzero(fold == k)
        rest = np.flatnonzero(fold != k) if len(words) > 1 else held
        sentences = words.some(held)
        predicted = learned(words.some(rest), rest.tolist())(sentences)
        for s, part in zip(held.tolist(), cut(predicted, sentences.ptr), strict=True):
            found[s] = part
    return list(chain.from_iterable(found))


def frequent(joined: list[str], most: int = MOST_LABELS) -> list[str]:
    """Return labels of which there are at most so many; rare ones are replaced by similar ones."""
    counts = Counter(joined)
    if len(counts) <= most:
        return joined
    kept = [label for label, _ in counts.most_common(most)]
    parts = {label: set(label.replace("|", BETWEEN).split(BETWEEN)) for label in kept}
    instead = {label: label for label in kept}
    for label in counts:
        if label not in instead:
            own = set(label.replace("|", BETWEEN).split(BETWEEN))
            instead[label] = max(kept, key=lambda other: len(own & parts[other]))
    return [instead[label] for label in joined]
