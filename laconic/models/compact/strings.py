"""Strings to ids by static maps of hashes, which hold no string, and the strings beside them.

A string that was never seen is taken for a known one with a probability of 2^-ERROR_BITS, and
2^-CLUSTER_ERROR_BITS for a word in no cluster. Names, where a file has them, are text compressed
by zlib, read when somebody asks for them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Ints, Ints32
from laconic.errors import InputError
from laconic.models.checks import Arrays, typed

ERROR_BITS = 18
CLUSTER_ERROR_BITS = 14
SPILL_ERROR_BITS = 30
NAMELESS = (
    "the model was stored without names: keep them with save_compact(model, path, names=True)"
)

Maps = tuple[NDArray[np.uint64], Ints32, NDArray[np.uint8]]
Packed = NDArray[np.uint8]


class Names:
    """Several lists of strings, compressed, and decompressed when they are first asked for.

    Parameters
    ----------
    lengths, text : array of uint8
        What `pack` returned.
    counts : sequence of int
        Number of strings of each list.
    """

    def __init__(self, lengths: Packed, text: Packed, counts: Sequence[int]) -> None:
        self._packed = lengths, text
        self._counts = counts
        self._lists: list[list[str]] | None = None

    @staticmethod
    def pack(lists: Sequence[Sequence[str]]) -> tuple[Packed, Packed]:
        """Compress the lengths in bytes and the text itself; sorted lists take least."""
        encoded = [string.encode() for strings in lists for string in strings]
        lengths = np.fromiter(map(len, encoded), np.dtype("<i4"), len(encoded))
        return _deflate(lengths.tobytes()), _deflate(b"".join(encoded))

    def of(self, k: int) -> list[str]:
        """Return the strings of list k in the order in which they were packed."""
        if self._lists is None:
            self._lists = self._unpack()
        return self._lists[k]

    def _unpack(self) -> list[list[str]]:
        packed_lengths, packed_text = self._packed
        n = sum(self._counts)
        lengths = np.frombuffer(_inflate(packed_lengths, 4 * n), np.dtype("<i4"))
        if np.any(lengths < 0):
            raise InputError("a name has a negative length")
        ends = np.cumsum(lengths, dtype=np.int64)
        text = _inflate(packed_text, int(ends[-1]) if n else 0)
        bounds = [0, *ends.tolist()]
        try:
            strings = [text[begin:end].decode() for begin, end in pairwise(bounds)]
        except UnicodeDecodeError:
            raise InputError("names are not valid UTF-8") from None
        last = np.cumsum(self._counts).tolist()
        return [strings[end - count : end] for end, count in zip(last, self._counts, strict=True)]


def _deflate(data: bytes) -> Packed:
    return np.frombuffer(zlib.compress(data, 9), np.uint8)


def _inflate(data: Packed, size: int) -> bytes:
    """Return exactly `size` bytes or raise InputError; nothing larger is ever made."""
    if size > 1100 * (data.size + 1):  # more than zlib can pack into as many bytes
        raise InputError("names have another length than they say")
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(data.tobytes(), size + 1)
    except zlib.error:
        raise InputError("names cannot be decompressed") from None
    if len(found) != size or not stream.eof:
        raise InputError("names have another length than they say")
    return found


def pack_strings(
    strings: Sequence[str],
    codes: NDArray[np.uint32] | None = None,
    widths: tuple[int, int] = (0, 0),
) -> tuple[Maps, Ints]:
    """Return a map of different strings, with codes or without, and the number of each in it."""
    no_codes = np.zeros(0, np.uint32)
    words, sizes, shape, number = _core.pack_strings(
        list(strings), no_codes if codes is None else codes, *widths, ERROR_BITS
    )
    return (words, sizes, shape), number


def pack_clusters(clusters: Mapping[str, Sequence[str]]) -> tuple[list[Maps], list[str]]:
    """Return two maps from words to places in a list of paths, and that list.

    Paths of many words come first. The second map is of the few words that the first cannot tell
    apart.
    """
    paths = sorted(clusters, key=lambda path: (-len(clusters[path]), path))
    words = [word for path in paths for word in clusters[path]]
    sizes = np.array([len(clusters[path]) for path in paths], dtype=np.int64)
    codes = np.repeat(np.arange(len(paths)), sizes).astype(np.uint32)
    short, longest = code_widths(sizes)
    packed = _core.pack_strings(words, codes, short, longest, CLUSTER_ERROR_BITS, True)
    left = np.flatnonzero(packed[3] < 0)
    others = _core.pack_strings(
        [words[i] for i in left.tolist()], codes[left], longest, longest, SPILL_ERROR_BITS
    )
    return [packed[:3], others[:3]], paths


def join_maps(maps: Sequence[Maps]) -> Maps:
    """Return several maps as the kernels take them: concatenated, two spare words at the end."""
    spare = np.zeros(2, np.uint64)
    return (
        np.concatenate([*(words for words, _, _ in maps), spare]),
        np.array([sizes for _, sizes, _ in maps], dtype=np.int32).reshape(-1, 2),
        np.array([widths for _, _, widths in maps], dtype=np.uint8).reshape(-1, 5),
    )


def maps_of(arrays: Arrays, what: str) -> Maps:
    """Return the three arrays of the maps that a file holds under this name."""
    return (
        typed(arrays, f"{what}_words", np.uint64),
        typed(arrays, f"{what}_sizes", np.int32, 2),
        typed(arrays, f"{what}_widths", np.uint8, 2),
    )


def code_widths(uses: Ints) -> tuple[int, int]:
    """Return the widths of short and long codes that cost least.

    `uses` counts how often each code is used, most frequent first.
    """
    n, total = len(uses), int(uses.sum())
    longest = max(0, n - 1).bit_length()
    marks = 1 + total.bit_length() / 64
    best, least = longest, float(total * longest)
    for short in range(longest):
        covered = int(uses[: 1 << short].sum())
        cost = total * marks + covered * short + (total - covered) * longest
        if cost < least:
            best, least = short, cost
    return best, longest


class CompactVocab:
    """Words with the numbers of one map of strings; has the methods of a frozen Vocab."""

    frozen = True

    def __init__(self, strings: _core.CompactStrings, names: Names | None) -> None:
        self._strings = strings
        self._names = names
        self._words: list[str] | None = None

    def ids(self, words: Iterable[str]) -> Ints32:
        """Return the ids of `words`, -1 for an unknown one."""
        found: Ints32 = self._strings.numbers(0, list(words))
        return found

    @property
    def words(self) -> list[str]:
        """The word of each id; ValueError if the model has no names."""
        if self._names is None:
            raise ValueError(NAMELESS)
        if self._words is None:
            self._words = in_order(self._names.of(0), self.ids(self._names.of(0)))
        return self._words

    def __len__(self) -> int:
        return int(self._strings.size(0))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and int(self.ids([word])[0]) >= 0


def in_order(names: Sequence[str], numbers: Ints32) -> list[str]:
    """Return names sorted by their numbers, which must be 0, 1, .. len(names) - 1."""
    if not np.array_equal(np.sort(numbers), np.arange(len(names))):
        raise InputError("the names of the model are not those of its features")
    found = [""] * len(names)
    for name, number in zip(names, numbers.tolist(), strict=True):
        found[number] = name
    return found
