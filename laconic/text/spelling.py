"""Strings as kernels have them: UTF-8 in flat arrays, and back.

Lone surrogates pass, so that every string comes back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Ints
from laconic.core.ragged import cut, pointers

Bytes = NDArray[np.uint8]


def as_bytes(text: str) -> Bytes:
    """Return the bytes of one string."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def flat(words: Iterable[str]) -> tuple[Bytes, Ints]:
    """Return the bytes of words and their bounds: word i is text[ptr[i]:ptr[i+1]]."""
    spelled = [word.encode("utf-8", "surrogatepass") for word in words]
    return np.frombuffer(b"".join(spelled), np.uint8), pointers([len(word) for word in spelled])


def words_of(text: Bytes, ptr: Ints) -> list[str]:
    """Return the words that `flat` was given."""
    return [word.decode("utf-8", "surrogatepass") for word in cut(text.tobytes(), ptr)]
