"""min_w C |w|_1 + sum_i max_y (w'f(x_i, y) - w'f(x_i, y_i) + [y != y_i]), over features that are found as they are needed.

Algorithm 1 of Qian and Liu (2015). A round predicts with what is known, counts the features of gold and of predicted outputs where
they differ, order by order, and moves the weights of those whose counts exceed C. A feature counts at most as often as what it
extends, so that the search leaves nothing out. The paper's step adds C sign(w) to the weight; its objective asks for the opposite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.report import Callback, Event
from laconic.mine.refusal import ThresholdTooSmall

MOST_MEMORY = 2**41


class Outputs(NamedTuple):
    """What each example may be: outputs ptr[i] .. ptr[i + 1] of example i are structures under labels, `gold` the right one."""

    ptr: NDArray[np.int64]
    structure: NDArray[np.int64]
    label: NDArray[np.int32]
    gold: NDArray[np.int64]  # numbers of outputs

    @classmethod
    def of_labels(cls, labels: NDArray[np.intp], n_labels: int) -> Outputs:
        """Every example is one structure under any of the labels."""
        n = len(labels)
        ptr = np.arange(n + 1, dtype=np.int64) * n_labels
        structure, label = np.divmod(np.arange(n * n_labels, dtype=np.int64), n_labels)
        return cls(ptr, structure, label.astype(np.int32), ptr[:-1] + labels)

    def best(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """The first output of every example among those with the highest score."""
        return best_of_lists(self.ptr, scores)


@dataclass(frozen=True, kw_only=True)
class OrderCount(Event):
    """One order of one round: `done` is the order, `features` the number of its features kept.

    Parameters
    ----------
    counted : int
        Number of keys counted.
    candidates : int
        Number of features that passed the filter.
    spilled : int
        Number of bytes written to disk.
    """

    counted: int
    candidates: int
    spilled: int

    @classmethod
    def of(cls, order: int, numbers: Sequence[float]) -> OrderCount:
        """Return the event of an order from what the kernel counted."""
        *sizes, seconds = numbers
        counted, candidates, kept, spilled = map(int, sizes)
        return cls(
            "order",
            order,
            features=kept,
            seconds=seconds,
            counted=counted,
            candidates=candidates,
            spilled=spilled,
        )

    @property
    def kept(self) -> int:
        """Number of features kept."""
        return self.features or 0

    @property
    def numbers(self) -> tuple[int, int, int, int, float]:
        """What the kernel counted, the inverse of `of`."""
        return self.counted, self.candidates, self.kept, self.spilled, self.seconds

    def __str__(self) -> str:
        """Return the order as a progress bar shows it."""
        pruned = max(0, self.candidates - self.kept)
        return (
            f"order {self.done}: {self.candidates:,} candidates, "
            f"{pruned:,} pruned, {self.kept:,} kept"
        )


@dataclass(frozen=True, kw_only=True)
class Round(Event):
    """One round of the search: `done` is its number, `features` the number of features kept.

    Parameters
    ----------
    wrong : int
        Number of examples predicted wrong, by a margin.
    orders : tuple of OrderCount
        What was found, order by order.
    """

    wrong: int
    orders: tuple[OrderCount, ...]

    def __str__(self) -> str:
        """Return the round as a progress bar shows it."""
        return f"round {self.done}: {self.wrong:,} wrong; " + "; ".join(
            f"order {order.done}: {order.candidates:,} candidates, {order.kept:,} kept"
            for order in self.orders
        )


class Mined(NamedTuple):
    """The features of the last round (numbers of the miner's), the weights of all (one row a feature), and how it went."""

    miner: Any
    features: NDArray[np.int64]
    weights: NDArray[np.float64]
    rounds: list[Round]


class GradientMining(BaseEstimator):
    """Rounds of the search.

    threshold: C; features whose counts in gold and predicted outputs are not above it are left alone
    most_order: the largest order of a feature
    rounds: at most; the search ends when nothing is wrong
    step: of the subgradient; `decreasing` divides it by the root of the round
    memory: bytes for the filter, the candidates of an order and where its features occur, together
    counter_bits: 2 or 4, of the filter's counters; hashes: how many a key has
    proximal: steps set weights to exactly zero where the penalty says so (soft thresholds), and features without any are left out:
        from zero, those whose two counts differ by C or less
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

    def new_miner(self) -> Any:
        """A kernel without features; the filter takes half of the memory, rounded down to a power of two."""
        self._check()
        return _core.Miner(max(6, int(math.log2(self.memory / 2))), self.counter_bits, self.hashes)

    def run(
        self,
        structures: Any,
        outputs: Outputs,
        n_labels: int,
        miner: Any = None,
        weights: NDArray[np.float64] | None = None,
        base: NDArray[np.float64] | None = None,
        callback: Callback | None = None,
        on_order: Callback | None = None,
    ) -> Mined:
        """Search from the features of `miner` with `weights`; `base`: scores of outputs that are given. callback says whether to stop.

        on_order hears of every order as soon as it is searched.
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
        miner: Any,
        structures: Any,
        outputs: Outputs,
        shown: NDArray[np.int64],
        n_gold: int,
        weights: NDArray[np.float64],
        on_order: Callback | None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], list[OrderCount]]:
        side = np.repeat(np.array([0, 1], dtype=np.int32), [n_gold, len(shown) - n_gold])
        try:
            kept, counts, orders = miner.mine(
                structures,
                _core.ShownArrays(
                    structure=outputs.structure[shown], label=outputs.label[shown], side=side
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

    def _moved(
        self, weights: NDArray[np.float64], counts: NDArray[np.int64], step: float
    ) -> NDArray[np.float64]:
        """Line 12: w + step (#gold - #predicted - C sign w), where a count exceeds C or the weight is not zero.

        Proximal: what soft(w + step (#gold - #predicted), step C) leaves, which is zero where neither holds.
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


def best_of_lists(ptr: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The first of entries ptr[i] .. ptr[i + 1] among those with the highest score; no list is empty."""
    highest = np.maximum.reduceat(scores, ptr[:-1])
    winners = np.flatnonzero(scores == np.repeat(highest, np.diff(ptr)))
    return winners[np.searchsorted(winners, ptr[:-1])].astype(np.int64)


def output_scores(
    miner: Any, structures: Any, outputs: Outputs, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """W'f of every output."""
    scores = np.zeros((len(structures), weights.shape[1]))
    miner.score(
        structures, np.ascontiguousarray(weights).ravel(), weights.shape[1], scores.reshape(-1)
    )
    return np.asarray(scores[outputs.structure, outputs.label])


def members_of(miner: Any, features: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """The extensions that each feature is made of, the first one first: of products, their basic features."""
    part, extension = miner.features()
    found = []
    for feature in features.tolist():
        members = []
        while feature != 0:
            members.append(int(extension[feature]))
            feature = int(part[feature])
        found.append(tuple(reversed(members)))
    return found
