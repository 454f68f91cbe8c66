"""Documents from files of every known form, with labels and columns beside them; JSON lines.

    JSON lines, arrays of JSON objects        a field with the text, and one with the label
    CSV, TSV, Parquet                         the same as columns; the first line has their names
    .tsv without names                        label TAB text
    bracketed trees (.txt, .mrg)              the label is that of the root
    a folder of folders of .txt               one document per file, its folder is the label
    other text                                one document per line, without labels

All but Parquet may be compressed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, TextIO

from laconic.errors import InputError
from laconic.text.columns import (
    LABEL,
    TEXT,
    Columns,
    by_position,
    category,
    chosen_fields,
    field,
    is_header,
    label_list,
    label_text,
    number,
    opens_table,
)
from laconic.text.compression import plain_name
from laconic.text.corpus import (
    TAB_SEPARATED,
    Corpus,
    empty_file,
    filled_lines,
    lines_of_text,
    without_header,
)
from laconic.text.corpus import (
    Document as Document,
)
from laconic.text.folders import text_files, whole_text
from laconic.text.io import STANDARD_STREAM, PathLike, atomic_writer, name_of, open_text
from laconic.text.json_rows import Row, array_rows, is_array, json_kind, line_rows
from laconic.text.tables import (
    PARQUET,
    TableRow,
    cells_of,
    delimiter_of,
    parquet_rows,
    table_rows,
)
from laconic.text.trees import trees_in

JSON_LINES = (".jsonl", ".ndjson", ".json")
EVERYTHING = Columns()


class Documents(NamedTuple):
    """Documents in the order of their file, and the label of each (None: read without labels)."""

    documents: list[Document]
    labels: list[str] | None


def read_documents(
    path: PathLike,
    text_field: str = TEXT,
    label_field: str | None = LABEL,
    require_labels: bool = True,
) -> Documents:
    """Read the documents of a file of any known form, plain or compressed, or of a folder.

    "text" and "label" also stand for the usual names of such columns (sentence, review, class,
    category ..). Without labels: `label_field=None`, or `require_labels=False` and a file that has
    none.
    """
    fields = Columns(text_field, label_field)
    return Documents(*read_corpus(path, fields, require_labels)[:2])


def read_corpus(
    path: PathLike,
    fields: Columns = EVERYTHING,
    require_labels: bool = True,
    whole: bool = False,
) -> Corpus:
    """Read documents, and the numbers and categories beside them.

    With `whole` a file is one document.
    """
    if os.path.isdir(path):
        return _of_folder(path, fields)
    if whole:
        return _without_columns(Corpus([whole_text(path)], None), fields, path)
    if plain_name(name_of(path)).endswith(PARQUET):
        return _of_rows(parquet_rows(path), fields, require_labels, path)
    with open_text(path) as stream:
        first, lines = _opening(stream, path)
        rows = _rows_of(path, first, lines, fields, require_labels)
        if rows is not None:
            return _of_rows(rows, fields, require_labels, path)
        if _is_tree(path, first):
            trees = trees_in(lines, name_of(path))
            labels = None if fields.label is None else [tree.label[0] for tree in trees]
            return _without_columns(Corpus(list(trees), labels), fields, path)
        found = lines_of_text(path, first, lines, fields, require_labels)
        return _without_columns(found, fields, path)


def read_jsonl(
    path: PathLike,
    text_field: str = TEXT,
    label_field: str | None = LABEL,
    require_labels: bool = True,
) -> Documents:
    """Read the documents of a JSON-lines file (plain or compressed, "-" for standard input).

    A text is a string, a list of strings (its sentences) or a list of lists of strings (its
    sentences as words). A label is a string, an integer or a boolean. Without labels:
    `label_field=None`, or `require_labels=False` and a file in which no row has the field. Blank
    lines are skipped.
    """
    fields = Columns(text_field, label_field)
    with open_text(path) as stream:
        rows = line_rows(filled_lines(stream, path))
        return Documents(*_of_rows(rows, fields, require_labels, path)[:2])


def iterate_rows(path: PathLike) -> Iterator[Row]:
    """Yield (file:line, values by name) of each row of JSON, CSV, TSV or Parquet."""
    if plain_name(name_of(path)).endswith(PARQUET):
        yield from parquet_rows(path)
        return
    with open_text(path) as stream:
        first, lines = _opening(stream, path)
        plain = plain_name(name_of(path))
        if plain.endswith((".csv", *TAB_SEPARATED)):
            yield from table_rows(lines, name_of(path), _delimiter(plain, first))
        else:
            yield from _json_rows(path, first, lines)


def write_jsonl(path: PathLike, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object per line, UTF-8, whole or not at all."""
    with atomic_writer(path) as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _opening(stream: TextIO, path: PathLike) -> tuple[str, Iterator[str]]:
    """Return the first line that is not blank, and all lines."""
    read: list[str] = []
    for line in stream:
        read.append(line)
        if not line.isspace():
            return line, chain(read, stream)
    raise empty_file(path)


def _json_rows(path: PathLike, first: str, lines: Iterator[str]) -> Iterator[Row]:
    if is_array(first):
        return array_rows("".join(lines), name_of(path))
    return line_rows(filled_lines(lines, path))


def _delimiter(plain: str, first: str) -> str:
    return "\t" if plain.endswith(TAB_SEPARATED) else delimiter_of(first)


def _rows_of(
    path: PathLike, first: str, lines: Iterator[str], fields: Columns, require_labels: bool
) -> Iterator[Row] | None:
    """Return the rows of a file of JSON or of a table; None if it is neither."""
    plain, opening = plain_name(name_of(path)), first.lstrip()
    if plain.endswith(JSON_LINES) or opening[0] == "{" or (opening[0] == "[" and is_array(first)):
        return _json_rows(path, first, lines)
    delimiter = _delimiter(plain, first)
    cells = cells_of(first, delimiter)
    is_table = plain.endswith((".csv", *TAB_SEPARATED))
    named = is_header(cells, fields) if is_table else opens_table(first, cells, fields)
    if named or plain.endswith(".csv"):
        with_names = named or not by_position(fields, cells)
        return table_rows(lines, name_of(path), delimiter, with_names)
    if len(cells) > 1 and by_position(fields, cells):
        return table_rows(lines, name_of(path), delimiter, with_names=False)
    return None


def _is_tree(path: PathLike, first: str) -> bool:
    """Return whether text opens with a bracket, and not with a sentence in brackets."""
    named = plain_name(name_of(path)).endswith((".txt", ".mrg")) or path == STANDARD_STREAM
    line = first.strip()
    return named and line[0] == "(" and (line[-1] == ")" or line.count("(") > line.count(")"))


def _of_rows(rows: Iterable[Row], fields: Columns, require_labels: bool, path: PathLike) -> Corpus:
    """Read documents, labels and columns from rows."""
    documents: list[Document] = []
    labels: list[Any] = []
    columns: dict[str, list[Any]] = {name: [] for name in fields.more}
    chosen: Columns | None = None
    taken = ""
    for place, row in rows:
        if chosen is None:
            chosen = chosen_fields(row, fields, place)
            taken = _taken(row, fields, chosen, path)
        text, label = chosen.text, chosen.label
        documents.append(checked_text(field(row, text, place), text, place))
        for name in chosen.numbers:
            columns[name].append(number(row, name, place))
        for name in chosen.categories:
            columns[name].append(category(row, name, place))
        if label is not None and (require_labels or label in row):
            labels.append(_checked_label(row, label, place, fields.lists))
            if isinstance(labels[0], list) != isinstance(labels[-1], list):
                raise InputError(
                    f"{place}: {label!r} is one label in some rows and a list in others; expected "
                    "lists in all of them."
                )
        if labels and len(labels) != len(documents):
            raise InputError(f"{place}: some rows have the field {label!r} and some have not.")
    if not documents:
        raise empty_file(path)
    found = Corpus(documents, labels or None, columns, taken=taken)
    positional = chosen is not None and by_position(fields, ()) and chosen.text.isdigit()
    return without_header(found, path) if positional else found


def _taken(row: Mapping[str, Any], fields: Columns, chosen: Columns, path: PathLike) -> str:
    """Return which columns are taken, if they were not named and have other names."""
    if (chosen.text, chosen.label) in ((fields.text, fields.label), (fields.text, LABEL)):
        return ""
    what = "column" if isinstance(row, TableRow) else "field"
    label = "" if chosen.label not in row else f", the label the {what} {chosen.label!r}"
    return f"{name_of(path)}: the text is the {what} {chosen.text!r}{label}."


def _checked_label(row: Mapping[str, Any], name: str, place: str, lists: bool) -> str | list[str]:
    value = field(row, name, place)
    if lists and isinstance(value, list):
        return label_list(value, name, place)
    label = label_text(value, name, place)
    if isinstance(row, TableRow) and not (label := label.strip()):
        raise InputError(f"{place}: the label in the column {name!r} is empty.")
    return label


def _of_folder(path: PathLike, fields: Columns) -> Corpus:
    """Read one document per file of a folder, and the names of the folders that they are in."""
    files = text_files(path, with_labels=fields.label is not None)
    found = Corpus(
        [whole_text(file.path) for file in files],
        None if fields.label is None else [file.label for file in files],
        files=[file.path for file in files],
    )
    return _without_columns(found, fields, path)


def _without_columns(found: Corpus, fields: Columns, path: PathLike) -> Corpus:
    if fields.more:
        raise InputError(
            f"{name_of(path)}: the column {fields.more[0]!r} is missing: only JSON, CSV, TSV and "
            "Parquet have columns beside the text."
        )
    return found


def checked_text(text: object, field: str, place: str) -> Document:
    """Return a text in one of the forms of documents; InputError for any other value."""
    if isinstance(text, str):
        return text
    if isinstance(text, list):
        if all(isinstance(part, str) for part in text):
            return text
        if all(isinstance(part, list) for part in text) and all(
            isinstance(w, str) for w in chain.from_iterable(text)
        ):
            return text
    raise InputError(
        f"{place}: {field!r} is a string, a list of sentences or a list of lists of words, "
        f"not {json_kind(text)}."
    )
