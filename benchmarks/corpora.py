"""The six binary tasks of text categorization: four pairs of newsgroups, movie reviews (SST),
debates (convote).
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets._twenty_newsgroups import (
    strip_newsgroup_footer,
    strip_newsgroup_header,
    strip_newsgroup_quoting,
)
from sklearn.model_selection import train_test_split

NEWSGROUPS = {
    "science": ("sci.med", "sci.space"),
    "sports": ("rec.sport.baseball", "rec.sport.hockey"),
    "religion": ("alt.atheism", "soc.religion.christian"),
    "computer": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
}
NAMES = (*NEWSGROUPS, "sst", "convote")
DEV_SHARE = 0.2
LEAF = re.compile(r"\(\d ([^()]+)\)")


@dataclass(frozen=True)
class Part:
    """Documents with labels.

    `trees` (SST) and `sentences` (SST, convote) where the corpus gives them, or a parser made them.
    """

    texts: list[str]
    labels: NDArray[np.str_]
    trees: list[str] | None = None
    sentences: list[Any] | None = None

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.texts)

    def take(self, rows: NDArray[np.intp]) -> Part:
        """The documents of these rows, in their order."""
        return Part(
            [self.texts[row] for row in rows],
            self.labels[rows],
            None if self.trees is None else [self.trees[row] for row in rows],
            None if self.sentences is None else [self.sentences[row] for row in rows],
        )


@dataclass(frozen=True)
class Task:
    """A task with its three parts.

    `pool` is what train and dev are drawn from, or None where dev is given.
    """

    name: str
    train: Part
    dev: Part
    test: Part
    pool: Part | None = None

    def split(self, seed: int) -> Task:
        """The same task with dev drawn anew: a stratified 20 % of the pool.

        A given dev stays as it is.
        """
        if self.pool is None:
            return self
        train, dev = train_test_split(
            np.arange(len(self.pool)),
            test_size=DEV_SHARE,
            random_state=seed,
            stratify=self.pool.labels,
        )
        return replace(self, train=self.pool.take(train), dev=self.pool.take(dev))


def load(name: str, data: Path, stripped: bool = False, seed: int = 0) -> Task:
    """One task by name; `stripped` removes headers, footers and quotes of newsgroup messages as
    scikit-learn does.
    """
    if name in NEWSGROUPS:
        clean = _strip if stripped else str
        pool = newsgroups(data, "train", NEWSGROUPS[name], clean)
        test = newsgroups(data, "test", NEWSGROUPS[name], clean)
        title = f"{name}, stripped" if stripped else name
        return Task(title, pool, pool, test, pool).split(seed)
    if name not in NAMES:
        raise ValueError(f"there is no task {name!r}: expected one of {', '.join(NAMES)}")
    if stripped:
        raise ValueError(
            f"stripped is for newsgroup messages: {name} has no headers, footers or quotes"
        )
    read = _sst if name == "sst" else _convote
    return Task(name, *(read(data, part) for part in ("train", "dev", "test")))


def newsgroups(
    data: Path, part: str, labels: tuple[str, ...] | None = None, clean: Callable[[str], str] = str
) -> Part:
    """Messages of these newsgroups (None: all twenty) in the order of the file."""
    rows = [
        row
        for row in _json_lines(data / "20news_bydate" / f"{part}.jsonl.gz")
        if not labels or row[0] in labels
    ]
    return Part([clean(text) for _, text in rows], np.array([label for label, _ in rows]))


def _strip(message: str) -> str:
    return str(strip_newsgroup_quoting(strip_newsgroup_footer(strip_newsgroup_header(message))))


def _sst(data: Path, part: str) -> Part:
    """Trees whose root is not neutral: 0 and 1 are negative, 3 and 4 positive.

    The text is the leaves.
    """
    with gzip.open(data / "sst" / f"{part}.txt.gz", "rt", encoding="utf-8") as file:
        trees = [line.strip() for line in file if line.strip() and line[1] != "2"]
    texts = [" ".join(LEAF.findall(tree)) for tree in trees]
    labels = np.array(["negative" if tree[1] in "01" else "positive" for tree in trees])
    return Part(texts, labels, trees, [[text] for text in texts])


def _convote(data: Path, part: str) -> Part:
    """Speech segments, label Y or N; the corpus separates sentences by two spaces."""
    rows = _json_lines(data / "convote" / f"{part}.jsonl.gz")
    texts = [text for _, text in rows]
    sentences = [[piece for piece in text.split("  ") if piece.strip()] for text in texts]
    return Part(texts, np.array([label for label, _ in rows]), None, sentences)


@lru_cache(maxsize=4)
def _json_lines(path: Path) -> tuple[tuple[str, str], ...]:
    """(label, text) of every line; kept, because the four newsgroup tasks read the same file."""

    def rows() -> Iterator[tuple[str, str]]:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                row: dict[str, Any] = json.loads(line)
                yield row["label"], row["text"]

    return tuple(rows())
