"""Matrices of files: .npz and .npy of NumPy and SciPy, tables of numbers, svmlight.

    X.npz       a sparse matrix of `scipy.sparse.save_npz`, or arrays `X` and `y` of `numpy.savez`
    X.npy       a dense matrix
    X.csv       a table, also .tsv; its first line may name the columns
    any other   svmlight: a target, then number:value of every feature that is not zero

Tables and svmlight may be compressed. What does not fit a model is one sentence.
"""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.core.arrays import AnyArray
from laconic.errors import InputError
from laconic.text.io import STANDARD_STREAM, PathLike, name_of, open_text

TARGET = "target"
TARGETS = re.compile(r"[^\s#:]+")
PAIRS = re.compile(r"(\s+qid:\d+)?((\s+\d+:[^\s:#]+)*)\s*(#.*)?")
BINARY = (".npz", ".npy")


class Shape(NamedTuple):
    """What a model expects of a matrix: number of features, and their names if it knows them."""

    n_features: int
    names: tuple[str, ...] | None = None


class Table(NamedTuple):
    """Rows of features (n, p), and their targets where the file has some: (n,), or (n, K)."""

    X: Any
    y: Any = None


def read_table(path: PathLike, shape: Shape, target: str = TARGET, several: bool = False) -> Table:
    """Return the matrix of a file, as a model expects it, and its targets.

    Parameters
    ----------
    path : str or Path
        The file; "-" is standard input, a table or svmlight.
    shape : Shape
        Features of the model.
    target : str, default="target"
        Names of the columns of a table that hold targets, with commas between them.
    several : bool, default=False
        Whether rows of svmlight may have several targets, with commas between them.

    Returns
    -------
    Table
        The rows; targets are None where the file has none.
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    if name.endswith(BINARY):
        found = _arrays(path)
    else:
        with open_text(path) as stream:
            text = stream.read()
        if not text.strip():
            raise InputError(f"{name_of(path)}: the file is empty.")
        tabular = name.endswith((".csv", ".tsv"))
        if name == STANDARD_STREAM:
            tabular = not _is_svmlight(text.lstrip().partition("\n")[0])
        if tabular:
            found = _columns(path, text, shape, target.split(","))
        else:
            found = _svmlight(path, text, shape, several)
    n_columns = found.X.shape[1]
    if n_columns != shape.n_features:
        raise InputError(
            f"{name_of(path)}: there are {n_columns} columns of features, but the model has "
            f"{shape.n_features} features."
        )
    _check_finite(found.X, path)
    return found


def read_targets(path: PathLike) -> AnyArray:
    """Return the targets of a file: a .npy array, or text with those of one row per line."""
    if os.fspath(path).lower().endswith(".npy"):
        return np.asarray(_loaded(path))
    with open_text(path) as stream:
        rows = [re.split(r"[,\t]", line.strip()) for line in stream if not line.isspace()]
    if len({len(row) for row in rows}) != 1:
        raise InputError(f"{name_of(path)}: expected one target, or the same number, per line.")
    found = np.array(rows)
    return found[:, 0] if found.shape[1] == 1 else found


def _loaded(path: PathLike) -> Any:
    """Return what NumPy has written, without unpickling anything."""
    try:
        return np.load(path, allow_pickle=False)
    except OSError as error:
        said = error.strerror or "it is damaged, or no file of NumPy"
        raise InputError(f"{name_of(path)}: cannot be read ({said}).") from None
    except Exception:  # zipfile and NumPy raise many kinds for damaged files
        raise InputError(
            f"{name_of(path)}: expected arrays of numbers or text of NumPy, without Python objects."
        ) from None


def _arrays(path: PathLike) -> Table:
    """Return the matrix of a file of NumPy or SciPy."""
    given = _loaded(path)
    if isinstance(given, np.ndarray):
        return Table(_checked_matrix(given, path))
    with given as archive:
        names = set(archive.files)
        try:
            if {"format", "shape", "data"} <= names:
                return Table(sp.csr_matrix(sp.load_npz(path)))
            if "X" in names:
                y = archive["y"] if "y" in names else None
                return Table(_checked_matrix(archive["X"], path), y)
        except Exception:  # arrays that make no matrix, or Python objects
            raise InputError(
                f"{name_of(path)}: the arrays make no matrix of numbers, or are damaged."
            ) from None
    raise InputError(
        f"{name_of(path)}: expected a sparse matrix of scipy.sparse.save_npz, or an array 'X' and "
        f"perhaps 'y', found {', '.join(sorted(names)) or 'nothing'}."
    )


def _checked_matrix(X: AnyArray, path: PathLike) -> AnyArray:
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise InputError(
            f"{name_of(path)}: expected a matrix of numbers, found {X.dtype} of shape {X.shape}."
        )
    return X if X.dtype == np.float32 else X.astype(np.float64, copy=False)


def _check_finite(X: Any, path: PathLike) -> None:
    values = X.data if sp.issparse(X) else X
    if not np.all(np.isfinite(values)):
        where = sp.coo_matrix(X) if sp.issparse(X) else None
        bad = ~np.isfinite(values if where is None else where.data)
        row, column = (
            np.argwhere(bad)[0] if where is None else (where.row[bad][0], where.col[bad][0])
        )
        raise InputError(
            f"{name_of(path)}: row {row + 1}, column {column + 1} is no finite number; fill in or "
            "leave out what is missing."
        )


def _columns(path: PathLike, text: str, shape: Shape, targets: Sequence[str]) -> Table:
    """Return features and targets of a table; a header that names features may reorder them."""
    head = text.partition("\n")[0]
    mark = max(",;\t", key=head.count) if any(mark in head for mark in ",;\t") else ","
    reader = csv.reader(io.StringIO(text), delimiter=mark)
    rows, lines = [], []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{name_of(path)}:{reader.line_num}: no table ({error}).") from None
    header = None if all(map(_is_number, rows[0])) else [cell.strip() for cell in rows.pop(0)]
    if header is not None:
        lines.pop(0)
    width = len(rows[0]) if header is None and rows else len(header or ())
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise InputError(
                f"{name_of(path)}:{line}: expected {width} cells, as in the first line, "
                f"found {len(row)}."
            )
    if not rows:
        raise InputError(f"{name_of(path)}: the table has a header, but no rows.")
    chosen, held = _places(path, header, width, shape, targets)
    X = _as_numbers([[row[j] for j in chosen] for row in rows], lines, path)
    if not held:
        return Table(X)
    y = np.array([[row[j].strip() for j in held] for row in rows])
    return Table(X, y[:, 0] if len(held) == 1 else y)


def _places(
    path: PathLike, header: list[str] | None, width: int, shape: Shape, targets: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Return the columns of features, in the order of the model, and those of targets."""
    if header is None:
        return list(range(width)), []
    place = {name: column for column, name in enumerate(header)}
    if len(place) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InputError(f"{name_of(path)}:1: the column {twice!r} occurs twice.")
    held = [place[name] for name in targets] if set(targets) <= place.keys() else []
    if shape.names is None:
        return [column for column in range(width) if column not in held], held
    for name in shape.names:
        if name not in place:
            raise InputError(
                f"{name_of(path)}:1: there is no column {name!r}, one of the "
                f"{shape.n_features} features of the model."
            )
    return [place[name] for name in shape.names], held


def _as_numbers(cells: list[list[str]], lines: list[int], path: PathLike) -> AnyArray:
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        for row, line in zip(cells, lines, strict=True):
            for cell in row:
                if not _is_number(cell):
                    raise InputError(
                        f"{name_of(path)}:{line}: expected a number, found {cell!r:.60}."
                    ) from None
        raise


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_svmlight(line: str) -> bool:
    """Return whether a line is a target and pairs of svmlight, one of them at least."""
    head = TARGETS.match(line)
    rest = PAIRS.fullmatch(line, head.end()) if head else None
    return rest is not None and bool(rest[2])


def _svmlight(path: PathLike, text: str, shape: Shape, several: bool) -> Table:
    """Return features and targets of svmlight; features are numbered from 1, or from 0."""
    from sklearn.datasets import load_svmlight_file

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            X, y = load_svmlight_file(io.BytesIO(text.encode()), multilabel=several)[:2]
    except (ValueError, OverflowError) as error:
        for number, line in enumerate(text.split("\n"), 1):
            head = TARGETS.match(line.lstrip())
            if line.strip() and not line.lstrip().startswith("#"):
                if head is None or not PAIRS.fullmatch(line.lstrip().rstrip(), head.end()):
                    raise InputError(
                        f"{name_of(path)}:{number}: expected svmlight, a target and then "
                        f"number:value of features, found {line.strip()!r:.60}; tables end in "
                        ".csv or .tsv, matrices in .npy or .npz."
                    ) from None
        said = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{name_of(path)}: no svmlight ({said}).") from None
    if X.shape[1] < shape.n_features:  # features at the end are zero in all rows
        X.resize(X.shape[0], shape.n_features)
    return Table(X, y)
