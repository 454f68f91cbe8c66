"""Strings and features with weights into the arrays of compact files.

The arrays, which laconic.models.compact.features reads, are

    value_words, _sizes, _widths      maps of the views' strings, and one of words in clusters
    feature_words, _sizes, _widths    maps of the templates' features
    cells, values                     rows of weights and the values that their codes mean
    name_lengths, name_text           the strings, sorted within views; only with names
    wide_atoms                        values of features that are too many to be numbered; only
                                      with names

Maps know no string and list no feature but an exact one.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Floats, Ints, Ints32
from laconic.models.checks import Arrays
from laconic.models.compact.rows import Cells, Codebook, equal_rows, short_bits
from laconic.models.compact.strings import Maps, Names, join_maps, pack_clusters, pack_strings

EXACT = 64
MAPS = {f"{what}_{part}" for what in ("value", "feature") for part in ("words", "sizes", "widths")}
ARRAYS = MAPS | {"cells", "values"}
NAMES = {"name_lengths", "name_text", "wide_atoms"}


class Place(NamedTuple):
    """What may stand in a place of a feature's name.

    It is a value of `view` (None: there is none), or one of `others`, numbered after these.
    """

    view: str | None
    others: tuple[int, ...] = ()


class Tables(NamedTuple):
    """Features, template by template.

    places   what may stand in the names of a template's features
    atoms    (features, places) the values that name each feature
    weights  (features, columns) one row of weights per feature
    """

    places: Sequence[Sequence[Place]]
    atoms: Sequence[Ints32]
    weights: Sequence[Floats]


def pack_features(
    state: Mapping[str, Any], tables: Tables, n_columns: int, names: bool, error_bits: int
) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and a description of features over the strings of an encoder's state.

    A row has at most `n_columns` weights. Without names, a feature that was never seen is taken for
    one with weights at most once in 2^error_bits.
    """
    values: list[Maps] = []
    number_of: dict[str, Ints] = {}
    for view, strings in state["values"].items():
        packed, number_of[view] = pack_strings(strings)
        values.append(packed)
    paths: list[str] | None = None
    words: list[str] = []
    if state["clusters"] is not None:
        packed_clusters, paths = pack_clusters(state["clusters"])
        values += packed_clusters
        words = [word for members in state["clusters"].values() for word in members]
    features, arrays, about, wide = _pack_tables(
        tables, number_of, n_columns, EXACT if names else error_bits
    )
    for what, maps in (("value", values), ("feature", features)):
        arrays |= dict(
            zip((f"{what}_words", f"{what}_sizes", f"{what}_widths"), join_maps(maps), strict=True)
        )
    if names:
        lists = [sorted(strings) for strings in state["values"].values()]
        arrays["name_lengths"], arrays["name_text"] = Names.pack([*lists, sorted(words)])
        arrays["wide_atoms"] = np.concatenate(
            [np.zeros(0, np.int32), *(part.ravel() for part in wide)]
        )
    return arrays, {**about, "paths": paths}


def _pack_tables(
    tables: Tables, number_of: Mapping[str, Ints], n_columns: int, error_bits: int
) -> tuple[list[Maps], Arrays, dict[str, Any], list[Ints32]]:
    """Return maps of features, their rows of weights, and the atoms that maps cannot number."""
    cells = Cells.of_tables(tables.weights)
    kinds = equal_rows(cells)
    book = Codebook.of(cells.value)
    ends = np.cumsum([len(part) for part in tables.atoms], dtype=np.int64).tolist()
    parts = [slice(begin, end) for begin, end in itertools.pairwise([0, *ends])]
    bits = short_bits(kinds, np.diff(cells.ptr), parts, book.cell_bits(n_columns))
    maps, wide, own = [], [], []
    for places, part, atoms, width in zip(tables.places, parts, tables.atoms, bits, strict=True):
        values, radix = mixed_values(places, atoms, number_of)
        codes = kinds.kind[part].astype(np.uint32)
        words, sizes, widths, number = _core.pack_features(
            values, radix, codes, width, 0, error_bits
        )
        maps.append((words, sizes, widths))
        order = np.argsort(number)
        own.append(order[codes[order] >= 1 << width] + part.start)
        if not _is_exact(radix):
            wide.append(values[order].astype(np.int32))
    n_shared = min(max((1 << width for width in bits), default=0), len(kinds.first))
    rows = cells.take(np.concatenate([kinds.first[:n_shared], *own]).astype(np.int64))
    packed, values_of = book.pack(rows, n_columns)
    about = {"n_shared": n_shared, "n_cells": len(rows.label), "own_values": book.own}
    return maps, {"cells": packed, "values": values_of}, about, wide


def mixed_values(
    places: Sequence[Place], atoms: Ints32, number_of: Mapping[str, Ints]
) -> tuple[Ints, Ints]:
    """Return values from 0 on, and their bounds.

    The others of a place are numbered after the values of its view.
    """
    values, radix = np.zeros(atoms.shape, np.int64), []
    for column, place in enumerate(places):
        given = atoms[:, column].astype(np.int64)
        number = np.zeros(0, np.int64) if place.view is None else number_of[place.view]
        inside = (given >= 0) & (place.view is not None)
        values[inside, column] = number[given[inside]]
        others = np.array(place.others, dtype=np.int64)
        order = np.argsort(others)
        found = np.searchsorted(others, given[~inside], sorter=order)
        if np.any(found == len(others)) or np.any(others[order[found]] != given[~inside]):
            raise ValueError("a feature mentions a value that it cannot have")
        values[~inside, column] = len(number) + order[found]
        radix.append(max(1, len(number) + len(others)))
    return values, np.array(radix, dtype=np.int64)


def _is_exact(radix: Ints) -> bool:
    """Return whether the kernel numbers the features of such a template: fewer than 2^62."""
    product = 1
    for bound in radix.tolist():
        if product >= 2**62 // bound:
            return False
        product *= bound
    return True
