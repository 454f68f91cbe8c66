"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A shell starts what it puts into the background with Ctrl-C ignored, and children inherit that: tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says nothing where other work shares the processor, so no property fails for being slow.
# Elsewhere than in CI every run draws new examples; a failure prints how to draw its example again.
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
    """Folder of the real corpora beside the repository; tests that need it skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the corpora are not beside the repository ({folder.name} is absent)")
    return folder
