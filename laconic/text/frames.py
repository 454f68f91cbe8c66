"""Documents from what Python programs hold: lists, arrays, series, frames, data sets, records.

Columns are found by what objects can do, so that no package of frames is imported: pandas, polars,
pyarrow and Hugging Face `datasets` answer alike, and so do mappings of columns and lists of
records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from laconic.text.columns import LABEL, LABEL_NAMES, TEXT, TEXT_NAMES, known_name
from laconic.text.trees import Tree


class DocumentRows(list[Any]):
    """Documents, and the values of the columns beside them by name."""

    def __init__(self, documents: Iterable[Any], columns: Mapping[str, list[Any]]) -> None:
        super().__init__(documents)
        self.columns = dict(columns)

    def __add__(self, other: list[Any], /) -> DocumentRows:
        """Return these rows and others."""
        theirs = getattr(other, "columns", {})
        return DocumentRows(
            [*self, *other],
            {name: [*own, *theirs[name]] for name, own in self.columns.items() if name in theirs},
        )


def one_row(rows: list[Any], number: int) -> list[Any]:
    """Return one document of several, with its columns if there are any."""
    if not isinstance(rows, DocumentRows):
        return [rows[number]]
    columns = {name: [values[number]] for name, values in rows.columns.items()}
    return DocumentRows([rows[number]], columns)


def names_of(data: object) -> list[str] | None:
    """Return the names of columns of a frame, a data set or a mapping of columns; else None."""
    if isinstance(data, Mapping):
        return [str(name) for name in data]
    for attribute in ("column_names", "columns"):
        names = getattr(data, attribute, None)
        if (
            hasattr(data, "__getitem__")
            and not isinstance(data, DocumentRows)
            and names is not None
        ):
            return [str(name) for name in names]
    return None


def column_of(data: Any, name: str) -> list[Any]:
    """Return the values of a column as plain Python ones."""
    values = data[name]
    for convert in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, convert):
            return list(getattr(values, convert)())
    return list(values)


def _listed(data: object) -> list[Any]:
    """Return what can be iterated over as a list; documents with columns keep these."""
    return data if isinstance(data, DocumentRows) else list(cast("Iterable[Any]", data))


def rows_of(data: object, text: str = TEXT, columns: Sequence[str] = ()) -> list[Any]:
    """Return the documents of anything that holds some, and the columns beside them if any.

    Of frames and records the text is the column `text`, or the one that is usually called so.
    """
    if isinstance(data, str | bytes):
        raise ValueError(
            "documents is one text; expected several: give a list with one document, [text]"
        )
    if isinstance(data, Tree):
        raise ValueError("documents is one tree; expected several: give a list with one, [tree]")
    names = names_of(data)
    if names is None:
        listed = _listed(data)
        if listed and isinstance(listed[0], Mapping):
            return rows_of(_of_records(listed, text, columns), text, columns)
        found: dict[str, list[Any]] = getattr(listed, "columns", {})
        _check_columns(columns, found)
        return _checked(listed)
    own = known_name(names, text, TEXT_NAMES)
    if own is None:
        raise ValueError(
            f"there is no column {text!r}; found {', '.join(map(repr, names[:6]))}: "
            "name it with TextClassifier(text=..), or give the column itself"
        )
    _check_columns(columns, names)
    documents = _checked(column_of(data, own))
    return DocumentRows(documents, {name: column_of(data, name) for name in columns})


def labels_of(data: object, labels: object) -> object:
    """Return labels: those given, or the column of a frame that is called so or named."""
    if labels is not None and not isinstance(labels, str):
        return labels
    names = names_of(data)
    if names is None and not isinstance(data, str | bytes):
        listed = _listed(data)
        if listed and isinstance(listed[0], Mapping):
            data, names = _columns_of_records(listed), list(listed[0])
    if names is None:
        raise ValueError("labels is one label per document; only frames have a column of them")
    name = known_name(names, LABEL if labels is None else labels, LABEL_NAMES)
    if name is None:
        raise ValueError(
            f"there is no column {labels or LABEL!r} with labels; found "
            f"{', '.join(map(repr, names[:6]))}: give its name, or one label per document"
        )
    return column_of(data, name)


def _columns_of_records(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {name: [record.get(name) for record in records] for name in records[0]}


def _of_records(
    records: Sequence[Mapping[str, Any]], text: str, columns: Sequence[str]
) -> dict[str, list[Any]]:
    """Return the wanted fields of records as columns."""
    wanted = [known_name(records[0], text, TEXT_NAMES) or text, *columns]
    for number, record in enumerate(records):
        lacking = [name for name in wanted if name not in record]
        if lacking:
            found = ", ".join(map(repr, list(record)[:6]))
            raise ValueError(f"document {number} has no field {lacking[0]!r}; found {found}")
    return {name: [record[name] for record in records] for name in wanted}


def _check_columns(wanted: Sequence[str], found: Iterable[str]) -> None:
    lacking = [name for name in wanted if name not in set(found)]
    if lacking:
        raise ValueError(
            f"the model needs the column {lacking[0]!r} beside the text: give a frame or records "
            "that have it"
        )


def _checked(documents: list[Any]) -> list[Any]:
    """Return documents none of which is a missing value."""
    for number, document in enumerate(documents):
        if document is None or isinstance(document, float) or type(document).__name__ == "NAType":
            raise ValueError(
                f"document {number} is missing ({document}); leave it out or make it ''"
            )
    return documents
