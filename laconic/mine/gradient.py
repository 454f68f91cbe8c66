"""min_w C |w|_1 + sum_i max_y (w'f(x_i, y) - w'f(x_i, y_i) + [y != y_i]) over a kernel space.

Algorithm 1 of Qian and Liu (2015): features are found when they are needed. A round predicts with
the features found so far, counts the features of gold and of predicted outputs where they differ,
order by order, and moves the weights of those whose counts exceed C. A feature occurs at most as
often as the feature it extends, so that the search misses none. The paper's step adds C sign(w) to
the weight; its objective asks for the opposite.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.report import Callback
from laconic.mine.outputs import Outputs
from laconic.mine.refusal import ThresholdTooSmall
from laconic.mine.rounds import OrderCount, Round

Structures: TypeAlias = "_core.SetStructures | _core.TreeStructures"

MOST_MEMORY = 2**41


class Mined(NamedTuple):
    """What a search found.

    Parameters
    ----------
    miner : _core.Miner
        Kernel with all features.
    features : array of shape (n_kept,)
        Numbers of the features of the last round.
    weights : array of shape (n_features, n_labels)
        Weights of all features.
    rounds : list of Round
        The rounds.
    """

    miner: _core.Miner
    features: Ints
    weights: Array
    rounds: list[Round]


class GradientMining(BaseEstimator):
    """Rounds of the search.

    Parameters
    ----------
    threshold : int, default=3
        C: features whose counts in gold and predicted outputs are not above it get no weight.
    most_order : int, default=2
        Largest order of a feature.
    rounds : int, default=20
        Number of rounds, at most; the search ends when nothing is predicted wrong.
    step : float, default=1.0
        Step size of the subgradient method.
    decreasing : bool, default=False
        Whether the step size is divided by the square root of the round.
    memory : float, default=2**30
        Number of bytes for the filter, the candidates of an order and where its features occur.
    counter_bits : int, default=4
        Number of bits of the filter's counters, 2 or 4.
    hashes : int, default=4
        Number of hashes per key.
    proximal : bool, default=False
        Whether steps are soft thresholds, and features whose weights are all zero are left out:
        from zero, those whose two counts differ by C or less.
    """

    def __init__(
        self,
        threshold: int = 3,
        most_order: int = 2,
        rounds: int = 20,
        step: float = 1.0,
        decreasing: bool = False,
        memory: float = 2**30,
        counter_bits: int = 4,
        hashes: int = 4,
        proximal: bool = False,
    ):
        self.threshold = threshold
        self.most_order = most_order
        self.rounds = rounds
        self.step = step
        self.decreasing = decreasing
        self.memory = memory
        self.counter_bits = counter_bits
        self.hashes = hashes
        self.proximal = proximal

    def new_miner(self) -> _core.Miner:
        """Return a kernel without features.

        The filter takes half of the memory, rounded down to a power of two.
        """
        self._check()
        return _core.Miner(max(6, int(math.log2(self.memory / 2))), self.counter_bits, self.hashes)

    def run(
        self,
        structures: Structures,
        outputs: Outputs,
        n_labels: int,
        miner: _core.Miner | None = None,
        weights: Array | None = None,
        base: Array | None = None,
        callback: Callback | None = None,
        on_order: Callback | None = None,
    ) -> Mined:
        """Search, from the features of `miner` with `weights` if given.

        `base` are scores of outputs to begin with. `callback` sees every Round, and True stops;
        `on_order` sees every OrderCount as soon as the order is searched.
        """
        miner = self.new_miner() if miner is None else miner
        weights = np.zeros((len(miner), n_labels)) if weights is None else weights
        trace: list[Round] = []
        kept = np.flatnonzero(weights.any(axis=1))
        for k in range(1, self.rounds + 1):
            scores = output_scores(miner, structures, outputs, weights) + 1.0
            scores[outputs.gold] -= 1.0
            if base is not None:
                scores += base
            best = outputs.best(scores)
            wrong = best != outputs.gold
            if not wrong.any():
                break
            gold, found = outputs.gold[wrong], best[wrong]
            kept, counts, orders = self._mine(
                miner,
                structures,
                outputs,
                np.concatenate([gold, found]),
                len(gold),
                weights,
                on_order,
            )
            weights = np.vstack([weights, np.zeros((len(miner) - len(weights), n_labels))])
            weights[kept] = self._moved(
                weights[kept], counts, self.step / (math.sqrt(k) if self.decreasing else 1.0)
            )
            if self.proximal:
                kept = kept[weights[kept].any(axis=1)]
            trace.append(
                Round(
                    "round",
                    k,
                    self.rounds,
                    features=len(kept),
                    wrong=int(wrong.sum()),
                    orders=tuple(orders),
                )
            )
            if callback is not None and callback(trace[-1]):
                break
        return Mined(miner, np.sort(kept).astype(np.int64), weights, trace)

    def _mine(
        self,
        miner: _core.Miner,
        structures: Structures,
        outputs: Outputs,
        chosen: Ints,
        n_gold: int,
        weights: Array,
        on_order: Callback | None,
    ) -> tuple[Ints, Ints, list[OrderCount]]:
        """Count the features of chosen outputs, the first `n_gold` gold, the others predicted."""
        side = np.repeat(np.array([0, 1], dtype=np.int32), [n_gold, len(chosen) - n_gold])
        try:
            kept, counts, orders = miner.mine(
                structures,
                _core.SidedOutputs(
                    structure=outputs.structure[chosen], label=outputs.label[chosen], side=side
                ),
                weights.ravel(),
                _core.SearchOptions(
                    n_labels=weights.shape[1],
                    threshold=self.threshold,
                    most_order=self.most_order,
                    memory=max(1, int(self.memory / 4)),
                ),
                None
                if on_order is None
                else lambda order, numbers: on_order(OrderCount.of(order, numbers)),
            )
        except MemoryError as error:
            raise ThresholdTooSmall(self.threshold, *error.args) from None
        reports = [OrderCount.of(order, numbers) for order, numbers in enumerate(orders, 1)]
        return (
            kept.astype(np.int64),
            counts.astype(np.int64).reshape(len(kept), 2, weights.shape[1]),
            reports,
        )

    def _moved(self, weights: Array, counts: Ints, step: float) -> Array:
        """Return w + step (#gold - #predicted - C sign w), line 12 of the algorithm.

        Only where a count exceeds C or the weight is not zero. Proximal:
        soft(w + step (#gold - #predicted), step C), which is zero where neither holds.
        """
        if self.proximal:
            far = weights + step * (counts[:, 0] - counts[:, 1])
            return np.asarray(np.sign(far) * np.maximum(np.abs(far) - step * self.threshold, 0.0))
        moving = (counts > self.threshold).any(axis=1) | (weights != 0)
        change = step * (counts[:, 0] - counts[:, 1] - self.threshold * np.sign(weights))
        return np.asarray(weights + np.where(moving, change, 0.0))

    def _check(self) -> None:
        if self.threshold < 0 or self.threshold != int(self.threshold):
            raise ValueError(
                f"threshold must be a whole number of 0 or more, not {self.threshold!r}"
            )
        if not 1 <= self.most_order <= 255:
            raise ValueError(f"most_order must be from 1 to 255, not {self.most_order!r}")
        if self.rounds < 1:
            raise ValueError(f"rounds must be at least 1, not {self.rounds!r}")
        if not (math.isfinite(self.step) and self.step > 0):
            raise ValueError(f"step must be positive, not {self.step!r}")
        if not 1024 <= self.memory <= MOST_MEMORY:
            raise ValueError(
                f"memory must be from 1024 to {MOST_MEMORY} bytes, not {self.memory!r}"
            )


def output_scores(
    miner: _core.Miner, structures: Structures, outputs: Outputs, weights: Array
) -> Array:
    """Return w'f of every output."""
    scores = np.zeros((len(structures), weights.shape[1]))
    miner.score(
        structures, np.ascontiguousarray(weights).ravel(), weights.shape[1], scores.reshape(-1)
    )
    return np.asarray(scores[outputs.structure, outputs.label])


def members_of(miner: _core.Miner, features: Ints) -> list[tuple[int, ...]]:
    """Return the extensions that each feature is made of, the first one first.

    Of products these are their basic features.
    """
    part, extension = miner.features()
    found = []
    for feature in features.tolist():
        members = []
        while feature != 0:
            members.append(int(extension[feature]))
            feature = int(part[feature])
        found.append(tuple(reversed(members)))
    return found
