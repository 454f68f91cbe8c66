"""Texts with names: CoNLL 2002 (Spanish, Dutch) and CoNLL 2003 (English) as columns, and more
columns beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from laconic.tag.conll import read_columns
from laconic.text.token_columns import TokenColumns

FILES = {"Spanish": "conll2002/esp", "Dutch": "conll2002/ned", "English": "conll2003/eng"}
COLUMNS = {"conll2002": ("word", "pos", "label"), "conll2003": ("word", "pos", "chunk", "label")}
PARTS = ("train", "testa", "testb")
FEW = 100  # sentences of each part in a quick run


class HasBits(Protocol):
    """Clusters of words."""

    def bits(self, word: str) -> str | None:
        """The bits of the word's cluster; None for a word in no cluster."""


class Part(NamedTuple):
    """Sentences as columns, and the labels of each."""

    tokens: TokenColumns
    labels: list[list[str]]

    def first(self, n: int) -> Part:
        """The first n sentences."""
        ptr = self.tokens.ptr[: n + 1]
        values: list[Sequence[str]] = [column[: ptr[-1]] for column in self.tokens.values]
        return Part(TokenColumns(self.tokens.names, values, ptr), self.labels[:n])

    def followed_by(self, other: Part) -> Part:
        """The sentences of both."""
        values: list[Sequence[str]] = [
            [*ours, *theirs]
            for ours, theirs in zip(self.tokens.values, other.tokens.values, strict=True)
        ]
        ptr = np.concatenate([self.tokens.ptr, self.tokens.ptr[-1] + other.tokens.ptr[1:]])
        return Part(TokenColumns(self.tokens.names, values, ptr), [*self.labels, *other.labels])

    def with_columns(self, added: Mapping[str, Sequence[str]]) -> Part:
        """The part with more columns, a string a token."""
        return Part(self.tokens.with_columns(added), self.labels)


@lru_cache(maxsize=9)
def read_part(data: Path, language: str, part: str) -> Part:
    """Words and tags of one part, and its labels; kept, because a process fits several rows."""
    file = FILES[language]
    given = read_columns(data / f"{file}.{part}.gz", COLUMNS[file.split("/")[0]])
    labels = list(given.column("label"))
    tokens = TokenColumns(("word", "pos"), [given.column("word"), given.column("pos")], given.ptr)
    return Part(tokens, [labels[a:b] for a, b in pairwise(given.ptr.tolist())])


def read_parts(data: Path, language: str, quick: bool) -> list[Part]:
    """Training, development and test text."""
    parts = [read_part(data, language, part) for part in PARTS]
    return [part.first(FEW) for part in parts] if quick else parts


def with_clusters(part: Part, added: Mapping[str, HasBits]) -> Part:
    """The part with the bits of further clusterings as columns.

    Where nothing is known of a word, an empty string.
    """
    words = part.tokens.column("word")
    bits = {
        name: {word: clusters.bits(word) or "" for word in set(words)}
        for name, clusters in added.items()
    }
    return part.with_columns(
        {name: [of_word[word] for word in words] for name, of_word in bits.items()}
    )
