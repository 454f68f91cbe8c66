"""What a pipeline finds in a text: documents of sentences of words, read from columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from laconic.pipeline.draw import Arcs, svg_of_tree, tree_in_text
from laconic.text.conllu import (
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    Conllu,
)
from laconic.text.conllu_files import parse_conllu, read_conllu
from laconic.text.io import PathLike
from laconic.text.treebanks import NOTHING

SHOWN_TREES = 10  # in notebooks


class Doc:
    r"""A text as sentences of words with tags, lemmas and trees.

    A sequence of sentences; a sentence is a sequence of words.

    Parameters
    ----------
    conllu : Conllu or str
        The sentences: columns, or a text in CoNLL-U.

    Attributes
    ----------
    conllu : Conllu
        The columns, with all comments, multiword tokens and empty nodes.

    Examples
    --------
    >>> from laconic import Doc
    >>> rows = '''1 We we PRON _ _ 2 nsubj _ _
    ... 2 sing sing VERB _ Tense=Pres 0 root _ SpaceAfter=No
    ... 3 . . PUNCT _ _ 2 punct _ _'''
    >>> doc = Doc(rows.replace(" ", "\t"))
    >>> doc.text
    'We sing.'
    >>> [(word.form, word.upos, word.deprel) for word in doc[0]]
    [('We', 'PRON', 'nsubj'), ('sing', 'VERB', 'root'), ('.', 'PUNCT', 'punct')]
    >>> doc[0][1].feats, [word.form for word in doc[0][1].children]
    ({'Tense': 'Pres'}, ['We', '.'])
    >>> print(doc[0].draw())
     ┌─ We    PRON   nsubj
    ─┼─ sing  VERB   root
     └─ .     PUNCT  punct
    """

    def __init__(self, conllu: Conllu | str) -> None:
        self.conllu = parse_conllu(conllu, trees=False) if isinstance(conllu, str) else conllu

    @classmethod
    def read(cls, path: PathLike) -> Doc:
        """Read a file in CoNLL-U, plain or compressed; heads may be missing."""
        return cls(read_conllu(path, trees=False))

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self.conllu)

    @overload
    def __getitem__(self, number: int) -> DocSentence: ...
    @overload
    def __getitem__(self, number: slice) -> list[DocSentence]: ...
    def __getitem__(self, number: int | slice) -> DocSentence | list[DocSentence]:
        """Return a sentence, or several."""
        return self.sentences[number]

    def __iter__(self) -> Iterator[DocSentence]:
        """Iterate over the sentences."""
        return iter(self.sentences)

    @cached_property
    def sentences(self) -> list[DocSentence]:
        """All sentences."""
        return [DocSentence(self.conllu, number) for number in range(len(self))]

    @property
    def words(self) -> list[DocWord]:
        """The words of all sentences."""
        return [word for sentence in self for word in sentence]

    @property
    def text(self) -> str:
        """The text, put together from tokens and SpaceAfter; paragraphs are two lines apart."""
        conllu = self.conllu
        blank = conllu.space_after()[conllu.surface.ptr[1:] - 1].tolist()
        pieces: list[str] = []
        for text, space, opens in zip(conllu.texts(), blank, conllu.opens().tolist(), strict=True):
            if pieces and opens:
                pieces[-1] = "\n\n"
            pieces += [text, " " if space else ""]
        return "".join(pieces[:-1])

    def to_conllu(self) -> str:
        """Return the text in CoNLL-U."""
        return self.conllu.to_text()

    def to_json(self) -> str:
        """Return the sentences as a JSON object; what is not known is null."""
        found = {"sentences": [sentence.to_dict() for sentence in self]}
        return json.dumps(found, ensure_ascii=False)

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return how large it is and how it begins."""
        shown = self.text if len(self.text) <= 40 else self.text[:37] + "..."
        return f"<Doc: {len(self)} sentences, {len(self.conllu.word_rows)} words, {shown!r}>"

    def _repr_html_(self) -> str:
        """Return the first trees as a picture, for notebooks."""
        return "".join(sentence._repr_html_() for sentence in self[:SHOWN_TREES])


class DocToken(NamedTuple):
    """A token as it stands in the text, and its words: several of a multiword token."""

    text: str
    words: list[DocWord]
    space_after: bool


class DocSentence:
    """The words of a sentence; made by `Doc`."""

    def __init__(self, conllu: Conllu, number: int) -> None:
        self.conllu = conllu
        self._number = number
        first, last = conllu.word_ptr[number : number + 2].tolist()
        self.words = [
            DocWord(self, place, row)
            for place, row in enumerate(conllu.word_rows[first:last].tolist(), 1)
        ]

    def __len__(self) -> int:
        """Number of words."""
        return len(self.words)

    @overload
    def __getitem__(self, place: int) -> DocWord: ...
    @overload
    def __getitem__(self, place: slice) -> list[DocWord]: ...
    def __getitem__(self, place: int | slice) -> DocWord | list[DocWord]:
        """Return a word, counted from 0, or several."""
        return self.words[place]

    def __iter__(self) -> Iterator[DocWord]:
        """Iterate over the words."""
        return iter(self.words)

    @cached_property
    def _alone(self) -> Conllu:
        return self.conllu.some(np.array([self._number]))

    @property
    def text(self) -> str:
        """The text of the sentence."""
        return self._alone.texts()[0]

    @property
    def comments(self) -> list[str]:
        """The comments above it, as they are written."""
        return [line for line in self.conllu.before[self._number] if line.startswith("#")]

    @property
    def tokens(self) -> list[DocToken]:
        """The tokens as they stand in the text."""
        rows, _, word_ptr = self._alone.surface
        forms, blanks = self._alone.fields[FORM], self._alone.space_after().tolist()
        return [
            DocToken(forms[row], self.words[word_ptr[t] : word_ptr[t + 1]], blanks[t])
            for t, row in enumerate(rows.tolist())
        ]

    @property
    def roots(self) -> list[DocWord]:
        """The words without a head."""
        return [word for word in self if word.head == 0]

    def to_conllu(self) -> str:
        """Return the sentence in CoNLL-U."""
        return self._alone.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Return text, tokens and words as plain values; what is not known is None."""
        tokens = [
            {
                "text": token.text,
                "words": [word.id for word in token.words],
                "space_after": token.space_after,
            }
            for token in self.tokens
        ]
        return {"text": self.text, "tokens": tokens, "words": [word.to_dict() for word in self]}

    def draw(self) -> str:
        """Return the tree drawn with lines of text, one word per line."""
        return tree_in_text(self._arcs())

    def to_svg(self) -> str:
        """Return the tree as an SVG picture: arcs from heads to their dependents."""
        return svg_of_tree(self._arcs())

    def _arcs(self) -> Arcs:
        return Arcs(
            [word.form for word in self],
            [word.upos or word.xpos or "" for word in self],
            [word.head for word in self],
            [word.deprel or "" for word in self],
        )

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return the text with its kind."""
        return f"<Sentence: {self.text!r}>"

    def _repr_html_(self) -> str:
        """Return the tree as a picture, for notebooks."""
        return f'<div style="overflow-x:auto">{self.to_svg()}</div>'


def _column(field: int, meaning: str) -> property:
    """Return an attribute that reads a column; None for "_"."""

    def read(word: DocWord) -> str | None:
        value = word.field(field)
        return None if value == NOTHING else value

    return property(read, doc=f"{meaning}; None if it is not known.")


class DocWord:
    """A word of a sentence; made by `Doc`."""

    __slots__ = ("_row", "id", "sentence")

    def __init__(self, sentence: DocSentence, place: int, row: int) -> None:
        self.sentence = sentence
        self.id = place  # from 1, as heads are counted
        self._row = row

    def field(self, number: int) -> str:
        """Return a field of CoNLL-U as it is written, 0 to 9."""
        return self.sentence.conllu.fields[number][self._row]

    @property
    def form(self) -> str:
        """The word as it is written."""
        return self.field(FORM)

    @property
    def head(self) -> int | None:
        """Place of the head in the sentence, from 1; 0 at a root, None if it is not known."""
        head = self.field(HEAD)
        return None if head == NOTHING else int(head)

    lemma = _column(LEMMA, "The lemma")
    upos = _column(UPOS, "The universal part of speech")
    xpos = _column(XPOS, "The part of speech of the treebank's own tag set")
    deprel = _column(DEPREL, "The relation to the head")
    deps = _column(DEPS, "Enhanced dependencies as they are written")
    misc = _column(MISC, "The last column as it is written")

    @property
    def feats(self) -> dict[str, str]:
        """The features by their names."""
        given = self.field(FEATS)
        pairs = [] if given == NOTHING else [one.partition("=") for one in given.split("|")]
        return {name: value for name, _, value in pairs}

    @property
    def parent(self) -> DocWord | None:
        """The head; None at a root and where heads are not known."""
        return self.sentence[self.head - 1] if self.head else None

    @property
    def children(self) -> list[DocWord]:
        """The words whose head it is."""
        return [word for word in self.sentence if word.head == self.id]

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known of it as plain values."""
        names = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        """Return the form."""
        return self.form

    def __repr__(self) -> str:
        """Return the form with what it is."""
        known = [value for value in (self.upos, self.deprel) if value]
        return f"<Word {self.id}: {' '.join([repr(self.form), *known])}>"
