"""TemporalLinear: what linear models whose weights move over time have in common.

    min_W  sum_n s_n loss(y_n, x_n W^(t_n) + b + d^(t_n)) + penalty(trajectories of W and d)

Every feature i has one weight per step of time, w_i = (w_i^(1), .., w_i^(T)); d, the drift, is the
trajectory of a feature that is always 1. A forecast uses the weights of the last step.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from laconic.core.arrays import Array, Ints, MatrixLike
from laconic.core.designs.steps import Steps
from laconic.core.losses import Gold, Loss
from laconic.core.penalties import Penalty
from laconic.core.penalties.names import as_penalty
from laconic.core.penalties.naming import over_more
from laconic.core.problem import Problem, RowSum, pose
from laconic.core.report import Callback
from laconic.core.solvers.base import Result, Solver
from laconic.core.solvers.choose import choose_solver
from laconic.core.threads import thread_count
from laconic.linear.base import SparseLinear
from laconic.time.adaptive import AdaptivePrior
from laconic.time.learn import TIME_PENALTIES, over_time, run_empirical, starting_weights
from laconic.time.times import TimeGrid, make_clock

if TYPE_CHECKING:
    from typing_extensions import Self

MODES = ("moving", "pooled", "last")


class TemporalLinear(SparseLinear):
    """Common base of TemporalRegressor and TemporalClassifier, which document the parameters."""

    warm_start = False
    classes_: NDArray[Any]
    clock_: TimeGrid
    trajectories_: Array
    drift_: Array
    alpha_: Array
    penalty_: Penalty
    steps_: list[str]

    def __init__(
        self,
        penalty: Penalty | str | None = None,
        loss: Loss | None = None,
        solver: Solver | None = None,
        fit_intercept: bool = True,
        drift: bool = True,
        mode: str = "moving",
        step: str | float | None = None,
        start: Penalty | None = None,
        fit_tau: bool = False,
        tol: float = 1e-3,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        strength: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.drift = drift
        self.mode = mode
        self.step = step
        self.start = start
        self.fit_tau = fit_tau
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.strength = strength

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def make_penalty(self, given: Penalty | str | None) -> Penalty:
        """See TakesPenalty; None is AdaptivePrior()."""
        return as_penalty(given, None, "adaptive", TIME_PENALTIES)

    def build_problem(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        times: ArrayLike | None = None,
    ) -> Problem:
        """Return the problem that `fit` solves, from checked data.

        Learned attributes that depend on the shape of the data alone are set.
        """
        if self.mode not in MODES:
            raise ValueError(f"mode must be {', '.join(map(repr, MODES))}, got {self.mode!r}")
        rows, gold = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            multi_output=False,
            y_numeric=self._numeric,
        )
        weight = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        self.clock_, steps = clock_of(times, len(gold), self.step)
        if len(steps) != len(gold):
            raise ValueError(f"there are {len(gold)} rows, but {len(steps)} times")
        if self.mode == "last":
            newest = np.flatnonzero(steps == steps.max())
            rows, gold, weight = rows[newest], gold[newest], weight[newest]
        if self.mode != "moving":
            steps = np.zeros(len(gold), dtype=np.int64)
        n_steps = self.clock_.n_steps if self.mode == "moving" else 1
        loss, target, n_outputs, weight = self._encode(gold, weight)
        self._drifts = bool(self.drift and n_steps > 1)
        if self._drifts:
            rows = sp.hstack([sp.csr_matrix(rows), np.ones((rows.shape[0], 1))], format="csr")
        design = Steps(
            rows, steps, n_steps, n_outputs, self.fit_intercept, thread_count(self.n_jobs)
        )
        stated = as_penalty(self.penalty, self.strength, "adaptive", TIME_PENALTIES)
        if self._drifts:  # the drift is a feature in no group
            stated = over_more(stated, self.n_features_in_, self.n_features_in_ + 1)
        penalty = over_time(stated, design)
        weight = np.ascontiguousarray(weight, dtype=np.float64)
        return pose(design, loss, Gold(target, weight, n_outputs), penalty)

    def fit(  # type: ignore[override]  # times precede weights: without them there is no point
        self,
        X: MatrixLike,
        y: ArrayLike,
        times: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Learn weights for every step of time.

        Parameters
        ----------
        X : matrix of shape (n, p)
            Rows of features, dense or sparse.
        y : array of shape (n,)
            Targets or labels.
        times : array of shape (n,), optional
            Time of each row; by default all rows belong to one step.
        sample_weight : array of shape (n,), optional
            Weight of each row in the loss.
        callback : callable, optional
            Called with the Event of each step; the fit stops if it returns True.
        """
        began = time.perf_counter()
        problem = self.build_problem(X, y, sample_weight, times)
        adaptive = isinstance(problem.penalty, AdaptivePrior)
        x0 = self.begin(problem, callback) if adaptive else None
        if self.fit_tau and adaptive:
            solver = self.solver
            if solver is None:
                solver = choose_solver(
                    problem.penalty, self.tol, self.max_iter, problem.smooth_loss
                )
            result = run_empirical(solver, problem, x0, callback)
        else:
            result = self.solve(problem, x0, callback)
        self.adopt(problem, result)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def begin(self, problem: Problem, callback: Callback | None = None) -> Array:
        """Return where AdaptivePrior starts, see laconic.time.learn.starting_weights."""
        return starting_weights(problem, self.start, callback)

    def adopt(self, problem: RowSum, result: Result) -> Self:
        """Take over a solver's result as the fitted model."""
        weights, intercept = problem.parts(result.x)
        design = problem.design
        assert isinstance(design, Steps)
        K, T = design.n_outputs, design.n_steps
        table = weights.reshape(-1, T, K)
        level = intercept if self.fit_intercept else np.zeros(K)
        p = self.n_features_in_
        self.trajectories_ = table[:p].copy() if K > 1 else table[:p, :, 0].copy()
        drift = level + (table[p] if self._drifts else np.zeros((T, K)))
        self.drift_ = drift if K > 1 else drift[:, 0]
        self.penalty_ = problem.penalty
        if isinstance(problem.penalty, AdaptivePrior):
            alpha = problem.penalty.posterior(weights).alpha.reshape(len(table), -1)
            self.alpha_ = alpha[:p, 0] if alpha.shape[1] == 1 else alpha[:p]
        self.loss_ = problem.loss
        self.take_last_step()
        self._keep_report(problem, result)
        return self

    def take_last_step(self) -> None:
        """Set the names of the steps, and the weights of the last one, from what was learned."""
        n_steps = len(self.drift_)
        if n_steps > 1 or self.mode == "moving":
            self.steps_ = self.clock_.labels()
        else:
            self.steps_ = [self.clock_.label(self.clock_.n_steps - 1)]
        last = self._plain(n_steps - 1, self.loss_)
        self.coef_, self.intercept_ = last.coef_, last.intercept_

    def _plain(self, step: int, loss: Loss) -> SparseLinear:
        """Return the model of one step, whose weights do not move."""
        plain = self._one()
        coef = self.trajectories_[:, step]
        plain.coef_ = np.ascontiguousarray(coef.T) if coef.ndim == 2 else coef.copy()[None, :]
        plain.intercept_ = np.atleast_1d(self.drift_[step]).astype(np.float64)
        plain.n_features_in_ = self.n_features_in_
        plain.loss_ = loss
        return plain

    def _one(self) -> SparseLinear:
        raise AttributeError(
            "TemporalLinear is the common base: use TemporalRegressor or TemporalClassifier"
        )

    def at(self, step: object) -> SparseLinear:
        """Return the model of a step as a SparseRegressor or SparseClassifier.

        The step is named by its label or by a time in it.
        """
        check_is_fitted(self)
        place = self.clock_.find(step) if len(self.steps_) > 1 else 0
        return self._plain(place, self.loss_)

    @property
    def n_selected_(self) -> int:
        """Number of features with a weight that is not zero at some step."""
        table = self.trajectories_.reshape(self.n_features_in_, -1)
        return int(np.count_nonzero(np.any(table != 0, axis=1)))


def clock_of(
    times: ArrayLike | None, n_rows: int, step: str | float | None
) -> tuple[TimeGrid, Ints]:
    """Return the clock of training times and the step of each; without times all are one step."""
    return make_clock(np.zeros(n_rows), None) if times is None else make_clock(times, step)
