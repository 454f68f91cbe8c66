"""Column files as in CoNLL-2000, 2002 and 2003, and CoNLL-U.

One token per line, columns separated by spaces or tabs, a blank line after each sentence; plain or
compressed, any line ends. `-DOCSTART-` lines are not tokens, whether they stand alone or open a
sentence, nor are comments, multiword tokens and empty nodes. See `laconic.tag.layout`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import IO, NamedTuple

import numpy as np

from laconic.core.ragged import pointers
from laconic.errors import InputError
from laconic.tag.layout import (
    BLANKS,
    LineLayout,
    Wanted,
    cut_line,
    is_comment,
    is_no_word,
    layout_of,
)
from laconic.text.io import PathLike, atomic_writer, name_of, open_text
from laconic.text.token_columns import TokenColumns

DOCUMENT_START = "-DOCSTART-"
TOKEN, BLANK, START, PASSED = range(4)  # roles of lines
BATCH_SENTENCES = 2000


def read_columns(
    path: PathLike,
    names: Sequence[str] | None,
    optional: int = 0,
    encoding: str = "utf-8",
    label: str | None = None,
) -> TokenColumns:
    """Return all sentences of a column file.

    Parameters
    ----------
    path : str or path
        The file; "-" is standard input.
    names : sequence of str or None
        Names of the columns, the last one that of the labels. In CoNLL-U, which of its columns are
        taken. None for all columns of a column file (word, pos, .., label), and for word and upos
        of CoNLL-U.
    optional : int, default=0
        Number of columns, the last ones, that the file need not have.
    encoding : str, default="utf-8"
        Encoding of the file.
    label : str, optional
        Name of the column of labels where `names` is None.
    """
    batches = [
        batch.tokens
        for batch in iterate_lines(path, Wanted(names, optional, label), encoding)
        if len(batch.tokens)
    ]
    columns = zip(*(batch.values for batch in batches), strict=True)
    values: list[Sequence[str]] = [list(chain.from_iterable(parts)) for parts in columns]
    lengths = np.concatenate([np.diff(batch.ptr) for batch in batches])
    return TokenColumns(batches[0].names, values, pointers(lengths.tolist()))


class ColumnLines(NamedTuple):
    """A batch of sentences, all lines of the file that it comes from, and the role of each line."""

    tokens: TokenColumns
    lines: list[str]
    roles: bytearray
    layout: LineLayout


def iterate_lines(
    path: PathLike,
    wanted: Wanted | Sequence[str],
    encoding: str = "utf-8",
    batch_sentences: int = BATCH_SENTENCES,
) -> Iterator[ColumnLines]:
    """Yield the sentences of a file in batches, in constant memory, with every line of the file.

    An InputError names the line that does not fit.
    """
    reader = _LineReader(name_of(path), wanted if isinstance(wanted, Wanted) else Wanted(wanted))
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream, 1):
            reader.take(line, number)
            if len(reader.lengths) == batch_sentences:
                yield reader.batch()
    if reader.layout is None:
        raise InputError(f"{reader.place}: holds no tokens.")
    if reader.lines:
        yield reader.batch()


class _LineReader:
    """Reads line after line into one list of fields, token after token: no list per token."""

    def __init__(self, place: str, wanted: Wanted) -> None:
        self.place = place
        self.wanted = wanted
        self.layout: LineLayout | None = None
        self.known: dict[str, str] = {}  # one string object for equal tokens of a batch
        self.length = 0  # of the sentence being read
        # Lines before the first one that cannot be a comment: its layout says what they are.
        self.doubtful: list[tuple[int, str, int]] = []
        self._start()

    def _start(self) -> None:
        self.flat: list[str] = []
        self.lengths: list[int] = []
        self.lines: list[str] = []
        self.roles = bytearray()
        self.known.clear()

    def take(self, line: str, number: int) -> None:
        """Read one line."""
        fields = cut_line(line)
        self.lines.append(line)
        self.roles.append(BLANK)
        if self.layout is None:
            if not fields or fields[0][:1] == "#":
                self.doubtful.append((len(self.lines) - 1, line, number))
                return
            if fields[0] != DOCUMENT_START:
                place = f"{self.place}:{number}"
                self.layout = layout_of(fields, "\t" in line, self.wanted, place)
                for index, before, at in self.doubtful:
                    self.roles[index] = self._role(before, cut_line(before), at)
        self.roles[-1] = self._role(line, fields, number)

    def batch(self) -> ColumnLines:
        """Return what was read since the last batch."""
        if self.length:
            self.lengths.append(self.length)
            self.length = 0
        assert self.layout is not None
        names, known = self.layout.names, self.known
        columns = (self.flat[column :: len(names)] for column in range(len(names)))
        values: list[Sequence[str]] = [
            list(map(known.setdefault, column, column)) for column in columns
        ]
        tokens = TokenColumns(names, values, pointers(self.lengths))
        found = ColumnLines(tokens, self.lines, self.roles, self.layout)
        self._start()
        return found

    def _role(self, line: str, fields: list[str], number: int) -> int:
        """Return the role of a line, and take its fields if it is a token."""
        if not fields or not fields[0]:
            if any(fields):
                raise InputError(f"{self.place}:{number}: the first column is empty.")
            if self.length:
                self.lengths.append(self.length)
                self.length = 0
            return BLANK
        layout = self.layout
        if layout is None or fields[0] == DOCUMENT_START:
            return START
        if not self.length and is_comment(line, fields, layout):
            return PASSED
        if len(fields) != layout.n_fields or "" in fields:
            found = "an empty one" if "" in fields else len(fields)
            raise InputError(
                f"{self.place}:{number}: expected {layout.expects()} as in the lines before, "
                f"found {found}: {' '.join(fields)[:60]!r}."
            )
        if layout.fields is None:
            self.flat += fields
        elif is_no_word(fields):
            return PASSED
        else:
            if fields[0] != str(self.length + 1):
                raise InputError(
                    f"{self.place}:{number}: expected token number {self.length + 1}, "
                    f"found {fields[0][:20]!r}; a blank line ends a sentence."
                )
            self.flat += [fields[place] for place in layout.fields]
        self.length += 1
        return TOKEN


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

        Columns are separated by a tab if the line has one, else by a space. Lines of CoNLL-U have
        the one added column in place of the labels.

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
            if role in (BLANK, PASSED):
                out.append(text)
                continue
            if role == TOKEN:
                if token in starts:
                    out.append(starts[token])
                token += 1
            tail = next(tails) if role == TOKEN else (outside,) * len(added)
            if batch.layout.fields is None:
                out.append(("\t" if "\t" in text else " ").join((text, *tail)))
            else:
                out.append(_filled(line, batch.layout, tail))
        self._stream.write("\n".join([*out, ""]))


def _filled(line: str, layout: LineLayout, tail: tuple[str, ...]) -> str:
    """Return a token's line of CoNLL-U with another string in the column of the labels."""
    fields = line.rstrip("\r\n").split("\t")
    (fields[layout.label],) = tail
    return "\t".join(fields)
