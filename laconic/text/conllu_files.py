"""Files of CoNLL-U in and out, whole or in batches; what is wrong with one is one sentence.

What is read is written again byte for byte; only line ends become LF, and a blank line that is
missing after the last sentence is added. Files may be compressed, and endless where batches are
read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO

import numpy as np

from laconic.core.ragged import pointers
from laconic.errors import InputError
from laconic.text.conllu import EMPTY, FIELDS, FORM, HEAD, ID, MULTIWORD, WORD, Conllu
from laconic.text.io import PathLike, atomic_writer, name_of, open_text
from laconic.text.treebanks import BATCH_SENTENCES, check_heads, head_of


def read_conllu(path: PathLike, trees: bool = True) -> Conllu:
    """Read all sentences of a file ("-": standard input), plain or compressed.

    InputError names file and line of what cannot be read. Without `trees`, heads may be missing
    ("_"), and those given need not form trees.
    """
    with open_text(path) as stream:
        return _whole(stream, name_of(path), trees)


def parse_conllu(text: str, trees: bool = True) -> Conllu:
    """Return the sentences of a string of CoNLL-U; see `read_conllu`."""
    return _whole(io.StringIO(text, newline=None), "the text", trees)


def iterate_conllu(
    path: PathLike, batch_sentences: int = BATCH_SENTENCES, trees: bool = False
) -> Iterator[Conllu]:
    """Yield the sentences of a file, which may be endless, in batches; see `read_conllu`."""
    with open_text(path) as stream:
        yield from conllu_batches(stream, name_of(path), trees, batch_sentences)


@contextmanager
def conllu_writer(path: PathLike) -> Iterator[ConlluWriter]:
    """Open a file ("-": standard output) to write sentences into, whole or not at all."""
    with atomic_writer(path) as stream:
        yield ConlluWriter(stream)


class ConlluWriter:
    """Writes sentences with all their lines."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, sentences: Conllu) -> None:
        """Write all lines of these sentences."""
        self._stream.write(sentences.to_text())


def _whole(stream: Iterable[str], name: str, trees: bool) -> Conllu:
    (found,) = conllu_batches(stream, name, trees, None)
    return found


def conllu_batches(
    stream: Iterable[str], name: str, trees: bool, batch_sentences: int | None
) -> Iterator[Conllu]:
    """Yield the sentences of lines, so many at a time, or all at once; see `read_conllu`."""
    batch, seen = _Batch(name, trees), False
    before: list[str] = []
    rows: list[str] = []
    for number, ended in enumerate(chain(stream, ("\n",)), 1):
        line = ended.removesuffix("\n")
        if line and not line.isspace():
            if line[0] != "#":
                rows.append(line)
            elif rows:
                raise InputError(
                    f"{name}:{number}: a comment stands above the tokens of its sentence, this one "
                    "is among them; put a blank line before it if a sentence begins here."
                )
            else:
                before.append(line)
        elif rows:
            batch.add(before, rows, number - len(rows))
            before, rows, seen = [], [], True
            if batch_sentences is not None and len(batch) >= batch_sentences:
                yield batch.sentences([])
                batch = _Batch(name, trees)
        else:
            before.append(line)
    before = before[:-1]  # the blank line that was added to the stream
    if not seen:
        raise InputError(f"{name}: holds no tokens.")
    if len(batch) or before or batch_sentences is None:
        yield batch.sentences(before)


class _Batch:
    """Lines of sentences on their way to columns; each sentence is checked as it ends."""

    def __init__(self, name: str, trees: bool) -> None:
        self.name = name
        self.trees = trees
        self.fields: list[list[str]] = [[] for _ in FIELDS]
        self.kinds: list[int] = []
        self.lengths: list[int] = []  # of the sentences, in rows
        self.before: list[list[str]] = []
        self.known: dict[str, str] = {}  # equal strings are one object

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self.lengths)

    def add(self, before: list[str], lines: list[str], first: int) -> None:
        """Take the lines of a sentence, the first of which has this number in the file."""
        rows = [line.split("\t") for line in lines]
        for number, row in enumerate(rows, first):
            if len(row) != len(FIELDS):
                raise InputError(
                    f"{self.name}:{number}: expected the {len(FIELDS)} columns of CoNLL-U, "
                    f"separated by tabs, found {len(row)}."
                )
            if not row[FORM]:
                raise InputError(f"{self.name}:{number}: the form (column 2) is empty.")
        columns = list(zip(*rows, strict=True))
        words = self._checked_ids(list(columns[ID]), first)
        heads = [
            head_of(columns[HEAD][at], f"{self.name}:{first + at}", self.trees) for at in words
        ]
        check_heads(heads, self.name, [first + at for at in words], self.trees)
        # Column by column at once: many lists that live long would keep the collector busy.
        for field, column in zip(self.fields, columns, strict=True):
            field.extend(map(self.known.setdefault, column, column))
        self.lengths.append(len(rows))
        self.before.append(before)

    def _checked_ids(self, ids: list[str], first: int) -> list[int]:
        """Return the places of the words among the rows of a sentence; keep all kinds."""
        if ids == list(map(str, range(1, len(ids) + 1))):
            self.kinds.extend([WORD] * len(ids))
            return list(range(len(ids)))
        words: list[int] = []
        covered = covering = 0  # last word of the last multiword token, and the row of that
        for at, name in enumerate(ids):
            place = f"{self.name}:{first + at}"
            if name == str(len(words) + 1):
                words.append(at)
                self.kinds.append(WORD)
                continue
            kind, begin, end = _kind_of(name, place)
            if kind == EMPTY:
                fits = begin == len(words)
            else:
                fits = covered < begin == len(words) + 1 and end > begin
                covered, covering = end, at
            if not fits:
                raise InputError(
                    f"{place}: expected token number {len(words) + 1}, found {name[:20]!r}."
                )
            self.kinds.append(kind)
        if covered > len(words):
            raise InputError(
                f"{self.name}:{first + covering}: the multiword token {ids[covering]} ends behind "
                f"the last of {len(words)} words."
            )
        if not words:
            raise InputError(f"{self.name}:{first}: the sentence has no words.")
        return words

    def sentences(self, after: list[str]) -> Conllu:
        """Return all that was taken, with the lines below the last sentence."""
        kinds = np.array(self.kinds, np.int8)
        return Conllu(self.fields, kinds, pointers(self.lengths), self.before, after)


def _kind_of(name: str, place: str) -> tuple[int, int, int]:
    """Return the kind of a row that is no word and its two numbers: 3-4 or 3.1."""
    for sign, kind in (("-", MULTIWORD), (".", EMPTY)):
        first, found, second = name.partition(sign)
        if found and all(
            part.isascii() and part.isdigit() and len(part) < 9 for part in (first, second)
        ):
            return kind, int(first), int(second)
    raise InputError(
        f"{place}: expected a token number such as 3, 3-4 or 3.1, found {name[:20]!r}."
    )
