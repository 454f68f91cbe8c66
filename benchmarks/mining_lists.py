"""Lists of the ten best trees for the reranking sections: those of train by folds, those of dev and
test by a parser of all of train.

They take a while and are the same for all sections, so they are kept in build/lists and read from
there the next time.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.treebanks import Banks, english, part_of, penn_sample
from laconic import Mira, Parser
from laconic.core.ragged import pointers
from laconic.parse.lists import TreeLists, crossed, k_best
from laconic.rerank.gold_lists import GoldLists
from laconic.text.treebanks import Treebank

FOLDER = Path("build") / "lists"
K, FOLDS, EPOCHS = 10, 10, 6


class Ranking(NamedTuple):
    """Lists of three parts of a treebank, and the CPU seconds of the parser and of the parsers of
    folds.
    """

    train: GoldLists
    dev: GoldLists
    test: GoldLists
    parser: Parser
    parser_seconds: float
    folds_seconds: float


BANKS = {"english": english, "penn": penn_sample}


def ranking(name: str, data: Path, quick: bool = False) -> Ranking:
    """The lists of a treebank; `quick`: of its first sentences, not kept."""
    banks = BANKS[name](data)
    if quick:
        banks = Banks(
            part_of(banks.train, 0, 120), part_of(banks.dev, 0, 40), part_of(banks.test, 0, 40)
        )
    parser = Parser(
        "siblings" if quick else "tri siblings", learner=Mira(2 if quick else EPOCHS), labels=False
    )
    file = FOLDER / f"{name}.npz"
    if quick or not file.is_file():
        found = _made(parser, banks, 2 if quick else FOLDS)
        if not quick:
            FOLDER.mkdir(parents=True, exist_ok=True)
            np.savez(file, **found)
    else:
        with np.load(file) as kept:
            found = {key: kept[key] for key in kept.files}
    gold, _ = parser._learned_trees(banks.train)
    parts = [
        GoldLists(_lists(found, part, bank), heads)
        for part, bank, heads in zip(
            ("train", "dev", "test"), banks, (gold, banks.dev.heads, banks.test.heads), strict=True
        )
    ]
    return Ranking(*parts, parser, *found["seconds"].tolist())


def _made(parser: Parser, banks: Banks, folds: int) -> dict[str, np.ndarray]:
    start = time.process_time()
    lists = {"train": crossed(parser, banks.train, folds, K)}
    middle = time.process_time()
    parser.fit(banks.train)
    seconds = [time.process_time() - middle, middle - start]
    lists |= {
        part: k_best(parser, bank.tokens, K)
        for part, bank in (("dev", banks.dev), ("test", banks.test))
    }
    found = {"seconds": np.array(seconds)}
    for part, made in lists.items():
        found |= {
            f"{part}_count": np.diff(made.ptr),
            f"{part}_heads": made.heads,
            f"{part}_scores": made.scores,
        }
    return found


def _lists(found: dict[str, np.ndarray], part: str, bank: Treebank) -> TreeLists:
    return TreeLists(
        bank.tokens,
        pointers(found[f"{part}_count"]),
        found[f"{part}_heads"],
        found[f"{part}_scores"],
    )
