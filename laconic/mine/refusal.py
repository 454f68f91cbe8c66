"""Searches whose candidates exceed their memory: which threshold would not have been refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Found = TypeVar("Found")


class ThresholdTooSmall(MemoryError):
    """The candidates of an order need more memory than they may have; `larger`: what may be tried instead, None if nothing helps.

    That is the smallest threshold with which the counts of this order would fit, by its filter, or twice the threshold where its counters
    are too short to tell: then fewer features of the orders before may be left to extend, of which single features have none.
    Larger orders may need more, so that only a search tells.
    """

    def __init__(self, threshold: int, order: int, larger: int = 0):
        super().__init__(
            f"threshold={threshold}: the candidates of order {order} need more memory than they may have"
        )
        beyond = 2 * threshold + 1 if order > 1 else None
        self.larger = larger if larger > threshold else beyond


def named_if_refused(search: Callable[[int], Found], threshold: int) -> Found:
    """What search(threshold) finds; if that is refused, a MemoryError that names the smallest threshold that is not.

    `search` is run anew with other thresholds, since what the larger orders need, and what a first model gets wrong, follows from the
    threshold in ways that no count of one order foretells: larger ones until one fits, then halfway back to the last that did not.
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


def _refusal(search: Callable[[int], Any], threshold: int) -> ThresholdTooSmall | None:
    try:
        search(threshold)
    except ThresholdTooSmall as error:
        return error
    return None
