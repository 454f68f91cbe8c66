"""Running text of any length: its frequent words, and the text as their ids.

The ids are kept in memory or in a temporary file. A text is read once: from files, plain or
compressed, with one sentence per line, or from any iterable of sentences.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple, TypeAlias

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints, Ints32
from laconic.errors import InputError
from laconic.text.io import STANDARD_STREAM, PathLike, name_of, open_text
from laconic.text.spelling import as_bytes, words_of

END, GAP = -1, -2  # ids of no word: the end of a sentence, and the place of an unknown word
RARE_WORD = "#rare#"
RARE = ("gap", "drop", "mark")
MEMORY = 2**31
CHUNK = 2**22  # characters that are read at once
BATCH = 20_000  # sentences of an iterable that are processed at once
BETWEEN_WORDS, BETWEEN_SENTENCES = "\x1f", "\x1e"  # of sentences that are lists of words
# Paths of files, or sentences, each a list of words.
RunningText: TypeAlias = PathLike | Iterable[PathLike] | Iterable[Iterable[str]]


class Subsampling(NamedTuple):
    """Leaves out words at random: one of frequency f stays with probability sqrt(rate / f)."""

    rate: float
    seed: int

    def kept_share(self, counts: Ints, n_tokens: int) -> Array:
        """Return the probability of every word to stay."""
        return kept_share(counts, n_tokens, self.rate)


def kept_share(counts: Ints, n_tokens: int, rate: float) -> Array:
    """Return min(1, sqrt(rate / frequency)) per word; n_tokens is the length of the text."""
    if not rate > 0:
        raise ValueError(f"subsample must be above 0, got {rate!r}")
    return np.minimum(1.0, np.sqrt(rate * n_tokens / np.maximum(counts, 1)))


class EncodedText:
    """A text as ids of its frequent words; a context manager, as ids may be in a temporary file.

    words         the vocabulary, the most frequent first; among equals, in order of occurrence
    counts        number of occurrences of each word
    n_tokens, n_sentences, n_types   of the whole text, including rare words
    rare          how words outside the vocabulary are treated, see `read_text`
    """

    def __init__(
        self, counter: _core.WordCounter, ids: IO[bytes], n_sentences: int, kept: Ints, rare: str
    ) -> None:
        all_counts = counter.counts()
        self.n_tokens, self.n_sentences, self.n_types = (
            int(all_counts.sum()),
            n_sentences,
            len(all_counts),
        )
        self.rare = rare
        self.words = words_of(*counter.spelled(kept))
        self.counts = all_counts[kept]
        # A raw id of -1, the end of a sentence, indexes the last entry.
        self._new_id = np.full(len(all_counts) + 1, GAP, np.int32)
        self._new_id[-1] = END
        self._new_id[kept] = np.arange(len(kept), dtype=np.int32)
        if rare == "mark" and len(kept) < len(all_counts):
            self._mark_rare(all_counts)
        self._ids = ids

    def _mark_rare(self, all_counts: Ints) -> None:
        """Make all words outside the vocabulary one more word, sorted among the others by count."""
        rest = self.n_tokens - int(self.counts.sum())
        if RARE_WORD in self.words:
            own = self.words.index(RARE_WORD)
            rest += int(self.counts[own])
        else:
            own = len(self.words)
            self.words.append(RARE_WORD)
            self.counts = np.append(self.counts, 0)
        self.counts[own] = rest
        self._new_id[:-1][self._new_id[:-1] == GAP] = own
        order = np.argsort(-self.counts, kind="stable")
        new_place = np.argsort(order).astype(np.int32)
        self._new_id[:-1] = new_place[self._new_id[:-1]]
        self.words, self.counts = [self.words[i] for i in order.tolist()], self.counts[order]

    def __len__(self) -> int:
        return len(self.words)

    def __enter__(self) -> EncodedText:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Discard the ids; words and counts stay."""
        self._ids.close()

    def ids(self, size: int, subsampling: Subsampling | None = None) -> Iterator[Ints32]:
        """Yield the text as ids, at most `size` at once.

        END follows each sentence, and GAP replaces words that are left out.
        """
        self._ids.seek(0)
        random = None if subsampling is None else np.random.default_rng(subsampling.seed)
        share = None if subsampling is None else subsampling.kept_share(self.counts, self.n_tokens)
        while raw := self._ids.read(4 * size):
            ids = self._new_id[np.frombuffer(raw, np.int32)]
            if random is not None and share is not None:
                # GAP and END index the last two entries.
                left_out = random.random(len(ids)) >= np.append(share, [1.0, 1.0])[ids]
                ids[left_out] = GAP
            yield ids if self.rare != "drop" else ids[ids != GAP]


def read_text(
    text: RunningText,
    min_count: int = 10,
    max_size: int | None = None,
    rare: str = "gap",
    encoding: str = "utf-8",
    memory: int = MEMORY,
) -> EncodedText:
    """Read a whole text once.

    Parameters
    ----------
    text : path, list of paths, or iterable of lists of str
        Files, plain or compressed, with one sentence per line and words separated by blanks ("-" is
        standard input); or sentences, each a list of words. A string is a path, and so are strings
        in a list: split sentences that are strings before.
    min_count : int, default=10
        Words that occur less often are rare.
    max_size : int or None, default=None
        At most this number of words are kept, the most frequent; all others are rare.
    rare : "gap", "drop" or "mark", default="gap"
        How rare words are treated. "gap" keeps their place, so that windows have the same width
        everywhere; "drop" joins the words around them; "mark" makes all of them the word #rare#.
    encoding : str, default="utf-8"
        Encoding of files.
    memory : int
        Bytes of the text to hold in memory; ids of a larger text go to a temporary file.
    """
    _check_count("min_count", min_count)
    if max_size is not None:
        _check_count("max_size", max_size)
    if rare not in RARE:
        raise ValueError(f"rare must be one of {', '.join(RARE)}, got {rare!r}")
    counter = _core.WordCounter()
    # EncodedText closes the file.
    ids: IO[bytes] = SpooledTemporaryFile(max(1, memory // 4))  # noqa: SIM115
    try:
        n_sentences = 0
        for found in _raw_ids(text, counter, encoding):
            n_sentences += int(np.count_nonzero(found == END))
            ids.write(found.data)
        counts = counter.counts()
        if not len(counts):
            raise InputError(f"{_name(text)}: holds no words; expected one sentence per line.")
        order = np.argsort(-counts, kind="stable")
        kept = order[: np.searchsorted(-counts[order], -min_count, side="right")][:max_size]
        if not len(kept):
            raise InputError(
                f"{_name(text)}: no word occurs {min_count} times or more, the most frequent one "
                f"{counts.max()} times; lower min_count or give more text."
            )
        return EncodedText(counter, ids, n_sentences, kept, rare)
    except BaseException:
        ids.close()
        raise


def _check_count(name: str, value: object) -> None:
    """Raise a ValueError unless the value is a whole number of at least 1."""
    if not (isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1):
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def _name(text: RunningText) -> str:
    """Return the name of a text for messages."""
    if paths := _paths(text):
        return (
            name_of(paths[0])
            if len(paths) == 1
            else f"{name_of(paths[0])} and {len(paths) - 1} more"
        )
    return "the text"


def _paths(text: RunningText) -> list[PathLike]:
    """Return the files of a text; an empty list if it is an iterable of sentences."""
    if isinstance(text, str | os.PathLike):
        return [text]
    if (
        isinstance(text, list | tuple)
        and text
        and all(isinstance(part, str | os.PathLike) for part in text)
    ):
        return list(text)
    return []


def _raw_ids(text: RunningText, counter: _core.WordCounter, encoding: str) -> Iterator[Ints32]:
    """Yield the ids of all words as the counter numbers them, END after each sentence."""
    if paths := _paths(text):
        if sum(os.fspath(path) == STANDARD_STREAM for path in paths) > 1:
            raise InputError("standard input (-) can be given only once.")
        for path in paths:
            for chunk in _chunks(path, encoding):
                yield counter.add(as_bytes(chunk), ord("\n"), None)
        return
    if not isinstance(text, Iterable):
        raise ValueError(
            "expected a path, a list of paths, or sentences, each a list of words, "
            f"got {text!r:.60}"
        )
    sentences = iter(text)
    number = 0
    while batch := list(islice(sentences, BATCH)):
        joined = BETWEEN_SENTENCES.join(
            _joined(sentence, number + i) for i, sentence in enumerate(batch, 1)
        )
        number += len(batch)
        if joined.count(BETWEEN_SENTENCES) != len(batch) - 1:
            raise ValueError("words must not hold the control character \\x1e")
        yield counter.add(
            as_bytes(joined + BETWEEN_SENTENCES), ord(BETWEEN_SENTENCES), ord(BETWEEN_WORDS)
        )


def _joined(sentence: object, number: int) -> str:
    """Return the words of a sentence in one string."""
    if isinstance(sentence, str) or not isinstance(sentence, Iterable):
        raise ValueError(f"sentence {number} must be a list of words, got {sentence!r:.60}")
    words = sentence if isinstance(sentence, list | tuple) else list(sentence)
    try:
        joined = BETWEEN_WORDS.join(words)
    except TypeError:
        raise ValueError(
            f"sentence {number} must be a list of words, which are strings, got {sentence!r:.60}"
        ) from None
    if joined.count(BETWEEN_WORDS) > max(0, len(words) - 1):
        raise ValueError(f"sentence {number}: words must not hold the control character \\x1f")
    return joined


def _chunks(path: PathLike, encoding: str) -> Iterator[str]:
    """Yield the text of a file in pieces that end where words do; the last one ends its line."""
    rest, n_lines = "", 0
    with open_text(path, encoding) as stream:
        while chunk := stream.read(CHUNK):
            if "\0" in chunk:
                line = 1 + n_lines + chunk[: chunk.index("\0")].count("\n")
                raise InputError(
                    f"{name_of(path)}:{line}: expected text, one sentence per line, found a zero "
                    "byte."
                )
            n_lines += chunk.count("\n")
            end = 1 + max(chunk.rfind("\n"), chunk.rfind(" "))
            if end:
                yield rest + chunk[:end]
                rest = ""
            rest += chunk[end:]
    yield rest + "\n"
