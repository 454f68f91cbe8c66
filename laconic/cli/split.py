"""Examples split into those to learn from and those to test on."""

from __future__ import annotations

from typing import Any, NamedTuple


class Split(NamedTuple):
    """Examples and labels: three quarters to learn from, one quarter to test on."""

    train: tuple[list[Any], list[Any]]
    test: tuple[list[Any], list[Any]]


def three_quarters(examples: list[Any], labels: list[Any], seed: int) -> Split:
    """Return the examples in random order, a quarter of them for testing."""
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    n_test = len(order) // 4
    train, test = (
        ([examples[i] for i in part], [labels[i] for i in part])
        for part in (order[n_test:], order[:n_test])
    )
    return Split(train, test)


def split_sizes(name: str, split: Split) -> dict[str, int]:
    """Return how many examples there are in all and in each part."""
    sizes = len(split.train[0]), len(split.test[0])
    return {name: sum(sizes), f"{name}_train": sizes[0], f"{name}_test": sizes[1]}
