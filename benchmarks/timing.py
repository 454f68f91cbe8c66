"""Fair clocks: competitors take turns in one process, memory is measured in a fresh one."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple


class Times(NamedTuple):
    """Wall-clock seconds of one competitor, in the order of its turns."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle turn: what one may expect."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The least disturbed turn."""
        return min(self.seconds)


class Measured(NamedTuple):
    """The value of a call in its own process, its seconds, and the peak memory it added."""

    value: Any
    seconds: float
    peak_megabytes: float


def interleaved(
    competitors: Mapping[str, Callable[[], Any]],
    repeats: int = 5,
    warm: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Times]:
    """Run A B C A B C ...: a slow spell of a shared machine hits all alike.

    `warm` gives each an uncounted turn.

    clock: time.thread_time counts the processor's time of calls that work in one thread.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats}")
    seconds: dict[str, list[float]] = {name: [] for name in competitors}
    for turn in range(-1 if warm else 0, repeats):
        for name, run in competitors.items():
            start = clock()
            run()
            if turn >= 0:
                seconds[name].append(clock() - start)
    return {name: Times(tuple(values)) for name, values in seconds.items()}


def ratio(times: Mapping[str, Times], peer: str, ours: str) -> float:
    """How many times faster ours is than the peer: the median over turns of peer seconds / our
    seconds.
    """
    return statistics.median(
        p / o for p, o in zip(times[peer].seconds, times[ours].seconds, strict=True)
    )


def measure_in_subprocess(call: Callable[..., Any], *arguments: Any) -> Measured:
    """Run call(*arguments) in a spawned process.

    Peak memory counts from after the arguments and imports arrived.

    `call` must be a module-level function and its arguments and value picklable.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_report, args=(theirs, call, arguments))
    process.start()
    theirs.close()
    try:
        outcome = ours.recv()
    except EOFError:
        process.join()
        raise RuntimeError(
            f"{call.__name__} ended its process with exit code {process.exitcode}"
        ) from None
    process.join()
    if isinstance(outcome, BaseException):
        raise outcome
    return Measured(*outcome)


def _report(door: Connection, call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """In the child: run, and send back (value, seconds, megabytes) or the exception."""
    before = peak_megabytes_so_far()
    start = time.perf_counter()
    try:
        value = call(*arguments)
    except Exception as error:
        door.send(error)
    else:
        door.send((value, time.perf_counter() - start, peak_megabytes_so_far() - before))
    finally:
        door.close()


def cpu_seconds_so_far() -> float:
    """CPU seconds of this process and of the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def peak_megabytes_so_far() -> float:
    """Largest resident size of this process so far.

    Linux is asked for VmHWM: its ru_maxrss is inherited from the parent, whose peak would hide the
    child's.
    """
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.split("VmHWM:")[1].split()[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        2**20 if sys.platform == "darwin" else 2**10
    )
