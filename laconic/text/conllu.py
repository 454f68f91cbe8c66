"""CoNLL-U whole: words, multiword tokens, empty nodes and comments, column by column.

A row is a line of ten fields: a word (3), a multiword token (3-4) or an empty node (3.1).
`laconic.text.conllu_files` reads and writes files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Bools, Ints, Ints32
from laconic.core.ragged import cut, pointers, ranges
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS, CONLL_X, NOTHING, Treebank

FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
WORD, MULTIWORD, EMPTY = range(3)
GLUED = "SpaceAfter=No"
# Comments that begin a document or a paragraph, alone or with an id.
DOCUMENT, PARAGRAPH = "newdoc", "newpar"


class Surface(NamedTuple):
    """The tokens as they stand in the text: a multiword token is one of them.

    rows      (n_tokens) row of each token
    ptr       (n_sentences + 1) tokens of each sentence
    word_ptr  (n_tokens + 1) words of each token
    """

    rows: Ints
    ptr: Ints
    word_ptr: Ints


@dataclass(frozen=True, eq=False)
class Conllu:
    """Sentences of CoNLL-U, column by column.

    Parameters
    ----------
    fields : list of list of str, (10, n_rows)
        Field f of row r is fields[f][r]; `ID` .. `MISC` are the numbers of the fields.
    kinds : ndarray of int8, (n_rows)
        `WORD`, `MULTIWORD` or `EMPTY`.
    ptr : ndarray of int64, (n_sentences + 1)
        Rows of sentence s are ptr[s] .. ptr[s + 1] - 1.
    before : list of list of str, (n_sentences)
        Comments above each sentence, whole lines; "" where a further blank line stands.
    after : list of str
        Such lines below the last sentence.
    """

    fields: list[list[str]]
    kinds: NDArray[np.int8]
    ptr: Ints
    before: list[list[str]]
    after: list[str]

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self.before)

    @cached_property
    def word_rows(self) -> Ints:
        """Rows of the words, (n_words)."""
        return np.flatnonzero(self.kinds == WORD)

    @cached_property
    def word_ptr(self) -> Ints:
        """Words of sentence s are word_ptr[s] .. word_ptr[s + 1] - 1, (n_sentences + 1)."""
        return np.searchsorted(self.word_rows, self.ptr)

    def words(self, field: int) -> list[str]:
        """Return a field of all words."""
        column = self.fields[field]
        if len(self.word_rows) == len(column):
            return column
        return [column[row] for row in self.word_rows.tolist()]

    @cached_property
    def surface(self) -> Surface:
        """The tokens as they stand in the text."""
        spans = np.flatnonzero(self.kinds == MULTIWORD)
        first = np.searchsorted(self.word_rows, spans)  # the next word
        names = [self.fields[ID][row].split("-") for row in spans.tolist()]
        lengths = np.array([int(last) - int(begin) + 1 for begin, last in names], np.int64)
        starts = np.ones(len(self.word_rows), bool)
        starts[ranges(first + 1, first + lengths)] = False
        rows = self.word_rows.copy()
        rows[first] = spans
        begins = np.flatnonzero(starts)
        word_ptr = np.append(begins, len(starts))
        return Surface(rows[begins], np.searchsorted(begins, self.word_ptr), word_ptr)

    def space_after(self) -> Bools:
        """Return whether a blank follows each token of the surface."""
        misc = [self.fields[MISC][row] for row in self.surface.rows.tolist()]
        glued = {value for value in set(misc) if GLUED in value.split("|")}
        return np.fromiter((value not in glued for value in misc), bool, len(misc))

    def texts(self) -> list[str]:
        """Return the text of each sentence, made of its forms and SpaceAfter."""
        rows = self.surface.rows.tolist()
        form, blank = self.fields[FORM], self.space_after().tolist()
        pieces = [
            form[row] + " " if space else form[row] for row, space in zip(rows, blank, strict=True)
        ]
        return ["".join(part).removesuffix(" ") for part in cut(pieces, self.surface.ptr)]

    def comment(self, name: str) -> list[str | None]:
        """Return the value of `# name = value` above each sentence, "" for `# name`, or None."""
        return [_value_of(lines, name) for lines in self.before]

    def opens(self, *names: str) -> Bools:
        """Return whether a comment with one of these names stands above each sentence.

        The first sentence opens in any case; without names, those are DOCUMENT and PARAGRAPH.
        """
        mark = re.compile(rf"#\s*({'|'.join(names or (DOCUMENT, PARAGRAPH))})\b")
        found = np.array([any(map(mark.match, lines)) for lines in self.before], bool)
        found[:1] = True
        return found

    def heads(self) -> Ints32:
        """Return the head of each word in its sentence, 0 at a root, -1 where there is none."""
        given = self.words(HEAD)
        return np.array([-1 if head == NOTHING else int(head) for head in given], np.int32)

    def treebank(self) -> Treebank:
        """Return the words alone with their heads and relations, without lines."""
        values: list[Sequence[str]] = [self.words(field) for field in CONLL_X.fields]
        tokens = TokenColumns(COLUMNS, values, self.word_ptr)
        return Treebank(tokens, self.heads(), self.words(DEPREL))

    def with_words(self, columns: Mapping[int, Sequence[str]]) -> Conllu:
        """Return the same rows with other fields, each of them given for all words."""
        rows, fields = self.word_rows, list(self.fields)
        for field, strings in columns.items():
            if len(strings) != len(rows):
                raise ValueError(f"{FIELDS[field]} has {len(strings)} values for {len(rows)} words")
            fields[field] = list(strings)
            if len(rows) < len(self.kinds):
                fields[field] = list(self.fields[field])
                for row, string in zip(rows.tolist(), strings, strict=True):
                    fields[field][row] = string
        return replace(self, fields=fields)

    def some(self, chosen: NDArray[np.integer[Any]]) -> Conllu:
        """Return the sentences of these numbers, in this order."""
        begins, ends = self.ptr[:-1][chosen], self.ptr[1:][chosen]
        rows = ranges(begins, ends)
        fields = [[column[row] for row in rows.tolist()] for column in self.fields]
        before = [self.before[s] for s in chosen.tolist()]
        return Conllu(fields, self.kinds[rows], pointers(ends - begins), before, [])

    def to_text(self) -> str:
        """Return all lines as one string."""
        rows = list(map("\t".join, zip(*self.fields, strict=True)))
        blocks = [
            "\n".join([*lines, *part, "\n"])
            for lines, part in zip(self.before, cut(rows, self.ptr), strict=True)
        ]
        return "".join([*blocks, *(f"{line}\n" for line in self.after)])


def _value_of(lines: Sequence[str], name: str) -> str | None:
    for line in lines:
        key, _, value = line[1:].partition("=")
        if key.strip() == name:
            return value.strip()
    return None


def conllu_of(
    tokens: Sequence[str], words: Sequence[str], word_ptr: Ints, ptr: Ints, space_after: Bools
) -> Conllu:
    """Return sentences without any annotation.

    Parameters
    ----------
    tokens : sequence of str, (n_tokens)
        Forms as they stand in the text.
    words : sequence of str, (n_words)
        Forms of the words.
    word_ptr : ndarray of int64, (n_tokens + 1)
        Words of token t are word_ptr[t] .. word_ptr[t + 1] - 1; a token with one word is that word.
    ptr : ndarray of int64, (n_sentences + 1)
        Tokens of each sentence.
    space_after : ndarray of bool, (n_tokens)
        Whether a blank follows each token.
    """
    lengths = np.diff(word_ptr)
    # Words that are no multiword token's stand alone; such a token has a row before its words.
    wide = np.flatnonzero(lengths > 1)
    n_rows = len(words) + len(wide)
    kinds = np.zeros(n_rows, np.int8)
    span_rows = word_ptr[wide] + np.arange(len(wide))
    kinds[span_rows] = MULTIWORD
    word_rows = np.flatnonzero(kinds == WORD)
    number = 1 + np.arange(len(words)) - np.repeat(word_ptr[ptr[:-1]], np.diff(word_ptr[ptr]))
    fields = [[NOTHING] * n_rows for _ in FIELDS]
    for row, name, form in zip(word_rows.tolist(), number.tolist(), words, strict=True):
        fields[ID][row], fields[FORM][row] = str(name), form
    first, last = number[word_ptr[wide]].tolist(), number[word_ptr[wide + 1] - 1].tolist()
    for row, token, begin, end in zip(span_rows.tolist(), wide.tolist(), first, last, strict=True):
        fields[ID][row], fields[FORM][row] = f"{begin}-{end}", tokens[token]
    token_rows = word_rows[word_ptr[:-1]]
    token_rows[wide] = span_rows
    for row in token_rows[~space_after].tolist():
        fields[MISC][row] = GLUED
    row_ptr = word_ptr[ptr] + np.searchsorted(wide, ptr)
    return Conllu(fields, kinds, row_ptr, [[] for _ in range(len(ptr) - 1)], [])
