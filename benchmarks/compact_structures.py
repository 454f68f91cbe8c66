"""Where features are looked up: the static maps of compact files beside a trie and a minimal
perfect hash, in bytes and in time.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.page import table
from benchmarks.timing import interleaved
from laconic import _core
from laconic.models.compact.packing import mixed_values
from laconic.models.compact.strings import ERROR_BITS, join_maps, pack_strings
from laconic.tag.compact import FEATURE_ERROR_BITS, places_of
from laconic.tag.model import Tagger
from laconic.text.token_columns import TokenColumns

TEXT = f"""\
### Where features are looked up

The {{n:,}} features of the 8-value names, as text such as `word[-1]=the|pos[0]=NN` ({{text:,}} \
bytes) or as numbers. Bytes without the codes of
rows, which any structure needs beside it; `mistakes`: how often a feature that is not there is \
taken for one that is. Times are for all
features in random order and as many that are not there; those of `dict` and of the trie are a \
call from Python each, of which the dict shows the
price. The minimal perfect hash (levels of bits as in BBHash, with {ERROR_BITS} bits of a hash a \
key to know strangers by) is built here in numpy:
its bytes are what counts. Numbers need the strings of the views besides; their time is that of \
all of tagging but the best path, for each token
and template."""


class PerfectHash:
    """Levels of bits: a key's place is the first level at which it is alone, and its number the
    bits set before that place.
    """

    def __init__(self, keys: NDArray[np.uint64]):
        self.levels: list[NDArray[np.bool_]] = []
        left = keys
        while len(left):
            place = self._place(left, len(self.levels), len(left))
            count = np.bincount(place, minlength=len(left))
            self.levels.append(count == 1)
            left = left[count[place] != 1]
        self.before = np.cumsum([0, *(level.sum() for level in self.levels)])
        self.ranks = [np.cumsum(level) - level for level in self.levels]
        self.marks = np.zeros(len(keys), np.uint64)
        self.marks[self.number(keys)] = self._mark(keys)

    @staticmethod
    def _place(keys: NDArray[np.uint64], level: int, size: int) -> NDArray[np.int64]:
        x = keys * np.uint64(0x9E3779B97F4A7C15) + np.uint64(level * 0xC4CEB9FE1A85EC53 % 2**64)
        x = (x ^ (x >> np.uint64(31))) * np.uint64(0xFF51AFD7ED558CCD)
        return ((x ^ (x >> np.uint64(33))) % np.uint64(size)).astype(np.int64)

    @staticmethod
    def _mark(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return keys >> np.uint64(64 - ERROR_BITS)

    @property
    def n_bytes(self) -> int:
        """The levels, a count of 32 bits for every 512 of their bits, and the marks."""
        bits = sum(map(len, self.levels))
        return (bits + 32 * (bits // 512) + ERROR_BITS * len(self.marks)) // 8

    def number(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of each key; any number for one that is not there, -1 where that shows."""
        out = np.full(len(keys), -1)
        left = np.arange(len(keys))
        for k, level in enumerate(self.levels):
            place = self._place(keys[left], k, len(level))
            there = level[place]
            out[left[there]] = self.before[k] + self.ranks[k][place[there]]
            left = left[~there]
        return out

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of each key, -1 for strangers."""
        number = self.number(keys)
        return np.where((number >= 0) & (self.marks[number] == self._mark(keys)), number, -1)


class Row(NamedTuple):
    """A structure: its bytes and a way to look up all queries."""

    name: str
    n_bytes: int | None
    look_up: Callable[[], Any]
    n_queries: int
    mistakes: str


def structures(model: Tagger, compact: Any, tokens: TokenColumns) -> str:
    """The table for the features of a plain tagger, which `compact` holds in a file."""
    import marisa_trie

    names = model.get_feature_names_out().tolist()
    known = dict.fromkeys(names)
    strangers = [name + "~" for name in names if name + "~" not in known]
    asked = [*names, *strangers]
    asked = [asked[i] for i in np.random.default_rng(0).permutation(len(asked)).tolist()]
    number = {name: i for i, name in enumerate(names)}
    trie = marisa_trie.Trie(names)
    small = marisa_trie.Trie(names, num_tries=5, binary=True)
    maps, _ = pack_strings(names)
    strings = _core.CompactStrings(*join_maps([maps]))
    hashes, asked_hashes = digests(names), digests(asked)
    perfect = PerfectHash(hashes)
    assert np.array_equal(np.sort(perfect.find(hashes)), np.arange(len(names)))
    columns, ptr = compact.encoder_.encode(tokens)
    n_looks = int(ptr[-1]) * len(compact.templates_)
    n = len(asked)
    rows = [
        Row("dict of strings", None, lambda: list(map(number.get, asked)), n, "none"),
        Row("marisa-trie", len(trie.tobytes()), lambda: list(map(trie.get, asked)), n, "none"),
        Row(
            "marisa-trie, 5 tries deep",
            len(small.tobytes()),
            lambda: list(map(small.get, asked)),
            n,
            "none",
        ),
        Row(
            "minimal perfect hash",
            perfect.n_bytes,
            lambda: perfect.find(asked_hashes),
            n,
            f"2^-{ERROR_BITS}",
        ),
        Row(
            "static map of strings",
            maps[0].nbytes,
            lambda: strings.numbers(0, asked),
            n,
            f"2^-{ERROR_BITS}",
        ),
        Row(
            "static maps of numbers (in the file)",
            number_bytes(model),
            lambda: compact._kernel.scores(columns, ptr, 1),
            n_looks,
            f"2^-{FEATURE_ERROR_BITS} or none",
        ),
    ]
    times = interleaved({row.name: row.look_up for row in rows}, clock=time.thread_time)
    lines = [
        [
            row.name,
            row.n_bytes,
            _bits(row.n_bytes, len(names)),
            f"{1e9 * times[row.name].best / row.n_queries:.0f}",
            row.mistakes,
        ]
        for row in rows
    ]
    views = compact._contents[0]["value_words"].nbytes
    after = (
        f"The strings of the views, words in clusters among them, take {views:,} bytes "
        "beside the numbers."
    )
    text = TEXT.format(n=len(names), text=sum(len(name.encode()) for name in names))
    return "\n\n".join(
        [
            text,
            table(
                ["structure", "bytes", "bits a feature", "ns a look-up", "mistakes"], lines
            ).rstrip(),
            after,
        ]
    )


def number_bytes(model: Tagger) -> int:
    """Bytes of the file's maps of features, were they without codes."""
    total = 0
    for template, atoms in zip(model.templates_, model.weights_.atoms, strict=True):
        identity = {
            atom.view: np.arange(int(model.encoder_.n_values[model.encoder_.view_index[atom.view]]))
            for atom in template.atoms
        }
        values, radix = mixed_values(places_of(template), atoms, identity)
        total += _core.pack_features(
            values, radix, np.zeros(len(values), np.uint32), 0, 0, FEATURE_ERROR_BITS
        )[0].nbytes
    return total


def digests(strings: list[str]) -> NDArray[np.uint64]:
    """Hashes of 64 bits."""
    return np.array(
        [
            int.from_bytes(hashlib.blake2b(s.encode(), digest_size=8).digest(), "little")
            for s in strings
        ],
        np.uint64,
    )


def _bits(n_bytes: int | None, n: int) -> str | None:
    return None if n_bytes is None else f"{8 * n_bytes / n:.1f}"
