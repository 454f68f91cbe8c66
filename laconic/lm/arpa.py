r"""ARPA files: tables of n-grams with log10 probabilities and back-off weights.

SRILM, KenLM and others write them. A file is `\data\`, a line `ngram 2=47` per order, and for each
order a heading `\2-grams:` and lines of a log10 probability, the words and the log10 back-off
weight (0 where it is missing); then `\end\`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import IO, NamedTuple, TextIO, cast

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints32
from laconic.errors import InputError
from laconic.text.io import PathLike, atomic_writer, name_of, open_text

MOST_ORDER = 255
CHUNK = 50_000  # lines that are in memory as strings at once
SEARCHED = 65_536  # characters in which an ARPA file must begin to be recognised
DECIMALS = 12  # further digits are rounding errors of logarithms


class NgramTable(NamedTuple):
    """The n-grams of one order, one row each.

    words           ids of the words
    log10_prob      log10 probability of the last word after the others
    log10_backoff   log10 back-off weight
    """

    words: Ints32
    log10_prob: Array
    log10_backoff: Array


class Arpa(NamedTuple):
    """A back-off model: its words, and one table per order; row i of the first table is word i."""

    vocabulary: list[str]
    tables: list[NgramTable]


class _Lines:
    """The lines of a stream, counted, so that messages can name one."""

    def __init__(self, path: PathLike, stream: TextIO) -> None:
        self.name, self._stream, self.number = name_of(path), stream, 0

    def some(self, n: int) -> bytes:
        """Return the next n lines, fewer at the end; as bytes: only ASCII blanks separate words."""
        found = list(islice(self._stream, n))
        self.number += len(found)
        return "".join(found).encode()

    def next_filled(self) -> str:
        """Return the next line that is not blank, stripped; "" at the end."""
        for line in self._stream:
            self.number += 1
            if stripped := line.strip():
                return stripped
        return ""

    def error(self, what: str, line: int | None = None) -> InputError:
        """Return the error that names the current line, or another."""
        return InputError(f"{self.name}:{self.number if line is None else line}: {what}.")


def is_arpa(path: PathLike) -> bool:
    r"""Return whether a file, plain or compressed, has a line \data\ near its beginning."""
    try:
        if not Path(path).is_file():
            return False
        with open_text(path, "latin-1") as stream:
            return any(line.strip() == "\\data\\" for line in stream.read(SEARCHED).split("\n"))
    except (InputError, OSError):
        return False


def read_arpa(path: PathLike) -> Arpa:
    """Return the model of an ARPA file, plain or compressed; an InputError names the line."""
    with open_text(path) as stream:
        lines, kernel, words = _Lines(path, stream), _core.NgramLines(), list[str]()
        counts = _read_counts(lines)
        tables = [
            _read_table(lines, order, counts, kernel, words) for order in range(1, len(counts) + 1)
        ]
        if (found := lines.next_filled()) != "\\end\\":
            raise lines.error(
                f"expected \\end\\ after {counts[-1]} {len(counts)}-grams, found {_quoted(found)}"
            )
    return Arpa(words, tables)


def _read_counts(lines: _Lines) -> list[int]:
    """Read the number of n-grams of each order, and the heading of the first table."""
    while (line := lines.next_filled()) != "\\data\\":
        if not line:
            raise lines.error("expected an ARPA file, found no line \\data\\")
    counts: list[int] = []
    while (line := lines.next_filled()) != "\\1-grams:":
        match = re.fullmatch(r"ngram\s+(\d{1,4})\s*=\s*(\d{1,12})", line)
        if match is None or int(match[1]) != len(counts) + 1 or len(counts) == MOST_ORDER:
            raise lines.error(
                f"expected 'ngram {len(counts) + 1}=' and a number, or \\1-grams:, "
                f"found {_quoted(line)}"
            )
        counts.append(int(match[2]))
    if not counts or counts[0] == 0:
        raise lines.error("expected the number of 1-grams before them, and at least one")
    return counts


def _read_table(
    lines: _Lines, order: int, counts: list[int], kernel: _core.NgramLines, words: list[str]
) -> NgramTable:
    """Read the n-grams of one order; those of order 1 add their words to `words`."""
    if order > 1 and (found := lines.next_filled()) != f"\\{order}-grams:":
        raise lines.error(
            f"expected \\{order}-grams: after {counts[order - 2]} {order - 1}-grams, "
            f"found {_quoted(found)}"
        )
    count, highest = counts[order - 1], order == len(counts)
    parts = [NgramTable(np.zeros((0, order), np.int32), np.zeros(0), np.zeros(0))]
    for done in range(0, count, CHUNK):
        begin, text = lines.number, lines.some(min(CHUNK, count - done))
        ids, prob, backoff, wrong = kernel.parse(np.frombuffer(text, np.uint8), order, highest)
        if wrong >= 0:
            raise lines.error(
                _fault(text.split(b"\n")[wrong].split(), order, kernel), begin + wrong + 1
            )
        if len(prob) < min(CHUNK, count - done):
            raise lines.error(
                f"expected {count} {order}-grams, but the file ends after {done + len(prob)}"
            )
        parts.append(NgramTable(ids.reshape(-1, order), prob, backoff))
        if order == 1:
            words += [line.split()[1].decode() for line in text.splitlines()]
    return NgramTable(*map(np.concatenate, zip(*parts, strict=True)))


def _fault(row: list[bytes], order: int, kernel: _core.NgramLines) -> str:
    """Return what is wrong with the fields of a line that is not an n-gram."""
    if not row or row[0].startswith(b"\\"):
        return f"expected another {order}-gram: the file promises more of them"
    if not order + 1 <= len(row) <= order + 2:
        words = f"{order} word{'s' * (order > 1)}"
        return f"expected a number, {words} and perhaps a number, found {len(row)} fields"
    if order == 1 and kernel.knows(row[1]) and _is_finite(row[0]) and all(map(_is_finite, row[2:])):
        return f"the word {_quoted(row[1].decode())} occurs twice"
    for word in row[1 : order + 1] if order > 1 else ():
        if not kernel.knows(word):
            return f"the word {_quoted(word.decode())} is not one of the 1-grams"
    for number in (row[0], *row[order + 1 :]):
        if not _is_finite(number):
            return f"expected a finite number, found {_quoted(number.decode())}"
    return "n-grams of the highest order have no back-off weight"


def _is_finite(field: bytes) -> bool:
    try:
        return isfinite(float(field)) and not field.strip(b"0123456789.eE+-")
    except ValueError:
        return False


def _quoted(text: str) -> str:
    """Return a piece of the file as messages show it."""
    return repr(text if len(text) <= 60 else text[:60] + "..") if text else "the end of the file"


def write_arpa(path: PathLike, arpa: Arpa) -> None:
    """Write an ARPA file, whole or not at all, compressed if its name ends in .gz.

    Words that it cannot hold are a ValueError.
    """
    check_vocabulary(arpa.vocabulary)
    with arpa_writer(path, [len(table.words) for table in arpa.tables]) as (stream, begin_order):
        for order, table in enumerate(arpa.tables, 1):
            begin_order(order)
            for begin in range(0, len(table.words), CHUNK):
                stream.write(
                    "".join(_lines_of(arpa.vocabulary, table, slice(begin, begin + CHUNK))).encode()
                )


def check_vocabulary(vocabulary: list[str]) -> None:
    """Raise a ValueError if an ARPA file cannot hold one of the words."""
    for word in vocabulary:
        if word.encode("utf-8", "surrogatepass").split() != [
            word.encode("utf-8", "backslashreplace")
        ]:
            raise ValueError(
                f"an ARPA file cannot hold the word {word!r}: words must not be empty, "
                "or hold blanks"
            )


@contextmanager
def arpa_writer(
    path: PathLike, sizes: list[int]
) -> Iterator[tuple[IO[bytes], Callable[[int], None]]]:
    """Open an ARPA file for the n-grams of orders with these sizes.

    Yields the stream for their lines, and a function that begins an order.
    """
    with _writer(path) as stream:
        head = "".join(f"ngram {order}={size}\n" for order, size in enumerate(sizes, 1))
        stream.write(f"\\data\\\n{head}".encode())
        yield stream, lambda order: cast(None, stream.write(f"\n\\{order}-grams:\n".encode()))
        stream.write(b"\n\\end\\\n")


def _lines_of(vocabulary: list[str], table: NgramTable, part: slice) -> Iterator[str]:
    """Yield the lines of some rows; a back-off weight of 1 is not written."""
    columns = [[vocabulary[word] for word in column.tolist()] for column in table.words[part].T]
    prob, backoff = (
        np.round(numbers[part], DECIMALS) + 0.0
        for numbers in (table.log10_prob, table.log10_backoff)
    )
    for words, its_prob, its_backoff in zip(
        map(" ".join, zip(*columns, strict=True)), prob.tolist(), backoff.tolist(), strict=True
    ):
        yield (
            f"{its_prob:.9g}\t{words}\t{its_backoff:.9g}\n"
            if its_backoff
            else f"{its_prob:.9g}\t{words}\n"
        )


@contextmanager
def _writer(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file for bytes, through gzip if its name says so.

    The same model gives the same bytes: no time is written.
    """
    with atomic_writer(path, binary=True) as stream:
        if not str(path).endswith(".gz"):
            yield stream
            return
        with gzip.GzipFile(
            filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0
        ) as packed:
            yield cast(IO[bytes], packed)
