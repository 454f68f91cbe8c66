"""Examples split into those to train on and those to test on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

Example = TypeVar("Example")
GoldT = TypeVar("GoldT")


@dataclass(frozen=True)
class HeldOut(Generic[Example, GoldT]):
    """Examples and labels: three quarters to train on, one quarter to test on."""

    train: tuple[list[Example], list[GoldT]]
    test: tuple[list[Example], list[GoldT]]


def hold_out(examples: list[Example], labels: list[GoldT], seed: int) -> HeldOut[Example, GoldT]:
    """Return the examples in random order, a quarter of them for testing."""
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    n_test = len(order) // 4
    train, test = (
        ([examples[i] for i in part], [labels[i] for i in part])
        for part in (order[n_test:], order[:n_test])
    )
    return HeldOut(train, test)


def split_sizes(name: str, split: HeldOut[Example, GoldT]) -> dict[str, int]:
    """Return the number of examples in all and in each part."""
    sizes = len(split.train[0]), len(split.test[0])
    return {name: sum(sizes), f"{name}_train": sizes[0], f"{name}_test": sizes[1]}
