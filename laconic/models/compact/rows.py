"""Weights with few values in few bits: shared rows are stored once, values are codes.

A row is the non-zero weights of a feature. The most frequent rows are shared and named by codes of
`short_bits`; any other row is stored for its feature alone. A cell of a row is a bit that marks the
last one, a label, and the code of its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Ints
from laconic.core.ragged import pointers, ranges

MOST_VALUES = 65_536  # with more, every weight is stored as it is
MOST_SHORT_BITS = 14
Words = NDArray[np.uint64]
Reals = NDArray[np.floating[Any]]


class Cells(NamedTuple):
    """Rows one after the other: row i is cells ptr[i]:ptr[i+1], each a label and a value."""

    ptr: Ints
    label: Ints
    value: Reals

    @classmethod
    def of_tables(cls, tables: Sequence[Reals]) -> Cells:
        """Return the non-zero weights of several tables (features x labels), in their order."""
        counts, labels, values = [np.zeros(1, np.int64)], [], []
        for table in tables:
            row, column = np.nonzero(table)
            counts.append(np.bincount(row, minlength=len(table)))
            labels.append(column)
            values.append(table[row, column])
        dtype = tables[0].dtype if tables else np.dtype(np.float32)
        label = np.concatenate([np.zeros(0, np.int64), *labels])
        value: Reals = np.concatenate([np.zeros(0, dtype), *values])
        return cls(np.cumsum(np.concatenate(counts)), label, value)

    def take(self, rows: Ints) -> Cells:
        """Return the rows of these numbers, in this order."""
        size = np.diff(self.ptr)[rows]
        where = ranges(self.ptr[rows], self.ptr[rows] + size)
        return Cells(pointers(size), self.label[where], self.value[where])


class RowKinds(NamedTuple):
    """Which rows are equal; kinds of rows are numbered by decreasing frequency.

    kind   (rows)   the kind of each row
    first  (kinds)  the first row of each kind
    uses   (kinds)  number of rows of each kind
    """

    kind: Ints
    first: Ints
    uses: Ints


def equal_rows(cells: Cells) -> RowKinds:
    """Find rows with the same labels and values by 64-bit sums of hashes of their cells."""
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


def _mix(x: Words) -> Words:
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(32))


class Codebook(NamedTuple):
    """The values that cells can have; `own`: every cell has its own, in the order of cells."""

    values: Reals
    own: bool

    @classmethod
    def of(cls, values: Reals) -> Codebook:
        """Return all different values, or none if they are too many for codes to pay."""
        distinct = np.unique(values)
        return cls(distinct, False) if len(distinct) <= MOST_VALUES else cls(values[:0], True)

    def cell_bits(self, n_labels: int) -> int:
        """Return the number of bits of a cell, those of its value among them."""
        code = 8 * self.values.itemsize if self.own else max(0, len(self.values) - 1).bit_length()
        return 1 + (n_labels - 1).bit_length() + code

    def pack(self, cells: Cells, n_labels: int) -> tuple[Words, Reals]:
        """Return packed cells and the values that they refer to."""
        last = np.zeros(len(cells.label), np.uint64)
        last[cells.ptr[1:] - 1] = 1
        label_bits = (n_labels - 1).bit_length()
        packed = last | cells.label.astype(np.uint64) << np.uint64(1)
        if self.own:
            return pack_bits(packed, 1 + label_bits), cells.value
        code = np.searchsorted(self.values, cells.value).astype(np.uint64)
        packed |= code << np.uint64(1 + label_bits)
        return pack_bits(packed, self.cell_bits(n_labels)), self.values


def short_bits(kinds: RowKinds, sizes: Ints, parts: Sequence[slice], cell_bits: int) -> list[int]:
    """Return the number of bits of the short codes of each part of the rows.

    A part with b bits names the 2^b most frequent rows and stores the others by themselves; the
    bits are those with which all parts and the shared rows take least together. `sizes` counts the
    cells of each row.
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


def pack_bits(values: Words, width: int) -> Words:
    """Pack numbers of `width` bits each into words, lowest bits first, and two spare words."""
    bits = (values[:, None] >> np.arange(width, dtype=np.uint64)).astype(np.uint8) & 1
    packed = np.packbits(bits.ravel(), bitorder="little")
    n_words = -(-len(values) * width // 64) + 2
    padded = np.concatenate([packed, np.zeros(8 * n_words - len(packed), np.uint8)])
    return padded.view("<u8").astype(np.uint64)


def row_tables(
    rows: _core.FloatRows | _core.DoubleRows,
    wanted: NDArray[np.integer[Any]],
    width: int,
    dtype: type[np.floating[Any]],
) -> NDArray[Any]:
    """Return the rows of these numbers as a table of `width` columns; -1 is an empty row."""
    ptr, label, value = rows.cells()
    table = np.zeros((len(wanted), width), dtype)
    there = np.flatnonzero(wanted >= 0)
    cells = Cells(ptr, label.astype(np.int64), value).take(np.asarray(wanted, np.int64)[there])
    table[np.repeat(there, np.diff(cells.ptr)), cells.label] = cells.value
    return table
