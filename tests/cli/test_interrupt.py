"""The first Ctrl-C asks, the second stops."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from laconic.cli.console import guard, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.training import Run
from laconic.core.report import Callback


def test_the_first_ctrl_c_asks_and_the_second_stops() -> None:
    before = signal.getsignal(signal.SIGINT)
    with graceful_interrupt() as interrupt:
        assert not interrupt.requested
        signal.raise_signal(signal.SIGINT)
        assert interrupt.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_the_previous_handler_returns_after_an_error() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError), graceful_interrupt():
        assert signal.getsignal(signal.SIGINT) is not before
        raise RuntimeError
    assert signal.getsignal(signal.SIGINT) is before


def test_each_block_starts_unasked() -> None:
    with graceful_interrupt():
        signal.raise_signal(signal.SIGINT)
    with graceful_interrupt() as second:
        assert not second.requested


def test_other_threads_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with graceful_interrupt() as interrupt:
            seen.extend([interrupt.requested, signal.getsignal(signal.SIGINT)])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False, before]


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with graceful_interrupt() as interrupt:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            assert not interrupt.requested
    finally:
        signal.signal(signal.SIGINT, before)


LOOP = """
from laconic.cli.console import guard
from laconic.cli.interrupt import graceful_interrupt
with guard(), graceful_interrupt() as interrupt:
    print("ready", flush=True)
    while not interrupt.requested or {stubborn}:
        pass
    print("kept", flush=True)
"""


@pytest.mark.parametrize(("stubborn", "expected"), [(False, (0, "kept\n")), (True, (130, ""))])
def test_a_running_program(stubborn: bool, expected: tuple[int, str]) -> None:
    command = [sys.executable, "-c", LOOP.format(stubborn=stubborn)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    if stubborn:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == expected


def test_training_without_a_model_halfway_says_that_none_is_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def learn(callback: Callback) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(SystemExit), guard(), progress("fitting", quiet=True) as bar:
        Run(bar).fit(learn, at_once=True)
    assert "no model is written" in capsys.readouterr().err
