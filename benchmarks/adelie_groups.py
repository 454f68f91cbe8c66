"""`python -m benchmarks.adelie_groups DATA text|dense TOL..`: adelie on a path of group lassos.

Prints one line of JSON: CPU seconds, objectives and duality gaps of the path at every tolerance.
Needs no laconic.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import problems, solvers

REPEATS = 3


def main(data: Path, dense: bool, tolerances: list[float]) -> None:
    """Solve the path at every tolerance; print the median of CPU seconds, and objectives."""
    problem = problems.group_path(data, dense)
    runs = []
    for tol in tolerances:
        seconds = []
        for _ in range(REPEATS):
            began = time.process_time()
            weights, intercepts = solvers.adelie_groups(problem, tol)
            seconds.append(time.process_time() - began)
        objectives = problems.group_objectives(problem, weights, intercepts).tolist()
        gaps = problems.group_gaps(problem, weights, intercepts).tolist()
        run = {"tol": tol, "seconds": statistics.median(seconds)}
        runs.append({**run, "objectives": objectives, "gaps": gaps})
    print(json.dumps({"runs": runs}))


if __name__ == "__main__":
    with threadpool_limits(1):
        main(Path(sys.argv[1]), sys.argv[2] == "dense", [float(word) for word in sys.argv[3:]])
