"""The speed section of the page on word vectors: Table 4.4 of Yogatama (2015) on our text, and what
the vectors are worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.embed_models import ALGORITHM_1, PLAIN, file_name, of_size
from benchmarks.embed_tasks import SCORES, Tasks, zeros_of
from benchmarks.embed_vectors import EPOCHS, THREADS, Kept, by_gensim, by_laconic, kept
from benchmarks.page import table
from laconic import StochasticCoding

SMALL, LARGE = 52, 260
PARTS = (4, 2)  # one sentence in 4, and one in 2
SKIP_GRAM = "skip-gram"
ONLINE = "forest"  # by online dictionary learning: a row of the tasks
COLUMNS = ["vectors", "size", "passes", "text", "CPU s", "seconds", "MB", *SCORES[:3], "zeros, %"]
INTRODUCTION = f"""\
From text to vectors with {THREADS} thread, the counting of what stands near what included. CPU \
seconds are what to compare: the machine had other work, which seconds show.
MB is the peak of memory beyond that of the imported libraries. `forest` is online dictionary \
learning on all contexts, `{ALGORITHM_1}` the stochastic proximal steps of the
paper on the same associations: {{passes}} passes over the stored entries, with a zero drawn for \
each (`StochasticCoding()`). {SKIP_GRAM} is gensim's."""


def section(data: Path, quick: bool = False) -> str:
    """Learners side by side, on all of the text and on parts of it."""
    tasks, rows, spent = Tasks(data), [], {}
    for name, size, passes, every, found in rivals(data, quick):
        text, cost = (
            "all" if every == 1 else f"1/{every}",
            (found.cpu_seconds, found.seconds, found.megabytes),
        )
        similar = [f"{value:.3f}" for value in tasks.similarities(found.model)]
        rows.append([name, size, passes, text, *cost, *similar, f"{zeros_of(found.model):.0f}"])
        spent[name, size, every] = (
            found.cpu_seconds / passes if name == SKIP_GRAM else found.cpu_seconds
        )
        print(rows[-1], flush=True)
    introduction = INTRODUCTION.format(passes=StochasticCoding().epochs)
    return "\n".join(
        ["## Speed and memory\n", introduction, "", table(COLUMNS, rows), growth_text(spent), ""]
    )


def rivals(data: Path, quick: bool) -> Iterator[tuple[str, int, int, int, Kept]]:
    """Name, size, passes, one in how many sentences, and the vectors."""
    _, learner, settings = next(row for row in of_size(SMALL) if row[0] == ONLINE)
    yield (
        ONLINE,
        SMALL,
        learner.passes,
        1,
        kept(file_name(ONLINE, SMALL), by_laconic, data, learner, settings),
    )
    yield stochastic(data, SMALL)
    yield skip_gram(data, SMALL)
    if quick:
        return
    yield stochastic(data, LARGE)
    yield skip_gram(data, LARGE)
    for every in PARTS:
        yield stochastic(data, SMALL, every)
        yield skip_gram(data, SMALL, every)


def stochastic(data: Path, size: int, every: int = 1) -> tuple[str, int, int, int, Kept]:
    """Algorithm 1 as it is by default."""
    learner = StochasticCoding(size, n_jobs=THREADS)
    found = kept(file_name(ALGORITHM_1, size, every), by_laconic, data, learner, PLAIN, every)
    return ALGORITHM_1, size, learner.epochs, every, found


def skip_gram(data: Path, size: int, every: int = 1) -> tuple[str, int, int, int, Kept]:
    """The peer: five passes where its vectors are compared, one where time is all that is asked
    for.
    """
    passes = EPOCHS if every == 1 else 1
    name = file_name(SKIP_GRAM, size, every) + ("" if passes == EPOCHS else "-once")
    return SKIP_GRAM, size, passes, every, kept(name, by_gensim, data, size, True, every, passes)


def growth_text(spent: dict[Any, float]) -> str:
    """Return CPU seconds of Algorithm 1 beside skip-gram with five passes, and their growth."""
    lines = []
    for size in (SMALL, LARGE):
        if (SKIP_GRAM, size, 1) in spent:
            ratio = EPOCHS * spent[SKIP_GRAM, size, 1] / spent[ALGORITHM_1, size, 1]
            lines.append(
                f"* size {size}, all of the text: {SKIP_GRAM} takes {ratio:.1f} times the CPU "
                f"seconds of {ALGORITHM_1}."
            )
    for name in (ALGORITHM_1, SKIP_GRAM):
        shares = [
            f"1/{n}: {spent[name, SMALL, n] / spent[name, SMALL, 1]:.2f}"
            for n in PARTS
            if (name, SMALL, n) in spent
        ]
        if shares:
            lines.append(
                f"* {name} at {SMALL}, CPU seconds on parts of the text relative to all of it: "
                f"{', '.join(shares)}."
            )
    return "\n".join(lines)
