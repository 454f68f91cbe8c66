"""SparseClassifier and SparseRegressor: a matrix in, a small linear model out, with a certificate."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.extmath import safe_sparse_dot, softmax
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from laconic.core.arrays import Array
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Logistic, Loss, Multinomial, Squared, SquaredHinge
from laconic.core.penalties import L1, Penalty
from laconic.core.problem import Objective, Problem
from laconic.core.report import Callback, FitReport, Reported, in_one_line
from laconic.core.solvers.base import Result, Solver
from laconic.core.solvers.choose import choose_solver


class SparseLinear(Reported, BaseEstimator):
    """min_{w, b} sum_i s_i loss(y_i, x_i w + b) + penalty(w), common to classifiers and regressors.

    Parameters
    ----------
    penalty : Penalty, default L1(1.0)
    loss : Loss, default by the target
    solver : Solver, default by the penalty
    fit_intercept : bool, the intercept is never penalised
    tol : float, the certificate (relative duality gap) to reach when solver is None
    max_iter : int or None, steps at most when solver is None
    warm_start : bool, start from the last fit
    n_jobs : int or None, threads
    """

    def __init__(
        self,
        penalty: Penalty | None = None,
        loss: Loss | None = None,
        solver: Solver | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ):
        self.penalty = penalty
        self.loss = loss
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def build_problem(self, X: Any, y: Any, sample_weight: Any = None) -> Problem:
        """The problem that `fit` solves, from checked data; sets the names learned from the data's form."""
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=("csr", "csc"),
            dtype=np.float64,
            multi_output=False,
            y_numeric=self._numeric,
        )
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        loss, target, n_outputs, weight = self._encode(y, weight)
        design = Rows(X, n_outputs, self.fit_intercept, effective_n_jobs(self.n_jobs))
        penalty = (self.penalty if self.penalty is not None else L1()).check().spread(n_outputs)
        return Problem(
            design,
            loss,
            Gold(target, np.ascontiguousarray(weight, dtype=np.float64), n_outputs),
            penalty,
        )

    _numeric = False

    def _encode(self, y: NDArray, weight: Array) -> tuple[Loss, Array, int, Array]:
        raise AttributeError(
            "SparseLinear is the common base: use SparseClassifier or SparseRegressor"
        )

    def solve(
        self,
        problem: Problem,
        x0: Array | None = None,
        callback: Callback | None = None,
    ) -> Result:
        """Run the given or the suitable solver."""
        solver = (
            self.solver
            if self.solver is not None
            else choose_solver(problem.penalty, self.tol, self.max_iter)
        )
        return solver.run(problem, x0, callback)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        callback: Callback | None = None,
    ) -> Any:
        """Learn coef_ and intercept_. A callback sees the Event of each step and may stop the fit by returning True."""
        began = time.perf_counter()
        problem = self.build_problem(X, y, sample_weight)
        x0 = getattr(self, "_x", None) if self.warm_start else None
        result = self.solve(
            problem, x0 if x0 is not None and len(x0) == problem.n_weights else None, callback
        )
        self.adopt(problem, result)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def adopt(self, problem: Problem, result: Result) -> Any:
        """Take over a solver's result as the fitted model."""
        weights, intercept = problem.parts(result.x)
        K = problem.design.n_outputs
        self.coef_ = np.ascontiguousarray(weights.reshape(-1, K).T)
        self.intercept_: Any = intercept.copy() if self.fit_intercept else np.zeros(K)
        if self.warm_start:
            self._x = result.x.copy()
        return self._keep_report(problem, result)

    def _keep_report(self, problem: Problem, result: Result) -> Any:
        """Keep what a solver found besides the weights; a warning if it stopped too early."""
        self.loss_, self.result_ = problem.loss, result
        self.report_ = fit_report(
            self, problem, result, features=(self.n_features_in_, self.n_selected_)
        )
        return self

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=np.float64, reset=False)
        return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_

    @property
    def n_selected_(self) -> int:
        """Features with a weight that is not zero."""
        return int(np.count_nonzero(np.any(np.atleast_2d(self.coef_) != 0, axis=0)))


def fit_report(
    learner: object,
    problem: Objective,
    result: Result,
    features: tuple[int, int] = (0, 0),
) -> FitReport:
    """Return the report of a solver's result, with a warning if the solver stopped too early.

    `features`: how many there are, and how many of them have a weight that is not zero.
    """
    if not result.converged and not result.interrupted:
        warnings.warn(
            f"stopped after {result.n_iter} steps with a certificate of {result.error:.1e}: "
            "raise max_iter or tol, or scale the features",
            ConvergenceWarning,
            stacklevel=5,
        )
    groups_total, groups_kept = problem.penalty.count_groups(problem.parts(result.x)[0])
    return FitReport(
        learner=in_one_line(learner),
        objective=problem.value(result.x),
        certificate=result.error,
        n_iter=result.n_iter,
        converged=result.converged,
        interrupted=result.interrupted,
        features_total=features[0],
        features_kept=features[1],
        groups_total=groups_total,
        groups_kept=groups_kept,
        trace=tuple(result.trace),
        seconds=result.trace[-1].seconds if result.trace else 0.0,
    )


class SparseRegressor(RegressorMixin, SparseLinear):
    """min_{w, b} sum_i s_i (x_i w + b - y_i)^2 / 2 + penalty(w), or with loss=Poisson() counts. See SparseLinear for the parameters."""

    _numeric = True

    def _encode(self, y: NDArray, weight: Array) -> tuple[Loss, Array, int, Array]:
        loss = self.loss if self.loss is not None else Squared()
        if loss.classifies:
            raise ValueError(
                f"SparseRegressor takes the Squared or Poisson loss, got {type(loss).__name__}"
            )
        return loss, np.ascontiguousarray(y, dtype=np.float64), 1, weight

    def adopt(self, problem: Problem, result: Result) -> SparseRegressor:
        """See SparseLinear; coef_ is (p,), intercept_ a number."""
        super().adopt(problem, result)
        self.coef_ = self.coef_.ravel()
        self.intercept_ = float(self.intercept_[0])
        return self

    def predict(self, X: Any) -> Array:
        """X w + b; exp of it with the Poisson loss."""
        scores = self._scores(X)
        return self.loss_.response(scores)


def _has_probabilities(estimator: Any) -> bool:
    return not isinstance(estimator.loss, SquaredHinge)


class SparseClassifier(ClassifierMixin, SparseLinear):
    """min_{w, b} sum_i s_i loss(y_i, x_i W + b) + penalty(W): logistic for two classes, multinomial for more.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
    Others as in SparseLinear.
    """

    def __init__(
        self,
        penalty: Penalty | None = None,
        loss: Loss | None = None,
        solver: Solver | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        class_weight: Any = None,
    ):
        super().__init__(penalty, loss, solver, fit_intercept, tol, max_iter, warm_start, n_jobs)
        self.class_weight = class_weight

    def _encode(self, y: NDArray, weight: Array) -> tuple[Loss, Array, int, Array]:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"a classifier needs at least two classes, but the labels hold only one class: {self.classes_[0]!r}"
            )
        loss = (
            self.loss
            if self.loss is not None
            else (Logistic() if len(self.classes_) == 2 else Multinomial())
        )
        if not loss.classifies:
            raise ValueError(
                f"SparseClassifier takes a classification loss, got {type(loss).__name__}"
            )
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        return loss, codes.astype(np.float64), loss.n_outputs(len(self.classes_)), weight

    def decision_function(self, X: Any) -> Array:
        """Scores: (n,) for the second of two classes, (n, K) otherwise."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return scores.ravel()
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray:
        """The class with the highest score."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, (n, K)."""
        scores = self._scores(X)
        if isinstance(self.loss_, Multinomial):
            return softmax(scores)
        positive = 1.0 / (1.0 + np.exp(-np.clip(scores, -500, 500)))
        if scores.shape[1] == 1:
            return np.hstack([1 - positive, positive])
        return positive / positive.sum(axis=1, keepdims=True)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of predict_proba."""
        return np.log(self.predict_proba(X))
