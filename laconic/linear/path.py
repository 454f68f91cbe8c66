"""Regularization paths for any penalty: strength_max down a geometric grid, warm starts, cross-validation over it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array
from laconic.core.penalties import L1, Ridge
from laconic.core.report import Reported
from laconic.linear.model import SparseLinear


class Path(NamedTuple):
    """One fit a strength, strongest first; weights as a sparse matrix (strengths, features x outputs)."""

    strengths: Array
    weights: sp.csr_matrix
    intercepts: Array
    objectives: Array
    certificates: Array
    selected: NDArray[np.int64]
    seconds: Array


def strength_grid(highest: float, n_strengths: int, ratio: float) -> Array:
    """Highest * (1 ... ratio), geometric."""
    if not np.isfinite(highest) or highest <= 0:
        highest = 1.0
    return np.geomspace(highest, highest * ratio, n_strengths)


def regularization_path(
    estimator: SparseLinear,
    X: Any,
    y: Any,
    strengths: Any = None,
    n_strengths: int = 50,
    ratio: float = 1e-3,
    sample_weight: Any = None,
) -> Path:
    """Fit the estimator's penalty at every strength, each from the solution before it."""
    estimator = clone(estimator)
    base = estimator.penalty if estimator.penalty is not None else L1()
    problem = estimator.build_problem(X, y, sample_weight)
    if strengths is None:
        highest = 1e3 if isinstance(base, Ridge) else problem.strength_max()
        strengths = strength_grid(highest, n_strengths, ratio)
    strengths = np.sort(np.asarray(strengths, dtype=np.float64))[::-1]
    spread = problem.penalty
    rows, x = [], None
    weights = []
    for strength in strengths:
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
        strengths,
        sp.vstack(weights, format="csr"),
        np.array([r[0] for r in rows]),
        np.array([r[1] for r in rows]),
        np.array([r[2] for r in rows]),
        np.array([r[3] for r in rows], dtype=np.int64),
        np.array([r[4] for r in rows]),
    )


def _held_out_scores(
    estimator: SparseLinear, X: Any, y: Any, split: tuple, strengths: Array, scorer: Any
) -> Array:
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


def _delegates(name: str) -> Any:
    return lambda estimator: hasattr(estimator.estimator, name)


class StrengthCV(Reported, MetaEstimatorMixin, BaseEstimator):
    """The estimator at the strength with the best mean held-out score over a warm-started path; ties go to the stronger.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor with any penalty
    strengths : array or None, default n_strengths from strength_max down to ratio * strength_max
    cv, scoring, n_jobs : as in scikit-learn
    """

    def __init__(
        self,
        estimator: SparseLinear,
        strengths: Any = None,
        n_strengths: int = 30,
        ratio: float = 1e-3,
        cv: Any = 5,
        scoring: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.strengths = strengths
        self.n_strengths = n_strengths
        self.ratio = ratio
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> StrengthCV:
        """Score the path on every split, then fit the best strength on all data."""
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
        penalty = self.estimator.penalty if self.estimator.penalty is not None else L1()
        self.best_estimator_ = (
            clone(self.estimator)
            .set_params(penalty=penalty.replace(strength=self.best_strength_))
            .fit(X, y)
        )
        self.report_ = replace(self.best_estimator_.report_, seconds=time.perf_counter() - began)
        return self

    def predict(self, X: Any) -> NDArray:
        """Prediction of the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @available_if(_delegates("predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def score(self, X: Any, y: Any) -> float:
        """Score of the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.score(X, y)

    @property
    def classes_(self) -> NDArray:
        """Classes of the best estimator."""
        return self.best_estimator_.classes_
