"""Strings as kernels have them: UTF-8 in flat arrays, and back; lone surrogates pass, so that every string can go and come."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from laconic.core.ragged import cut, pointers

Bytes = NDArray[np.uint8]


def as_bytes(text: str) -> Bytes:
    """One string."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def flat(words: Iterable[str]) -> tuple[Bytes, NDArray[np.int64]]:
    """Word i is text[ptr[i]:ptr[i+1]]."""
    spelled = [word.encode("utf-8", "surrogatepass") for word in words]
    return np.frombuffer(b"".join(spelled), np.uint8), pointers([len(word) for word in spelled])


def words_of(text: Bytes, ptr: NDArray[np.int64]) -> list[str]:
    """The words of `flat`."""
    return [word.decode("utf-8", "surrogatepass") for word in cut(text.tobytes(), ptr)]
