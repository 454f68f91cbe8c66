"""What tests of several pages of results share."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.timing import Measured

# Pages whose competitors run in processes of their own, for their memory.
MEASURING = (
    "lm_corpora",
    "mining_documents",
    "mining_reranking",
    "tag_chunking_tables",
    "tag_speed",
    "pipeline",
    "pipeline_peers",
)


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure in this process: every process of its own would import everything again.

    That such processes are measured rightly is tested in test_timing.py.
    """

    def measure(call: Callable[..., Any], *arguments: Any) -> Measured:
        began = time.perf_counter()
        return Measured(call(*arguments), time.perf_counter() - began, 1.0)

    for name in MEASURING:
        module = importlib.import_module(f"benchmarks.{name}")
        monkeypatch.setattr(module, "measure_in_subprocess", measure)
