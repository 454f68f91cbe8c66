"""Weights with few values in few bits: rows that many features share are stored once, values are codes.

A row is the non-zero weights of a feature. The most frequent rows are shared and named by codes of `short_bits`; any other row is
stored for its feature alone. A cell of a row is a bit that marks the last one, a label, and the code of its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.ragged import pointers, ranges

MOST_VALUES = 65_536  # with more, every weight is stored as it is
MOST_SHORT_BITS = 14


class Cells(NamedTuple):
    """Rows one after the other: row i is cells ptr[i]:ptr[i+1], each a label and a value."""

    ptr: NDArray[np.int64]
    label: NDArray[np.int64]
    value: NDArray[np.floating]

    @classmethod
    def of_tables(cls, tables: Sequence[NDArray[np.floating]]) -> Cells:
        """The non-zero weights of several tables (features x labels), one table after the other."""
        counts, labels, values = [np.zeros(1, np.int64)], [], []
        for table in tables:
            row, column = np.nonzero(table)
            counts.append(np.bincount(row, minlength=len(table)))
            labels.append(column)
            values.append(table[row, column])
        dtype = tables[0].dtype if tables else np.float32
        label = np.concatenate([np.zeros(0, np.int64), *labels])
        return cls(
            np.cumsum(np.concatenate(counts)), label, np.concatenate([np.zeros(0, dtype), *values])
        )

    def take(self, rows: NDArray[np.int64]) -> Cells:
        """The rows of these numbers, in this order."""
        size = np.diff(self.ptr)[rows]
        where = ranges(self.ptr[rows], self.ptr[rows] + size)
        return Cells(pointers(size), self.label[where], self.value[where])


class RowKinds(NamedTuple):
    """kind (rows): which rows are equal, numbered by falling frequency; first: a row of each kind; uses of each."""

    kind: NDArray[np.int64]
    first: NDArray[np.int64]
    uses: NDArray[np.int64]


def equal_rows(cells: Cells) -> RowKinds:
    """Rows with the same labels and values, found by 64-bit sums of hashes of their cells."""
    bits = cells.value.astype(np.float64).view(np.uint64)
    mixed = _mix(_mix(cells.label.astype(np.uint64) + np.uint64(1)) ^ bits)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    key = sums[cells.ptr[1:]] - sums[cells.ptr[:-1]]  # wraps around, as it should
    _, first, kind, uses = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(-uses, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return RowKinds(rank[kind.ravel()], first[order].astype(np.int64), uses[order].astype(np.int64))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(32))


class Codebook(NamedTuple):
    """The values that cells can have; `own`: every cell has its own, in the order of cells."""

    values: NDArray[np.floating]
    own: bool

    @classmethod
    def of(cls, values: NDArray[np.floating]) -> Codebook:
        """All different values, or none if they are too many for codes to pay."""
        distinct = np.unique(values)
        return cls(distinct, False) if len(distinct) <= MOST_VALUES else cls(values[:0], True)

    def cell_bits(self, n_labels: int) -> int:
        """Bits of a cell, its value in them."""
        code = 8 * self.values.itemsize if self.own else max(0, len(self.values) - 1).bit_length()
        return 1 + (n_labels - 1).bit_length() + code

    def pack(self, cells: Cells, n_labels: int) -> tuple[NDArray[np.uint64], NDArray[np.floating]]:
        """Packed cells and the values that they refer to."""
        last = np.zeros(len(cells.label), np.uint64)
        last[cells.ptr[1:] - 1] = 1
        label_bits = (n_labels - 1).bit_length()
        packed = last | cells.label.astype(np.uint64) << np.uint64(1)
        if self.own:
            return pack_bits(packed, 1 + label_bits), cells.value
        code = np.searchsorted(self.values, cells.value).astype(np.uint64)
        return pack_bits(
            packed | code << np.uint64(1 + label_bits), self.cell_bits(n_labels)
        ), self.values


def short_bits(
    kinds: RowKinds, sizes: NDArray[np.int64], parts: Sequence[slice], cell_bits: int
) -> list[int]:
    """For each part of the rows, how many bits its short codes have, so that all parts and the shared rows take least together.

    sizes: cells of each row. A part with b bits names the 2^b most frequent rows and stores the others by themselves.
    """
    cost = np.zeros((len(parts), MOST_SHORT_BITS + 1))
    for part, line in zip(parts, cost, strict=True):
        kind, size = kinds.kind[part], sizes[part]
        marks = len(kind) * (1 + len(kind).bit_length() / 64)
        for bits in range(MOST_SHORT_BITS + 1):
            own = kind >= 1 << bits
            line[bits] = (
                (len(kind) - own.sum()) * bits
                + cell_bits * size[own].sum()
                + (marks if own.any() else 0)
            )
    best = np.minimum.accumulate(cost, axis=1)
    shared = cell_bits * np.concatenate([[0], np.cumsum(sizes[kinds.first])])
    total = [
        best[:, b].sum() + shared[min(1 << b, len(kinds.first))] for b in range(MOST_SHORT_BITS + 1)
    ]
    most = int(np.argmin(total))
    return [int(np.argmin(line[: most + 1])) for line in cost]


def pack_bits(values: NDArray[np.uint64], width: int) -> NDArray[np.uint64]:
    """Numbers of `width` bits each in words, lowest bits first, and two spare words."""
    bits = (values[:, None] >> np.arange(width, dtype=np.uint64)).astype(np.uint8) & 1
    packed = np.packbits(bits.ravel(), bitorder="little")
    n_words = -(-len(values) * width // 64) + 2
    return (
        np.concatenate([packed, np.zeros(8 * n_words - len(packed), np.uint8)])
        .view("<u8")
        .astype(np.uint64)
    )


def row_tables(
    rows: Any, wanted: NDArray[np.integer], width: int, dtype: Any
) -> NDArray[np.floating]:
    """The rows of these numbers as a table of `width` columns; -1 is a row without weights."""
    ptr, label, value = rows.cells()
    table = np.zeros((len(wanted), width), dtype)
    there = np.flatnonzero(wanted >= 0)
    cells = Cells(ptr, label.astype(np.int64), value).take(np.asarray(wanted, np.int64)[there])
    table[np.repeat(there, np.diff(cells.ptr)), cells.label] = cells.value
    return table
