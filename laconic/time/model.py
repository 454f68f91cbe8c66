"""TemporalRegressor and TemporalClassifier: linear models whose weights move over time, learned from the past for what comes next.

    min_W  sum_n s_n loss(y_n, x_n W^(t_n) + b + d^(t_n)) + penalty(trajectories of W and d)

Every feature i has a weight for every step of time, w_i = (w_i^(1), .., w_i^(T)); d, the drift, is the trajectory of a feature that is
always 1. A forecast uses the weights of the last step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from laconic.core.arrays import Array
from laconic.core.designs.rows import Rows
from laconic.core.designs.steps import Steps
from laconic.core.losses import Gold, Loss
from laconic.core.penalties import Penalty
from laconic.core.problem import Problem
from laconic.core.report import Callback
from laconic.core.solvers.base import Result, Solver
from laconic.core.solvers.choose import choose_solver
from laconic.linear.model import SparseClassifier, SparseLinear, SparseRegressor
from laconic.models.save import Saved
from laconic.time.fused import OverTime
from laconic.time.times import make_clock
from laconic.time.trajectories import AdaptivePrior, SmoothRidge, Trajectories
from laconic.time.variational import run_empirical

MODES = ("moving", "pooled", "last")


def over_time(penalty: Penalty, design: Steps) -> Penalty:
    """The penalty over the weights of a design."""
    penalty = penalty.check()
    if isinstance(penalty, (Trajectories, OverTime)):
        penalty = penalty.replace(n_steps=design.n_steps)
    penalty = penalty.spread(design.n_outputs)
    if isinstance(penalty, (Trajectories, OverTime)):
        penalty.threads = design.threads
    return penalty


class TemporalLinear(Saved, SparseLinear):
    """What models of both kinds share.

    Parameters
    ----------
    penalty : Penalty, default AdaptivePrior(); SmoothRidge, FusedLasso and SmoothGroupLasso are about trajectories too, any other one sees
        every weight of every step for itself
    loss : Loss, default by the target
    solver : Solver, default by the penalty
    fit_intercept : bool, a constant that nothing penalises
    drift : bool, whether the constant may move too, under the penalty
    mode : "moving"; "pooled": weights that do not move, from all rows; "last": from the rows of the last step alone
    step : "year", "quarter", "month", "week" or "day" for dates, a width for numbers, None for times that are steps already
    start : Penalty of a first fit, where AdaptivePrior begins, over trajectories or (L1, ..) over weights that do not move; default a
        SmoothRidge by the data (see `begin`)
    fit_tau : bool, whether the AdaptivePrior's tau is fitted too (empirical Bayes)
    tol : float, the certificate to reach when solver is None
    max_iter : int or None, steps at most when solver is None
    n_jobs : int or None, threads

    Attributes
    ----------
    trajectories_ : (p, T), or (p, T, K) for K > 2 classes; drift_ : (T,) or (T, K), intercept included
    coef_, intercept_ : those of the last step
    clock_, steps_ : which time belongs to which step; what the steps are called
    alpha_ : (p,) the mean of every feature's autocorrelation, from -1/2 (does not move) to 0; AdaptivePrior alone
    penalty_ : the penalty as it was used
    certificate_, converged_, objective_, n_iter_, result_ : as in SparseRegressor;  interrupted_ : whether a callback stopped the fit
    """

    warm_start = False
    classes_: NDArray

    def __init__(
        self,
        penalty: Penalty | None = None,
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
    ):
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

    def build_problem(
        self, X: Any, y: Any, sample_weight: Any = None, times: Any = None
    ) -> Problem:
        """The problem that `fit` solves, from checked data; sets the names learned from the data's form."""
        if self.mode not in MODES:
            raise ValueError(f"mode must be {', '.join(map(repr, MODES))}, got {self.mode!r}")
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            multi_output=False,
            y_numeric=self._numeric,
        )
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.clock_, steps = (
            make_clock(np.zeros(len(y)), None) if times is None else make_clock(times, self.step)
        )
        if len(steps) != len(y):
            raise ValueError(f"there are {len(y)} rows, but {len(steps)} times")
        if self.mode == "last":
            rows = np.flatnonzero(steps == steps.max())
            X, y, weight = X[rows], y[rows], weight[rows]
        if self.mode != "moving":
            steps = np.zeros(len(y), dtype=np.int64)
        n_steps = self.clock_.n_steps if self.mode == "moving" else 1
        loss, target, n_outputs, weight = self._encode(y, weight)
        self._drifts = bool(self.drift and n_steps > 1)
        if self._drifts:
            X = sp.hstack([sp.csr_matrix(X), np.ones((X.shape[0], 1))], format="csr")
        design = Steps(
            X, steps, n_steps, n_outputs, self.fit_intercept, effective_n_jobs(self.n_jobs)
        )
        penalty = over_time(self.penalty if self.penalty is not None else AdaptivePrior(), design)
        return Problem(
            design,
            loss,
            Gold(target, np.ascontiguousarray(weight, dtype=np.float64), n_outputs),
            penalty,
        )

    def fit(  # type: ignore[override]  # times come before weights, since without them there is no point
        self,
        X: Any,
        y: Any,
        times: Any = None,
        sample_weight: Any = None,
        callback: Callback | None = None,
    ) -> Any:
        """Learn from rows with times (None: all at once). A callback sees the Event of each step and may stop the fit by returning True."""
        problem = self.build_problem(X, y, sample_weight, times)
        x0 = self.begin(problem, callback) if isinstance(problem.penalty, AdaptivePrior) else None
        if self.fit_tau and isinstance(problem.penalty, AdaptivePrior):
            solver = (
                self.solver
                if self.solver is not None
                else choose_solver(problem.penalty, self.tol, self.max_iter)
            )
            result = run_empirical(solver, problem, x0, callback).result
        else:
            result = self.solve(problem, x0, callback)
        return self.adopt(problem, result)

    def begin(self, problem: Problem, callback: Callback | None = None) -> Array:
        """Where AdaptivePrior begins: the weights of a fit with the penalty `start` over trajectories.

        Its bound has many optima, and a trajectory that begins near zero stays there, so that all features must begin with weights of the
        size that their own effect has. By default they come from a smooth ridge as strong as half the mean of the sums of squares of a
        feature at a step: it halves a weight that stands alone. A `start` that is not about trajectories, such as L1, gives weights that do
        not move: those of a fit to all rows alike, which do not see features whose effect is none on average. A callback sees the steps
        of this fit too.
        """
        design = problem.design
        assert isinstance(design, Steps)
        penalty = self.start
        if penalty is None:
            squares = design.curvature(np.repeat(problem.gold.weight, design.n_outputs))
            penalty = SmoothRidge(strength=max(1e-9, 0.5 * float(squares.mean())), smoothness=10.0)
        if isinstance(penalty, (Trajectories, OverTime)):
            first = Problem(design, problem.loss, problem.gold, over_time(penalty, design))
            # A start need not be an optimum.
            return choose_solver(first.penalty, 1e-2, max_iter=30).run(first, callback=callback).x
        still = Rows(design.pooled(), design.n_outputs, self.fit_intercept, design.threads)
        first = Problem(still, problem.loss, problem.gold, penalty.check().spread(design.n_outputs))
        weights, intercept = first.parts(
            choose_solver(first.penalty, 1e-3).run(first, callback=callback).x
        )
        table = np.repeat(weights.reshape(-1, 1, design.n_outputs), design.n_steps, axis=1)
        return np.concatenate([table.ravel(), intercept])

    def adopt(self, problem: Problem, result: Result) -> Any:
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
        return self._settled()._keep_report(problem, result)

    def _settled(self) -> Any:
        """What follows from trajectories, drift, loss and clock: names of steps, and the weights of the last one."""
        n_steps = len(self.drift_)
        labels = (
            self.clock_.labels()
            if n_steps > 1 or self.mode == "moving"
            else [self.clock_.label(self.clock_.n_steps - 1)]
        )
        self.steps_ = labels
        last = self._plain(n_steps - 1, self.loss_)
        self.coef_, self.intercept_ = last.coef_, last.intercept_
        return self

    def _plain(self, step: int, loss: Loss) -> Any:
        """The model of one step, whose weights do not move."""
        plain = self._one()
        coef = self.trajectories_[:, step]
        plain.coef_ = np.ascontiguousarray(coef.T) if coef.ndim == 2 else coef.copy()[None, :]
        plain.intercept_ = np.atleast_1d(self.drift_[step]).astype(np.float64)
        plain.n_features_in_ = self.n_features_in_
        plain.loss_ = loss
        return plain

    def _one(self) -> Any:
        raise AttributeError(
            "TemporalLinear is the common base: use TemporalRegressor or TemporalClassifier"
        )

    def at(self, step: Any) -> Any:
        """The model of a step, named by its label or by a time in it, as a SparseRegressor or SparseClassifier."""
        check_is_fitted(self)
        place = self.clock_.find(step) if len(self.steps_) > 1 else 0
        return self._plain(place, self.loss_)

    @property
    def n_selected_(self) -> int:
        """Features with a weight that is not zero at some step."""
        table = self.trajectories_.reshape(self.n_features_in_, -1)
        return int(np.count_nonzero(np.any(table != 0, axis=1)))


class TemporalRegressor(TemporalLinear, SparseRegressor):
    """A real target (Squared) or counts (Poisson) from rows with times, by weights that move. See TemporalLinear for the parameters."""

    def _one(self) -> SparseRegressor:
        return SparseRegressor()

    def _plain(self, step: int, loss: Loss) -> SparseRegressor:
        plain = super()._plain(step, loss)
        plain.coef_, plain.intercept_ = plain.coef_.ravel(), float(plain.intercept_[0])
        return plain


class TemporalClassifier(TemporalLinear, SparseClassifier):
    """Classes from rows with times, by weights that move: logistic for two, multinomial for more.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
    Others as in TemporalLinear.
    """

    def __init__(
        self,
        penalty: Penalty | None = None,
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
        class_weight: Any = None,
    ):
        super().__init__(
            penalty,
            loss,
            solver,
            fit_intercept,
            drift,
            mode,
            step,
            start,
            fit_tau,
            tol,
            max_iter,
            n_jobs,
        )
        self.class_weight = class_weight

    def _one(self) -> SparseClassifier:
        plain = SparseClassifier()
        plain.classes_ = self.classes_
        return plain
