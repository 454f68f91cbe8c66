"""Documents with what a file says of them, and text files: one document, or label, per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from laconic.errors import InputError
from laconic.text.columns import Columns
from laconic.text.compression import plain_name
from laconic.text.io import PathLike, name_of
from laconic.text.trees import Tree

# A text, its sentences, its sentences as words or as trees, or its one tree.
Document: TypeAlias = str | list[str] | list[list[str]] | list[Tree] | Tree
TAB_SEPARATED = (".tsv", ".tab")


class Corpus(NamedTuple):
    """Documents with all that a file says of them.

    labels: one per document, or lists of them if they were asked for; columns: numbers (NaN where
    missing) and categories ("" where missing) by name, if asked for; files: of a folder, the file
    of each document; taken: the sentence that says which columns were taken, "" where they are
    called text and label, or were named.
    """

    documents: list[Document]
    labels: list[Any] | None
    columns: dict[str, list[Any]] | None = None
    files: list[str] | None = None
    taken: str = ""


def lines_of_text(
    path: PathLike, first: str, lines: Iterator[str], fields: Columns, require_labels: bool
) -> Corpus:
    """Read lines `label TAB text`, or, where labels are not wanted, documents.

    Where labels may be absent, a line without a tab is all text.
    """
    with_tabs = plain_name(name_of(path)).endswith(TAB_SEPARATED)
    with_labels = fields.label is not None and (require_labels or with_tabs)
    with_tabs |= "\t" in first.strip()
    if with_labels and not with_tabs:
        raise InputError(
            f"{name_of(path)}:1: expected documents with labels (JSON, CSV or TSV with names of "
            "columns, Parquet, or a folder per label), found text."
        )
    documents: list[Document] = []
    labels: list[str] = []
    for place, line in filled_lines(lines, path):
        if "\0" in line:
            raise InputError(f"{place}: expected text, found a zero byte.")
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
    return without_header(Corpus(documents, labels or None), path)


def without_header(found: Corpus, path: PathLike) -> Corpus:
    """Leave out a first line that is one of names: all labels but its own are on several lines."""
    labels = found.labels
    if labels is None or len(labels) < 4 or not isinstance(found.documents[0], str):
        return found
    times = Counter(labels)
    if times.pop(labels[0]) > 1 or min(times.values(), default=0) < 2:
        return found
    return Corpus(
        found.documents[1:],
        labels[1:],
        {name: values[1:] for name, values in (found.columns or {}).items()},
        taken=f"{name_of(path)}: the first line is taken as names of columns, since no other line "
        f"has the label {labels[0]!r}.",
    )


def filled_lines(lines: Iterable[str], path: PathLike) -> Iterator[tuple[str, str]]:
    """Yield (file:line, line) of each line that is not blank."""
    name = name_of(path)
    return (
        (f"{name}:{number}", line) for number, line in enumerate(lines, 1) if not line.isspace()
    )


def empty_file(path: PathLike) -> InputError:
    """Return the error for a file without documents."""
    return InputError(f"{name_of(path)}: the file is empty; expected at least one document.")
