"""Labelled documents from files (JSON lines, `label TAB text`, trees), and rows to JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, TextIO, TypeAlias

from laconic.errors import InputError
from laconic.text.io import PathLike, atomic_writer, name_of, open_text
from laconic.text.trees import Tree, read_trees

# A text, its sentences, its sentences as words or as trees, or its one tree.
Document: TypeAlias = str | list[str] | list[list[str]] | list[Tree] | Tree


class Documents(NamedTuple):
    """Documents in the order of their file, and the label of each (None: read without labels)."""

    documents: list[Document]
    labels: list[str] | None


def read_documents(
    path: PathLike,
    text_field: str = "text",
    label_field: str | None = "label",
    require_labels: bool = True,
) -> Documents:
    """Read the documents of a file of any known format, plain or gzip.

    `.tsv` is `label TAB text`, a `.txt` or `.mrg` that opens with "(" holds trees, any other is
    JSON lines. The label of a tree is that of its root.
    """
    name = os.fspath(path)
    if name.removesuffix(".gz").endswith(".tsv"):
        return _read_tsv(path, with_labels=label_field is not None, require_labels=require_labels)
    if name.removesuffix(".gz").endswith((".txt", ".mrg")) and _opens_with_bracket(path):
        trees = read_trees(path)
        return Documents(
            list(trees), None if label_field is None else [tree.label[0] for tree in trees]
        )
    return read_jsonl(path, text_field, label_field, require_labels)


def read_jsonl(
    path: PathLike,
    text_field: str = "text",
    label_field: str | None = "label",
    require_labels: bool = True,
) -> Documents:
    """Read the documents of a JSON-lines file (plain or gzip, "-" for standard input).

    A text is a string, a list of strings (its sentences) or a list of lists of strings (its
    sentences as words). A label is a string, an integer or a boolean. Without labels:
    `label_field=None`, or `require_labels=False` and a file in which no row has the field. Blank
    lines are skipped.
    """
    documents: list[Document] = []
    labels: list[str] = []
    for place, row in iterate_rows(path):
        documents.append(checked_text(field(row, text_field, place), text_field, place))
        if label_field is None:
            continue
        if require_labels or label_field in row:
            labels.append(_checked_label(field(row, label_field, place), label_field, place))
        if labels and len(labels) != len(documents):
            raise InputError(
                f"{place}: some rows have the field {label_field!r} and some have not."
            )
    return _nonempty(documents, labels, path)


def iterate_rows(path: PathLike) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file:line, JSON object) of each line that is not blank."""
    with open_text(path) as stream:
        for place, line in _filled_lines(stream, path):
            yield place, _parse_row(line, place)


def field(row: Mapping[str, Any], name: str, place: str) -> Any:
    """Return the field of this name, which the row must have."""
    if name not in row:
        raise InputError(f"{place}: the field {name!r} is missing; found {_names(row)}.")
    return row[name]


def write_jsonl(path: PathLike, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object per line, UTF-8, whole or not at all."""
    with atomic_writer(path) as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _read_tsv(path: PathLike, with_labels: bool, require_labels: bool) -> Documents:
    """Read rows `label TAB text`.

    Without labels, or where they may be absent, a row without a tab is all text.
    """
    documents: list[Document] = []
    labels: list[str] = []
    with open_text(path) as stream:
        for place, line in _filled_lines(stream, path):
            label, tab, text = line.rstrip("\n").partition("\t")
            if not with_labels or not (tab or require_labels):
                documents.append(line.rstrip("\n"))
            elif tab and label.strip():
                documents.append(text)
                labels.append(label.strip())
            else:
                raise InputError(f"{place}: expected a label, a tab and the text.")
            if labels and len(labels) != len(documents):
                raise InputError(f"{place}: some rows have a label and some have not.")
    return _nonempty(documents, labels, path)


def _filled_lines(stream: TextIO, path: PathLike) -> Iterator[tuple[str, str]]:
    """Yield (file:line, line) of each line that is not blank."""
    name = name_of(path)
    return (
        (f"{name}:{number}", line) for number, line in enumerate(stream, 1) if not line.isspace()
    )


def _nonempty(documents: list[Document], labels: list[str], path: PathLike) -> Documents:
    if not documents:
        raise empty_file(path)
    return Documents(documents, labels or None)


def empty_file(path: PathLike) -> InputError:
    """Return the error for a file without documents."""
    return InputError(f"{name_of(path)}: the file is empty; expected at least one document.")


def _opens_with_bracket(path: PathLike) -> bool:
    with open_text(path) as stream:
        return next((line.lstrip()[0] == "(" for line in stream if not line.isspace()), False)


def _parse_row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except RecursionError as error:
        raise InputError(f"{place}: the JSON is nested too deeply.") from error
    except ValueError as error:
        raise InputError(f"{place}: expected one JSON object per line ({error}).") from error
    if not isinstance(row, dict):
        raise InputError(f"{place}: expected a JSON object, found {json_kind(row)}.")
    return row


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


def _checked_label(label: object, field: str, place: str) -> str:
    if isinstance(label, str | int):  # a boolean is an integer
        return str(label)
    raise InputError(
        f"{place}: {field!r} is a string, an integer or a boolean, not {json_kind(label)}."
    )


def json_kind(value: object) -> str:
    """Return what JSON calls the type of `value`."""
    if value is None:
        return "null"
    if isinstance(value, list):
        kinds = sorted({json_kind(part) for part in value}) if len(value) < 1000 else []
        return (
            f"a list of {' and '.join(kinds)}"
            if kinds and "list" not in " ".join(kinds)
            else "a list"
        )
    return {
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a number",
        dict: "an object",
    }[type(value)]


def _names(row: Mapping[str, Any]) -> str:
    """Return the first fields of a row, for a message."""
    names = [repr(name) for name in row]
    return "no field" if not names else ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
