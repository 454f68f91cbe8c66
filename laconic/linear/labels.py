"""Several labels per row: indicator matrices, or lists of labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.multiclass import type_of_target

from laconic.core.arrays import AnyArray, Array


class Labels(NamedTuple):
    """Indicators (n, K) of labels, and whether they were given as lists."""

    indicator: Array
    labels: AnyArray
    lists: bool

    def like_given(self, chosen: AnyArray) -> Any:
        """Return predictions (n, K) in the form that the labels were given in."""
        if not self.lists:
            return chosen.astype(np.int64)
        return [self.labels[row].tolist() for row in chosen.astype(bool)]


def read_labels(y: object, known: AnyArray | None = None) -> Labels | None:
    """Return the labels of rows that may have several, or None where each row has one class.

    `known`: the labels of the training data, which others are refused beside.
    """
    if isinstance(y, sp.spmatrix | sp.sparray):
        y = np.asarray(y.toarray())
    if _are_lists(y):
        given = [list(row) for row in y]
        names = np.unique([label for row in given for label in row]) if known is None else known
        if len(names) == 0:
            raise ValueError("no row has a label: there is nothing to learn")
        unknown = {label for row in given for label in row} - set(names.tolist())
        if unknown:
            raise ValueError(f"the label {min(unknown)!r} is not among those of the training data")
        found = MultiLabelBinarizer(classes=names).fit_transform(given)
        return Labels(found.astype(np.float64), names, True)
    if getattr(y, "ndim", 2) < 2 or type_of_target(y) != "multilabel-indicator":
        return None
    indicator: Array = np.asarray(y, dtype=np.float64)
    return Labels(indicator, np.arange(indicator.shape[1]), False)


def _are_lists(y: Any) -> TypeGuard[Sequence[Collection[Any]]]:
    """Return whether the rows are lists or sets of labels, and no matrix of numbers."""
    if not isinstance(y, Sequence) and getattr(getattr(y, "dtype", None), "kind", "") != "O":
        return False
    if getattr(y, "ndim", 1) != 1 or len(y) == 0:
        return False
    if not all(isinstance(row, list | tuple | set | frozenset) for row in y):
        return False
    entries = [entry for row in y for entry in row]
    alike = len({len(row) for row in y}) == 1
    numbers = all(isinstance(entry, int | float | np.number) for entry in entries)
    return not (alike and numbers and set(entries) <= {0, 1})
