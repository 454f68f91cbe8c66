"""The throughput section of the mining page: candidates counted a second by order and threshold,
and what little memory does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks import corpora
from benchmarks.page import number, table
from benchmarks.peers import vectorizer_for
from laconic.mine.gradient import GradientMining
from laconic.mine.outputs import Outputs
from laconic.mine.polynomial import Polynomial
from laconic.mine.refusal import named_if_refused
from laconic.mine.rounds import Round

MEGABYTE = 2**20
TURNS = 3
LONG = 10.0  # seconds, from which one turn has to do
MEMORY = 2**31


class Load(NamedTuple):
    """What is searched: a task, the share of documents that its words may be in, and the largest
    order by threshold.
    """

    name: str
    max_df: float
    degree: dict[int, int]


LOADS = (
    Load("sst", 1.0, {2: 4, 3: 4, 5: 4, 10: 4, 20: 4}),
    Load("science", 0.1, {2: 2, 3: 3, 5: 4, 10: 4, 20: 4}),
    Load("science", 1.0, {20: 3, 50: 3, 100: 4}),
)
QUICK = (Load("science", 0.02, {5: 3, 10: 2}),)
MEMORIES = (2**30, 2**26, 2**24, 2**23, 2**22, 2**20)
MEMORY_THRESHOLD, MEMORY_DEGREE = 3, 4
INTRODUCTION = f"""\
One round of the search from zero, where every document is wrong: its words are counted under its \
label and under the other one. `counted` are combinations in
documents, `passed` the different ones that the filter let through, `kept` those that occur more \
than C times under a label. Seconds are wall-clock, on one core, of
everything an order takes: filter, exact counts, where the kept ones occur; the best of {TURNS} \
turns, or one turn where it takes more than {LONG:.0f} seconds. The search may use \
{MEMORY // 2**30} GB.
A combination of order r + 1 is made of two kept ones of order r, so what is counted shrinks with \
C faster than the number of words does."""
MEMORY_TEXT = f"""\
The same search with less memory (SST, all words, C = {MEMORY_THRESHOLD}, up to order \
{MEMORY_DEGREE}). Half of the memory is for the filter, a quarter each for the
candidates of an order and for where features occur; what exceeds the last quarter goes to a \
temporary file. A threshold that is too small for the candidates'
quarter is refused with one that fits."""


def section(data: Path, quick: bool = False) -> str:
    """Searches of all loads, then one load with less and less memory."""
    loads = QUICK if quick else LOADS
    parts = ["## Throughput", INTRODUCTION]
    for load in loads:
        parts.append(throughput_table(load, data))
    parts += [
        "### Memory",
        MEMORY_TEXT,
        memory_table(loads[0], data, MEMORIES[-1:] if quick else MEMORIES),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


class Search:
    """The words of a task as sets, and rounds of mining over them."""

    def __init__(self, load: Load, data: Path):
        task = corpora.load(load.name, data)
        words: CountVectorizer = vectorizer_for(task).set_params(binary=True, max_df=load.max_df)
        self.X = words.fit_transform(task.train.texts)
        self.outputs = Outputs.of_labels(np.unique(task.train.labels, return_inverse=True)[1], 2)
        which = (
            "all words"
            if load.max_df == 1
            else f"words in at most {100 * load.max_df:.0f} % of documents"
        )
        rows, nonzeros = self.X.shape[0], self.X.nnz
        self.title = (
            f"{task.name}, {which}: {number(rows)} documents, {nonzeros / rows:.0f} words each"
        )

    def one_round(self, threshold: int, degree: int, memory: float = MEMORY) -> Round:
        """A round from zero weights."""
        search = GradientMining(threshold, degree, rounds=1, memory=memory)
        return search.run(Polynomial(degree).structures(self.X), self.outputs, 2).rounds[0]


def seconds_of(found: Round) -> float:
    """Of all orders."""
    return sum(order.seconds for order in found.orders)


def best_turn(search: Search, threshold: int, degree: int) -> Round:
    """The fastest of a few turns; one that takes long is not repeated."""
    turns = [search.one_round(threshold, degree)]
    while len(turns) < TURNS and seconds_of(turns[0]) < LONG:
        turns.append(search.one_round(threshold, degree))
    return min(turns, key=seconds_of)


def throughput_table(load: Load, data: Path) -> str:
    """A row for each threshold and order."""
    search = Search(load, data)
    rows: list[list[Any]] = []
    for threshold, degree in load.degree.items():
        for order in best_turn(search, threshold, degree).orders:
            rate = order.counted / order.seconds / 1e6
            sizes = [order.counted, order.candidates, order.kept, order.spilled / MEGABYTE]
            rows.append([str(threshold), order.done, *sizes, order.seconds, rate])
    columns = [
        "C",
        "order",
        "counted",
        "passed",
        "kept",
        "spilled, MB",
        "seconds",
        "million counted a second",
    ]
    return f"### {search.title}\n\n" + table(columns, rows)


def memory_table(load: Load, data: Path, memories: Sequence[int]) -> str:
    """A row for each memory: seconds and spilled bytes, or why it was refused."""
    search = Search(load, data)
    rows: list[list[Any]] = []
    for memory in memories:
        size = f"{number(memory / MEGABYTE)}"
        try:
            found = named_if_refused(
                partial(search.one_round, degree=MEMORY_DEGREE, memory=memory), MEMORY_THRESHOLD
            )
        except MemoryError as error:
            rows.append([size, "–", "–", "–", "–", f"`{error}`"])
        else:
            passed, kept, spilled = (
                sum(getattr(o, name) for o in found.orders)
                for name in ("candidates", "kept", "spilled")
            )
            rows.append([size, passed, kept, spilled / MEGABYTE, seconds_of(found), ""])
    return table(["memory, MB", "passed", "kept", "spilled, MB", "seconds", "refused"], rows)
