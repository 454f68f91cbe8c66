"""Seconds and peak memory of a run."""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np
import pytest

from laconic.cli.measure import Measured, maxrss_unit, peak_memory_mb

WORK = """
import time
from laconic.cli.measure import Measured, peak_memory_mb
before = peak_memory_mb()
with Measured() as cost:
    time.sleep(0.1)
    bytearray(b"x") * (100 * 2**20)
report = cost.report()
print(before, report["seconds"], report["peak_memory_mb"])
"""


def test_seconds_are_wall_clock_and_memory_is_the_peak() -> None:
    before, seconds, peak = map(
        float, subprocess.check_output([sys.executable, "-c", WORK]).split()
    )
    assert 0.1 <= seconds < 5
    assert before + 90 < peak < before + 150  # although the memory is free again


def test_the_cost_of_a_failed_run_is_measured_too() -> None:
    cost = Measured()
    with pytest.raises(ValueError), cost:
        raise ValueError
    assert cost.seconds is not None and cost.peak_memory_mb is not None


@pytest.mark.slow
def test_memory_of_the_parent_is_not_counted() -> None:
    held = np.ones(300 * 2**20, dtype=np.uint8)
    code = "from laconic.cli.measure import peak_memory_mb; print(peak_memory_mb())"
    peak = float(subprocess.check_output([sys.executable, "-c", code]))
    assert 2 < peak < 0.7 * held.nbytes / 2**20


def test_units_of_the_operating_systems() -> None:
    assert maxrss_unit("linux") == 1024 and maxrss_unit("darwin") == 1
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * maxrss_unit(sys.platform) / 2**20
    assert usage >= 0.5 * peak_memory_mb()
