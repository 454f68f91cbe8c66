"""Running text: sentences of words as ids with their ends, for language models.

Word 0 is <unk>, which stands for all words that are not in the vocabulary, word 1 is </s>, the end
of a sentence. <s>, the start, is not a word of a text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Ints32
from laconic.core.ragged import pointers
from laconic.lm.contexts import Text
from laconic.text.spelling import as_bytes, flat, words_of
from laconic.text.vocab import Vocab

UNKNOWN, END, START = "<unk>", "</s>", "<s>"
UNKNOWN_ID, END_ID = 0, 1
ONE_STRING = "expected sentences, each a string or a list of words, got one string or path"
MOST_FILES, LONGEST_NAME = 20, 1000  # up to which sentences are compared with names of files
MARK = "\0"  # between sentences that a kernel splits
# Each sentence is split at blanks, or is a list of words.
SentencesLike: TypeAlias = Iterable[str | Iterable[str]]


class SentenceEncoder:
    """Sentences -> ids.

    words     the vocabulary, <unk> and </s> first
    numbers   word -> id, with one more for <s>
    index     the same for kernels
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = list(words)
        if self.words[:2] != [UNKNOWN, END]:
            raise ValueError(f"the first words must be {UNKNOWN} and {END}, got {self.words[:2]}")
        self.numbers = {word: number for number, word in enumerate([*self.words, START])}
        self.index = _core.WordIndex(*flat([*self.words, START]))

    @classmethod
    def learn(
        cls,
        sentences: SentencesLike,
        min_count: int = 1,
        vocabulary: Iterable[str] | None = None,
    ) -> tuple[SentenceEncoder, Text]:
        """Return an encoder, and the sentences as it encodes them.

        Its vocabulary are the words that occur at least `min_count` times, or those given.
        """
        given = _listed(sentences)
        if vocabulary is not None:
            known = dict.fromkeys(chain((UNKNOWN, END), vocabulary))
            if START in known:
                raise ValueError(f"{START} is the start of a sentence, not a word of a vocabulary")
            encoder = cls(known)
            return encoder, encoder.encode(given)
        if not (isinstance(min_count, int | np.integer) and min_count >= 1):
            raise ValueError(f"min_count must be a whole number of at least 1, got {min_count!r}")
        words, text = _numbered(given)
        kept = np.bincount(text.tokens, minlength=len(words)) >= min_count
        kept[:3] = [True, True, False]
        new_id = np.where(kept, np.cumsum(kept) - 1, UNKNOWN_ID).astype(np.int32)
        encoder = cls(words[i] for i in np.flatnonzero(kept).tolist())
        return encoder, Text(new_id[text.tokens], text.ptr, len(encoder))

    def encode(self, sentences: SentencesLike) -> Text:
        """Return the sentences as ids; words outside the vocabulary become <unk>."""
        given = _listed(sentences)
        if (raw := _joined(given)) is not None:
            tokens, ptr = self.index.encode(raw, ord(MARK), UNKNOWN_ID, END_ID)
            return _checked(Text(tokens, ptr, len(self)))
        parts = split_sentences(given)
        ids = map(self.numbers.get, chain.from_iterable(parts), repeat(UNKNOWN_ID))
        return _with_ends(np.fromiter(ids, np.int32), parts, len(self))

    def ids(self, words: Iterable[str]) -> Ints32:
        """Return the ids of words, without an end after them; <s> is an error."""
        return np.fromiter(map(self.id, words), np.int32)

    def id(self, word: str) -> int:
        """Return the id of one word; <s> is an error."""
        if word == START:
            raise ValueError(f"{START} is the start of a sentence, which is never predicted")
        return self.numbers.get(word, UNKNOWN_ID)

    def __len__(self) -> int:
        return len(self.words)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "index": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.index = _core.WordIndex(*flat([*self.words, START]))


def _listed(sentences: SentencesLike) -> list[str | Iterable[str]]:
    """Return the sentences as a list; ValueError if a string or names of files are given."""
    if isinstance(sentences, str | os.PathLike):
        raise ValueError(ONE_STRING)
    given = list(sentences)
    # Names of files are taken for sentences of one word only where nothing else is given.
    if 0 < len(given) <= MOST_FILES and all(map(_is_file, given)):
        raise ValueError(
            f"expected sentences, got the name of a file: {str(given[0])!r}; give its lines"
        )
    return given


def _is_file(sentence: object) -> bool:
    if isinstance(sentence, os.PathLike):
        return True
    return (
        isinstance(sentence, str)
        and 0 < len(sentence) < LONGEST_NAME
        and not any(map(str.isspace, sentence))
        and os.path.isfile(sentence)
    )


def _joined(sentences: list[str | Iterable[str]]) -> NDArray[np.uint8] | None:
    """Return sentences that are strings in one piece, with a mark between them.

    The result is None if lists of words are given, or if a string holds the mark.
    """
    try:
        joined = MARK.join(sentences)  # type: ignore[arg-type]  # what this line finds out
    except TypeError:
        return None
    return as_bytes(joined) if sentences and joined.count(MARK) == len(sentences) - 1 else None


def _numbered(sentences: list[str | Iterable[str]]) -> tuple[list[str], Text]:
    """Return all words, numbered by first occurrence after <unk>, </s> and <s>, and the text."""
    first = [UNKNOWN, END, START]
    if (raw := _joined(sentences)) is not None:
        index = _core.WordIndex(*flat(first))
        tokens, ptr = index.learn(raw, ord(MARK), END_ID)
        text = _checked(Text(tokens, ptr, first.index(START)))
        return words_of(*index.spelled(np.arange(index.size()))), text
    parts, vocab = split_sentences(sentences), Vocab(first)
    text = _with_ends(vocab.grow(chain.from_iterable(parts)), parts, first.index(START))
    return vocab.words, text


def split_sentences(sentences: SentencesLike) -> list[list[str]]:
    """Return sentences as lists of words; strings are split at blanks."""
    parts = []
    for number, sentence in enumerate(_listed(sentences), 1):
        if isinstance(sentence, str):
            parts.append(sentence.split())
            continue
        words = list(sentence)
        if not all(isinstance(word, str) for word in words):
            raise ValueError(
                f"sentence {number} must be a string or a list of words, which are strings, "
                f"got {sentence!r:.60}"
            )
        parts.append(words)
    return parts


def _with_ends(ids: Ints32, parts: list[list[str]], start: int) -> Text:
    """Return the words of all sentences with an end after each; `start` is the id of <s>."""
    ptr = pointers([len(words) + 1 for words in parts])
    tokens = np.full(int(ptr[-1]), END_ID, np.int32)
    inside = np.ones(len(tokens), bool)
    inside[ptr[1:] - 1] = False
    tokens[inside] = ids
    return _checked(Text(tokens, ptr, start))


def _checked(text: Text) -> Text:
    """Return the text; ValueError if a sentence holds a mark of its own start or end."""
    if np.count_nonzero(text.tokens == END_ID) == len(text.ptr) - 1 and not np.any(
        text.tokens == text.n_words
    ):
        return text
    marks = (text.tokens == END_ID) | (text.tokens == text.n_words)
    marks[text.ptr[1:] - 1] = False
    number = int(np.searchsorted(text.ptr, np.flatnonzero(marks)[0], side="right"))
    raise ValueError(
        f"sentence {number} holds {START} or {END}: starts and ends of sentences are added "
        "automatically, leave them out"
    )
