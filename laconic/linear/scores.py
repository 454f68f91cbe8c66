"""Scores of a linear model on a matrix with targets, as `laconic evaluate` prints them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import AnyArray, MatrixLike
from laconic.errors import InputError
from laconic.linear.base import SparseLinear
from laconic.linear.model import SparseClassifier, SparseRegressor
from laconic.linear.tables import Table, read_targets
from laconic.text import metrics
from laconic.text.io import name_of

TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def scores(model: SparseLinear, rows: Table, path: str, target: str) -> dict[str, Any]:
    """Return the accuracy and scores of labels, or the errors of numbers, and the mean loss.

    Parameters
    ----------
    model : SparseClassifier or SparseRegressor
        A fitted model.
    rows : Table
        Rows of features, with targets unless these are in a file of their own.
    path : str
        The file of the rows, for messages.
    target : str
        The file of the targets, where `rows` has none.
    """
    y = rows.y
    if y is None:
        if not os.path.isfile(target):
            raise InputError(
                f"{name_of(path)}: there are no targets and no file {target!r}: give --target, "
                "a column of a table or a file with one target per row."
            )
        path, y = target, read_targets(target)
    n_rows = rows.X.shape[0]
    if len(y) != n_rows:
        raise InputError(f"{name_of(path)}: there are {n_rows} rows, but {len(y)} targets.")
    if isinstance(model, SparseRegressor):
        return {"rows": n_rows, **_of_numbers(model, rows.X, _as_numbers(y, path), path)}
    assert isinstance(model, SparseClassifier)
    if model.labels_ is not None:
        return {"rows": n_rows, **_of_several(model, rows.X, y, path)}
    return {"rows": n_rows, **_of_labels(model, rows.X, _like(model.classes_, y, path))}


def _of_numbers(model: SparseRegressor, X: MatrixLike, y: AnyArray, path: str) -> dict[str, Any]:
    from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

    try:
        found: dict[str, Any] = {"mean_loss": model.mean_loss(X, y)}
        if hasattr(model, "baseline_"):
            return {"concordance": model.score(X, y), **found}
        predicted = model.predict(X)
        if np.shape(predicted) != np.shape(y):
            raise ValueError(f"expected targets of shape {np.shape(predicted)}, got {np.shape(y)}")
        found["mse"] = float(mean_squared_error(y, predicted))
        found["mae"] = float(mean_absolute_error(y, predicted))
        found["r2"] = float(r2_score(y, predicted)) if len(y) > 1 and np.ptp(y) > 0 else None
    except InputError:
        raise
    except ValueError as error:  # targets that the loss does not take
        said = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{name_of(path)}: {said}.") from None
    return found


def _of_labels(model: SparseClassifier, X: MatrixLike, gold: AnyArray) -> dict[str, Any]:
    """Return the scores of one class per row; a label the model does not know is missed."""
    predicted = model.predict(X)
    found = metrics.label_scores(gold.astype(str), predicted.astype(str))
    names = ("label", *found._fields[1:])
    known = bool(np.isin(gold, model.classes_).all())
    return {
        "accuracy": metrics.accuracy(gold.astype(str), predicted.astype(str)),
        "macro_f1": float(found.f1.mean()),
        "mean_loss": model.mean_loss(X, gold) if known else None,
        "labels": [
            dict(zip(names, row, strict=True))
            for row in zip(*(column.tolist() for column in found), strict=True)
        ],
    }


def _of_several(model: SparseClassifier, X: MatrixLike, y: ArrayLike, path: str) -> dict[str, Any]:
    """Return the scores of several labels per row: svmlight's lists, or indicators."""
    classes = model.classes_
    if isinstance(y, list):  # svmlight gives numbers
        gold = np.array([np.isin(classes.astype(str), _texts(row, classes)) for row in y])
    else:
        gold = _as_numbers(y, path)
        if gold.shape != (len(gold), len(classes)):
            raise InputError(
                f"{name_of(path)}: expected {len(classes)} indicators per row, one per label."
            )
        gold = gold > 0
    guessed = model.decision_function(X) > 0
    right = gold & guessed
    f1 = 2 * right.sum(axis=0) / np.maximum(1, gold.sum(axis=0) + guessed.sum(axis=0))
    rows = zip(classes.tolist(), f1.tolist(), gold.sum(axis=0).tolist(), strict=True)
    return {
        "accuracy": float((gold == guessed).all(axis=1).mean()),
        "macro_f1": float(f1.mean()),
        "labels": [{"label": label, "f1": one, "support": n} for label, one, n in rows],
    }


def _texts(row: Iterable[Any], classes: AnyArray) -> list[str]:
    """Return the labels of a row of svmlight as the text of the model's labels."""
    whole = classes.dtype.kind in "iu"
    return [str(int(label)) if whole and label == int(label) else str(label) for label in row]


def _as_numbers(y: ArrayLike, path: str) -> AnyArray:
    """Return targets as numbers; booleans of a table may be words."""
    try:
        return np.asarray(y, dtype=np.float64)
    except ValueError:
        pass
    flat = np.ravel(y)
    words = [TRUTHS.get(cell.lower(), cell) if isinstance(cell, str) else cell for cell in flat]
    for row, cell in enumerate(words):
        try:
            words[row] = float(cell)
        except ValueError:
            raise InputError(
                f"{name_of(path)}: row {row * np.shape(y)[0] // len(flat) + 1} has the target "
                f"{str(cell)!r:.60}, expected a number."
            ) from None
    return np.reshape(words, np.shape(y)).astype(np.float64)


def _like(classes: AnyArray, y: ArrayLike, path: str) -> AnyArray:
    """Return labels as the model has them: text, numbers, or true and false."""
    given = np.asarray(y)
    if given.ndim != 1:
        raise InputError(f"{name_of(path)}: expected one label per row, found {given.shape[1]}.")
    if classes.dtype.kind in "UO":
        if given.dtype.kind == "f" and np.all(given == given.astype(np.int64)):
            given = given.astype(np.int64)  # svmlight has 1.0 for the label 1
        return given.astype(str)
    numbers = _as_numbers(given, path)
    if classes.dtype.kind == "b":
        return numbers.astype(bool)
    return numbers.astype(classes.dtype) if np.all(numbers == numbers.astype(int)) else numbers
