"""The overcomplete section of the page on word vectors: many more dimensions than components, most
of them zero (chapter 6 of Yogatama 2015).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.embed_models import CHOSEN, LARGE, WEIGHTED, file_name
from benchmarks.embed_tasks import SCORES, Tasks, scores_of, zeros_of
from benchmarks.embed_vectors import THREADS, by_laconic, kept
from benchmarks.page import table
from laconic import OnlineDictionary, Svd

COMPONENTS, POWER = CHOSEN[LARGE].components, CHOSEN[LARGE].power
WORDS, SIZE, STRENGTH = 30_000, 2002, 0.02  # 2002: whole trees of 13
INTRODUCTION = f"""\
The {WORDS:,} most frequent words; {COMPONENTS} principal components are coded with {SIZE:,} \
dimensions, two passes over the words, by one thread. The row above is what is coded:
the components themselves."""


def section(data: Path, quick: bool = False) -> str:
    """Components and their codes on all tasks."""
    settings = WEIGHTED | {"max_size": WORDS}
    size = 520 if quick else SIZE
    how: dict[str, Any] = {
        "components": COMPONENTS,
        "power": POWER,
        "passes": 2,
        "tolerance": 1e-3,
        "n_jobs": THREADS,
    }
    learners: dict[str, tuple[Any, int]] = {
        "components": (Svd(COMPONENTS, power=POWER, n_jobs=THREADS), COMPONENTS),
        "forest": (OnlineDictionary(size, "forest", STRENGTH, **how), size),
    }
    tasks, rows = Tasks(data), []
    for name, (learner, size) in learners.items():
        found = kept(file_name(f"overcomplete {name}", size), by_laconic, data, learner, settings)
        rows.append(
            [
                name,
                size,
                *scores_of(tasks.scores(found.model)),
                f"{zeros_of(found.model):.0f}",
                found.cpu_seconds,
            ]
        )
        print(rows[-1], flush=True)
    return "\n".join(
        [
            "## More dimensions than components\n",
            INTRODUCTION,
            "",
            table(["vectors", "size", *SCORES, "zeros, %", "CPU s"], rows),
            "",
        ]
    )
