"""Crossing arcs: how exactly lifted trees are put back, and what lifting and marking gains over
projective trees alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import table
from benchmarks.parse_selection import languages
from benchmarks.treebanks import english, part_of
from laconic import Mira, Parser
from laconic.core.ragged import cut
from laconic.parse.pseudo_projective import is_projective, lift, sink
from laconic.text.treebanks import Treebank, read_treebank

GAINS = ("Danish", "Slovene", "Spanish", "Turkish", "Japanese")


def round_trip(bank: Treebank) -> tuple[int, int]:
    """How many trees have crossing arcs, and how many of these come back as they were."""
    labels = bank.labels or ["_"] * len(bank.heads)
    crossing = same = 0
    for heads, names in zip(cut(bank.heads.tolist(), bank.ptr), cut(labels, bank.ptr), strict=True):
        if not is_projective(heads):
            crossing += 1
            same += sink(*lift(heads, names)) == (heads, names)
    return crossing, same


def section(data: Path, quick: bool = False) -> str:
    """The section of the page."""
    rows = []
    for path in sorted(data.glob("**/*.conll*.gz")):
        if path.parent.name not in ("conll2000", "conll2002", "conll2003"):
            bank = read_treebank(path)
            crossing, same = round_trip(part_of(bank, 0, 50) if quick else bank)
            rows.append(
                [
                    str(path.relative_to(data)),
                    len(bank),
                    crossing,
                    f"{100 * same / max(1, crossing):.1f}",
                ]
            )
    gains = []
    banks = {**languages(data), "English": (english(data).train, english(data).test)}
    for name in GAINS[:1] if quick else (*GAINS, "English"):
        train, test = banks[name]
        if quick:
            train = part_of(train, 0, 100)
        gains.append([name, *gain(train, test)])
        print(gains[-1], flush=True)
    return "\n".join(
        [
            "## Crossing arcs\n",
            "Trees with crossing arcs that are the same after lifting (Nivre and Nilsson 2005, "
            "path scheme) and sinking:\n",
            table(["treebank", "sentences", "with crossing arcs", "back as they were, %"], rows),
            "What it gains: order 2 (Carreras), 5 passes of MIRA; the same heads before and "
            "after arcs sink by the predicted marks.\n",
            table(
                [
                    "language",
                    "crossing in test, %",
                    "UAS, projective",
                    "UAS, sunk",
                    "tokens sunk right",
                    "sunk wrong",
                ],
                gains,
            ),
        ]
    )


def gain(train: Treebank, test: Treebank) -> list[Any]:
    """Scores without and with the marks."""
    parser = Parser("carreras", learner=Mira(5)).fit(train)
    labeler, parser.labeler_ = parser.labeler_, None
    flat, _ = parser.parse(test)
    parser.labeler_ = labeler
    sunk, _ = parser.parse(test)
    crossing = np.mean([not is_projective(heads) for heads in cut(test.heads.tolist(), test.ptr)])
    moved = sunk != flat
    better, worse = (
        int(np.sum(moved & (sunk == test.heads))),
        int(np.sum(moved & (flat == test.heads))),
    )
    return [
        f"{100 * crossing:.1f}",
        *(f"{100 * np.mean(heads == test.heads):.2f}" for heads in (flat, sunk)),
        better,
        worse,
    ]
