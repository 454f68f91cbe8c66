"""What callbacks see of the search of a kernel space: orders and rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.core.report import Event


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
