"""Rows of tables: CSV and TSV with a line of names, and Parquet.

Cells of CSV and TSV are strings. A quoted cell may hold the delimiter, line ends and doubled quotes
(RFC 4180); a table that can only be read without quotes, as many .tsv files, is read so.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from laconic.errors import InputError
from laconic.text.io import PathLike, name_of
from laconic.text.json_rows import Row

DELIMITERS = ",;\t|"
PARQUET = (".parquet", ".pq")
_LONGEST_CELL = 2**31 - 1


class TableRow(dict[str, Any]):
    """A row of a table, in which numbers may be written as text."""


def delimiter_of(header: str) -> str:
    """Return the delimiter that cuts the line of names into most cells; a comma if none does."""
    return max(DELIMITERS, key=lambda delimiter: len(cells_of(header, delimiter)))


def cells_of(line: str, delimiter: str) -> list[str]:
    """Return the cells of one line."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return line.strip().split(delimiter)


def table_rows(
    lines: Iterable[str], name: str, delimiter: str, with_names: bool = True
) -> Iterator[Row]:
    """Yield the rows of a table; without a line of names, columns are called "1", "2", ..

    Every row has as many cells as the first one. Blank lines are skipped.
    """
    kept = list(lines)
    for number, line in enumerate(kept, 1):
        if "\0" in line:
            raise InputError(f"{name}:{number}: expected a table as text, found a zero byte.")
    try:
        records = list(_records(kept, name, delimiter, quoted=True))
    except InputError:
        # A .tsv in which a quote is a letter like others: each line is a record.
        try:
            records = list(_records(kept, name, delimiter, quoted=False))
        except InputError:
            records = []
        if not records:
            raise
    names = [cell.strip() for cell in records[0][1]] if records else []
    if with_names:
        _check_names(names, records[0][0] if records else name)
        del records[:1]
    else:
        names = [str(place) for place in range(1, len(names) + 1)]
    return ((place, TableRow(zip(names, cells, strict=True))) for place, cells in records)


def _records(
    lines: Sequence[str], name: str, delimiter: str, quoted: bool
) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the cells of each record; InputError where they are not as many."""
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    width = begin = 0
    with _long_cells():
        reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=quoted)
        while True:
            place = f"{name}:{begin + 1}"
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise InputError(
                    f"{place}: a quoted cell that opens here is not closed ({error})."
                ) from error
            begin = reader.line_num
            if cells is None:
                return
            if not cells or (len(cells) == 1 and not cells[0].strip()):
                continue
            width = width or len(cells)
            if len(cells) != width:
                raise InputError(
                    f"{place}: expected {width} cells as in the first row, found {len(cells)}; "
                    f"a cell that holds {_shown(delimiter)} is put between double quotes."
                )
            yield place, cells


def _shown(delimiter: str) -> str:
    return "a tab" if delimiter == "\t" else repr(delimiter)


def _check_names(names: Sequence[str], place: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{place}: two columns have the name {twice[0]!r}; give each its own.")


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be longer than the 128 KB that the csv module allows by itself."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def parquet_rows(path: PathLike) -> Iterator[Row]:
    """Yield the rows of a Parquet file; needs pyarrow."""
    name = name_of(path)
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise InputError(
            f'{name}: reading Parquet needs pyarrow: pip install "laconic[tables]".'
        ) from error
    number = 0
    try:
        with open(path, "rb") as stream, ParquetFile(stream) as file:
            for batch in file.iter_batches():
                for row in batch.to_pylist():
                    number += 1
                    yield f"{name}: row {number}", TableRow(row)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}).") from error
    except ArrowException as error:
        raise InputError(f"{name}: expected a Parquet file ({error}).") from error
