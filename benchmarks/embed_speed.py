"""The speed section of the page on word vectors: Table 4.4 of Yogatama (2015) on our text, and what the vectors are worth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.embed_models import ALGORITHM_1, PLAIN, file_name, of_size
from benchmarks.embed_tasks import SCORES, Tasks, scores_of, zeros_of
from benchmarks.embed_vectors import EPOCHS, THREADS, Kept, by_gensim, by_laconic, kept
from benchmarks.page import table
from laconic import StochasticCoding

SIZES = (52, 260)
PARTS = (4, 2)  # one in so many sentences
SKIP_GRAM = "skip-gram"
ONLINE = "forest"  # by online dictionary learning: a row of the tasks
COLUMNS = ["vectors", "size", "passes", "text", "CPU s", "seconds", "MB", *SCORES, "zeros, %"]
INTRODUCTION = f"""\
From text to vectors with {THREADS} thread, the counting of what stands near what included. CPU seconds are what to compare: the machine had other work, which seconds show.
MB is the peak of memory beyond that of the imported libraries. `forest` is online dictionary learning on all contexts, `{ALGORITHM_1}` the stochastic proximal steps of the
paper on the same associations: {{passes}} passes over the stored entries, with a zero drawn for each (`StochasticCoding()`). {SKIP_GRAM} is gensim's."""


def section(data: Path, quick: bool = False) -> str:
    """Learners side by side, on all of the text and on parts of it."""
    tasks, rows, spent = Tasks(data), [], {}
    for name, size, passes, every, found in rivals(data, quick):
        text, cost = "all" if every == 1 else f"1/{every}", (found.cpu_seconds, found.seconds, found.megabytes)
        rows.append([name, size, passes, text, *cost, *scores_of(tasks.scores(found.model)), f"{zeros_of(found.model):.0f}"])
        spent[name, size, every] = found.cpu_seconds / passes if name == SKIP_GRAM else found.cpu_seconds
        print(rows[-1], flush=True)
    introduction = INTRODUCTION.format(passes=StochasticCoding().epochs)
    return "\n".join(["## Speed and memory\n", introduction, "", table(COLUMNS, rows), told(spent), ""])


def rivals(data: Path, quick: bool) -> Iterator[tuple[str, int, int, int, Kept]]:
    """Name, size, passes, one in how many sentences, and the vectors."""
    _, learner, settings = next(row for row in of_size(SIZES[0]) if row[0] == ONLINE)
    yield ONLINE, SIZES[0], learner.passes, 1, kept(file_name(ONLINE, SIZES[0]), by_laconic, data, learner, settings)
    for size in SIZES[:1] if quick else SIZES:
        yield stochastic(data, size)
        yield skip_gram(data, size)
    for every in PARTS:
        yield stochastic(data, SIZES[0], every)
    yield skip_gram(data, SIZES[0], PARTS[0])


def stochastic(data: Path, size: int, every: int = 1) -> tuple[str, int, int, int, Kept]:
    """Algorithm 1 as it is by default."""
    learner = StochasticCoding(size, n_jobs=THREADS)
    found = kept(file_name(ALGORITHM_1, size, every), by_laconic, data, learner, PLAIN, every)
    return ALGORITHM_1, size, learner.epochs, every, found


def skip_gram(data: Path, size: int, every: int = 1) -> tuple[str, int, int, int, Kept]:
    """The peer: five passes where its vectors are compared, one where time is all that is asked for."""
    passes = EPOCHS if size == SIZES[0] and every == 1 else 1
    name = file_name(SKIP_GRAM, size, every) + ("" if passes == EPOCHS else "-once")
    return SKIP_GRAM, size, passes, every, kept(name, by_gensim, data, size, True, every, passes)


def told(spent: dict[Any, float]) -> str:
    """CPU seconds of Algorithm 1 beside those of skip-gram with five passes, and how both grow with the text."""
    lines = []
    for size in SIZES:
        if (SKIP_GRAM, size, 1) in spent:
            ratio = EPOCHS * spent[SKIP_GRAM, size, 1] / spent[ALGORITHM_1, size, 1]
            how = "" if size == SIZES[0] else f" (one pass was run, times {EPOCHS})"
            lines.append(
                f"* size {size}: {SKIP_GRAM} with {EPOCHS} passes takes {ratio:.1f} times the CPU seconds of {ALGORITHM_1}{how}."
            )
    for name in (ALGORITHM_1, SKIP_GRAM):
        shares = [
            f"1/{every}: {spent[name, SIZES[0], every] / spent[name, SIZES[0], 1]:.2f}"
            for every in PARTS
            if (name, SIZES[0], every) in spent
        ]
        lines.append(f"* {name}, CPU seconds on parts of the text relative to all of it: {', '.join(shares)}.")
    return "\n".join(lines)
