"""Chunking of CoNLL-2000: Table 1 of Martins et al. (2011), memory, and other groups."""

from __future__ import annotations

from pathlib import Path

from benchmarks.page import table
from benchmarks.tag_chunking import (
    BUDGETS,
    Fit,
    Split,
    corpus,
    labels_of,
    measure,
    most_held,
    percent,
    row,
)
from benchmarks.tag_chunking_groups import GROUPS, groups
from benchmarks.timing import measure_in_subprocess
from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.tag.model import Tagger
from laconic.text.token_columns import TokenColumns

# F1 and features of Table 1.
PAPER_MIRA = (93.10, 5_300_396)
PAPER = {
    "B = 10, d = log2": (92.99, 71_075),
    "B = 20, d = log2": (93.28, 158_844),
    "B = 30, d = log2": (93.59, 389_065),
    "B = 40, d = log2": (93.42, 662_018),
    "B = 50, d = log2": (93.40, 891_378),
}
INTRODUCTION = """\
CoNLL-2000, all 8,936 training and 2,012 test sentences, labels as they are (IOB2). F1 is \
conlleval's; `weights` are non-zero
(feature, label) weights and transitions; `held` is the largest number of weights in memory at any \
time while learning, as a
share of MIRA's (the paper: below 7.5 % at B = 30). The standard error of an F1 here is about 0.2: \
differences below that are noise."""
TABLE_ONE = """\
### Table 1: budgets of templates

The paper's setting: 96 templates, 5 epochs of the sparseptron with a shrinking every 1,000 \
sentences, then 10 epochs of MIRA
on the kept templates' features; 15 epochs of MIRA on all features beside it. d is the weight of a \
template's norm: log2 of its
features is the paper's, 1 treats all templates alike."""
MEMORY = """\
### Memory

The same fits, each in a process of its own: what training added to the resident memory at its \
peak, the sentences being there
already, and the most weights that were held."""


def section(data: Path, quick: bool = False) -> str:
    """All tables."""
    split = corpus(data, quick)
    everything = measure(Tagger("chunking", Mira(2 if quick else 15)), split)
    budgets = budget_fits(split, quick)
    parts = ["## Chunking", INTRODUCTION, TABLE_ONE, table_one(budgets, everything)]
    parts += [
        MEMORY,
        memory(split.train, quick),
        GROUPS,
        groups(split, everything, budgets, quick),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def budget_fits(split: Split, quick: bool) -> dict[str, Fit]:
    """Budgets with the paper's group weight and with equal ones."""
    learners = {
        f"B = {budget}, d = {title}": Sparseptron(budget, group_weight=weight)
        for weight, title in (("log", "log2"), ("one", "1"))
        for budget in (BUDGETS[:1] if quick else BUDGETS)
    }
    learners["B = 30, d = log2, every 300"] = Sparseptron(30, group_weight="log", every=300)
    return {
        name: measure(Tagger("chunking", learner, Mira(10)), split)
        for name, learner in learners.items()
    }


def table_one(budgets: dict[str, Fit], everything: Fit) -> str:
    """The paper's rows beside ours."""
    rows = [row("MIRA, all templates", everything, everything, PAPER_MIRA)]
    rows += [row(name, fit, everything, PAPER.get(name)) for name, fit in budgets.items()]
    return table(
        ["model", "F1", "weights", "templates", "held", "seconds", "paper: F1", "paper: features"],
        rows,
    )


def memory(train: TokenColumns, quick: bool) -> str:
    """Peak memory of training with a budget, and with all templates."""
    models = {
        "MIRA, all templates": Tagger("chunking", Mira(2 if quick else 15)),
        "B = 30, d = log2": Tagger("chunking", Sparseptron(30, group_weight="log"), Mira(10)),
        "B = 30, d = log2, every 300": Tagger(
            "chunking", Sparseptron(30, group_weight="log", every=300), Mira(10)
        ),
        "B = 30, d = 1": Tagger("chunking", Sparseptron(30), Mira(10)),
    }
    found = {
        name: measure_in_subprocess(held_while_training, model, train)
        for name, model in models.items()
    }
    most = found["MIRA, all templates"]
    rows = [
        [
            name,
            f"{one.peak_megabytes:.0f}",
            percent(one.peak_megabytes, most.peak_megabytes),
            one.value,
            percent(one.value, most.value),
        ]
        for name, one in found.items()
    ]
    return table(["model", "peak memory, MB", "of MIRA's", "weights held", "of MIRA's"], rows)


def held_while_training(tagger: Tagger, train: TokenColumns) -> int:
    """Fit; the most weights in memory at any time."""
    return most_held(tagger.fit(train, labels_of(train)))
