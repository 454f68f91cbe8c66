"""Searches whose candidates exceed their memory: which threshold would not have been refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

FoundT = TypeVar("FoundT")


class ThresholdTooSmall(MemoryError):
    """The candidates of an order need more memory than there is.

    `larger` is a threshold to try instead, None if nothing helps: the smallest one with which the
    counts of this order would fit, by its filter, or twice the threshold where its counters are too
    short to know. Then fewer features of smaller orders may be left to extend, of which single
    features have none. Larger orders may need more memory: only a search shows it.
    """

    def __init__(self, threshold: int, order: int, larger: int = 0):
        super().__init__(
            f"threshold={threshold}: the candidates of order {order} "
            "need more memory than they may have"
        )
        beyond = 2 * threshold + 1 if order > 1 else None
        self.larger = larger if larger > threshold else beyond


def named_if_refused(search: Callable[[int], FoundT], threshold: int) -> FoundT:
    """Return search(threshold), or raise a MemoryError that names the smallest threshold that fits.

    `search` is run again with other thresholds, since what larger orders need, and what a first
    model gets wrong, depends on the threshold in ways that no count of one order predicts: larger
    ones until one fits, then halfway back to the last that did not.
    """
    try:
        return search(threshold)
    except ThresholdTooSmall as error:
        first, last = str(error), error
    refused, fits = threshold, None
    while fits is None:
        if last.larger is None:
            raise MemoryError(f"{first}, and no threshold fits; give more memory.")
        refusal = _refusal(search, last.larger)
        if refusal is None:
            fits = last.larger
        else:
            refused, last = last.larger, refusal
    while fits - refused > 1:
        middle = (refused + fits) // 2
        if _refusal(search, middle) is None:
            fits = middle
        else:
            refused = middle
    raise MemoryError(f"{first}; the smallest threshold that fits is {fits}.")


def _refusal(search: Callable[[int], object], threshold: int) -> ThresholdTooSmall | None:
    try:
        search(threshold)
    except ThresholdTooSmall as error:
        return error
    return None
