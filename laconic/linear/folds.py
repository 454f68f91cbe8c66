"""Held-out scores along paths: which rows are held out, and one warm-started path per fold."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils.multiclass import type_of_target

from laconic.core.arrays import Array, Ints
from laconic.linear.base import SparseLinear
from laconic.linear.grid import PathStart, path_start
from laconic.linear.path import walk
from laconic.linear.rows import RowData
from laconic.linear.scoring import Metric


class FoldPath(NamedTuple):
    """What one fold says of the strengths of a path.

    Parameters
    ----------
    scores : array of shape (S, M)
        Score of each strength by each metric.
    selected : array of shape (S,)
        Number of features with a weight that is not zero.
    seconds : array of shape (S,)
        Seconds of each fit and its scores.
    x : array of shape (n_weights,)
        The last solution, from which a longer path goes on.
    """

    scores: Array
    selected: Ints
    seconds: Array
    x: Array

    def then(self, further: FoldPath) -> FoldPath:
        """Return this path with weaker strengths after it."""
        return FoldPath(
            np.concatenate([self.scores, further.scores]),
            np.concatenate([self.selected, further.selected]),
            np.concatenate([self.seconds, further.seconds]),
            further.x,
        )


def make_splits(
    cv: object, data: RowData, groups: ArrayLike | None, estimator: object, seed: object
) -> list[tuple[Ints, Ints]]:
    """Return the rows that train and those that test, per fold.

    A number of folds shuffles the rows, keeps the shares of classes, and keeps groups together.
    """
    splitter: Any = cv
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        n = int(cv)
        strata = is_classifier(estimator) and type_of_target(data.y) in ("binary", "multiclass")
        if groups is not None:
            splitter = StratifiedGroupKFold(n, shuffle=True, random_state=seed) if strata else None
            splitter = GroupKFold(n) if splitter is None else splitter
        else:
            kind = StratifiedKFold if strata else KFold
            splitter = kind(n, shuffle=True, random_state=seed)
    found = check_cv(splitter, data.y, classifier=is_classifier(estimator))
    return list(found.split(data.X, data.y, groups))


def setting_start(estimator: SparseLinear, data: RowData) -> tuple[SparseLinear, PathStart]:
    """Return a copy of the estimator that knows the form of the data, and where its path begins."""
    fitted = clone(estimator)
    problem = fitted.build_problem(*data)
    return fitted, path_start(fitted, problem)


def fold_path(
    estimator: SparseLinear,
    data: RowData,
    split: tuple[Ints, Ints],
    strengths: Array,
    metrics: Sequence[Metric],
    x: Array | None = None,
) -> FoldPath:
    """Return scores of every strength on the rows that a split holds out."""
    fitted, held_out = clone(estimator), data.take(split[1])
    problem = fitted.pose(*data.take(split[0]))
    scores, selected, seconds = [], [], []
    last = problem.start(x if x is not None and len(x) == problem.n_weights else None)
    began = time.perf_counter()
    for result in walk(fitted, problem, strengths, last):
        # Whether a fit inside a search converged is in the table of the path, not a warning.
        model = fitted.adopt(problem, result._replace(converged=True))
        scores.append([metric.measure(model, held_out) for metric in metrics])
        selected.append(model.n_selected_)
        now, last = time.perf_counter(), result.x
        seconds.append(now - began)
        began = now
    return FoldPath(np.array(scores), np.array(selected), np.array(seconds), last)
