"""Lists of lists, flat: part s of a flat sequence is flat[ptr[s]:ptr[s+1]]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np

from laconic.core.arrays import Integers, Ints

Part = TypeVar("Part", covariant=True)


class Sliceable(Protocol[Part]):
    """A list, a tuple, a string or an array."""

    def __getitem__(self, index: slice, /) -> Part: ...


def pointers(lengths: Iterable[int] | Integers) -> Ints:
    """Return 0, then the running sum of `lengths`: (0, n_0, n_0 + n_1, ..)."""
    lengths = lengths if isinstance(lengths, np.ndarray) else list(lengths)
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def cut(flat: Sliceable[Part], ptr: Ints) -> Iterator[Part]:
    """Return the parts of a flat sequence, in order."""
    bounds: list[int] = ptr.tolist()
    return (flat[begin:end] for begin, end in pairwise(bounds))


def ranges(begins: Integers, ends: Integers) -> Ints:
    """Return begins[0] .. ends[0] - 1, begins[1] .. ends[1] - 1, and so on."""
    lengths = ends - begins
    shift = np.repeat(begins - pointers(lengths)[:-1], lengths)
    return np.asarray(np.arange(len(shift)) + shift)


def spans(ptr: Integers, size: int) -> Iterator[tuple[int, int]]:
    """Yield spans [first, last) of consecutive parts with at most `size` entries, or one part."""
    first, n = 0, len(ptr) - 1
    while first < n:
        last = max(first + 1, int(np.searchsorted(ptr, ptr[first] + size, side="right")) - 1)
        yield first, last
        first = last
