"""The clocks: turns are interleaved, memory and errors come back from the subprocess."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.timing import Times, interleaved, measure_in_subprocess, ratio


def fill(megabytes: int) -> int:
    return int(np.ones(megabytes * 2**17).sum())


def fail() -> None:
    raise ValueError("no such luck")


def test_competitors_take_turns() -> None:
    turns: list[str] = []
    times = interleaved(
        {"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, repeats=3, warm=False
    )
    assert turns == ["a", "b"] * 3
    assert {name: len(found.seconds) for name, found in times.items()} == {"a": 3, "b": 3}


def test_ratio_is_the_median_over_turns() -> None:
    times = {"peer": Times((4.0, 4.0, 90.0)), "ours": Times((1.0, 2.0, 3.0))}
    assert ratio(times, "peer", "ours") == 4.0
    assert (times["ours"].median, times["ours"].best) == (2.0, 1.0)


@pytest.mark.slow
def test_memory_of_the_child_is_seen() -> None:
    measured = measure_in_subprocess(fill, 200)
    assert measured.value == 200 * 2**17
    assert 190 < measured.peak_megabytes < 260


def test_an_error_in_the_child_is_raised_here() -> None:
    with pytest.raises(ValueError, match="no such luck"):
        measure_in_subprocess(fail)
