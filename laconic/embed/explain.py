"""What the dimensions of word vectors are about: the words that have most of them, and the forest that orders them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.embed.model import AMONG, WordVectors


class DimensionRow(NamedTuple):
    """One dimension.

    dimension, parent, depth   its number, that of the dimension above it in the forest (-1 at roots and without a forest), and how deep it lies
    used                       share of words whose number is not zero
    positive, negative         the words with the largest numbers and with the smallest, those farthest from zero first
    """

    dimension: int
    parent: int
    depth: int
    used: float
    positive: list[str]
    negative: list[str]


def dimension_rows(model: WordVectors, n: int = 10, among: int = AMONG) -> list[DimensionRow]:
    """All dimensions, those of a tree from its root down; words of length 1 are compared, of so many most frequent ones."""
    units = model.units()[:among]
    used = np.bincount(
        model.codes_.indices[model.codes_.data != 0], minlength=units.shape[1]
    ) / len(model)
    parents = np.full(units.shape[1], -1) if model.parents_ is None else model.parents_
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


def tree_order(parents: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Dimensions with their depths; a dimension comes right before all below it."""
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


def _extreme(model: WordVectors, values: NDArray[np.float32], n: int) -> list[str]:
    """The words of the n largest values above zero."""
    best = np.argpartition(-values, min(n, len(values)) - 1)[:n] if n else np.empty(0, np.int64)
    best = best[np.argsort(-values[best], kind="stable")]
    return [model.words_[i] for i in best.tolist() if values[i] > 0]
