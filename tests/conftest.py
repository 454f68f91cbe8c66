"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

WATCHED = pytest.StashKey[bool]()
SPENT = Counter[str]()  # seconds of processor time per folder of tests

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


@pytest.hookimpl(trylast=True)  # when Hypothesis has marked its tests
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Choose what coverage watches: every test, or before Python 3.12 those that reach new lines.

    Where the interpreter cannot switch off a line that was seen, watching everything takes half as
    much time again. So every eighth case of a parametrized test is watched, and not what goes often
    or long where other tests have been: properties, corpora, pages and benchmarks.
    """
    cases: Counter[tuple[Path, str]] = Counter()
    for item in items:
        function = (item.path, getattr(item, "originalname", item.name))
        is_long = (
            item.path.name == "test_docs.py"
            or item.path.parent.name == "benchmarks"
            or "data" in getattr(item, "fixturenames", ())
            or item.get_closest_marker("hypothesis") is not None
        )
        is_new = not is_long and cases[function] % 8 == 0
        item.stash[WATCHED] = sys.version_info >= (3, 12) or is_new
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


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def pytest_collection_finish() -> None:
    SPENT["imports and collection"] = processor_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test with its fixtures, and count its processor time for its folder."""
    before = processor_seconds()
    try:
        return (yield)
    finally:
        folder = item.path.parent.relative_to(Path(__file__).parent).parts[:1]
        SPENT["/".join(["tests", *folder])] += processor_seconds() - before


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what a process of xdist counted to the one that prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["spent"] = dict(SPENT)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    SPENT.update(getattr(node, "workeroutput", {}).get("spent", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print where the processor time went, so that what a change costs is seen when it is made."""
    parts = ", ".join(f"{place} {seconds:.0f}" for place, seconds in SPENT.most_common())
    terminalreporter.write_line(f"processor seconds: {SPENT.total():.0f} in all; {parts}")
