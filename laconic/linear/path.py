"""Regularization paths for any penalty: a grid of strengths, warm starts, cross-validation."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import AnyArray, Array, Ints, MatrixLike
from laconic.core.penalties import Ridge
from laconic.core.report import Reported
from laconic.linear.base import SparseLinear, available

ScoreFunction: TypeAlias = Callable[[Any, MatrixLike, ArrayLike], float]


class Path(NamedTuple):
    """One fit per strength, strongest first.

    Parameters
    ----------
    strengths : array of shape (S,)
        Strengths of the penalty, from large to small.
    weights : sparse matrix of shape (S, features x outputs)
        Weights of each fit.
    intercepts : array of shape (S, outputs)
        Intercepts of each fit.
    objectives, certificates : array of shape (S,)
        Objective and certificate of each fit.
    selected : array of shape (S,)
        Number of features with a weight that is not zero.
    seconds : array of shape (S,)
        Seconds that each fit took.
    """

    strengths: Array
    weights: sp.csr_matrix
    intercepts: Array
    objectives: Array
    certificates: Array
    selected: Ints
    seconds: Array


def strength_grid(highest: float, n_strengths: int, ratio: float) -> Array:
    """Return `n_strengths` numbers from `highest` down to ratio * highest, geometric."""
    if not np.isfinite(highest) or highest <= 0:
        highest = 1.0
    return np.geomspace(highest, highest * ratio, n_strengths)


def regularization_path(
    estimator: SparseLinear,
    X: MatrixLike,
    y: ArrayLike,
    strengths: ArrayLike | None = None,
    n_strengths: int = 50,
    ratio: float = 1e-3,
    sample_weight: ArrayLike | None = None,
) -> Path:
    """Fit min loss + strength * penalty at every strength, each from the solution before it.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor
        Model with any penalty, whose strength is replaced.
    X : sparse matrix or array of shape (n, p)
        One row of features per example.
    y : array of shape (n,)
        Target of each example.
    strengths : array or None, default=None
        Strengths to fit; None is a geometric grid down from where all weights are zero.
    n_strengths : int, default=50
        Number of strengths of the grid.
    ratio : float, default=1e-3
        Smallest strength of the grid over the largest.
    sample_weight : array of shape (n,) or None, default=None
        Weight of each example; None weights all alike.

    Returns
    -------
    Path
        Strengths, weights, intercepts, objectives, certificates, numbers of features, seconds.

    Examples
    --------
    >>> from laconic import L1, SparseRegressor, regularization_path
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> path = regularization_path(SparseRegressor(L1()), X, y, strengths=[2.0, 0.2, 0.002])
    >>> path.strengths.tolist(), path.selected.tolist()
    ([2.0, 0.2, 0.002], [0, 1, 2])
    """
    estimator = clone(estimator)
    base = estimator.chosen_penalty()
    problem = estimator.build_problem(X, y, sample_weight)
    if strengths is None:
        highest = 1e3 if isinstance(base, Ridge) else problem.strength_max()
        strengths = strength_grid(highest, n_strengths, ratio)
    grid: Array = np.sort(np.asarray(strengths, dtype=np.float64))[::-1]
    spread = problem.penalty
    rows, x = [], None
    weights = []
    for strength in grid:
        began = time.perf_counter()
        problem.penalty = spread.replace(strength=float(strength)).check()
        result = estimator.solve(problem, x)
        x = result.x
        w, b = problem.parts(x)
        weights.append(sp.csr_matrix(w))
        features = np.any(w.reshape(-1, problem.design.n_outputs) != 0, axis=1)
        rows.append(
            (
                b.copy(),
                problem.value(x),
                result.error,
                int(features.sum()),
                time.perf_counter() - began,
            )
        )
    return Path(
        grid,
        sp.vstack(weights, format="csr"),
        np.array([r[0] for r in rows]),
        np.array([r[1] for r in rows]),
        np.array([r[2] for r in rows]),
        np.array([r[3] for r in rows], dtype=np.int64),
        np.array([r[4] for r in rows]),
    )


def _held_out_scores(
    estimator: SparseLinear,
    X: MatrixLike,
    y: ArrayLike,
    split: tuple[Ints, Ints],
    strengths: Array,
    scorer: ScoreFunction,
) -> Array:
    """Return the score of every strength on the test part of a split."""
    train, test = split
    fitted = clone(estimator)
    X_train, y_train = _safe_indexing(X, train), _safe_indexing(y, train)
    X_test, y_test = _safe_indexing(X, test), _safe_indexing(y, test)
    problem = fitted.build_problem(X_train, y_train)
    spread, x, scores = problem.penalty, None, []
    for strength in strengths:
        problem.penalty = spread.replace(strength=float(strength)).check()
        result = fitted.solve(problem, x)
        x = result.x
        scores.append(
            scorer(fitted.adopt(problem, result._replace(converged=True)), X_test, y_test)
        )
    return np.array(scores)


def _has_probabilities(search: StrengthCV) -> bool:
    return hasattr(search.estimator, "predict_proba")


class StrengthCV(Reported, MetaEstimatorMixin, BaseEstimator):
    """argmax over strengths of the mean held-out score: cross-validation along warm-started paths.

    Of several best strengths the largest is taken.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor
        Model with any penalty, whose strength is chosen.
    strengths : array or None, default=None
        Strengths to try; None is a geometric grid down from where all weights are zero.
    n_strengths : int, default=30
        Number of strengths of the grid.
    ratio : float, default=1e-3
        Smallest strength of the grid over the largest.
    cv : int, splitter or iterable, default=5
        Number of folds, or splits as scikit-learn has them.
    scoring : str, callable or None, default=None
        Score as scikit-learn has it; None is the model's own `score`.
    n_jobs : int or None, default=None
        Number of processes; -1 uses all processors.

    Attributes
    ----------
    best_strength_ : float
        The chosen strength.
    best_score_ : float
        Its mean held-out score.
    best_estimator_ : SparseClassifier or SparseRegressor
        The model fitted with it to all data.
    strengths_ : array of shape (S,)
        The strengths tried, from large to small.
    scores_ : array of shape (S, folds)
        Their held-out scores.
    report_ : FitReport
        Report of the fit to all data; its seconds are those of the whole search.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1, SparseRegressor, StrengthCV
    >>> X = np.arange(24.0).reshape(12, 2) % 5
    >>> search = StrengthCV(SparseRegressor(L1()), strengths=[10.0, 0.01], cv=3).fit(X, X[:, 0])
    >>> search.best_strength_
    0.01
    """

    def __init__(
        self,
        estimator: SparseLinear,
        strengths: ArrayLike | None = None,
        n_strengths: int = 30,
        ratio: float = 1e-3,
        cv: object = 5,
        scoring: str | ScoreFunction | None = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.strengths = strengths
        self.n_strengths = n_strengths
        self.ratio = ratio
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: ArrayLike) -> StrengthCV:
        """Score the path on every split, then fit the best strength to all data.

        Parameters
        ----------
        X : sparse matrix or array of shape (n, p)
            One row of features per example.
        y : array of shape (n,)
            Target of each example.

        Returns
        -------
        self
            The fitted search.
        """
        began = time.perf_counter()
        if self.strengths is None:
            problem = clone(self.estimator).build_problem(X, y)
            grid = strength_grid(problem.strength_max(), self.n_strengths, self.ratio)
        else:
            grid = np.sort(np.asarray(self.strengths, dtype=np.float64))[::-1]
        splits = list(check_cv(self.cv, y, classifier=is_classifier(self.estimator)).split(X, y))
        scorer = (
            get_scorer(self.scoring)
            if self.scoring is not None
            else lambda model, X, y: model.score(X, y)
        )
        jobs = (
            delayed(_held_out_scores)(self.estimator, X, y, split, grid, scorer) for split in splits
        )
        self.strengths_ = grid
        self.scores_ = np.array(Parallel(n_jobs=self.n_jobs)(jobs)).T
        best = int(np.argmax(self.scores_.mean(axis=1)))
        self.best_strength_ = float(grid[best])
        self.best_score_ = float(self.scores_[best].mean())
        penalty = self.estimator.chosen_penalty()
        self.best_estimator_ = (
            clone(self.estimator)
            .set_params(penalty=penalty.replace(strength=self.best_strength_), strength=None)
            .fit(X, y)
        )
        self.report_ = replace(self.best_estimator_.report_, seconds=time.perf_counter() - began)
        return self

    def predict(self, X: MatrixLike) -> AnyArray:
        """Return the predictions of the best estimator."""
        check_is_fitted(self)
        predicted: AnyArray = self.best_estimator_.predict(X)
        return predicted

    @available(_has_probabilities)
    def predict_proba(self, X: MatrixLike) -> Array:
        """Return the probabilities of the best estimator."""
        check_is_fitted(self)
        probabilities: Array = self.best_estimator_.predict_proba(X)
        return probabilities

    def score(self, X: MatrixLike, y: ArrayLike) -> float:
        """Return the score of the best estimator."""
        check_is_fitted(self)
        return float(self.best_estimator_.score(X, y))

    @property
    def classes_(self) -> AnyArray:
        """Classes of the best estimator."""
        classes: AnyArray = self.best_estimator_.classes_
        return classes
