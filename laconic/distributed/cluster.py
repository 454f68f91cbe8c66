"""The cluster as problems see it: blocks that stay with workers, and sums over them.

A block is made by a task from its source, so that the scheduler makes it again where a worker was
lost. Sums are over blocks in their order, whoever computed them: the answer does not depend on
where, or how often, a block was computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from functools import reduce
from operator import add
from typing import Any

from laconic.distributed.untyped import Client, Future, Message
from laconic.errors import InputError

MOST_ATTEMPTS = 20  # of one sum, each after workers were lost
LARGE = 100_000  # bytes of a message that is sent to each worker once, not with every task


class ClusterError(RuntimeError):
    """The cluster is gone, or has lost more workers than it can replace."""


class Cluster:
    """Blocks on the workers of a Dask client."""

    def __init__(self, client: Client):
        self.client = client
        self.n_sums = 0
        self.n_bytes = 0  # sent to workers with messages, once per block

    def _ready(self) -> None:
        if self.client.status != "running":
            raise ClusterError(
                f"the connection to the scheduler is {self.client.status}: start the cluster "
                "again, and fit once more"
            )

    @property
    def n_threads(self) -> int:
        """Number of threads of all workers."""
        self._ready()
        return max(1, int(sum(self.client.nthreads().values())))

    def place(
        self, build: Callable[..., Any], sources: Sequence[tuple[Any, ...]], *shared: Message
    ) -> list[Any]:
        """Return futures of blocks, built on the workers: build(*source, *shared) each.

        Sources are values, futures or delayed ones; what builds a block is remembered, so that it
        can be built again.
        """
        if not sources:
            raise InputError("there are no blocks of rows: expected at least one.")
        self._ready()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            return [
                self.client.submit(build, *map(self._future, one), *shared, pure=False)
                for one in sources
            ]

    def _future(self, part: Future) -> Future:
        return self.client.compute(part) if hasattr(part, "__dask_graph__") else part

    def apply(
        self, function: Callable[..., Any], blocks: Sequence[Any], *shared: Message
    ) -> list[Any]:
        """Return function(block, *shared) of every block."""
        self._ready()
        tasks = [self.client.submit(function, one, *shared, pure=False) for one in blocks]
        found: list[Any] = self.client.gather(tasks)
        return found

    def each(self, blocks: Sequence[Any], method: str, *message: Message) -> list[Any]:
        """Return what a method of every block says to a message, in the order of blocks."""
        for _ in range(MOST_ATTEMPTS):
            self._ready()
            found = self._ask(blocks, method, message)
            if found is not None:
                self.n_sums += 1
                return found
        raise ClusterError(f"workers were lost {MOST_ATTEMPTS} times during one sum")

    def _ask(
        self, blocks: Sequence[Any], method: str, message: tuple[Any, ...]
    ) -> list[Any] | None:
        """Return the answers, or None where something was lost on the way and may come back."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError, FuturesCancelledError
        from distributed.comm.core import CommClosedError

        lost = (CancelledError, CommClosedError, FutureCancelledError, FuturesCancelledError)
        size = sum(part.n_bytes for part in message if hasattr(part, "n_bytes"))
        self.n_bytes += size * len(blocks)
        try:
            sent: Any = message
            if size > LARGE:
                sent = self.client.scatter([message], broadcast=True, hash=False)[0]
            tasks = [
                self.client.submit(_call, block, method, sent, pure=False, retries=MOST_ATTEMPTS)
                for block in blocks
            ]
            found: list[Any] = self.client.gather(tasks)
            return found
        except KilledWorker as error:
            raise ClusterError(
                f"workers died while they computed a block, the last one at {error.last_worker}: "
                "the block may be larger than their memory; use more, smaller blocks"
            ) from None
        except lost:
            return None
        except TimeoutError:
            return None

    def total(self, blocks: Sequence[Any], method: str, *message: Message) -> tuple[Any, ...]:
        """Return the sums over blocks of the parts of what a method says."""
        answers = self.each(blocks, method, *message)
        return tuple(reduce(add, parts) for parts in zip(*answers, strict=True))


def _call(block: Future, method: str, message: tuple[Message, ...]) -> Message:
    return getattr(block, method)(*message)
