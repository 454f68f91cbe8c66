"""A pipeline as a component of spaCy, `nlp.add_pipe("laconic", config={"model": path})`.

spaCy finds this module through its entry point (group `spacy_factories`) and imports it then;
nothing else in laconic does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from spacy import attrs
from spacy.language import Language
from spacy.tokens import Doc

from laconic.core.arrays import Ints
from laconic.core.ragged import pointers
from laconic.models.save import load
from laconic.text.conllu import DEPREL, FEATS, FORM, LEMMA, UPOS, XPOS, Conllu, conllu_of
from laconic.text.treebanks import NOTHING

FILE = "model.laconic"
# What spaCy knows as parts of speech; white space has one of its own, and a relation.
_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
TAGS = frozenset(_TAGS.split())
UNKNOWN_TAG, SPACE_TAG, RELATION = "X", "SPACE", "dep"


class LaconicComponent:
    """Fills tags, morphology, lemmas, heads, relations and sentences of spaCy's documents.

    The tokens are spaCy's own, or with `tokens` the model's. A multiword token is one token of
    spaCy and gets what its head word has; with `tokens` it is as many tokens as it has words if
    they make up its letters (`do|n't`).
    Sentences are those of an earlier component, or found by the model.
    """

    def __init__(self, nlp: Language, name: str, model: str | None, tokens: bool) -> None:
        self.vocab = nlp.vocab
        self.name = name
        self.path = model
        self.tokens = tokens
        self._loaded: Any = None

    @property
    def pipeline(self) -> Any:
        """The model; its file is read when it is needed first."""
        if self._loaded is None:
            if self.path is None:
                raise ValueError(
                    f"the component {self.name!r} has no model: give its file, "
                    'nlp.add_pipe("laconic", config={"model": path})'
                )
            self._loaded = load(self.path)
            if not hasattr(self._loaded, "annotate"):
                raise ValueError(
                    f"{self.path}: expected a model of `laconic train text`, "
                    f"found a {type(self._loaded).__name__}"
                )
        return self._loaded

    def __call__(self, doc: Doc) -> Doc:
        """Return a document with annotation: the same one, or one with the model's tokens."""
        return self._annotated([doc])[0]

    def pipe(self, stream: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """Yield documents with annotation, a batch at a time."""
        documents = iter(stream)
        while batch := list(islice(documents, batch_size)):
            yield from self._annotated(batch)

    def to_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> None:
        """Write the model into a folder."""
        Path(path).mkdir(parents=True, exist_ok=True)
        self.pipeline.save(str(Path(path) / FILE))

    def from_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> LaconicComponent:
        """Read the model from a folder."""
        self.path, self._loaded = str(Path(path) / FILE), None
        return self

    def _annotated(self, documents: list[Doc]) -> list[Doc]:
        """Return documents with what the model says of all their sentences at once."""
        words: list[list[str]] = []  # of all tokens, where they are the model's
        if self.tokens:
            found = [_units(self.pipeline.segmented([document.text])) for document in documents]
            words = [parts for units, _ in found for _, parts in units]
            starts = [start for _, start in found]
            documents = [
                self._with_tokens(document, [form for form, _ in units])
                for document, (units, _) in zip(documents, found, strict=True)
            ]
        else:
            starts = [self._sentence_starts(document) for document in documents]
        written = [_written(document) for document in documents]
        sentences = [
            part
            for document, at, start in zip(documents, written, starts, strict=True)
            for part in _cut([document[int(i)].text for i in at], start)
        ]
        if not sentences:
            return documents
        columns = _Columns(self.pipeline.annotate(self._words(sentences, words)))
        first = 0
        for document, at, start in zip(documents, written, starts, strict=True):
            columns.fill(document, at, first, start)
            first += len(at)
        return documents

    def _words(self, sentences: list[Sequence[str]], words: list[list[str]]) -> Conllu:
        """Return the sentences of tokens with their words, else as the model splits tokens."""
        if not self.tokens:
            split: Conllu = self.pipeline.tokenized(sentences)
            return split
        tokens, flat = (list(chain.from_iterable(lists)) for lists in (sentences, words))
        of_tokens, of_sentences = pointers(map(len, words)), pointers(map(len, sentences))
        return conllu_of(tokens, flat, of_tokens, of_sentences, np.ones(len(tokens), bool))

    def _with_tokens(self, document: Doc, forms: Sequence[str]) -> Doc:
        """Return a document of the same text with these tokens, and white space between them.

        Blanks in a form may be other white space in the text.
        """
        text = document.text
        letters = [place for place, sign in enumerate(text) if not sign.isspace()]
        words: list[str] = []
        spaces: list[bool] = []
        end = first = 0
        for form in [*forms, ""]:
            n = _n_letters(form)
            begin = letters[first] if n else len(text)
            gap = text[end:begin]
            if words and gap.startswith(" "):
                spaces[-1], gap = True, gap[1:]
            first, end = first + n, letters[first + n - 1] + 1 if n else begin
            added = [piece for piece in (gap, text[begin:end]) if piece]
            words += added
            spaces += [False] * len(added)
        return Doc(self.vocab, words=words, spaces=spaces, user_data=document.user_data)

    def _sentence_starts(self, document: Doc) -> Ints:
        """Return the first token of each sentence among the written ones."""
        written = _written(document)
        if document.has_annotation("SENT_START"):
            first = [sentence.start for sentence in document.sents]
            return np.unique(np.searchsorted(written, first)[: len(written)])
        if getattr(self.pipeline, "segmenter_", None) is None or not len(written):
            return np.zeros(min(1, len(written)), np.int64)
        found = self.pipeline.segmented([document.text])
        letters = pointers(_n_letters(found.fields[FORM][row]) for row in found.surface.rows)
        own = pointers(_n_letters(document[int(i)].text) for i in written)
        starts = np.searchsorted(own[:-1], letters[found.surface.ptr[:-1]])
        return np.unique(starts[starts < len(written)])


class _Columns:
    """What a model says of tokens, as numbers that spaCy's documents hold."""

    def __init__(self, found: Conllu) -> None:
        self.word_ptr = found.surface.word_ptr
        self.ptr = found.surface.ptr
        heads = found.heads().astype(np.int64)
        base = np.repeat(found.word_ptr[:-1], np.diff(found.word_ptr))
        n_words = len(heads)
        token_of = np.repeat(np.arange(len(self.word_ptr) - 1), np.diff(self.word_ptr))
        own = np.arange(n_words)
        target = np.where(heads > 0, base + heads - 1, own)  # roots are their own heads
        outside = (heads <= 0) | (token_of[target] != token_of)
        # The head word of a token: its first word whose head lies outside of it.
        order = np.lexsort((own, ~outside, token_of))
        self.word = order[self.word_ptr[:-1]]
        self.head = token_of[target[self.word]]
        self.parsed = bool((heads >= 0).all())
        self.strings = {
            field: list(map(found.words(field).__getitem__, self.word.tolist()))
            for field in (LEMMA, UPOS, XPOS, FEATS, DEPREL)
            if (field == DEPREL and self.parsed) or set(found.words(field)) != {NOTHING}
        }

    def fill(self, document: Doc, written: Ints, first: int, starts: Ints) -> None:
        """Fill in a document whose written tokens are those from `first` on."""
        n, last = len(document), first + len(written)
        # White space that spaCy holds as tokens hangs on the token before it, or the first one.
        near = np.searchsorted(written, np.arange(n), side="right") - 1
        near = np.maximum(near, 0)
        if not len(written):
            return
        values: dict[int, Any] = {}
        strings = document.vocab.strings
        blank = {UPOS: int(strings.add(SPACE_TAG)), DEPREL: int(strings.add(RELATION))}
        for field, (attribute, number) in self._attributes(document).items():
            if field in self.strings:
                column = np.full(n, blank.get(field, 0), np.uint64)
                column[written] = [number(value) for value in self.strings[field][first:last]]
                values[attribute] = column
        if self.parsed:
            target = written[near]
            target[written] = written[self.head[first:last] - first]
            values[attrs.HEAD] = (target - np.arange(n)).astype(np.uint64)
        else:
            marks = np.full(n, -1, np.int64)
            marks[written[starts]] = 1
            marks[: written[0] + 1] = -1  # white space at the beginning belongs to the first one
            marks[0] = 1
            values[attrs.SENT_START] = marks.astype(np.uint64)
        numbers: Any = np.stack(list(values.values()), axis=1)
        document.from_array(list(values), numbers)

    def _attributes(self, document: Doc) -> dict[int, tuple[int, Any]]:
        """Return spaCy's attribute of each field, and the number of a string there."""
        strings, morphology = document.vocab.strings, document.vocab.morphology

        def known(value: str) -> int:
            return 0 if value == NOTHING else int(strings.add(value))

        def relation(value: str) -> int:
            # To spaCy a word without a relation has no head.
            return int(strings.add(RELATION if value == NOTHING else value))

        def tag(value: str) -> int:
            return int(strings.add(value if value in TAGS else UNKNOWN_TAG))

        def features(value: str) -> int:
            return int(morphology.add(value))

        return {
            LEMMA: (attrs.LEMMA, strings.add),
            UPOS: (attrs.POS, tag),
            XPOS: (attrs.TAG, known),
            FEATS: (attrs.MORPH, features),
            DEPREL: (attrs.DEP, relation),
        }


def _written(document: Doc) -> Ints:
    """Return the tokens that are no white space."""
    return np.array([token.i for token in document if not token.is_space], np.int64)


def _n_letters(form: str) -> int:
    return len("".join(form.split()))


def _cut(words: Sequence[str], starts: Ints) -> Iterator[Sequence[str]]:
    bounds = [*starts.tolist(), len(words)]
    return (words[a:b] for a, b in pairwise(bounds))


def _units(found: Conllu) -> tuple[list[tuple[str, list[str]]], Ints]:
    """Return the tokens with their words, and where each sentence begins.

    A multiword token whose words make up its letters is as many tokens.
    """
    rows, ptr, word_ptr = found.surface
    words = found.words(FORM)
    units = []
    for t, row in enumerate(rows.tolist()):
        token, parts = found.fields[FORM][row], words[word_ptr[t] : word_ptr[t + 1]]
        apart = "".join(parts) == token
        units.append([(part, [part]) for part in parts] if apart else [(token, parts)])
    return list(chain.from_iterable(units)), pointers(map(len, units))[ptr[:-1]]


def make(nlp: Language, name: str, model: str | None, tokens: bool) -> LaconicComponent:
    """Return the component that `nlp.add_pipe("laconic")` adds."""
    return LaconicComponent(nlp, name, model, tokens)


Language.factory(
    "laconic",
    default_config={"model": None, "tokens": False},
    assigns=[
        "token.tag",
        "token.pos",
        "token.morph",
        "token.lemma",
        "token.head",
        "token.dep",
        "token.is_sent_start",
        "doc.sents",
    ],
    func=make,
)
