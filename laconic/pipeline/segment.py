"""Sentences and tokens of raw text: what follows a unit is learned by a tagger.

    labels = argmax_y  sum_u ( w_{y_u} . features of unit u  +  edge[y_{u-1}, y_u] )

A label says where a unit stands: inside a token, at its end, or at the end of a sentence too.
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
from laconic.pipeline.templates import SEGMENTATION, templates_of
from laconic.pipeline.units import COLUMNS, units_of
from laconic.text.conllu import FORM, Conllu
from laconic.text.token_columns import TokenColumns

if TYPE_CHECKING:
    from laconic.tag.compact import CompactTagger
    from laconic.tag.model import Tagger

INSIDE, TOKEN, SENTENCE = "inside", "token", "sentence"
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
    sentence_ends   the same of sentences
    """

    paragraphs: list[str]
    token_ends: Ints
    sentence_ends: Ints


class Segmenter(HasParameters):
    """label of each unit = argmax_y sum_u (w_{y_u} . features of u + edge[y_{u-1}, y_u]).

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    tagger_ : Tagger
        The tagger of units.
    every_letter_ : bool
        Whether every letter is a unit, and not runs of letters.
    """

    tagger_: Tagger | CompactTagger
    every_letter_: bool

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def fit(self, sentences: Conllu, callback: Callback | None = None) -> Segmenter:
        """Learn from the tokens of a treebank and the blanks between them."""
        raw = raw_text(sentences)
        units = units_of(raw.paragraphs)
        lost = len(np.setdiff1d(raw.token_ends, units.ends))
        self.every_letter_ = lost > MOST_LOST * len(raw.token_ends)
        if self.every_letter_:
            units = units_of(raw.paragraphs, True)
        columns = units.columns()
        at_token = np.isin(units.ends, raw.token_ends)
        labels = np.where(at_token, TOKEN, INSIDE).astype(object)
        labels[np.isin(units.ends, raw.sentence_ends)] = SENTENCE
        # Examples end at tokens, wherever sentences end.
        after = np.flatnonzero(at_token)[EXAMPLE_TOKENS - 1 :: EXAMPLE_TOKENS] + 1
        ptr = np.unique(np.concatenate([[0], after, [len(labels)]]))
        from laconic.tag.model import Tagger  # not needed to predict

        tagger = Tagger(
            templates_of(SEGMENTATION, COLUMNS), Mira(), columns=COLUMNS, n_jobs=self.n_jobs
        )
        examples = TokenColumns(columns.names, columns.values, ptr)
        self.tagger_ = tagger.fit(examples, list(cut(labels.tolist(), ptr)), callback)
        return self

    def segment(self, texts: Sequence[str]) -> Segments:
        """Return the sentences and tokens of texts; a sentence ends where its text does."""
        units = units_of(texts, self.every_letter_)
        labels = np.array(self.tagger_.predict_flat(units.columns()), dtype=object)
        ends_sentence = labels == SENTENCE
        ends_sentence[units.ptr[1:][np.diff(units.ptr) > 0] - 1] = True
        last = np.flatnonzero(ends_sentence | (labels == TOKEN))
        first = np.concatenate([[0], last[:-1] + 1]) if len(last) else last
        spans = map(slice, units.begins[first].tolist(), units.ends[last].tolist())
        tokens = list(map(units.text.__getitem__, spans))
        if not set(map(len, map(str.split, set(tokens)))) <= {1}:
            tokens = [" ".join(token.split()) for token in tokens]
        following = np.append(units.begins, len(units.text) + 1)[last + 1]
        ends = np.flatnonzero(ends_sentence[last])
        ptr = np.concatenate([[0], ends + 1])
        sentences = np.searchsorted(last[ends], units.ptr - 1, side="right")
        return Segments(tokens, following > units.ends[last], ptr, sentences)


def raw_text(sentences: Conllu) -> Raw:
    """Return the text of a treebank, and where its tokens and sentences end."""
    rows = sentences.surface.rows.tolist()
    spaces = sentences.space_after().tolist()
    form = sentences.fields[FORM]
    pieces = [
        form[row] + " " if space else form[row] for row, space in zip(rows, spaces, strict=True)
    ]
    paragraphs, ends, base = [], [], 0
    opening = openings(sentences)
    bounds = np.append(np.flatnonzero(opening), len(sentences))
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        begin, end = sentences.surface.ptr[first], sentences.surface.ptr[last]
        paragraphs.append("".join(pieces[begin:end]).rstrip(" "))
        ends.append(base + pointers(map(len, pieces[begin:end]))[1:] - spaces[begin:end])
        base += len(paragraphs[-1]) + 2
    token_ends = np.concatenate([np.zeros(0, np.int64), *ends])
    return Raw(paragraphs, token_ends, token_ends[sentences.surface.ptr[1:] - 1])


def openings(sentences: Conllu) -> Bools:
    """Return whether each sentence opens a paragraph or document; the first one does."""
    found = np.array(
        [
            any(line.startswith(("# newpar", "# newdoc")) for line in lines)
            for lines in sentences.before
        ],
        dtype=bool,
    )
    found[:1] = True
    return found
