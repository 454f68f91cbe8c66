"""Two threads beside one: cross-validation of a lasso, in seconds on the wall."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import problems
from benchmarks.page import table
from benchmarks.timing import interleaved
from laconic import SparseClassifier, SparseRegressor, StrengthCV
from laconic.linear.base import SparseLinear

FOLDS = 6  # so that two threads have as much to do each
REPEATS = 10


def threads(data: Path, quick: bool) -> str:
    """Return seconds of searches of a strength by one and by two threads."""
    counts = problems.newsgroup_counts(data, whole=True)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8000))
    y = X[:, :50] @ rng.normal(size=50) + rng.normal(size=len(X))
    words = f"lasso, logistic, {counts.rows.shape[1]:,} words of science"
    work = {
        words: partial(_search, SparseClassifier(tol=1e-3), counts.rows, counts.labels),
        "lasso, squared, 400 x 8,000 dense": partial(_search, SparseRegressor(tol=1e-3), X, y),
    }
    rows: list[list[Any]] = []
    for name, search in list(work.items())[: 1 if quick else None]:
        runs = {"one": partial(search, 1), "two": partial(search, 2)}
        worked = [_seconds(runs[jobs], time.process_time) for jobs in runs]
        times = interleaved(runs, 1 if quick else REPEATS, warm=False)
        one, two = times["one"].best, times["two"].best
        rows.append([name, one, two, one / two, *worked])
    load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    columns = ["problem", "one thread, s", "two threads, s", "one / two"]
    return (
        f"Threads\n\n20 strengths by cross-validation over {FOLDS} folds, seconds on the wall, the "
        f"least of {REPEATS} turns. The load average after the race was {load}: where others work "
        "on them, two threads have no two processors. That CPU seconds are the same says that "
        "threads do not wait for each other.\n\n"
        + table([*columns, "CPU s of one thread", "CPU s of two threads"], rows)
    )


def _search(model: SparseLinear, X: Any, y: Any, jobs: int) -> StrengthCV:
    return StrengthCV(model, n_strengths=20, ratio=0.1, cv=FOLDS, n_jobs=jobs).fit(X, y)


def _seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    run()
    return clock() - began
