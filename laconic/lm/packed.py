"""Models of n-grams as a trie in few bits (cpp/lm/trie.hpp): arrays of a file <-> `ContextModel`.

    k.label      oldest word of every n-gram of k words, below that without it; no label for k = 1
    k.gain       number of its log probability in the table k.gains
    k.weight     number of its log back-off weight in the table k.weights
    k.children   a one for every n-gram that extends an n-gram by a word in front, then a zero

Tables are learned: k-means of one dimension (Lloyd 1982), so that they suit any distribution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.ragged import pointers
from laconic.errors import InputError
from laconic.lm.arpa import Arpa, NgramTable
from laconic.lm.backoff import LN10, START_LOG10, context_model, pairs_of_contexts
from laconic.lm.context_model import ContextModel
from laconic.lm.pruning import closed, shorter_pairs
from laconic.lm.running import START
from laconic.models.checks import Arrays
from laconic.models.compact.rows import pack_bits

NAMES = ("label", "gain", "weight", "children", "gains", "weights")
ROUNDS = 30  # of k-means
NUMBERS = 1 << 18  # that are packed or unpacked together


class _Level(NamedTuple):
    """N-grams of one order, in the order of the trie."""

    parent: Ints
    label: Ints
    gain: Array
    weight: Array


def pack_trie(model: ContextModel, n_values: int) -> Arrays:
    """Return the arrays of a model, with tables of at most `n_values` values."""
    levels, arrays = _levels(model), Arrays()
    width = int(model.n_words).bit_length()
    for k, level in enumerate(levels, 1):
        for name, values in (("gain", level.gain), ("weight", level.weight)):
            table = learned_values(values, n_values)
            arrays[f"{k}.{name}s"] = table.astype(np.float32)
            arrays[f"{k}.{name}"] = _packed(nearest(table, values), (len(table) - 1).bit_length())
        if k > 1:
            arrays[f"{k}.label"] = _packed(level.label, width)
            counts = np.bincount(level.parent, minlength=len(levels[k - 2].label))
            bits = np.ones(int(counts.sum()) + len(counts), np.int64)
            bits[pointers(counts + 1)[1:] - 1] = 0
            arrays[f"{k - 1}.children"] = _packed(bits, 1)
    arrays["sizes"] = np.array([len(level.label) for level in levels], np.int64)
    return arrays


def trie_kernel(arrays: Arrays, n_words: int) -> _core.PackedModel:
    """Return what predicts from the arrays where they lie; a ValueError says what is wrong."""
    sizes = arrays.get("sizes", np.empty(0))
    n = len(sizes)
    expected = {f"{k}.{name}" for k in range(1, n + 1) for name in NAMES} - {
        "1.label",
        f"{n}.children",
    }
    if sizes.dtype != np.int64 or sizes.ndim != 1 or arrays.keys() != expected | {"sizes"}:
        raise InputError("the arrays of a trie are not those of its sizes")
    for name, array in arrays.items():
        wanted = np.float32 if name.endswith("s") and name[-2] in "nt" else np.uint64
        if name != "sizes" and (array.ndim != 1 or array.dtype != wanted):
            raise InputError(f"array {name!r} must be a row of {np.dtype(wanted)}")
    ks = range(1, n + 1)
    none = np.zeros(1, np.uint64)
    return _core.PackedModel(
        n_words,
        sizes,
        [arrays.get(f"{k}.label", none) for k in ks],
        [arrays[f"{k}.gain"] for k in ks],
        [arrays[f"{k}.weight"] for k in ks],
        [arrays[f"{k}.children"] for k in ks[:-1]],
        [arrays[f"{k}.{name}"] for name in ("gains", "weights") for k in ks],
    )


def unpack_trie(arrays: Arrays, n_words: int) -> ContextModel:
    """Return the model of arrays that `trie_kernel` has taken."""
    sizes, width = arrays["sizes"].tolist(), int(n_words).bit_length()
    words = np.arange(n_words + 1, dtype=np.int32)[:, None]
    tables = []
    for k, size in enumerate(sizes, 1):
        if k > 1:
            bits = _unpacked(arrays[f"{k - 1}.children"], sizes[k - 2] + size, 1)
            parent = (np.cumsum(bits == 0) - (bits == 0))[bits == 1]
            label = _unpacked(arrays[f"{k}.label"], size, width).astype(np.int32)
            words = np.column_stack([label, words[parent]])
        prob, weight = (
            arrays[f"{k}.{name}s"].astype(float)[
                _unpacked(
                    arrays[f"{k}.{name}"], size, (len(arrays[f"{k}.{name}s"]) - 1).bit_length()
                )
            ]
            / LN10
            for name in ("gain", "weight")
        )
        tables.append(NgramTable(np.ascontiguousarray(words), prob, weight))
    tables[0].log10_prob[-1] = START_LOG10
    return context_model(Arpa([*map(str, range(n_words)), START], tables))[0]


def learned_values(x: Array, n: int) -> Array:
    """Return at most n values, rising, near which all x lie; 0 is one of them if it is one of x."""
    points = np.sort(x)
    found = np.unique(points)
    if len(found) <= n:
        return found if len(found) else np.zeros(1)
    spread = np.linspace(points[0], points[-1], n - n // 2)
    found = np.unique(np.concatenate([np.quantile(points, np.linspace(0, 1, n // 2)), spread]))
    sums = np.concatenate([[0.0], np.cumsum(points)])
    for _ in range(ROUNDS):
        bounds = np.searchsorted(points, (found[1:] + found[:-1]) / 2)
        ends = np.concatenate([[0], bounds, [len(points)]])
        sizes = np.diff(ends)
        found = np.where(sizes > 0, np.diff(sums[ends]) / np.maximum(sizes, 1), found)
    if np.any(points == 0):
        found[np.argmin(np.abs(found))] = 0.0
    return np.unique(found)


def nearest(table: Array, x: Array) -> Ints:
    """Return the number of the nearest value of a rising table, of every x."""
    return np.searchsorted((table[1:] + table[:-1]) / 2, x)


def _levels(model: ContextModel) -> list[_Level]:
    """Return the n-grams of every order, with all prefixes and suffixes; <s> is the last word."""
    full = closed(model.typed())
    context, shorter, pairs = full.context_of_pairs(), shorter_pairs(full), pairs_of_contexts(full)
    gain = full.gain + full.base[context]
    own = full.base - np.where(full.parent < 0, 0.0, full.base[full.parent])
    weight, depth = np.zeros(len(gain)), full.depth[context]
    weight[pairs[pairs >= 0]] = own[pairs >= 0]
    start = own[1:][pairs[1:] < 0].sum()  # the weight of <s>, the only context that is no pair
    ids = np.arange(full.n_words + 1)
    first = slice(0, full.n_words)
    levels = [_Level(ids, ids, np.append(gain[first], 0.0), np.append(weight[first], start))]
    rank = np.arange(len(gain))
    # Contexts may be longer than those of any pair: then the last level is empty.
    for k in range(1, full.order):
        these = np.flatnonzero(depth == k)
        parent, label = rank[shorter[these]], full.word[context[these]].astype(np.int64)
        order = np.lexsort((label, parent))
        these = these[order]
        rank[these] = np.arange(len(these))
        levels.append(_Level(parent[order], label[order], gain[these], weight[these]))
    return levels


def _packed(numbers: Ints, width: int) -> NDArray[np.uint64]:
    """Return numbers of `width` bits each as words; a bounded part of them at a time."""
    if width == 0:
        return np.zeros(1, np.uint64)
    parts = [
        pack_bits(numbers[begin : begin + NUMBERS].astype(np.uint64), width)
        for begin in range(0, max(len(numbers), 1), NUMBERS)
    ]
    # Every part but the last fills its words, after which it has two spare ones.
    return np.concatenate([*(part[:-2] for part in parts[:-1]), parts[-1][:-1]])


def _unpacked(words: NDArray[np.uint64], n: int, width: int) -> Ints:
    """Return n numbers of `width` bits each."""
    found = np.zeros(n, np.int64)
    for begin in range(0, n if width else 0, NUMBERS):
        end = min(n, begin + NUMBERS)
        part = words[begin * width // 64 : -(-end * width // 64)].astype("<u8").view(np.uint8)
        bits = np.unpackbits(part, bitorder="little")[: (end - begin) * width]
        found[begin:end] = bits.reshape(-1, width) @ (1 << np.arange(width))
    return found
