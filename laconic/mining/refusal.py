"""Searches whose candidates exceed their memory: which threshold would not have been refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

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
    """What search(threshold) finds; if that is refused, a MemoryError that names the smallest threshold that is not.

    `search` is run anew with other thresholds, since what the larger orders need, and what a first model gets wrong, follows from the
    threshold in ways that no count of one order foretells: larger ones until one fits, then halfway back to the last that did not.
    """
    try:
        return search(threshold)
    except ThresholdTooSmall as error:
        first, refused, larger = str(error), threshold, error.larger
    while (after := _what_to_try_after(search, larger)) is not None:
        refused, larger = larger, after
    while larger - refused > 1:
        middle = (refused + larger) // 2
        if _what_to_try_after(search, middle) is None:
            larger = middle
        else:
            refused = middle
    raise MemoryError(f"{first}; the smallest threshold that fits is {larger}.")


def _what_to_try_after(search: Callable[[int], Any], threshold: int) -> int | None:
    """A larger threshold if this one is refused, None if it fits."""
    try:
        search(threshold)
    except ThresholdTooSmall as error:
        return error.larger
    return None
