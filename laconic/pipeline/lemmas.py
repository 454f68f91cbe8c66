"""Lemmas: edits of forms, known ones from the training data, those of other forms by a tagger.

    lemma = edit(form),  edit = argmax_y  w_y . features of the form and its tags

Every form stands by itself. A form of the training data has the edit that is the most frequent one
with these tags, with this part of speech, or at all: the first of these that was seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from laconic.core.parameters import HasParameters
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.pipeline.edits import edit_of, edited
from laconic.pipeline.tags import BETWEEN, Tags
from laconic.pipeline.templates import LEMMAS, templates_of
from laconic.text.token_columns import TokenColumns

if TYPE_CHECKING:
    from laconic.tag.compact import CompactTagger
    from laconic.tag.model import Tagger

# A form and its tags, joined.
Pair: TypeAlias = tuple[str, str]
COLUMNS = ("word", "upos", "xpos", "feats")
# The tagger knows edits of so many pairs at least, and so many edits at most.
LEAST_PAIRS, MOST_EDITS = 2, 250


class Lemmatizer(HasParameters):
    """lemma = edit(form), edit = argmax_y w_y . features of the form and its tags.

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    tagger_ : Tagger or None
        The tagger of forms that were not seen; None where all have the same edit.
    constant_ : str
        The most frequent edit.
    known_ : dict of (form, tags) to str
        Edits of forms that were seen: with no tags, and with those that make a difference, a part
        of speech or all three columns.
    """

    tagger_: Tagger | CompactTagger | None
    constant_: str
    known_: dict[Pair, str]

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def fit(
        self,
        forms: list[str],
        tags: Tags,
        lemmas: list[str],
        predicted: Tags | None = None,
        callback: Callback | None = None,
    ) -> Lemmatizer:
        """Learn from words with tags and lemmas.

        Where they are given, the tagger learns from `predicted` tags, such as it will get.
        """
        joined = tags.joined()
        edits = list(map(cache(edit_of), forms, lemmas))
        self.constant_ = Counter(edits).most_common(1)[0][0]
        self.known_ = _most_frequent(zip(forms, repeat(""), edits))
        for finer in (tags.upos, joined):
            found = _most_frequent(zip(forms, finer, edits, strict=True))
            self.known_ |= {pair: edit for pair, edit in found.items() if self._known(pair) != edit}
        given = joined if predicted is None else predicted.joined()
        right = _most_frequent(zip(forms, given, edits, strict=True))
        self.tagger_ = self._learn(right, callback)
        return self

    def predict(self, forms: list[str], tags: Tags) -> list[str]:
        """Return the lemmas of words."""
        given = list(zip(forms, tags.joined(), strict=True))
        edit_of_pair = {pair: self._known(pair) for pair in dict.fromkeys(given)}
        unseen = [pair for pair, edit in edit_of_pair.items() if edit is None]
        edit_of_pair |= zip(unseen, self._edits(unseen), strict=True)
        lemmas = {
            pair: edited(pair[0], edit or self.constant_) or pair[0]
            for pair, edit in edit_of_pair.items()
        }
        return [lemmas[pair] for pair in given]

    def _known(self, pair: Pair) -> str | None:
        """Return the edit of a form that was seen, else None."""
        form, tags = pair
        for one in (pair, (form, tags.partition(BETWEEN)[0]), (form, "")):
            if one in self.known_:
                return self.known_[one]
        return None

    def _learn(self, right: dict[Pair, str], callback: Callback | None) -> Tagger | None:
        """Return the tagger of frequent edits, or None if there is at most one."""
        counts = Counter(right.values())
        least = min(LEAST_PAIRS, max(counts.values()))
        chosen = {edit for edit, n in counts.most_common(MOST_EDITS) if n >= least}
        if len(chosen) < 2:
            return None
        pairs = [pair for pair, edit in right.items() if edit in chosen]
        from laconic.tag.model import Tagger  # not needed to predict

        tagger = Tagger(templates_of(LEMMAS, COLUMNS), Mira(), columns=COLUMNS, n_jobs=self.n_jobs)
        return tagger.fit(_columns(pairs), [[right[pair]] for pair in pairs], callback)

    def _edits(self, pairs: list[Pair]) -> list[str]:
        """Return what the tagger says of each pair."""
        if self.tagger_ is None or not pairs:
            return [self.constant_] * len(pairs)
        return self.tagger_.predict_flat(_columns(pairs))


def _columns(pairs: list[Pair]) -> TokenColumns:
    """Return each pair as a sentence of one token."""
    tags = [joined.split(BETWEEN) for _, joined in pairs]
    values = [[form for form, _ in pairs], *([tag[k] for tag in tags] for k in range(3))]
    return TokenColumns(COLUMNS, list(values), np.arange(len(pairs) + 1))


def _most_frequent(triples: Iterable[tuple[str, str, str]]) -> dict[Pair, str]:
    """Return the most frequent edit of each pair, the first one of several."""
    counts: dict[Pair, Counter[str]] = {}
    for form, tags, edit in triples:
        counts.setdefault((form, tags), Counter())[edit] += 1
    return {pair: found.most_common(1)[0][0] for pair, found in counts.items()}
