"""From numbered features of a chain design back to the values that name them, and the inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.designs.chain import Chain
from laconic.core.ragged import pointers, ranges
from laconic.core.solvers.online import Sentences
from laconic.tag.weights import TagWeights
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE
from laconic.text.templates import TemplateArrays


class FeatureNumbering:
    """The values of numbered features' atoms, found through a token at which each fires.

    Parameters
    ----------
    sizes : array of shape (M,)
        Number of features of each template.
    arrays : TemplateArrays
        The templates.
    data : Sentences
        The encoded sentences.
    """

    def __init__(self, sizes: Ints, arrays: TemplateArrays, data: Sentences):
        self.arrays = arrays
        self.data = data
        self.first = pointers(sizes)
        length = np.diff(data.ptr)
        self.begin, self.end = np.repeat(data.ptr[:-1], length), np.repeat(data.ptr[1:], length)

    def atoms(self, template: int, token: NDArray[np.integer[Any]]) -> Ints32:
        """Return the values of a template at n tokens, of shape (n, atoms).

        Positions outside the sentence have values of their own.
        """
        out = []
        for a in range(self.arrays.atom_ptr[template], self.arrays.atom_ptr[template + 1]):
            at = token + self.arrays.atom_offset[a]
            early, late = self.begin[token] - at, at - self.end[token] + 1
            inside = np.clip(at, self.begin[token], self.end[token] - 1)
            value = self.data.columns[self.arrays.atom_view[a], inside].astype(np.int64)
            outside = np.where(late > 0, AFTER_BASE + late, value)
            out.append(np.where(early > 0, BEFORE_BASE + early, outside))
        if not out:
            return np.zeros((len(token), 0), np.int32)
        return np.stack(out, axis=1).astype(np.int32)

    def keep_only(self, ids: Ints32, start: TagWeights) -> None:
        """Change ids so that only features of `start` fire."""
        for m, wanted in enumerate(start.atoms):
            column = ids[:, m]
            fires = np.flatnonzero(column >= 0)
            token = np.zeros(self.first[m + 1] - self.first[m], np.int64)
            token[column[fires] - self.first[m]] = fires
            lost = np.append(~np.isin(as_keys(self.atoms(m, token)), as_keys(wanted)), False)
            column[lost[np.where(column >= 0, column - self.first[m], -1)]] = -1

    def weights(self, design: Chain, x: Array) -> TagWeights:
        """Return the features with weights, template by template."""
        token = design.first_token
        atoms, weights = [], []
        for m in range(len(self.first) - 1):
            features, rows = design.rows(x, m)
            weights.append(rows)
            atoms.append(self.atoms(m, token[features]))
        edge, first = design.tail(x)
        return TagWeights(atoms, weights, edge.astype(np.float32), first.astype(np.float32))

    def point(self, design: Chain, found: TagWeights) -> Array:
        """Return the point with the same scores, the inverse of `weights`.

        Features for which the design has no weight are left out.
        """
        x = np.zeros(design.n_weights)
        label, ptr = design.weight_label, design.unit_ptr
        unit, token = design.feature_unit, design.first_token
        for m, (atoms, weights) in enumerate(zip(found.atoms, found.weights, strict=True)):
            features = np.arange(self.first[m], self.first[m + 1])
            features = features[token[features] < design.n_tokens]
            known = as_keys(self.atoms(m, token[features]))
            code = np.unique(np.concatenate([known, as_keys(atoms)]), return_inverse=True)[1]
            row_of = np.full(len(code), len(weights))
            row_of[code[len(known) :]] = np.arange(len(weights))
            table = np.concatenate([weights, np.zeros((1, weights.shape[1]), weights.dtype)])
            begin, n = ptr[unit[features]], np.diff(ptr)[unit[features]]
            at = ranges(begin, begin + n)
            np.add.at(x, at, table[np.repeat(row_of[code[: len(known)]], n), label[at]])
        x[: design.n_state] /= design.roots()
        edge, first = design.tail(x)
        edge[:] = found.edge
        first[:] = found.start
        return x


def as_keys(rows: Ints32) -> NDArray[np.void]:
    """Return rows of numbers as single comparable items."""
    rows = np.ascontiguousarray(rows)
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype="V4")
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
