"""Trees with crossing arcs as projective trees with marked labels, and back.

The path scheme of Nivre and Nilsson (2005). An arc h -> d is projective if h leads to every token
between h and d. Arcs that are not, the shortest first, are lifted: d moves to the head of h, until
all arcs are projective. The label of a lifted token ends in LIFTED, the labels of the tokens that
it was lifted over end in PATH. Back: a lifted token sinks from its head down marked arcs as far as
they go, to the nearest token among several. Where that is not the head it had, a number after
LIFTED says which other of the marked tokens was, so that the inverse is exact for every tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from laconic.core.arrays import Ints, Ints32
from laconic.core.ragged import cut
from laconic.text.treebanks import first_on_cycle

TreeChange: TypeAlias = Callable[[Sequence[int], Sequence[str]], tuple[list[int], list[str]]]

LIFTED = "↑"
PATH = "↓"
_MARKED = re.compile(f"(.*?)({PATH}?)(?:({LIFTED})([0-9]{{0,4}}))?", re.DOTALL)


def lift(heads: Sequence[int], labels: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return a projective tree with marked labels.

    heads[t] counts from 1, 0 is the root; several roots are allowed.
    """
    lifted = list(heads)
    moved, on_path = [], [False] * len(lifted)
    while (token := _shortest_crossing(lifted)) is not None:
        head = lifted[token]
        on_path[head - 1] = True
        moved.append(token)
        lifted[token] = lifted[head - 1]
    marked = [label + PATH * below for label, below in zip(labels, on_path, strict=True)]
    for token in set(moved):
        place = _places(lifted, on_path, token).index(heads[token])
        marked[token] += LIFTED + str(place or "")
    return lifted, marked


def sink(heads: Sequence[int], labels: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the tree that a marked one stands for, and labels without marks.

    Marks that make no tree are followed as far as they do.
    """
    parts = [match.groups() for label in labels if (match := _MARKED.fullmatch(label))]
    on_path = [bool(path) for _, path, _, _ in parts]
    targets = {}
    for token, (_, _, lifted, number) in enumerate(parts):
        if lifted and (places := _places(heads, on_path, token)):
            place = int(number or 0)
            targets[token] = places[place if place < len(places) else 0]
    sunk = [targets.get(token, head) for token, head in enumerate(heads)]
    if first_on_cycle(sunk) is not None:
        sunk = list(heads)
        for token, target in targets.items():
            if not _leads_to(sunk, target, token):
                sunk[token] = target
    return sunk, [plain for plain, _, _, _ in parts]


def of_sentences(
    change: TreeChange, heads: Ints32, labels: Sequence[str], ptr: Ints
) -> tuple[Ints32, list[str]]:
    """Return the heads and labels of all sentences after `change`, which is `lift` or `sink`."""
    changed, names = heads.copy(), []
    for s, own in enumerate(cut(labels, ptr)):
        span = slice(*ptr[s : s + 2].tolist())
        changed[span], found = change(heads[span].tolist(), own)
        names += found
    return changed, names


def is_projective(heads: Sequence[int]) -> bool:
    """Return whether no two arcs cross; the root stands before the first token."""
    return _shortest_crossing(heads) is None


def _places(heads: Sequence[int], on_path: Sequence[bool], token: int) -> list[int]:
    """Return the marked tokens, counted from 1, that a lifted token may sink to.

    Those below its head come first, the deepest of them before others, then all other ones; of
    equals the nearest comes first.
    """
    marked = [other + 1 for other, path in enumerate(on_path) if path and other != token]
    depth: dict[int, int] = {heads[token]: 0}
    level = [heads[token]]
    while level:
        level = [other for other in marked if other not in depth and heads[other - 1] in level]
        depth |= {other: depth[heads[other - 1]] + 1 for other in level}
    return sorted(marked, key=lambda other: (-depth.get(other, 0), abs(other - token - 1), other))


def _shortest_crossing(heads: Sequence[int]) -> int | None:
    """Return the token (from 0) with the shortest non-projective arc, the leftmost of equals."""
    found, shortest = None, len(heads) + 1
    for token, head in enumerate(heads):
        length = abs(head - token - 1)
        if head == 0 or length >= shortest:
            continue
        low, high = min(head, token + 1), max(head, token + 1)
        if not all(_leads_to(heads, between, head - 1) for between in range(low + 1, high)):
            found, shortest = token, length
    return found


def _leads_to(heads: Sequence[int], start: int, token: int) -> bool:
    """Return whether `token` (from 0) lies on the way from `start` (from 1) to the root."""
    while start != 0:
        if start == token + 1:
            return True
        start = heads[start - 1]
    return False
