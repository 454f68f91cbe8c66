"""What hazard ratios say of times: their concordance, and curves of survival."""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Array


def concordance(scores: Array, pairs: Array) -> float:
    """Return the share of comparable pairs of rows whose order the scores tell (Harrell's C).

    A pair is comparable if the earlier time is that of an event; equal scores count one half.
    `pairs` are times and events (n, 2). O(n log n): a tree of counts over the ranks of scores.
    """
    ranks = np.unique(scores, return_inverse=True)[1] + 1
    size = int(ranks.max(initial=0))
    tree = [0] * (size + 1)
    inserted, told, comparable = 0, 0.0, 0
    order = np.lexsort((pairs[:, 1], -pairs[:, 0]))  # the latest first; at one time, events last
    waiting: list[int] = []
    before = np.inf
    for row in order.tolist():
        time, event, rank = pairs[row, 0], pairs[row, 1], int(ranks[row])
        if time != before:
            inserted += len(waiting)
            for one in waiting:
                _insert(tree, one)
            waiting, before = [], time
        if event:
            below, up_to = _count(tree, rank - 1), _count(tree, rank)
            told += below + 0.5 * (up_to - below)
            comparable += inserted
            waiting.append(rank)  # rows of equal times are not comparable
        else:
            inserted += 1
            _insert(tree, rank)
    if comparable == 0:
        raise ValueError(
            "no two rows are comparable: the concordance needs an event before another"
        )
    return told / comparable


def _insert(tree: list[int], rank: int) -> None:
    while rank < len(tree):
        tree[rank] += 1
        rank += rank & -rank


def _count(tree: list[int], rank: int) -> int:
    total = 0
    while rank > 0:
        total += tree[rank]
        rank -= rank & -rank
    return total


def survival_curves(baseline: tuple[Array, Array], scores: Array, times: Array) -> Array:
    """Return exp(-H(t) exp(s)) (n, times), H Breslow's cumulative hazard at a score of zero."""
    known, hazard = baseline
    place = np.searchsorted(known, times, side="right")
    at = np.concatenate([[0.0], hazard])[place]
    curves: Array = np.exp(-np.exp(np.minimum(scores, 700.0))[:, None] * at[None, :])
    return curves
