"""Ctrl-C without losing the work: the first asks long loops to stop, the second stops at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_NOTICE = (
    b"\nstopping after this step and keeping the best so far; press Ctrl-C again to stop at once\n"
)


class Interrupt:
    """Polled by long loops: `requested` turns True at the first Ctrl-C."""

    requested: bool = False


@contextlib.contextmanager
def graceful_interrupt(at_once: bool = False) -> Iterator[Interrupt]:
    """Set `.requested` at the first Ctrl-C within the block; the second is a KeyboardInterrupt.

    With `at_once` the first one is a KeyboardInterrupt too, which `.requested` remembers: learners
    end early at it and keep what they have.

    Signals reach the main thread only, and a process told to ignore Ctrl-C (nohup) goes on doing
    so: in another thread or such a process `.requested` stays False and nothing changes.
    """
    interrupt = Interrupt()
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):
        yield interrupt
        return

    def on_interrupt(signum: int, frame: FrameType | None) -> None:
        again, interrupt.requested = interrupt.requested, True
        if again or at_once:
            raise KeyboardInterrupt
        if sys.stderr.isatty():
            os.write(
                sys.stderr.fileno(), _NOTICE
            )  # print is not reentrant and may be running right now

    previous = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupt
    finally:
        # None stands for a handler that was not installed from Python and cannot be put back.
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)
