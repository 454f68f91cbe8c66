"""`python -m benchmarks.adelie_rows DATA SHARE`: adelie on the multinomial row problem, one line of
JSON. Needs no laconic.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import problems, solvers


def main(data: Path, share: float) -> None:
    """Solve along 32 strengths down to share * largest; print seconds, objective, words kept."""
    counts = problems.twenty_newsgroup_counts(data)
    largest = problems.row_strength_max(counts)
    began = time.perf_counter()
    solution = solvers.adelie_rows(counts, largest * np.geomspace(1, share, 32), tol=1e-6)
    seconds = time.perf_counter() - began
    objective = problems.row_objective(
        counts, share * largest, solution.weights, solution.intercept
    )
    kept = int(np.count_nonzero(np.any(solution.weights != 0, axis=1)))
    print(json.dumps({"seconds": seconds, "objective": objective, "kept": kept}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
