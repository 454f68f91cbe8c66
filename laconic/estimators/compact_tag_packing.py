"""Taggers into compact files; what is in them: laconic.estimators.compact_tag."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.estimators.compact_rows import Cells, Codebook, equal_rows, short_bits
from laconic.estimators.storage_checks import Arrays, Contents, pack_json
from laconic.estimators.tag import Tagger
from laconic.estimators.tag_model import TagWeights
from laconic.estimators.tag_storage import tagger_meta
from laconic.text.compact import Maps, Names, join_maps, pack_clusters, pack_strings
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE
from laconic.text.templates import Template, Templates

FEATURE_ERROR_BITS = 24
EXACT = 64


class Summary(NamedTuple):
    """What a file says of its weights beside the maps: shared rows, cells, whether cells have values of their own."""

    n_shared: int
    n_cells: int
    own_values: bool


def pack_tagger(model: Tagger, names: bool) -> Contents:
    """Arrays and JSON of a fitted model."""
    state = model.encoder_.to_state()
    templates, n_labels = model.templates_, len(model.classes_)
    values: list[Maps] = []
    number_of: dict[str, NDArray[np.int64]] = {}
    for view, strings in state["values"].items():
        packed, number_of[view] = pack_strings(strings)
        values.append(packed)
    paths: list[str] | None = None
    words: list[str] = []
    if state["clusters"] is not None:
        packed_clusters, paths = pack_clusters(state["clusters"])
        values += packed_clusters
        words = [word for members in state["clusters"].values() for word in members]
    features, weights, summary, wide = _pack_features(templates, number_of, model.weights_, n_labels, names)
    about = {**tagger_meta(model, names), **summary._asdict(), "paths": paths}
    about |= {"nonzero": int(model.weights_.n_nonzero), "distinct": model.weights_.n_distinct}
    arrays: Arrays = {"about": pack_json(about), **weights, "edge": model.weights_.edge, "start": model.weights_.start}
    for what, maps in (("value", values), ("feature", features)):
        arrays |= dict(zip((f"{what}_words", f"{what}_sizes", f"{what}_widths"), join_maps(maps), strict=True))
    if names:
        lists = [sorted(strings) for strings in state["values"].values()]
        arrays["name_lengths"], arrays["name_text"] = Names.pack([*lists, sorted(words)])
        arrays["wide_atoms"] = np.concatenate([np.zeros(0, np.int32), *(part.ravel() for part in wide)])
    return arrays, {"names": names}


def _pack_features(
    templates: Templates, number_of: dict[str, NDArray[np.int64]], found: TagWeights, n_labels: int, names: bool
) -> tuple[list[Maps], Arrays, Summary, list[NDArray[np.int32]]]:
    """Maps of features, the rows of their weights, and the atoms of features that exact maps cannot number."""
    n_columns = n_labels**2 if any(template.pairs for template in templates) else n_labels
    cells = Cells.of_tables(found.weights)
    kinds = equal_rows(cells)
    book = Codebook.of(cells.value)
    ends = np.cumsum([len(part) for part in found.atoms], dtype=np.int64).tolist()
    parts = [slice(begin, end) for begin, end in itertools.pairwise([0, *ends])]
    bits = short_bits(kinds, np.diff(cells.ptr), parts, book.cell_bits(n_columns))
    maps, wide, own = [], [], []
    for template, part, atoms, width in zip(templates, parts, found.atoms, bits, strict=True):
        values, radix = mixed_values(template, atoms, number_of)
        codes = kinds.kind[part].astype(np.uint32)
        words, sizes, widths, number = _core.pack_features(values, radix, codes, width, 0, EXACT if names else FEATURE_ERROR_BITS)
        maps.append((words, sizes, widths))
        order = np.argsort(number)
        own.append(order[codes[order] >= 1 << width] + part.start)
        if not _is_exact(radix):
            wide.append(values[order].astype(np.int32))
    n_shared = min(max((1 << width for width in bits), default=0), len(kinds.first))
    rows = cells.take(np.concatenate([kinds.first[:n_shared], *own]).astype(np.int64))
    packed, values_of = book.pack(rows, n_columns)
    return maps, {"cells": packed, "values": values_of}, Summary(n_shared, len(rows.label), book.own), wide


def mixed_values(
    template: Template, atoms: NDArray[np.int32], number_of: dict[str, NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Values of atoms from 0 on, with d steps outside the sentence counted on from the values of the view; and their bounds."""
    values, radix = np.zeros(atoms.shape, np.int64), []
    for column, atom in enumerate(template.atoms):
        number, given = number_of[atom.view], atoms[:, column].astype(np.int64)
        inside, after = given >= 0, (given < 0) & (given > AFTER_BASE)
        values[inside, column] = number[given[inside]]
        steps = given - np.where(after, AFTER_BASE, BEFORE_BASE)
        values[~inside, column] = len(number) + steps[~inside] - 1
        radix.append(max(1, len(number) + abs(atom.offset)))
    return values, np.array(radix, dtype=np.int64)


def _is_exact(radix: NDArray[np.int64]) -> bool:
    """Whether the kernel numbers the features of such a template: fewer than 2^62."""
    product = 1
    for bound in radix.tolist():
        if product >= 2**62 // bound:
            return False
        product *= bound
    return True
