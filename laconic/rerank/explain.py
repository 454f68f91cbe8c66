"""What a reranker has learned, in words: the search order by order, and features as trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Ints
from laconic.mine.gradient import members_of
from laconic.mine.ranking import orders
from laconic.parse.explain import named
from laconic.rerank.model import Reranker


class SearchRow(NamedTuple):
    """Numbers of features of an order.

    Parameters
    ----------
    order : int
        The order.
    counted : int or None
        Number of occurrences counted; None, as the next ones, if the search never came to it.
    candidates : int or None
        Number of features that passed the filter.
    pruned, kept : int or None
        Number of candidates pruned and kept by their counts.
    weights : int
        Number of features with a weight that is not zero.
    """

    order: int
    counted: int | None
    candidates: int | None
    pruned: int | None
    kept: int | None
    weights: int


class Arc(NamedTuple):
    """An arc of a sub-tree: depth of its head below the root of the sub-tree, and its feature."""

    depth: int
    feature: str


class WeighedFeature(NamedTuple):
    """A sub-tree in pre-order, or the members of a product (all of depth 0), and its weight."""

    weight: float
    arcs: list[Arc]

    def lines(self) -> list[str]:
        """Return one line per arc, what hangs below it indented."""
        return ["    " * arc.depth + arc.feature for arc in self.arcs]


class TopFeatures(NamedTuple):
    """The features with the largest weights for a tree, and those against it."""

    best: list[WeighedFeature]
    worst: list[WeighedFeature]


def order_rows(model: Reranker) -> list[SearchRow]:
    """Return one row per order, from the first round of the search that came to it.

    Later rounds keep what has weights already.
    """
    check_is_fitted(model)
    weighed = np.bincount(orders(model.miner_)[np.flatnonzero(model.weights_)]).tolist()
    seen = {count.done: count for round_ in reversed(model.rounds_) for count in round_.orders}
    rows = []
    for order in range(1, max(len(weighed), 1 + max(seen, default=0))):
        weights = weighed[order] if order < len(weighed) else 0
        if (count := seen.get(order)) is None:
            rows.append(SearchRow(order, None, None, None, None, weights))
        else:
            rows.append(
                SearchRow(
                    order,
                    count.counted,
                    count.candidates,
                    count.candidates - count.kept,
                    count.kept,
                    weights,
                )
            )
    return rows


def top_features(model: Reranker, n: int) -> dict[int, TopFeatures]:
    """Return the features with the largest weights of every order.

    Features of high order have small weights, because there are many of them.
    """
    check_is_fitted(model)
    order, found = orders(model.miner_), {}
    for size in np.unique(order[np.flatnonzero(model.weights_)]).tolist():
        own = np.flatnonzero((order == size) & (model.weights_ != 0))
        rising = own[np.argsort(model.weights_[own], kind="stable")]
        n_against = min(n, int(np.count_nonzero(model.weights_[own] < 0)))
        n_for = min(n, int(np.count_nonzero(model.weights_[own] > 0)))
        best = rising[len(rising) - n_for :][::-1]
        found[int(size)] = TopFeatures(_weighed(model, best), _weighed(model, rising[:n_against]))
    return found


def _weighed(model: Reranker, features: NDArray[np.intp]) -> list[WeighedFeature]:
    """Return features with their weights, as trees."""
    n_basic = max(1, len(model.space_))
    found = [
        [divmod(member, n_basic) for member in members]
        for members in members_of(model.miner_, features)
    ]
    names = basic_names(
        model, np.unique([basic for members in found for _, basic in members]).astype(np.int64)
    )
    return [
        WeighedFeature(
            float(model.weights_[feature]), [Arc(depth, names[basic]) for depth, basic in members]
        )
        for feature, members in zip(features.tolist(), found, strict=True)
    ]


def basic_names(model: Reranker, wanted: Ints) -> dict[int, str]:
    """Return basic features as text, by number."""
    features, space = model.space_.features, model.space_
    found: dict[int, str] = {}
    for template, (rows, where) in zip(
        space.templates, features.places(space.templates), strict=True
    ):
        chosen = np.isin(rows, wanted)
        found |= zip(
            rows[chosen].tolist(),
            named(template, space.encoder, features.value[where[chosen]]),
            strict=True,
        )
    return found
