"""Running text: sentences of words as ids with their ends, which is what language models learn from and score.

Word 0 is <unk>, which stands for all words that are not known, word 1 is </s>, the end of a sentence. <s>, the start, is no word of a text.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.ragged import pointers
from laconic.text.contexts import Text
from laconic.text.vocab import Vocab

UNKNOWN, END, START = "<unk>", "</s>", "<s>"
UNKNOWN_ID, END_ID = 0, 1


class SentenceEncoder:
    """Sentences -> ids; `words` are all that are known, <unk> and </s> first."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = list(words)
        if self.words[:2] != [UNKNOWN, END]:
            raise ValueError(f"the first words must be {UNKNOWN} and {END}, got {self.words[:2]}")
        self._vocab = Vocab([*self.words, START]).freeze()
        self._start = len(self.words)

    @classmethod
    def learn(
        cls, sentences: Iterable[Any], min_count: int = 1, vocabulary: Iterable[str] | None = None
    ) -> tuple[SentenceEncoder, Text]:
        """An encoder of the words that occur `min_count` times, or of those of a vocabulary, and the sentences as it encodes them."""
        parts = split_sentences(sentences)
        if vocabulary is not None:
            known = dict.fromkeys(chain((UNKNOWN, END), vocabulary))
            if START in known:
                raise ValueError(f"{START} is the start of a sentence and no word of a vocabulary")
            encoder = cls(known)
            return encoder, encoder.encode(parts)
        if not (isinstance(min_count, int | np.integer) and min_count >= 1):
            raise ValueError(f"min_count must be a whole number of at least 1, got {min_count!r}")
        vocab = Vocab([UNKNOWN, END, START])
        ids = vocab.grow(chain.from_iterable(parts))
        _check_words(ids, parts, (END_ID, 2))
        kept = np.bincount(ids, minlength=len(vocab)) >= min_count
        kept[:3] = [True, True, False]
        new_id = np.where(kept, np.cumsum(kept) - 1, UNKNOWN_ID).astype(np.int32)
        words = vocab.words
        encoder = cls(words[i] for i in np.flatnonzero(kept).tolist())
        return encoder, encoder._with_ends(new_id[ids], parts)

    def encode(self, sentences: Iterable[Any]) -> Text:
        """The text of sentences; words that are not known are <unk>."""
        parts = split_sentences(sentences)
        ids = self._vocab.ids(chain.from_iterable(parts))
        _check_words(ids, parts, (END_ID, len(self)))
        return self._with_ends(np.maximum(ids, UNKNOWN_ID), parts)

    def ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Ids of words without an end, </s> among them; <s> is an error."""
        return np.fromiter(map(self.id, words), np.int32)

    def id(self, word: str) -> int:
        """The id of one such word."""
        found = self._vocab.id(word)
        if found == self._start:
            raise ValueError(f"{START} is the start of a sentence, which is never predicted")
        return found if found > UNKNOWN_ID else UNKNOWN_ID

    def __len__(self) -> int:
        return len(self.words)

    def _with_ends(self, ids: NDArray[np.int32], parts: list[list[str]]) -> Text:
        ptr = pointers([len(words) + 1 for words in parts])
        tokens = np.full(int(ptr[-1]), END_ID, np.int32)
        inside = np.ones(len(tokens), bool)
        inside[ptr[1:] - 1] = False
        tokens[inside] = ids
        return Text(tokens, ptr, len(self))


def split_sentences(sentences: Iterable[Any]) -> list[list[str]]:
    """Sentences as lists of words; those that are strings are split at blanks."""
    if isinstance(sentences, str):
        raise ValueError("expected sentences, each a string or a list of words, got one string")
    parts = []
    for number, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str):
            parts.append(sentence.split())
            continue
        words = list(sentence)
        if not all(isinstance(word, str) for word in words):
            raise ValueError(f"sentence {number} must be a string or a list of words, which are strings, got {sentence!r:.60}")
        parts.append(words)
    return parts


def _check_words(ids: NDArray[np.int32], parts: list[list[str]], marks: tuple[int, int]) -> None:
    """ValueError if a sentence holds a mark of its own start or end."""
    wrong = np.flatnonzero(np.isin(ids, marks))
    if len(wrong):
        number = int(np.searchsorted(np.cumsum([len(words) for words in parts]), wrong[0], side="right"))
        raise ValueError(
            f"sentence {number + 1} holds {START} or {END}: starts and ends of sentences are added to them, and must not be there"
        )
