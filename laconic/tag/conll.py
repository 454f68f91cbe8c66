"""Column files as in CoNLL-2000, 2002 and 2003.

One token per line, columns separated by spaces or tabs, a blank line after each sentence; plain or
gzip, any line ends. `-DOCSTART-` lines are not tokens, whether they stand alone or open a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import IO, NamedTuple

import numpy as np

from laconic.core.ragged import pointers
from laconic.errors import InputError
from laconic.text.io import PathLike, atomic_writer, name_of, open_text
from laconic.text.sequences import TokenColumns

DOCUMENT_START = "-DOCSTART-"
TOKEN, BLANK, START = range(3)  # roles of lines
BLANKS = " \t\r\n"
BATCH_SENTENCES = 2000
# Only these separate columns; str.split() would also split at, say, a no-break space inside a word.
_FIELD = re.compile(r"[^ \t\r\n]+")


def read_columns(
    path: PathLike, names: Sequence[str], optional: int = 0, encoding: str = "utf-8"
) -> TokenColumns:
    """Return all sentences of a column file.

    Parameters
    ----------
    path : str or path
        The file; "-" is standard input.
    names : sequence of str
        Names of the columns.
    optional : int, default=0
        Number of columns, the last ones, that the file need not have.
    encoding : str, default="utf-8"
        Encoding of the file.
    """
    batches = list(iterate_columns(path, names, optional, encoding))
    columns = zip(*(batch.values for batch in batches), strict=True)
    values: list[Sequence[str]] = [list(chain.from_iterable(parts)) for parts in columns]
    lengths = np.concatenate([np.diff(batch.ptr) for batch in batches])
    return TokenColumns(batches[0].names, values, pointers(lengths.tolist()))


def iterate_columns(
    path: PathLike,
    names: Sequence[str],
    optional: int = 0,
    encoding: str = "utf-8",
    batch_sentences: int = BATCH_SENTENCES,
) -> Iterator[TokenColumns]:
    """Yield the sentences of a column file in batches, in constant memory; see `read_columns`.

    An InputError names the line that does not fit.
    """
    batches = (
        batch.tokens for batch in iterate_lines(path, names, optional, encoding, batch_sentences)
    )
    return (tokens for tokens in batches if len(tokens))


class ColumnLines(NamedTuple):
    """A batch of sentences, all lines of the file that it comes from, and the role of each line."""

    tokens: TokenColumns
    lines: list[str]
    roles: bytearray


def iterate_lines(
    path: PathLike,
    names: Sequence[str],
    optional: int = 0,
    encoding: str = "utf-8",
    batch_sentences: int = BATCH_SENTENCES,
) -> Iterator[ColumnLines]:
    """Yield batches as `iterate_columns` does, with every line of the file, blank ones too."""
    flat: list[str] = []  # the fields of all tokens, token after token: no list per token
    lengths: list[int] = []
    length = 0  # of the sentence being read
    lines: list[str] = []
    roles = bytearray()
    known: dict[str, str] = {}  # one string object for equal tokens of a batch
    present: tuple[str, ...] | None = None
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream, 1):
            fields = line.split() if line.isascii() else _FIELD.findall(line)
            lines.append(line)
            if not fields:
                roles.append(BLANK)
                if length:
                    lengths.append(length)
                    length = 0
                    if present and len(lengths) == batch_sentences:
                        yield ColumnLines(_batch(flat, lengths, present, known), lines, roles)
                        flat, lengths, lines, roles = [], [], [], bytearray()
                        known.clear()
                continue
            if fields[0] == DOCUMENT_START:
                roles.append(START)
                continue
            roles.append(TOKEN)
            if present is None:
                present = _present(fields, names, optional, f"{name_of(path)}:{number}")
            if len(fields) != len(present):
                raise InputError(
                    f"{name_of(path)}:{number}: expected {len(present)} columns "
                    f"({', '.join(present)}) as in the lines before, "
                    f"found {len(fields)}: {' '.join(fields)[:60]!r}."
                )
            flat += fields
            length += 1
    if present is None:
        raise InputError(f"{name_of(path)}: holds no tokens.")
    if lines:
        yield ColumnLines(
            _batch(flat, [*lengths, length] if length else lengths, present, known), lines, roles
        )


def _present(fields: list[str], names: Sequence[str], optional: int, place: str) -> tuple[str, ...]:
    """Return the names of the columns that the file has, by its first line."""
    if not len(names) - optional <= len(fields) <= len(names):
        needed = ", ".join(names[: len(names) - optional])
        extra = f" and perhaps {', '.join(names[len(names) - optional :])}" if optional else ""
        raise InputError(
            f"{place}: expected the columns {needed}{extra}, "
            f"found {len(fields)}: {' '.join(fields)[:60]!r}."
        )
    return tuple(names[: len(fields)])


def _batch(
    flat: list[str], lengths: list[int], names: tuple[str, ...], known: dict[str, str]
) -> TokenColumns:
    columns = (flat[column :: len(names)] for column in range(len(names)))
    return TokenColumns(
        names,
        [list(map(known.setdefault, column, column)) for column in columns],
        pointers(lengths),
    )


@contextmanager
def column_writer(path: PathLike) -> Iterator[ColumnWriter]:
    """Open a writer of batches; its file ("-": standard output) appears whole or not at all."""
    with atomic_writer(path) as stream:
        yield ColumnWriter(stream)


class ColumnWriter:
    """Writes the lines of a file again, with added columns."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(
        self,
        batch: ColumnLines,
        added: Sequence[Sequence[str]],
        outside: str,
        before: Sequence[str] = (),
    ) -> None:
        """Write each token's line, and after it the token's strings of the added columns.

        Columns are separated by a tab if the line has one, else by a space.

        Parameters
        ----------
        batch : ColumnLines
            The lines.
        added : sequence of sequences of str
            The columns to add, one string per token.
        outside : str
            String of all added columns where a document starts.
        before : sequence of str, optional
            One line per sentence, written before it.
        """
        n_tokens = int(batch.tokens.ptr[-1])
        if lengths := {len(column) for column in added} - {n_tokens}:
            raise ValueError(
                f"there are {n_tokens} tokens, but an added column has {min(lengths)} strings"
            )
        tails = zip(*added, strict=True)
        starts = dict(zip(batch.tokens.ptr[:-1].tolist(), before, strict=True)) if before else {}
        out: list[str] = []
        token = 0
        for line, role in zip(batch.lines, batch.roles, strict=True):
            text = line.strip(BLANKS)
            if role == BLANK:
                out.append(text)
                continue
            if role == TOKEN:
                if token in starts:
                    out.append(starts[token])
                token += 1
            tail = next(tails) if role == TOKEN else (outside,) * len(added)
            out.append(("\t" if "\t" in text else " ").join((text, *tail)))
        self._stream.write("\n".join([*out, ""]))
