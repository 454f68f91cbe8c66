"""Documents to feature ids: words, n-grams and prefixes, sentence by sentence.

A document is a string (split into sentences by rule), a Tree (one sentence), or a list of
sentences: strings, lists of strings (their words, taken as they are) or Trees (whose words are
taken as they are). Strings go no further than here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.ragged import pointers
from laconic.text.scripts import share_unsegmented
from laconic.text.tokens import Boundary, sentences, words
from laconic.text.trees import Tree
from laconic.text.vocab import Vocab

if TYPE_CHECKING:
    import scipy.sparse as sp

Sentence: TypeAlias = str | Sequence[str] | Tree
DocumentLike: TypeAlias = str | Tree | Sequence[Sentence]
# How a string becomes words: a regular expression that matches them, or a function; None: by rule.
Tokenizer: TypeAlias = str | Callable[[str], Sequence[str]]
MOST_UNSEGMENTED = 0.1  # share of the vocabulary above which a segmenter is asked for


def sentences_of(document: DocumentLike, boundary: Boundary = "auto") -> list[Sentence]:
    """Return the sentences of a document: strings, lists of words, or Trees."""
    if isinstance(document, str):
        return [document[start:end] for start, end in sentences(document, boundary)]
    if isinstance(document, Tree):
        return [document]
    if isinstance(document, (list, tuple)):
        return list(document)
    raise ValueError(
        f"a document is a string, a list of sentences or a tree, got {type(document).__name__}"
    )


def sentence_text(sentence: Sentence) -> str:
    """Return a sentence of any form as one string."""
    if isinstance(sentence, str):
        return sentence
    return " ".join(sentence.words if isinstance(sentence, Tree) else sentence)


class FeatureCounts(NamedTuple):
    """Document d has feature[ptr[d]:ptr[d+1]], with its count, or another value."""

    ptr: Ints
    feature: Ints32
    value: Array


class Encoded(NamedTuple):
    """Feature ids of documents.

    feature       -1 where unknown; sentence s is feature[sentence_ptr[s]:sentence_ptr[s+1]], its
                  words first, then its n-grams and prefixes
    document_ptr  document d is sentences document_ptr[d]:document_ptr[d+1]
    n_words       number of words of each sentence
    """

    feature: Ints32
    sentence_ptr: Ints
    document_ptr: Ints
    n_words: Ints

    def counts(self, n_features: int) -> sp.csr_matrix:
        """Return how often each feature occurs in each document (documents x features)."""
        import scipy.sparse as sp  # not needed to predict from compact files

        row = np.repeat(
            np.arange(len(self.document_ptr) - 1), np.diff(self.sentence_ptr[self.document_ptr])
        )
        known = self.feature >= 0
        ones = np.ones(int(known.sum()))
        shape = (len(self.document_ptr) - 1, n_features)
        return sp.csr_matrix((ones, (row[known], self.feature[known])), shape=shape)

    def counted(self) -> FeatureCounts:
        """Return how often each known feature occurs in each document, by NumPy alone."""
        sizes = np.diff(self.sentence_ptr[self.document_ptr])
        known = self.feature >= 0
        row = np.repeat(np.arange(len(sizes)), sizes)[known]
        width = int(self.feature.max(initial=0)) + 1
        cell, count = np.unique(row * width + self.feature[known], return_counts=True)
        per_row = np.bincount(cell // width, minlength=len(sizes))
        return FeatureCounts(
            pointers(per_row), (cell % width).astype(np.int32), count.astype(np.float64)
        )

    def words_of(self, sentence: int) -> Ints32:
        """Return the word ids of a sentence, in order."""
        start = self.sentence_ptr[sentence]
        return self.feature[start : start + self.n_words[sentence]]

    def renumbered(self, new_id: Ints32) -> Encoded:
        """Return the same documents after feature f became new_id[f] (-1: dropped)."""
        table = np.append(new_id, -1).astype(np.int32)
        return self._replace(feature=table[self.feature])


class DocumentEncoder:
    """Feature ids of documents: `grow` on training documents, which freezes, then `encode` others.

    Parameters
    ----------
    lowercase : bool, default=True
        Whether words are counted in lower case.
    ngrams : int, default=1
        Longest n-gram of words that is a feature.
    boundary : {"auto", "line", "double-space"}, default="auto"
        How a string is split into sentences, see `laconic.text.tokens.sentences`.
    prefixes : sequence of int, default=()
        Lengths of prefixes of words that are features.
    tokenizer : str, callable or None, default=None
        A regular expression that matches words, or a function from a string to its words, instead
        of the rules of `laconic.text.tokens.words`.
    stop_words : collection of str, default=()
        Words that are left out before n-grams are formed.

    Examples
    --------
    >>> encoder = DocumentEncoder(ngrams=2)
    >>> encoder.grow(["a good plot", "good cast"]).feature.tolist()
    [0, 1, 2, 0, 3, 4]
    >>> encoder.vocab.words
    ['good', 'plot', 'good plot', 'cast', 'good cast']
    """

    def __init__(
        self,
        lowercase: bool = True,
        ngrams: int = 1,
        boundary: Boundary = "auto",
        prefixes: Sequence[int] = (),
        tokenizer: Tokenizer | None = None,
        stop_words: Collection[str] = (),
    ) -> None:
        if ngrams < 1:
            raise ValueError(f"ngrams must be at least 1, got {ngrams!r}")
        different = not isinstance(prefixes, str) and len(set(prefixes)) == len(prefixes)
        if not different or any(length < 1 for length in prefixes):
            raise ValueError(
                f"prefixes must be different numbers of letters, each at least 1, got {prefixes!r}"
            )
        self.lowercase = lowercase
        self.ngrams = ngrams
        self.prefixes = tuple(prefixes)
        self.boundary: Boundary = boundary
        self.tokenizer = tokenizer
        self._split = None if tokenizer is None else splitter(tokenizer)
        self.stop_words = frozenset(w.lower() if lowercase else w for w in stop_words)
        self.vocab = Vocab()

    def sentence_words(self, document: DocumentLike) -> list[list[str]]:
        """Return the words of each sentence of one document."""
        return [self._words_of(sentence) for sentence in sentences_of(document, self.boundary)]

    def _words_of(self, sentence: Sentence) -> list[str]:
        found = self._all_words_of(sentence)
        if not self.stop_words:
            return found
        return [word for word in found if word not in self.stop_words]

    def _all_words_of(self, sentence: Sentence) -> list[str]:
        if isinstance(sentence, str) and self._split is None:
            return words(sentence, self.lowercase)
        tokens: Iterable[str]
        if isinstance(sentence, str):
            tokens = self._split(sentence) if self._split is not None else ()
        else:
            tokens = sentence.words if isinstance(sentence, Tree) else sentence
        return [token.lower() for token in tokens] if self.lowercase else list(tokens)

    def grow(
        self,
        documents: Sequence[DocumentLike],
        min_count: int = 1,
        min_df: float = 1,
        max_df: float = 1.0,
    ) -> Encoded:
        """Number the features of training documents, encode these, and freeze.

        Features seen less than `min_count` times, or in fewer than `min_df` or more than `max_df`
        documents, are dropped; a whole number is one of documents, else a share of them.
        """
        self.vocab = Vocab()
        encoded = self._encode(documents, self.vocab.grow)
        keep = self._frequent(encoded, min_count, min_df, max_df)
        if len(keep) < len(self.vocab):
            new_id = np.full(len(self.vocab), -1, dtype=np.int32)
            new_id[keep] = np.arange(len(keep))
            self.vocab = self.vocab.renumber(keep)
            encoded = encoded.renumbered(new_id)
        self.vocab.freeze()
        self._warn_of_scripts(documents)
        return encoded

    def _frequent(self, encoded: Encoded, min_count: int, min_df: float, max_df: float) -> Ints:
        """Return the features that occur often enough, and not in too many documents."""
        n, n_documents = len(self.vocab), len(encoded.document_ptr) - 1
        keep = np.ones(n, dtype=bool)
        if min_count > 1:
            keep &= np.bincount(encoded.feature, minlength=n) >= min_count
        least, most = (
            _documents("min_df", min_df, n_documents),
            _documents("max_df", max_df, n_documents),
        )
        if least > 1 or most < n_documents:
            counts = encoded.counts(n)
            in_documents = np.bincount(counts.indices, minlength=n)
            keep &= (in_documents >= least) & (in_documents <= most)
            if n and not keep.any():
                raise ValueError(
                    f"no word is in at least {least:g} and at most {most:g} of the {n_documents} "
                    "documents: lower min_df or raise max_df"
                )
        return np.flatnonzero(keep)

    def _warn_of_scripts(self, documents: Sequence[DocumentLike]) -> None:
        """Say that texts of a script without blanks have no real words, if they came as strings."""
        if not any(isinstance(document, str) for document in documents):
            return
        if share_unsegmented(self.vocab.words) > MOST_UNSEGMENTED:
            warnings.warn(
                "the texts have scripts without blanks between words (Chinese, Japanese, Thai, "
                "Lao, Khmer or Burmese), of which pairs of characters are taken as words: for real "
                "words, split them with a segmenter and give lists of words",
                UserWarning,
                stacklevel=3,
            )

    def encode(self, documents: Sequence[DocumentLike]) -> Encoded:
        """Encode any documents; features that are not known are -1."""
        return self._encode(documents, self.vocab.ids)

    def _encode(
        self, documents: Sequence[DocumentLike], ids_of: Callable[[Iterable[str]], Ints32]
    ) -> Encoded:
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

    def spans_of(self, unit: list[str]) -> Ints:
        """Return the words (first, behind last) that each feature of a sentence covers.

        The features are those of `encode`, in their order: words, n-grams, prefixes.
        """
        n = len(unit)
        lengths = range(1, min(self.ngrams, n) + 1)
        starts = [np.arange(n - length + 1) for length in lengths]
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        for length in self.prefixes:
            longer = np.array([i for i, word in enumerate(unit) if len(word) > length], np.int64)
            starts.append(longer)
            ends.append(longer + 1)
        if not starts:
            return np.zeros((0, 2), np.int64)
        return np.stack([np.concatenate(starts), np.concatenate(ends)], axis=1)

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


def splitter(tokenizer: Tokenizer) -> Callable[[str], Sequence[str]]:
    """Return what a tokenizer does: the matches of a regular expression, or the function itself."""
    if callable(tokenizer):
        return tokenizer
    from laconic.text.expressions import checked_expression  # most models have none

    try:
        pattern = checked_expression(tokenizer)
    except re.error as error:
        raise ValueError(
            f"tokenizer is a regular expression that matches words, or a function; {tokenizer!r} "
            f"is none: {error}"
        ) from None
    return lambda text: [found for match in pattern.finditer(text) if (found := match.group())]


def _documents(name: str, value: float, n_documents: int) -> float:
    """Return a number of documents that is given as one, or as a share of all of them."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (value >= 1 if whole else 0 <= value <= 1):
        raise ValueError(
            f"{name} is a number of documents from 1 on, or a share from 0.0 to 1.0; got {value!r}"
        )
    return value if whole else value * n_documents


def prefix(word: str, length: int) -> str:
    """Return the first letters of a word, such as `bor*` of `boring`, or a short word whole."""
    return f"{word[:length]}*" if len(word) > length else word
