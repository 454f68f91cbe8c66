"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

WATCHED = pytest.StashKey[bool]()

# A shell starts what it puts into the background with Ctrl-C ignored, and children inherit that:
# tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test process among several has about one processor: libraries that start one thread per
# processor would only delay each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

# How long an example takes says nothing where other work shares the processor, so no property fails
# for being slow. Outside CI every run draws new examples; a failure prints how to reproduce it.
settings.register_profile(
    "laconic",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
    print_blob=True,
)
settings.load_profile("laconic")


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the real corpora beside the repository; tests skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the corpora are not beside the repository ({folder.name} is absent)")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Choose what coverage watches: every test, or before Python 3.12 every fourth case of each.

    Where the interpreter cannot switch off a line that was seen, watching all cases of
    parametrized tests takes half as much time again.
    """
    cases: Counter[tuple[Path, str]] = Counter()
    for item in items:
        function = (item.path, getattr(item, "originalname", item.name))
        item.stash[WATCHED] = sys.version_info >= (3, 12) or cases[function] % 4 == 0
        cases[function] += 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Run a test, unwatched by coverage if so chosen."""
    measuring = Coverage.current()
    if measuring is None or item.stash[WATCHED]:
        return (yield)
    measuring.stop()
    try:
        return (yield)
    finally:
        measuring.start()
