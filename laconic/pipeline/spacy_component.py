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
from spacy.util import get_words_and_spaces

from laconic.core.arrays import Ints
from laconic.core.ragged import pointers
from laconic.models.save import load
from laconic.text.conllu import DEPREL, FEATS, FORM, LEMMA, UPOS, XPOS, Conllu
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
        if self.tokens:
            found = [self._with_own_tokens(document) for document in documents]
            documents = [document for document, _ in found]
            starts = [start for _, start in found]
        else:
            starts = [self._sentence_starts(document) for document in documents]
        written = [_written(document) for document in documents]
        forms = [
            [document[int(i)].text for i in at]
            for document, at in zip(documents, written, strict=True)
        ]
        sentences = [
            part for words, start in zip(forms, starts, strict=True) for part in _cut(words, start)
        ]
        if not sentences:
            return documents
        columns = _Columns(self.pipeline.annotate(self.pipeline.tokenized(sentences)))
        first = 0
        for document, at, start in zip(documents, written, starts, strict=True):
            columns.fill(document, at, first, start)
            first += len(at)
        return documents

    def _with_own_tokens(self, document: Doc) -> tuple[Doc, Ints]:
        """Return a document of the same text with the model's tokens, and its sentences."""
        found = self.pipeline.segmented([document.text])
        forms, ptr = _units(found)
        words, spaces = get_words_and_spaces(forms, document.text)
        made = Doc(self.vocab, words=words, spaces=spaces, user_data=document.user_data)
        return made, ptr[:-1]

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


def _units(found: Conllu) -> tuple[list[str], Ints]:
    """Return the tokens, of a multiword token its words if they make up its letters; and where
    each sentence begins.
    """
    rows, ptr, word_ptr = found.surface
    words = found.words(FORM)
    units = []
    for t, row in enumerate(rows.tolist()):
        token, parts = found.fields[FORM][row], words[word_ptr[t] : word_ptr[t + 1]]
        units.append(parts if "".join(parts) == token else [token])
    return list(chain.from_iterable(units)), pointers(map(len, units))[ptr]


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
