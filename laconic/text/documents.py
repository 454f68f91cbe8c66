"""Documents to feature ids: words, n-grams and prefixes, sentence by sentence. Strings go no further than here.

A document is a string (split into sentences by rule), a Tree (one sentence), or a list of sentences: strings, lists of strings (their
words, taken as they are) or Trees (whose words are taken as they are).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.core.ragged import pointers
from laconic.text.tokens import Boundary, sentences, words
from laconic.text.trees import Tree
from laconic.text.vocab import Vocab


def sentences_of(document: Any, boundary: Boundary = "auto") -> list[Any]:
    """The sentences of a document: strings, lists of words, or Trees."""
    if isinstance(document, str):
        return [document[start:end] for start, end in sentences(document, boundary)]
    if isinstance(document, Tree):
        return [document]
    if isinstance(document, (list, tuple)):
        return list(document)
    raise ValueError(
        f"a document is a string, a list of sentences or a tree, got {type(document).__name__}"
    )


def sentence_text(sentence: Any) -> str:
    """A sentence of any kind as one string."""
    if isinstance(sentence, str):
        return sentence
    return " ".join(sentence.words if isinstance(sentence, Tree) else sentence)


class Encoded(NamedTuple):
    """Feature ids of documents: sentence s is feature[sentence_ptr[s]:sentence_ptr[s+1]], its words first, -1 where unknown.

    document_ptr delimits the sentences of each document, n_words counts the words of each sentence (n-grams and prefixes follow).
    """

    feature: NDArray[np.int32]
    sentence_ptr: NDArray[np.int64]
    document_ptr: NDArray[np.int64]
    n_words: NDArray[np.int64]

    def counts(self, n_features: int) -> sp.csr_matrix:
        """Documents x features, how often each occurs."""
        row = np.repeat(
            np.arange(len(self.document_ptr) - 1), np.diff(self.sentence_ptr[self.document_ptr])
        )
        known = self.feature >= 0
        ones = np.ones(int(known.sum()))
        shape = (len(self.document_ptr) - 1, n_features)
        return sp.csr_matrix((ones, (row[known], self.feature[known])), shape=shape)

    def words_of(self, sentence: int) -> NDArray[np.int32]:
        """Word ids of a sentence, in order."""
        start = self.sentence_ptr[sentence]
        return self.feature[start : start + self.n_words[sentence]]

    def renumbered(self, new_id: NDArray[np.int32]) -> Encoded:
        """The same documents after feature f became new_id[f] (-1: dropped)."""
        table = np.append(new_id, -1).astype(np.int32)
        return self._replace(feature=table[self.feature])


class DocumentEncoder:
    """grow on training documents, freeze (dropping rare features), encode any others."""

    def __init__(
        self,
        lowercase: bool = True,
        ngrams: int = 1,
        boundary: Boundary = "auto",
        prefixes: Sequence[int] = (),
    ):
        if ngrams < 1:
            raise ValueError(f"ngrams must be at least 1, got {ngrams!r}")
        if (
            isinstance(prefixes, str)
            or any(length < 1 for length in prefixes)
            or len(set(prefixes)) < len(prefixes)
        ):
            raise ValueError(
                f"prefixes must be different numbers of letters, each at least 1, got {prefixes!r}"
            )
        self.lowercase = lowercase
        self.ngrams = ngrams
        self.prefixes = tuple(prefixes)
        self.boundary: Boundary = boundary
        self.vocab = Vocab()

    def sentence_words(self, document: Any) -> list[list[str]]:
        """The words of each sentence of one document."""
        return [self._words_of(sentence) for sentence in sentences_of(document, self.boundary)]

    def _words_of(self, sentence: Any) -> list[str]:
        if isinstance(sentence, str):
            return words(sentence, self.lowercase)
        tokens: Iterable[str] = sentence.words if isinstance(sentence, Tree) else sentence
        return [token.lower() for token in tokens] if self.lowercase else list(tokens)

    def grow(self, documents: Sequence[Any], min_count: int = 1) -> Encoded:
        """Encode training documents, number their features, drop those seen less than min_count times, freeze."""
        self.vocab = Vocab()
        encoded = self._encode(documents, self.vocab.grow)
        if min_count > 1:
            seen = np.bincount(encoded.feature, minlength=len(self.vocab))
            keep = np.flatnonzero(seen >= min_count)
            new_id = np.full(len(self.vocab), -1, dtype=np.int32)
            new_id[keep] = np.arange(len(keep))
            self.vocab = self.vocab.renumber(keep)
            encoded = encoded.renumbered(new_id)
        self.vocab.freeze()
        return encoded

    def encode(self, documents: Sequence[Any]) -> Encoded:
        """Ids of known features, -1 for the others."""
        return self._encode(documents, self.vocab.ids)

    def _encode(self, documents: Sequence[Any], ids_of: Any) -> Encoded:
        parts, lengths, n_words, per_document = [], [], [], []
        for document in documents:
            units = self.sentence_words(document)
            per_document.append(len(units))
            for unit in units:
                features = [*unit, *self._ngrams_of(unit), *self._prefixes_of(unit)]
                parts.append(ids_of(features))
                lengths.append(len(features))
                n_words.append(len(unit))
        feature = np.concatenate(parts).astype(np.int32) if parts else np.zeros(0, np.int32)
        return Encoded(
            feature, pointers(lengths), pointers(per_document), np.array(n_words, dtype=np.int64)
        )

    def _ngrams_of(self, unit: list[str]) -> list[str]:
        return [
            " ".join(unit[i : i + n])
            for n in range(2, min(self.ngrams, len(unit)) + 1)
            for i in range(len(unit) - n + 1)
        ]

    def _prefixes_of(self, unit: list[str]) -> list[str]:
        return [
            prefix(word, length) for length in self.prefixes for word in unit if len(word) > length
        ]


def prefix(word: str, length: int) -> str:
    """`bor*` of `boring` for 3 letters, which `bored` has in common with it; a word that is no longer is its own prefix."""
    return f"{word[:length]}*" if len(word) > length else word
