"""Rows of data: scaled features, offsets of scores, and some rows with all that belongs to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, column_or_1d

from laconic.core.arrays import Array, Ints, MatrixLike


def standardized(X: MatrixLike, weight: Array) -> tuple[Any, Array]:
    """Return features divided by their weighted standard deviations, and these, (p,).

    Nothing is centred: sparse input stays sparse, and an intercept, which nothing penalises, makes
    centred and plain columns the same problem. A constant feature is left as it is.
    """
    scaler = StandardScaler(with_mean=False).fit(X, sample_weight=weight)
    scale: Array = np.asarray(scaler.scale_, dtype=np.float64)
    rows: Any = X
    if not sp.issparse(rows):
        return rows / scale.astype(rows.dtype), scale
    scaled = rows.copy()
    if scaled.format == "csr":
        scaled.data /= scale[scaled.indices]
    else:
        scaled.data /= np.repeat(scale, np.diff(scaled.indptr))
    return scaled, scale


def as_offset(offset: ArrayLike, n_rows: int, n_outputs: int) -> Array:
    """Return offsets of scores as an array of shape (n, K), checked."""
    table = np.asarray(offset, dtype=np.float64)
    if table.ndim == 1 and n_outputs == 1:
        table = table[:, None]
    if table.shape != (n_rows, n_outputs) or not np.all(np.isfinite(table)):
        wanted = f"({n_rows},)" if n_outputs == 1 else f"({n_rows}, {n_outputs})"
        raise ValueError(
            f"offset must hold finite numbers of shape {wanted}, one per score, "
            f"got shape {np.shape(offset)}"
        )
    return table


class RowData(NamedTuple):
    """What a model is fitted to: rows, targets, and optionally weights and offsets of rows.

    Parameters
    ----------
    X : sparse matrix or array of shape (n, p)
        Rows of features.
    y : array of shape (n,)
        Targets.
    weight : array of shape (n,) or None, default=None
        Weight of each row.
    offset : array of shape (n,) or (n, K) or None, default=None
        What is added to the scores of each row.
    """

    X: Any
    y: Any
    weight: Any = None
    offset: Any = None

    def take(self, rows: Ints) -> RowData:
        """Return some of the rows, with all that belongs to them."""
        return RowData(*(None if part is None else _safe_indexing(part, rows) for part in self))

    @classmethod
    def of(
        cls,
        X: MatrixLike,
        y: ArrayLike,
        weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> RowData:
        """Return data whose parts have the same number of rows, or raise a ValueError."""
        rows: Any = X.tocsr() if sp.issparse(X) else X  # type: ignore[union-attr]
        if not sp.issparse(rows) and not hasattr(rows, "iloc"):
            rows = np.asarray(rows)
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        targets = np.asarray(y)
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = column_or_1d(targets, warn=True)
        found = cls(
            rows, targets, *(None if p is None else np.asarray(p) for p in (weight, offset))
        )
        n = _num_samples(rows)
        for name, part in zip(("y", "sample_weight", "offset"), found[1:], strict=True):
            if part is not None and _num_samples(part) != n:
                raise ValueError(f"X has {n} rows, but {name} has {_num_samples(part)} entries")
        return found
