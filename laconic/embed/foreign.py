"""Word vectors of other programs: files of word2vec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.text.io import PathLike
from laconic.text.vectors import is_word2vec

if TYPE_CHECKING:
    from laconic.embed.model import WordVectors


def recognizes(path: PathLike) -> bool:
    """Return whether the file is one of word2vec, text or binary."""
    return is_word2vec(path)


def read(path: PathLike) -> WordVectors:
    """Return the vectors of a file of word2vec."""
    from laconic.embed.model import WordVectors

    return WordVectors.from_word2vec(path)
