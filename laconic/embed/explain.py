"""What the dimensions of word vectors are about: their extreme words, and their forest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Floats, Ints32
from laconic.embed.model import AMONG, WordVectors


class DimensionRow(NamedTuple):
    """One dimension.

    dimension            its number
    parent               the dimension above it in the forest, -1 at roots and without a forest
    depth                its depth in the forest
    used                 share of words whose coefficient is not zero
    positive, negative   the words with the largest and the smallest coefficients, the most extreme
                         first
    """

    dimension: int
    parent: int
    depth: int
    used: float
    positive: list[str]
    negative: list[str]


def dimension_rows(model: WordVectors, n: int = 10, among: int = AMONG) -> list[DimensionRow]:
    """Return one row per dimension, those of a tree from its root down.

    Words are scaled to length 1 and compared among the `among` most frequent ones.
    """
    units = model.units()[:among]
    used = np.bincount(
        model.codes_.indices[model.codes_.data != 0], minlength=units.shape[1]
    ) / len(model)
    parents = np.full(units.shape[1], -1, np.int32) if model.parents_ is None else model.parents_
    return [
        DimensionRow(
            m,
            int(parents[m]),
            depth,
            float(used[m]),
            _extreme(model, units[:, m], n),
            _extreme(model, -units[:, m], n),
        )
        for m, depth in tree_order(parents)
    ]


def tree_order(parents: Ints32) -> list[tuple[int, int]]:
    """Return dimensions with their depths; a dimension comes right before all below it."""
    children: dict[int, list[int]] = {}
    for m, parent in enumerate(parents.tolist()):
        children.setdefault(parent, []).append(m)
    order: list[tuple[int, int]] = []
    waiting = [(m, 0) for m in reversed(children.get(-1, []))]
    while waiting:
        m, depth = waiting.pop()
        order.append((m, depth))
        waiting.extend((child, depth + 1) for child in reversed(children.get(m, [])))
    return order


def _extreme(model: WordVectors, values: Floats, n: int) -> list[str]:
    """Return the words of the n largest values above zero."""
    best = np.argpartition(-values, min(n, len(values)) - 1)[:n] if n else np.empty(0, np.int64)
    best = best[np.argsort(-values[best], kind="stable")]
    return [model.words_[i] for i in best.tolist() if values[i] > 0]
