"""What linear classifiers and regressors share: from a matrix to a problem and back."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from laconic.core.arrays import AnyArray, Array, MatrixLike
from laconic.core.backend import active_backend
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Loss
from laconic.core.penalties import Penalty
from laconic.core.penalties.parameter import TakesPenalty
from laconic.core.problem import Objective, Problem, RowSum, pose
from laconic.core.report import Callback, FitReport, Reported, in_one_line
from laconic.core.solvers.base import Result, Solver
from laconic.core.threads import thread_count
from laconic.linear.rows import as_offset, standardized
from laconic.models.save import Saved

LinearT = TypeVar("LinearT", bound="SparseLinear")
MethodT = TypeVar("MethodT", bound=Callable[..., object])

KEPT = (np.float64, np.float32)  # types of values that are used as they are, others become float64


class SparseLinear(Saved, Reported, TakesPenalty):
    """min_{w, b} sum_i s_i loss(y_i, x_i w + b) + penalty(w), common to classifiers and regressors.

    Parameters
    ----------
    penalty : Penalty, str or None, default=None
        Penalty of the weights, or its name, such as "l1" or "elastic"; None is "l1".
    loss : Loss, str or None, default=None
        Loss of an example, or its name; None chooses one by the target.
    solver : Solver or None, default=None
        Solver of the problem; None chooses one that suits the penalty.
    fit_intercept : bool, default=True
        Whether there is an intercept, which is never penalised.
    tol : float, default=1e-4
        Certificate (relative duality gap) to reach when `solver` is None.
    max_iter : int or None, default=None
        Number of steps, at most, when `solver` is None.
    warm_start : bool, default=False
        Whether `fit` starts from the weights of the last fit.
    n_jobs : int or None, default=None
        Number of threads; -1 uses all processors.
    strength : float or None, default=None
        Strength of the penalty; None keeps the penalty's own, which is 1 unless given.
    standardize : bool, default=False
        Whether the penalty sees features divided by their standard deviations. Nothing is centred,
        so sparse input stays sparse; an intercept has the same effect. Weights are those of the
        features as given.
    relax : float, default=0.0
        Share of a refit without the penalty on the features that it selected, from 0 (none) to 1
        (the refit alone).
    """

    _numeric = False
    scale_: Array | None = None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]  # of data with names
    baseline_: tuple[Array, Array]  # times and cumulative hazards, of survival models
    intercept_: Any  # (K,), or the number of a regressor

    def __init__(
        self,
        penalty: Penalty | str | None = None,
        loss: Loss | str | None = None,
        solver: Solver | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        strength: float | None = None,
        standardize: bool = False,
        relax: float = 0.0,
    ):
        self.penalty = penalty
        self.loss = loss
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.strength = strength
        self.standardize = standardize
        self.relax = relax

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def build_problem(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Problem:
        """Return the problem that `fit` solves, from checked data.

        Sets the attributes that depend on the form of the data alone, such as classes_.
        """
        rows, targets = validate_data(
            self,
            X,
            self._read_targets(y),
            accept_sparse=("csr", "csc"),
            dtype=KEPT,
            multi_output=self._several(y),
            y_numeric=self._numeric,
        )
        weight = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        if self.standardize:
            rows, self.scale_ = standardized(rows, weight)
        loss, target, n_outputs, weight = self._encode(targets, weight)
        intercept = self.fit_intercept and loss.takes_intercept
        design = Rows(rows, n_outputs, intercept, thread_count(self.n_jobs))
        if offset is not None:
            design.offset = as_offset(offset, design.n_rows, n_outputs).ravel()
        penalty = self.chosen_penalty().spread(n_outputs)
        return pose(
            design,
            loss,
            Gold(target, np.ascontiguousarray(weight, dtype=np.float64), n_outputs),
            penalty,
        )

    def pose(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> RowSum:
        """Return the problem that `fit` solves, over rows on this machine or on a cluster."""
        backend = active_backend()
        if backend is not None:
            return backend.pose(self, X, y, sample_weight, offset)
        return self.build_problem(X, y, sample_weight, offset)

    def _read_targets(self, y: ArrayLike) -> ArrayLike:
        """Return targets in a form that scikit-learn can check."""
        return y

    def _several(self, y: ArrayLike) -> bool:
        """Return whether a row may have several targets."""
        return False

    def _encode(self, y: AnyArray, weight: Array) -> tuple[Loss, Array, int, Array]:
        """Return the loss, encoded targets, number of outputs and sample weights."""
        raise AttributeError(
            "SparseLinear is the common base: use SparseClassifier or SparseRegressor"
        )

    def solve(
        self,
        problem: RowSum,
        x0: Array | None = None,
        callback: Callback | None = None,
    ) -> Result:
        """Return the result of the given solver, or of one that suits the penalty."""
        from laconic.core.solvers.choose import solver_for  # not needed to predict

        solver = (
            self.solver if self.solver is not None else solver_for(problem, self.tol, self.max_iter)
        )
        return solver.run(problem, x0, callback)

    def fit(
        self: LinearT,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        callback: Callback | None = None,
        offset: ArrayLike | None = None,
    ) -> LinearT:
        """Learn coef_ and intercept_.

        Parameters
        ----------
        X : sparse matrix or array of shape (n, p)
            One row of features per example.
        y : array of shape (n,)
            Target of each example.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each example; None weights all alike.
        callback : callable or None, default=None
            Called with the Event of each step; True stops the fit.
        offset : array of shape (n,) or (n, K) or None, default=None
            What is added to the scores of each row, such as the logarithm of its exposure.

        Returns
        -------
        self
            The fitted model.
        """
        began = time.perf_counter()
        problem = self.pose(X, y, sample_weight, offset)
        x0 = getattr(self, "_x", None) if self.warm_start else None
        result = self.solve(
            problem, x0 if x0 is not None and len(x0) == problem.n_weights else None, callback
        )
        self.adopt(problem, result)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def adopt(self: LinearT, problem: RowSum, result: Result) -> LinearT:
        """Take over a solver's result as the fitted model."""
        weights, intercept = self.plain_parts(problem, result)
        K = problem.design.n_outputs
        self.coef_ = np.ascontiguousarray(weights.reshape(-1, K).T)
        self.intercept_ = problem.loss.settled(intercept) if len(intercept) else np.zeros(K)
        if self.warm_start:
            self._x = result.x.copy()
        self._keep_report(problem, result)
        return self

    def final_point(self, problem: RowSum, result: Result) -> Array:
        """Return the solution, relaxed if that is asked for."""
        from laconic.linear.relaxed import relaxed_point  # not needed to predict

        return relaxed_point(self, problem, result.x) if self.relax else result.x

    def plain_parts(self, problem: RowSum, result: Result) -> tuple[Array, Array]:
        """Return the weights of the features as given, relaxed, and the intercept."""
        weights, intercept = problem.parts(self.final_point(problem, result))
        if self.standardize and self.scale_ is not None:
            weights = weights / np.repeat(self.scale_, problem.design.n_outputs)
        return weights, intercept

    def _keep_report(self, problem: RowSum, result: Result) -> None:
        """Keep what a solver found besides the weights; a warning if it stopped too early."""
        self.loss_, self.result_ = problem.loss, result
        self.report_ = fit_report(
            self, problem, result, features=(self.n_features_in_, self.n_selected_)
        )

    def _scores(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=KEPT, reset=False)
        weights = self.coef_.T  # (p, K), or (p,) of a regressor
        if X.dtype == np.float32:  # NumPy and SciPy would copy X in double precision
            design = Rows(X, weights[:1].size, False, thread_count(self.n_jobs))
            products: Array = design.score(weights.ravel()).reshape(-1, *weights.shape[1:])
        else:
            products = safe_sparse_dot(X, weights, dense_output=True)
        scores: Array = products + self.intercept_
        if offset is not None:
            table = as_offset(offset, len(scores), 1 if scores.ndim == 1 else scores.shape[1])
            scores = scores + table.reshape(scores.shape)
        return scores

    def mean_loss(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Return the mean of the model's own loss over rows, such as the log-loss.

        Parameters
        ----------
        X : sparse matrix or array of shape (n, p)
            One row of features per example.
        y : array of shape (n,)
            Target of each example.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each example; None weights all alike.
        offset : array of shape (n,) or (n, K) or None, default=None
            What is added to the scores of each row.

        Returns
        -------
        float
            Log-loss of a classifier, half of the mean squared error of a regression, half of the
            deviance of counts.
        """
        scores = np.ascontiguousarray(self._scores(X, offset), dtype=np.float64)
        table = scores.reshape(len(scores), -1)
        weight = _check_sample_weight(
            sample_weight, table, dtype=np.float64, ensure_non_negative=True
        )
        gold = Gold(self._targets(y), np.ascontiguousarray(weight), table.shape[1])
        return float(self.loss_.bind(gold).value_residual(table.ravel())[0] / weight.sum())

    def _targets(self, y: ArrayLike) -> Array:
        """Return targets as the loss of the fitted model takes them."""
        return np.ascontiguousarray(y, dtype=np.float64)

    @property
    def n_selected_(self) -> int:
        """Number of features with a weight that is not zero."""
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
        certificate_kind=result.certificate_kind,
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


def available(condition: Callable[[Any], bool]) -> Callable[[MethodT], MethodT]:
    """Return a decorator of methods that exist only where a condition of the model holds."""
    decorator: Callable[[MethodT], MethodT] = available_if(condition)
    return decorator
