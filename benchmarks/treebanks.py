"""The treebanks of the pages of parsing and mining: which files are train, dev and test, and parts
of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from laconic.core.ragged import pointers
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import Treebank, read_treebank


class Banks(NamedTuple):
    """Three parts of a treebank."""

    train: Treebank
    dev: Treebank
    test: Treebank


def english(data: Path) -> Banks:
    """The English Web Treebank."""
    return Banks(
        *(
            read_treebank(data / "ud" / "English-EWT" / f"{part}.conllu.gz")
            for part in ("train", "dev", "test")
        )
    )


def danish(data: Path) -> Banks:
    """The Danish Dependency Treebank in the CoNLL-X style."""
    folder = data / "conllx" / "danish_ddt"
    folder = folder if folder.is_dir() else data / "conllx"
    return Banks(
        *(
            read_treebank(folder / f"danish_ddt_{part}.conll.gz")
            for part in ("train", "dev", "test")
        )
    )


def spanish(data: Path) -> Banks:
    """The Spanish treebank of CoNLL 2007, the last tenth of its training part as dev."""
    train = read_treebank(data / "conll2007" / "esp.train.conll.gz")
    cut = int(0.9 * len(train))
    test = read_treebank(data / "conll2007" / "esp.test.conll.gz")
    return Banks(part_of(train, 0, cut), part_of(train, cut, len(train)), test)


def penn_sample(data: Path) -> Banks:
    """The Penn Treebank sample: the first 80 % of its sentences, the next 10 % and the last."""
    bank = read_treebank(data / "ptb_sample" / "wsj_sample.dep.gz")
    n = len(bank)
    return Banks(
        part_of(bank, 0, int(n * 0.8)),
        part_of(bank, int(n * 0.8), int(n * 0.9)),
        part_of(bank, int(n * 0.9), n),
    )


def part_of(bank: Treebank, first: int, last: int) -> Treebank:
    """Sentences first .. last of a treebank."""
    return bank.some(np.arange(first, last))


def joined(*banks: Treebank) -> Treebank:
    """The sentences of several treebanks one after the other."""
    names = banks[0].tokens.names
    values = [[value for bank in banks for value in bank.tokens.column(name)] for name in names]
    lengths = np.concatenate([np.diff(bank.ptr) for bank in banks])
    tokens = TokenColumns(names, values, pointers(lengths))
    labels = [label for bank in banks for label in bank.labels]
    return Treebank(tokens, np.concatenate([bank.heads for bank in banks]), labels)
