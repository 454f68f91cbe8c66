"""Dependency trees at random, and their sub feature trees by writing down every one."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import Any

import numpy as np

from laconic import _core

SubTree = tuple[tuple[int, int], ...]


def sub_trees(heads: list[int], basics: list[list[int]], most: int) -> Counter[SubTree]:
    """Count the sub-trees of up to `most` arcs: (depth of the head, basic feature) in pre-order."""
    children: dict[int, list[int]] = {}
    for word, head in enumerate(heads, 1):
        children.setdefault(head, []).append(word)
    found: Counter[SubTree] = Counter()
    for order in range(1, most + 1):
        for words in combinations(range(1, len(heads) + 1), order):
            tops = {heads[word - 1] for word in words} - set(words)
            parents = {heads[word - 1] for word in words}
            if len(tops) == 1 and all(_adjacent(children[parent], words) for parent in parents):
                depths = _in_order(tops.pop(), children, set(words), 0)
                choices = product(*(basics[word - 1] for _, word in depths))
                found.update(
                    tuple(zip((depth for depth, _ in depths), choice, strict=True))
                    for choice in choices
                )
    return found


def _adjacent(siblings: list[int], words: tuple[int, ...]) -> bool:
    places = [place for place, word in enumerate(siblings) if word in words]
    return places == list(range(places[0], places[0] + len(places)))


def _in_order(
    parent: int, children: dict[int, list[int]], words: set[int], depth: int
) -> list[tuple[int, int]]:
    found = []
    for word in children.get(parent, []):
        if word in words:
            found += [(depth, word), *_in_order(word, children, words, depth + 1)]
    return found


def random_tree(random: np.random.Generator, n: int) -> list[int]:
    """Heads of a random tree: each word hangs below one that is earlier in a random order."""
    order = random.permutation(n) + 1
    heads = [0] * n
    for place, word in enumerate(order):
        heads[word - 1] = 0 if place == 0 else int(random.choice([0, *order[:place]]))
    return heads


def random_trees(
    random: np.random.Generator, n_trees: int, most_words: int, n_basic: int
) -> tuple[list[list[int]], list[list[list[int]]]]:
    """Trees and the basic features of their arcs, half of all at each."""
    trees = [random_tree(random, int(random.integers(1, most_words + 1))) for _ in range(n_trees)]
    return trees, [
        [np.flatnonzero(random.random(n_basic) < 0.5).tolist() for _ in heads] for heads in trees
    ]


def tree_structures(trees: list[list[int]], basics: list[list[list[int]]], n_basic: int) -> Any:
    """The trees as kernels know them; arcs with the same features are one."""
    flat = [features for tree in basics for features in tree]
    rows = sorted({tuple(features) for features in flat})
    return _core.TreeStructures(
        np.cumsum([0, *map(len, trees)]),
        np.concatenate(trees).astype(np.int32),
        np.array([rows.index(tuple(features)) for features in flat]),
        np.cumsum([0, *map(len, rows)]),
        np.concatenate([*map(np.array, rows), []]).astype(np.int32),
        n_basic,
    )
