"""Rows in parts: of Dask arrays and data frames, of lists of matrices, of one matrix here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.core.arrays import Ints
from laconic.distributed.untyped import Given
from laconic.errors import InputError
from laconic.linear.rows import RowData

BlockSource = tuple[Given, Given, Given, Given, int]  # X, y, weight, offset and number of a block


def is_dask(X: Given) -> bool:
    """Return whether something is a collection of Dask."""
    return hasattr(X, "__dask_graph__")


def feature_names(X: Given) -> NDArray[np.object_] | None:
    """Return the names of the columns of a data frame."""
    columns = getattr(X, "columns", None)
    return None if columns is None else np.asarray(list(columns), dtype=object)


def as_parts(
    X: Given, y: Given, weight: Given, offset: Given, n_blocks: Callable[[int], int]
) -> list[BlockSource]:
    """Return parts of rows with all that belongs to them; of Dask's they are still to compute."""
    if is_dask(X):
        return _of_dask(X, y, weight, offset)
    if isinstance(X, list | tuple) and X and all(_is_part(one) for one in X):
        return _of_lists(X, y, weight, offset)
    data = RowData.of(X, y, weight, offset)
    n = data.X.shape[0]
    cuts = np.linspace(0, n, min(n_blocks(_n_bytes(data.X)), max(n, 1)) + 1).astype(np.int64)
    found = []
    for number in range(len(cuts) - 1):
        rows = np.arange(cuts[number], cuts[number + 1])
        found.append((*data.take(rows), number))
    return found


def _n_bytes(X: Given) -> int:
    return int(X.data.nbytes + X.indices.nbytes) if sp.issparse(X) else int(np.asarray(X).nbytes)


def _is_part(one: Given) -> bool:
    return sp.issparse(one) or getattr(one, "ndim", 0) == 2 or hasattr(one, "key")


def _of_lists(X: Given, y: Given, weight: Given, offset: Given) -> list[BlockSource]:
    columns = [X]
    for name, part in (("y", y), ("sample_weight", weight), ("offset", offset)):
        if part is not None and (not isinstance(part, list | tuple) or len(part) != len(X)):
            raise InputError(f"X is a list of {len(X)} blocks: expected {name} as such a list.")
        columns.append([None] * len(X) if part is None else part)
    return [(*parts, number) for number, parts in enumerate(zip(*columns, strict=True))]


def _of_dask(X: Given, y: Given, weight: Given, offset: Given) -> list[BlockSource]:
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array(lengths=True)
    if any(np.isnan(size) for size in X.chunks[0]):
        X = X.compute_chunk_sizes()
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    cuts = np.cumsum((0, *X.chunks[0]))
    columns = [X.to_delayed().ravel().tolist()]
    for name, part in (("y", y), ("sample_weight", weight), ("offset", offset)):
        columns.append([None] * len(columns[0]) if part is None else _cut(part, name, X, cuts))
    return [(*parts, number) for number, parts in enumerate(zip(*columns, strict=True))]


def _cut(part: Given, name: str, X: Given, cuts: Ints) -> list[Any]:
    """Return the parts of what belongs to rows, cut like these."""
    if not is_dask(part):
        table = np.asarray(part)
        if len(table) != cuts[-1]:
            raise InputError(f"X has {cuts[-1]} rows, but {name} has {len(table)} entries.")
        return np.split(table, cuts[1:-1])
    if hasattr(part, "to_dask_array"):
        part = part.to_dask_array(lengths=True)
    if any(np.isnan(size) for size in part.chunks[0]):
        part = part.compute_chunk_sizes()
    if part.shape[0] != cuts[-1]:
        raise InputError(f"X has {cuts[-1]} rows, but {name} has {part.shape[0]} entries.")
    found: list[Any] = part.rechunk({0: X.chunks[0]}).to_delayed().ravel().tolist()
    return found
