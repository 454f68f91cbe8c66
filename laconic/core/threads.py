"""How many threads `n_jobs` means, without importing joblib."""

from __future__ import annotations

import os
import sys


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    None is one, -1 all processors, -2 all but one. Where joblib has been imported it is asked,
    since `joblib.parallel_config` may say otherwise.

    >>> thread_count(None), thread_count(3)
    (1, 3)
    """
    joblib = sys.modules.get("joblib")
    if joblib is not None:
        return int(joblib.effective_n_jobs(n_jobs))
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 in Parallel has no meaning")
    if n_jobs is None or n_jobs > 0:
        return n_jobs or 1
    affinity = getattr(os, "sched_getaffinity", None)
    processors = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, processors + 1 + n_jobs)
