"""Lists of trees with the right heads, and the best factor of the parser's scores for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.ragged import ranges
from laconic.mine.outputs import best_of_lists
from laconic.parse.lists import TreeLists

SHARES = np.linspace(0, 1, 41)[:-1]  # shares of the parser's scores in the sum, tried for beta


class GoldLists(NamedTuple):
    """Lists of trees, and the right heads as in a treebank."""

    lists: TreeLists
    gold: Ints32

    def some(self, chosen: NDArray[np.integer[Any]]) -> GoldLists:
        """Return the lists of these sentences."""
        ptr = self.lists.tokens.ptr
        return GoldLists(
            self.lists.some(chosen), self.gold[ranges(ptr[:-1][chosen], ptr[1:][chosen])]
        )

    def uas(self, scores: Array) -> float:
        """Return the share of right heads in the trees with the highest scores."""
        right = self.lists.right_heads(self.gold)[best_of_lists(self.lists.ptr, scores)]
        return float(right.sum() / max(1, len(self.gold)))


def best_beta(dev: GoldLists, ranked: Array) -> float:
    """Return the factor of the parser's scores with the most right heads, the middle one of equals.

    The factors tried are shares of the spreads of both scores.
    """
    spread = _spread(ranked, dev.lists.ptr) / max(_spread(dev.lists.scores, dev.lists.ptr), 1e-300)
    betas = spread * SHARES / (1 - SHARES)
    found = np.array([dev.uas(beta * dev.lists.scores + ranked) for beta in betas])
    best = np.flatnonzero(found == found.max())
    return float(betas[best[len(best) // 2]])


def _spread(scores: Array, ptr: Ints) -> float:
    """Return the standard deviation within lists."""
    lengths = np.diff(ptr)
    return float(np.std(scores - np.repeat(np.add.reduceat(scores, ptr[:-1]) / lengths, lengths)))


def without_last_fold(train: GoldLists, folds: int) -> tuple[GoldLists, GoldLists]:
    """Return all lists but those of the last fold, and those."""
    first, last = np.split(
        np.arange(len(train.lists.tokens)), [int(len(train.lists.tokens) * (1 - 1 / folds))]
    )
    return train.some(first), train.some(last)
