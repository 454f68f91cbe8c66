"""Averaged perceptron over lists of outputs: w += v^2 (f(gold) - f(best)), where the best scored output is not the gold one.

Features of order r have the value v = decay^((r - 1) / 2) as in tree kernels (Collins and Duffy 2002): there are so many large ones
that without it they alone would decide.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.mine.gradient import Outputs

Float64 = NDArray[np.float64]


class ListFeatures(NamedTuple):
    """The features of outputs that their lists do not share: feature[ptr[o]:ptr[o + 1]] of output o."""

    ptr: NDArray[np.int64]
    feature: NDArray[np.int32]

    @classmethod
    def of(cls, miner: Any, structures: Any, list_ptr: NDArray[np.int64]) -> ListFeatures:
        """Those of the miner's features that tell the structures of each list apart."""
        return cls(*miner.told_apart(structures, list_ptr))

    def scores(self, weights: Float64) -> Float64:
        """Sums of weights, each by itself: what other outputs there are changes no digit."""
        n = len(self.ptr) - 1
        return np.asarray(
            np.bincount(np.repeat(np.arange(n), np.diff(self.ptr)), weights[self.feature], n),
            dtype=np.float64,
        )


class Ranked(NamedTuple):
    """A weight for each feature, and how many outputs were wrong in each pass."""

    weights: Float64
    wrong: list[int]


def rank(
    features: ListFeatures,
    outputs: Outputs,
    step: Float64,
    epochs: int,
    seed: int | None,
    cost: Float64 | None = None,
    most_step: float = 0.0,
) -> Ranked:
    """Learn in so many passes; step: of every feature; cost of outputs: none if None; most_step above 0: passive-aggressive."""
    if epochs < 1:
        raise ValueError(f"epochs must be at least 1, got {epochs!r}")
    random = np.random.default_rng(seed)
    order = np.concatenate([random.permutation(len(outputs.gold)) for _ in range(epochs)]).astype(
        np.int64
    )
    cost = np.zeros(len(features.ptr) - 1) if cost is None else cost
    lists = _core.RankedLists(
        list_ptr=outputs.ptr,
        gold=outputs.gold,
        ptr=features.ptr,
        feature=features.feature,
        cost=cost,
    )
    weights, wrong = _core.learn_ranking(lists, step, most_step, order, epochs)
    return Ranked(weights, wrong.tolist())


def decayed(orders: NDArray[np.integer[Any]], decay: float) -> Float64:
    """The steps of features of these orders: decay^(order - 1)."""
    if not (0 < decay <= 1):
        raise ValueError(f"decay must be above 0 and at most 1, got {decay!r}")
    return np.asarray(np.power(float(decay), np.maximum(orders, 1) - 1.0))


def orders(miner: Any) -> NDArray[np.int64]:
    """The order of each of the miner's features; the root has 0."""
    part, _ = miner.features()
    found = np.zeros(len(part), dtype=np.int64)
    at = np.arange(len(part))
    while at.any():  # one step from every feature to what it extends
        found += at != 0
        at = part[at]
    return found
