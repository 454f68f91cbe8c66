"""Searches whose candidates exceed their memory: which threshold would not have been refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


class ThresholdTooSmall(MemoryError):
    """The candidates of an order need more memory than they may have; `larger`: what may be tried instead.

    That is the smallest threshold with which the counts of this order would fit, by its filter. Larger orders may need more, so that
    only a search tells.
    """

    def __init__(self, threshold: int, order: int, larger: int = 0):
        super().__init__(f"threshold={threshold}: the candidates of order {order} need more memory than they may have")
        self.larger = larger if larger > threshold else 2 * threshold + 1  # beyond what counters can tell


def named_if_refused(search: Callable[[int], Found], threshold: int) -> Found:
    """What search(threshold) finds; if that is refused, a MemoryError that names a larger one that is not, and what was tried.

    `search` is run anew with every larger threshold, since what the larger orders need, and what a first model gets wrong, follows
    from the threshold in ways that no count of one order foretells.
    """
    try:
        return search(threshold)
    except ThresholdTooSmall as error:
        first, refused, larger = str(error), [threshold], error.larger
    while True:
        try:
            search(larger)
        except ThresholdTooSmall as error:
            refused.append(larger)
            larger = error.larger
        else:
            tried = ", ".join(map(str, refused[1:]))
            raise MemoryError(f"{first}; {larger} fits{tried and f' ({tried} did not)'}.")
