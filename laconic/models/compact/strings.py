"""Strings to ids by static maps of hashes: an encoder of sentences and a vocabulary that hold no string.

A string that was never seen is taken for a known one with a probability of 2^-ERROR_BITS, and 2^-CLUSTER_ERROR_BITS for a word in no
cluster. Names, where a file has them, are text compressed by zlib, read when somebody asks for them.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from laconic import _core
from laconic.errors import InputError
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE, EncodedSentences, Token, TokenColumns
from laconic.text.views import View, make_view
from laconic.text.vocab import UNKNOWN, IdArray

ERROR_BITS = 18
CLUSTER_ERROR_BITS = 14
SPILL_ERROR_BITS = 30
MOST_REMEMBERED = 100_000  # strings of a column whose views are kept in memory
NAMELESS = (
    "the model was stored without names: keep them with save_compact(model, path, names=True)"
)

Maps = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32], npt.NDArray[np.uint8]]


class Names:
    """The strings of several lists, compressed; `of(k)` are those of list k, None where there are none at all."""

    def __init__(
        self, lengths: npt.NDArray[np.uint8], text: npt.NDArray[np.uint8], counts: Sequence[int]
    ) -> None:
        self._packed = lengths, text
        self._counts = counts
        self._lists: list[list[str]] | None = None

    @staticmethod
    def pack(lists: Sequence[Sequence[str]]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """Lengths in bytes and the text itself, each compressed; sorted lists take least."""
        encoded = [string.encode() for strings in lists for string in strings]
        lengths = np.fromiter(map(len, encoded), np.dtype("<i4"), len(encoded))
        return _deflate(lengths.tobytes()), _deflate(b"".join(encoded))

    def of(self, k: int) -> list[str]:
        """The strings of list k in the order in which they were packed."""
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


def _deflate(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(data, 9), np.uint8)


def _inflate(data: npt.NDArray[np.uint8], size: int) -> bytes:
    """Exactly `size` bytes, or an InputError; nothing larger is ever made."""
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
    codes: npt.NDArray[np.uint32] | None = None,
    widths: tuple[int, int] = (0, 0),
) -> tuple[Maps, npt.NDArray[np.int64]]:
    """A map of different strings with codes or without, and the number that each has got in it."""
    no_codes = np.zeros(0, np.uint32)
    words, sizes, shape, number = _core.pack_strings(
        list(strings), no_codes if codes is None else codes, *widths, ERROR_BITS
    )
    return (words, sizes, shape), number


def pack_clusters(clusters: Mapping[str, Sequence[str]]) -> tuple[list[Maps], list[str]]:
    """Words -> places in the list of paths, those of many words first: a map, and one of the few words that it cannot tell apart."""
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
    """Several maps as the kernels take them: one after the other, two spare words at the end."""
    spare = np.zeros(2, np.uint64)
    return (
        np.concatenate([*(words for words, _, _ in maps), spare]),
        np.array([sizes for _, sizes, _ in maps], dtype=np.int32).reshape(-1, 2),
        np.array([widths for _, _, widths in maps], dtype=np.uint8).reshape(-1, 5),
    )


def code_widths(uses: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Widths of short and long codes that cost least, for codes numbered by falling numbers of uses."""
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


class CompactClusters:
    """The cluster of a word as a string of bits, from maps `number` and `number + 1` of `strings`: codes are places in `paths`."""

    def __init__(self, strings: Any, number: int, paths: Sequence[str]) -> None:
        strings.check_codes(number, len(paths))
        strings.check_codes(number + 1, len(paths))
        self.paths = [*paths, None]
        self._strings = strings
        self._number = number
        self._known: dict[str, str | None] = {}

    def remember(self, words: Sequence[str]) -> None:
        """Look up these words at once."""
        if len(self._known) > MOST_REMEMBERED:
            self._known = {}
        codes = self.codes(words)
        missing = np.flatnonzero(codes < 0)
        codes[missing] = self.codes([words[i].lower() for i in missing.tolist()])
        self._known |= zip(
            words, map(self.paths.__getitem__, codes.tolist()), strict=True
        )  # -1 is the last: None

    def codes(self, words: Sequence[str]) -> IdArray:
        """The place of each word's path, as the word is written; -1 for a word in no cluster."""
        exceptions = self._strings.codes(self._number + 1, list(words))
        return np.where(exceptions >= 0, exceptions, self._strings.codes(self._number, list(words)))

    def bits(self, word: str, n_bits: int | None = None) -> str | None:
        """The first `n_bits` bits of the word's cluster (all: None); None for a word in no cluster."""
        if word not in self._known:
            self.remember([word])
        found = self._known[word]
        return None if found is None else found[:n_bits]


class _Column:
    """The strings that an input column has shown of late, and the values of its views at each."""

    def __init__(self, rows: Sequence[int]) -> None:
        self.rows = rows
        self.index: dict[str, int] = {}
        self.values = np.zeros((len(rows), 0), np.int32)

    def append(self, strings: Sequence[str], values: Sequence[IdArray]) -> None:
        begin, end = len(self.index), len(self.index) + len(strings)
        if end > self.values.shape[1]:
            grown = np.zeros((len(self.rows), 2 * end), np.int32)
            grown[:, :begin] = self.values[:, :begin]
            self.values = grown
        for row, found in zip(self.values, values, strict=True):
            row[begin:end] = found
        self.index.update(zip(strings, range(begin, end), strict=True))


class CompactEncoder:
    """Encodes sentences as SequenceEncoder does, with values numbered by map v of `strings` for view v."""

    def __init__(
        self,
        views: Sequence[str],
        columns: Sequence[str],
        strings: Any,
        clusters: CompactClusters | None,
    ) -> None:
        self.columns = tuple(columns)
        self.views = tuple(views)
        self.clusters = clusters
        self.names: Names | None = None
        self._strings = strings
        self._views: list[View] = [make_view(name, self.columns, clusters) for name in self.views]  # type: ignore[arg-type]
        self._lock = threading.Lock()
        self._memory: dict[str, _Column] = {}
        self._named: dict[int, list[str]] = {}

    @property
    def view_index(self) -> dict[str, int]:
        """Row of each view in the encoded columns."""
        return {name: row for row, name in enumerate(self.views)}

    @property
    def n_values(self) -> npt.NDArray[np.int64]:
        """How many values each view has."""
        return np.array([self._strings.size(v) for v in range(len(self.views))], dtype=np.int64)

    def encode(self, sentences: Iterable[Sequence[Token]] | TokenColumns) -> EncodedSentences:
        """Values of all views at all tokens; -1 for none or an unknown one. Safe from several threads."""
        tokens = (
            sentences
            if isinstance(sentences, TokenColumns)
            else TokenColumns.from_sentences(sentences, self.columns)
        )
        columns = np.empty((len(self.views), int(tokens.ptr[-1])), dtype=np.int32)
        with self._lock:
            for column in dict.fromkeys(view.column for view in self._views):
                strings = tokens.column(column)
                known = self._remembered(column, strings)
                ids = np.fromiter(map(known.index.__getitem__, strings), np.int32, len(strings))
                for place, row in enumerate(known.rows):
                    np.take(known.values[place], ids, out=columns[row])
        return EncodedSentences(columns, tokens.ptr)

    def _remembered(self, column: str, strings: Sequence[str]) -> _Column:
        """The memory of a column, with all of `strings` in it."""
        known = self._memory.get(column)
        if known is None or len(known.index) > MOST_REMEMBERED:
            known = self._memory[column] = _Column(
                [v for v, view in enumerate(self._views) if view.column == column]
            )
        fresh = [string for string in dict.fromkeys(strings) if string not in known.index]
        if fresh:
            if self.clusters is not None and column == self.columns[0]:
                self.clusters.remember(fresh)
            values = [
                self._strings.numbers(v, list(map(self._views[v].function, fresh)))
                for v in known.rows
            ]
            known.append(fresh, values)
        return known

    def value_name(self, view: str, value: int) -> str:
        """What value `value` of `view` stands for: a string, or _B-1, _B+1 .. for positions outside the sentence."""
        if value >= 0:
            return self.value_names(self.views.index(view))[value]
        if value == UNKNOWN:
            return "(none)"
        return f"_B+{value - AFTER_BASE}" if value > AFTER_BASE else f"_B-{value - BEFORE_BASE}"

    def value_names(self, v: int) -> list[str]:
        """The strings of the values of view v, by number; ValueError if the model has no names."""
        if self.names is None:
            raise ValueError(NAMELESS)
        if v not in self._named:
            self._named[v] = in_order(self.names.of(v), self._strings.numbers(v, self.names.of(v)))
        return self._named[v]

    def named_state(self) -> Mapping[str, Any]:
        """The state of a SequenceEncoder of the same columns, views and values, without clusters."""
        values = {view: self.value_names(v) for v, view in enumerate(self.views)}
        return {"columns": list(self.columns), "values": values, "clusters": None}


class CompactVocab:
    """Words with the numbers of one map of strings; stands where a frozen Vocab would."""

    frozen = True

    def __init__(self, strings: Any, names: Names | None) -> None:
        self._strings = strings
        self._names = names
        self._words: list[str] | None = None

    def ids(self, words: Iterable[str]) -> IdArray:
        """Ids of `words`, -1 for an unknown one."""
        return self._strings.numbers(0, list(words))

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


def in_order(names: Sequence[str], numbers: IdArray) -> list[str]:
    """The names by number, which must be those of all entries of a map."""
    if not np.array_equal(np.sort(numbers), np.arange(len(names))):
        raise InputError("the names of the model are not those of its features")
    found = np.empty(len(names), dtype=object)
    found[numbers] = names
    return found.tolist()
