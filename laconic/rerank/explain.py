"""What a reranker has learned, for people: what the search did order by order, and the features that weigh most, as trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.mine.gradient import members_of
from laconic.mine.ranking import orders
from laconic.parse.explain import named
from laconic.rerank.model import Reranker


class OrderRow(NamedTuple):
    """Features of an order: occurrences counted, candidates that passed the filter, pruned and kept by their counts, with weights."""

    order: int
    counted: int | None
    candidates: int | None
    pruned: int | None
    kept: int | None
    weights: int


class Arc(NamedTuple):
    """An arc of a sub-tree: how many arcs its head lies below the root of the sub-tree, and its basic feature."""

    depth: int
    feature: str


class WeighedFeature(NamedTuple):
    """A sub-tree in pre-order, or the members of a product (which are all of depth 0), and its weight."""

    weight: float
    arcs: list[Arc]

    def lines(self) -> list[str]:
        """An arc a line, what hangs below it indented."""
        return ["    " * arc.depth + arc.feature for arc in self.arcs]


class TopFeatures(NamedTuple):
    """Features that speak most for a tree, and those that speak most against it."""

    best: list[WeighedFeature]
    worst: list[WeighedFeature]


def order_rows(model: Reranker) -> list[OrderRow]:
    """A row for each order, as the first round of the search that came to it had it: later ones keep what has weights already."""
    check_is_fitted(model)
    weighed = np.bincount(orders(model.miner_)[np.flatnonzero(model.weights_)]).tolist()
    seen = {count.done: count for round_ in reversed(model.rounds_) for count in round_.orders}
    rows = []
    for order in range(1, max(len(weighed), 1 + max(seen, default=0))):
        weights = weighed[order] if order < len(weighed) else 0
        if (count := seen.get(order)) is None:
            rows.append(OrderRow(order, None, None, None, None, weights))
        else:
            rows.append(
                OrderRow(
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
    """Of every order the features that weigh most: large ones have small weights, for there are many of them."""
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


def _weighed(model: Reranker, features: NDArray[np.int64]) -> list[WeighedFeature]:
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


def basic_names(model: Reranker, wanted: NDArray[np.int64]) -> dict[int, str]:
    """Basic features as text."""
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
