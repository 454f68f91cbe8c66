"""Averaged perceptron over lists of outputs: w <- w + v^2 (f(gold) - f(best)).

A step is taken where the output with the best score is not the gold one. Features of order r have
the value v = decay^((r - 1) / 2) as in tree kernels (Collins and Duffy 2002): large ones are so
numerous that without it they alone would decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Integers, Ints, Ints32
from laconic.mine.gradient import Structures
from laconic.mine.outputs import Outputs


class ListFeatures(NamedTuple):
    """Features that not all outputs of a list have: feature[ptr[o]:ptr[o + 1]] of output o."""

    ptr: Ints
    feature: Ints32

    @classmethod
    def of(cls, miner: _core.Miner, structures: Structures, list_ptr: Ints) -> ListFeatures:
        """Return the features of a miner that distinguish the structures of each list."""
        return cls(*miner.told_apart(structures, list_ptr))

    def scores(self, weights: Array) -> Array:
        """Return the sum of weights of each output; other outputs change no digit of it."""
        n = len(self.ptr) - 1
        return np.asarray(
            np.bincount(np.repeat(np.arange(n), np.diff(self.ptr)), weights[self.feature], n),
            dtype=np.float64,
        )


class RankedWeights(NamedTuple):
    """One weight per feature, and the number of wrong outputs in each pass."""

    weights: Array
    wrong: list[int]


def rank(
    features: ListFeatures,
    outputs: Outputs,
    step: Array,
    epochs: int,
    seed: int | None,
    cost: Array | None = None,
    most_step: float = 0.0,
) -> RankedWeights:
    """Learn the weights of features that rank gold outputs first.

    Parameters
    ----------
    features : ListFeatures
        Features of the outputs.
    outputs : Outputs
        Lists of outputs.
    step : array of shape (n_features,)
        Step size of every feature.
    epochs : int
        Number of passes.
    seed : int or None
        Seed of the order of lists.
    cost : array of shape (n_outputs,) or None, default=None
        Cost of each output, added to its score; None is none.
    most_step : float, default=0.0
        Largest passive-aggressive step; 0 takes perceptron steps.
    """
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
    return RankedWeights(weights, wrong.tolist())


def decayed(orders: Integers, decay: float) -> Array:
    """Return the step sizes of features of these orders: decay^(order - 1)."""
    if not (0 < decay <= 1):
        raise ValueError(f"decay must be above 0 and at most 1, got {decay!r}")
    return np.asarray(np.power(float(decay), np.maximum(orders, 1) - 1.0))


def orders(miner: _core.Miner) -> Ints:
    """Return the order of each feature of a miner; the root has 0."""
    part, _ = miner.features()
    found = np.zeros(len(part), dtype=np.int64)
    at: Integers = np.arange(len(part))
    while at.any():  # one step from every feature to what it extends
        found += at != 0
        at = part[at]
    return found
