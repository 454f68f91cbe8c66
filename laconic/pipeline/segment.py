"""Sentences and tokens of raw text, learned by two taggers.

    labels = argmax_y  sum_u ( w_{y_u} . features of u  +  edge[y_{u-1}, y_u] )

The first one says of each unit u whether a token ends with it, the second one of each token u
whether a sentence does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from laconic.core.arrays import Bools, Ints
from laconic.core.parameters import HasParameters
from laconic.core.ragged import cut, pointers
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.pipeline.sentences import lower_case_words, token_columns
from laconic.pipeline.templates import SENTENCES, TOKENS, templates_of
from laconic.pipeline.units import units_of
from laconic.text.conllu import DOCUMENT, FORM, Conllu
from laconic.text.token_columns import TokenColumns

if TYPE_CHECKING:
    from laconic.tag.compact import CompactTagger
    from laconic.tag.model import Tagger

# Of a unit in a token, of a token in a sentence.
INSIDE, END = "inside", "end"
# Number of tokens of one example: each moves the weights once per pass.
EXAMPLE_TOKENS = 25
# Units are letters if more than this share of the tokens ends inside of a run of letters.
MOST_LOST = 0.005


class Segments(NamedTuple):
    """Tokens of texts, and their sentences.

    tokens       strings of all tokens
    space_after  (n_tokens) whether a blank follows
    ptr          (n_sentences + 1) tokens of each sentence
    paragraphs   (n_texts + 1) sentences of each text
    """

    tokens: list[str]
    space_after: Bools
    ptr: Ints
    paragraphs: Ints


class Raw(NamedTuple):
    """The raw text of a treebank, as its forms and SpaceAfter give it.

    paragraphs      texts, each with the sentences up to the next `# newpar` or `# newdoc`
    token_ends      where in the text of all paragraphs each token ends
    """

    paragraphs: list[str]
    token_ends: Ints


class Segmenter(HasParameters):
    """label of each unit or token = argmax_y sum_u (w_{y_u} . features of u + edge[y_{u-1}, y_u]).

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    tagger_ : Tagger or None
        The tagger of units; None if each of them is a token.
    sentence_tagger_ : Tagger or None
        The tagger of tokens; None if each of them is a sentence.
    every_letter_ : bool
        Whether every letter is a unit, and not runs of letters.
    words_ : frozenset of str
        Tokens of the training data in lower case, of scripts that have capitals.
    """

    tagger_: Tagger | CompactTagger | None
    sentence_tagger_: Tagger | CompactTagger | None
    every_letter_: bool
    words_: frozenset[str]

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def fit(self, sentences: Conllu, callback: Callback | None = None) -> Segmenter:
        """Learn from the tokens of a treebank and the blanks between them."""
        self.tagger_ = self._learn_tokens(raw_text(sentences), callback)
        self.sentence_tagger_ = self._learn_sentences(sentences, callback)
        return self

    def _learn_tokens(self, raw: Raw, callback: Callback | None) -> Tagger | None:
        units = units_of(raw.paragraphs)
        lost = len(np.setdiff1d(raw.token_ends, units.ends))
        self.every_letter_ = lost > MOST_LOST * len(raw.token_ends)
        if self.every_letter_:
            units = units_of(raw.paragraphs, True)
        at_token = np.isin(units.ends, raw.token_ends)
        # Examples end at tokens, wherever sentences end.
        after = np.flatnonzero(at_token)[EXAMPLE_TOKENS - 1 :: EXAMPLE_TOKENS] + 1
        return self._learn(TOKENS, units.columns(), at_token, after, callback)

    def _learn_sentences(self, sentences: Conllu, callback: Callback | None) -> Tagger | None:
        """Learn from paragraphs that are joined: some texts have none, or no stop at their end."""
        surface, form = sentences.surface, sentences.fields[FORM]
        tokens = [" ".join(form[row].split()) for row in surface.rows.tolist()]
        ptr = surface.ptr[np.append(np.flatnonzero(sentences.opens(DOCUMENT)), len(sentences))]
        self.words_ = lower_case_words(set(tokens))
        columns = token_columns(tokens, sentences.space_after(), ptr, self.words_)
        at_end = np.zeros(len(tokens), bool)
        at_end[surface.ptr[1:] - 1] = True
        examples = np.arange(0, len(tokens), EXAMPLE_TOKENS)
        return self._learn(SENTENCES, columns, at_end, examples, callback)

    def _learn(
        self,
        templates: str,
        columns: TokenColumns,
        at_end: Bools,
        bounds: Ints,
        callback: Callback | None,
    ) -> Tagger | None:
        """Return the tagger of ends, or None if all are; `bounds` are those of examples."""
        if at_end.all():
            return None
        from laconic.tag.model import Tagger  # not needed to predict

        ptr = np.unique(np.concatenate([[0], bounds, [len(at_end)]]))
        labels = np.where(at_end, END, INSIDE).tolist()
        names = columns.names
        tagger = Tagger(templates_of(templates, names), Mira(), columns=names, n_jobs=self.n_jobs)
        examples = TokenColumns(names, columns.values, ptr)
        return tagger.fit(examples, list(cut(labels, ptr)), callback)

    def segment(self, texts: Sequence[str]) -> Segments:
        """Return the sentences and tokens of texts; a sentence ends where its text does."""
        units = units_of(texts, self.every_letter_)
        last = _ends(self.tagger_, units.columns())
        first = np.concatenate([[0], last[:-1] + 1]) if len(last) else last
        spans = map(slice, units.begins[first].tolist(), units.ends[last].tolist())
        tokens = list(map(units.text.__getitem__, spans))
        if not set(map(len, map(str.split, set(tokens)))) <= {1}:
            tokens = [" ".join(token.split()) for token in tokens]
        following = np.append(units.begins, len(units.text) + 1)[last + 1]
        space_after = following > units.ends[last]
        ptr = np.searchsorted(last, units.ptr)
        columns = token_columns(tokens, space_after, ptr, self.words_)
        ends = _ends(self.sentence_tagger_, columns)
        bounds = np.concatenate([[0], ends + 1])
        return Segments(tokens, space_after, bounds, np.searchsorted(bounds, ptr))


def _ends(tagger: Tagger | CompactTagger | None, columns: TokenColumns) -> Ints:
    """Return the numbers of what a tagger says ends something; what is last ends it too."""
    if tagger is None:
        return np.arange(columns.ptr[-1])
    at_end = np.array(tagger.predict_flat(columns), dtype=object) == END
    at_end[columns.ptr[1:][np.diff(columns.ptr) > 0] - 1] = True
    return np.flatnonzero(at_end)


def raw_text(sentences: Conllu) -> Raw:
    """Return the text of a treebank, and where its tokens end."""
    rows = sentences.surface.rows.tolist()
    spaces = sentences.space_after().tolist()
    form = sentences.fields[FORM]
    pieces = [
        form[row] + " " if space else form[row] for row, space in zip(rows, spaces, strict=True)
    ]
    paragraphs, ends, base = [], [], 0
    bounds = np.append(np.flatnonzero(sentences.opens()), len(sentences))
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        begin, end = sentences.surface.ptr[first], sentences.surface.ptr[last]
        paragraphs.append("".join(pieces[begin:end]).rstrip(" "))
        ends.append(base + pointers(map(len, pieces[begin:end]))[1:] - spaces[begin:end])
        base += len(paragraphs[-1]) + 2
    token_ends = np.concatenate([np.zeros(0, np.int64), *ends])
    return Raw(paragraphs, token_ends)
