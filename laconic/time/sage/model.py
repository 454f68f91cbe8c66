"""TemporalTextModel: sparse additive models of text whose effects move over time.

    p(word v | effects x, step t)  =  exp(theta_tv + sum_j x_j w_jv^(t)) / Z
    min_W  -sum_n sum_v c_nv log p(v | x_n, t_n) + penalty(trajectories of W)

SAGE (Eisenstein et al. 2011) over time (Yogatama 2015, section 3.4.3). theta is the background, the
log-frequencies of words; every w_jv deviates from it, for an effect j of the documents (a region,
an economic variable, or 1 for the constant), and moves over time as the penalty says. Future
documents are described with the weights of the last step.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, validate_data

from laconic.core.arrays import Array, MatrixLike
from laconic.core.designs.effects import Effects
from laconic.core.penalties import Penalty
from laconic.core.penalties.names import NamedPenalties, as_penalty
from laconic.core.penalties.parameter import TakesPenalty
from laconic.core.report import Callback, Reported
from laconic.core.solvers.base import Result, Solver
from laconic.core.threads import thread_count
from laconic.linear.base import fit_report
from laconic.models.save import Saved
from laconic.time.adaptive import AdaptivePrior
from laconic.time.base import MODES, clock_of
from laconic.time.learn import TIME_PENALTIES, over_time, run_empirical
from laconic.time.problem import CountProblem
from laconic.time.sage.learn import (
    log_frequencies,
    pool_rows,
    starting_weights,
    suitable_solver,
    text_prior,
    weights_on,
)
from laconic.time.sage.predict import EffectPredictor
from laconic.time.sage.reader import DatedReader
from laconic.time.times import TimeGrid

BACKGROUNDS = ("all", "steps")


class TemporalTextModel(Saved, Reported, TakesPenalty, EffectPredictor):
    """p(word v | effects x, step t) = exp(theta_tv + sum_j x_j w_jv^(t)) / Z.

    How likely words are, given what is observed of a document and when it was written.

    Parameters
    ----------
    penalty : str, Penalty or None, default=None
        Penalty of the trajectories, by default "adaptive", an AdaptivePrior that suits word counts.
        Names are those of TemporalRegressor.
    solver : Solver or None, default=None
        Solver, by default the one that suits the penalty.
    constant : bool, default=True
        Whether there is an effect that all documents have: words that come and go by themselves.
    background : {"all", "steps"}, default="all"
        Background frequencies: of all training documents, or of those of each step.
    smoothing : float, default=1000.0
        Number of words with the frequencies of all documents that are added to each step.
    mode : {"moving", "pooled", "last"}, default="moving"
        Whether weights move, are the same at all steps (pooled), or come from the last step alone.
    step : str, float or None, default=None
        Length of a step: year, quarter, month, week or day for dates, a width for numbers.
        None for times that are steps already.
    start : Penalty or None, default=None
        Penalty of the fit from which AdaptivePrior starts.
        By default SmoothRidge(strength=1, smoothness=10).
    fit_tau : bool, default=False
        Whether the tau of AdaptivePrior is fitted too (empirical Bayes).
    tol : float, default=1e-4
        Certificate to reach if no solver is given.
    max_iter : int or None, default=None
        Maximum number of steps if no solver is given.
    warm_start : bool, default=False
        Whether to start where the last fit ended; new steps start as its last one.
    reader : DatedReader or None, default=None
        Names of the words and effects; without one they are numbers.
    n_jobs : int or None, default=None
        Number of threads; -1 for all cores.
    strength : float or None, default=None
        Strength of the penalty; None keeps the penalty's own.

    Attributes
    ----------
    trajectories_ : ndarray of shape (n_effects, n_steps, n_words)
        Weights; the constant is the last effect.
    background_ : ndarray of shape (n_steps, n_words)
        theta, the log-frequencies of the background.
    clock_ : TimeGrid
        Which time belongs to which step.
    steps_ : list of str
        Names of the steps.
    alpha_ : ndarray of shape (n_effects, n_words), or (n_effects,) if words share it
        Mean autocorrelation, from -1/2 (does not move) to 0; AdaptivePrior alone.
    penalty_ : Penalty
        The penalty as it was used.
    report_ : FitReport
        Objective, certificate, number of steps ..

    Examples
    --------
    >>> counts = np.array([[9, 1, 5], [8, 2, 5], [2, 8, 5], [1, 9, 5]])
    >>> south = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> model = TemporalTextModel().fit(counts, south, times=[0, 1, 0, 1])
    >>> model.predict_log_proba([[1.0]]).argmax(axis=1).tolist()
    [1]
    >>> [word.word for word in model.top_words("0", 1)]
    ['1']
    """

    alpha_: Array
    penalty_: Penalty
    _before: tuple[TimeGrid, Array] | None

    def __init__(
        self,
        penalty: Penalty | str | None = None,
        solver: Solver | None = None,
        constant: bool = True,
        background: str = "all",
        smoothing: float = 1000.0,
        mode: str = "moving",
        step: str | float | None = None,
        start: Penalty | None = None,
        fit_tau: bool = False,
        tol: float = 1e-4,
        max_iter: int | None = None,
        warm_start: bool = False,
        reader: DatedReader | None = None,
        n_jobs: int | None = None,
        strength: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.solver = solver
        self.constant = constant
        self.background = background
        self.smoothing = smoothing
        self.mode = mode
        self.step = step
        self.start = start
        self.fit_tau = fit_tau
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.reader = reader
        self.n_jobs = n_jobs
        self.strength = strength

    def make_penalty(self, given: Penalty | str | None) -> Penalty:
        """Return the penalty that a value of the parameter means."""
        return as_penalty(given, None, "adaptive", TIME_PENALTIES)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def fit(
        self,
        X: MatrixLike,
        effects: MatrixLike | None = None,
        times: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        callback: Callback | None = None,
    ) -> TemporalTextModel:
        """Learn weights of words for every effect and step.

        Parameters
        ----------
        X : matrix of shape (n, n_words)
            Counts of words, dense or sparse.
        effects : matrix of shape (n, n_effects), optional
            What is observed of each document.
        times : array of shape (n,), optional
            Time of each document; by default all belong to one step.
        sample_weight : array of shape (n,), optional
            Weight of each document.
        callback : callable, optional
            Called with the Event of each step; the fit stops if it returns True.
        """
        began = time.perf_counter()
        problem = self.build_problem(X, effects, times, sample_weight)
        solver = self.solver
        if solver is None:
            solver = suitable_solver(problem.penalty, self.tol, self.max_iter)
        x0 = self._begin(problem, callback)
        if self.fit_tau and isinstance(problem.penalty, AdaptivePrior):
            result = run_empirical(solver, problem, x0, callback)
        else:
            result = solver.run(problem, x0, callback)
        self.adopt(problem, result)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def build_problem(
        self,
        X: MatrixLike,
        effects: MatrixLike | None = None,
        times: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> CountProblem:
        """Return the problem that `fit` solves; rows with equal effects at a step are pooled.

        Learned attributes that depend on the shape of the data alone are set.
        """
        self._check_parameters()
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        counts = sp.csr_matrix(X)
        if counts.shape[1] < 2 or np.any(counts.data < 0):
            raise ValueError("counts of at least two words are needed, none of them negative")
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        clock, steps = clock_of(times, counts.shape[0], self.step)
        if len(steps) != counts.shape[0]:
            raise ValueError(f"there are {counts.shape[0]} rows of counts, but {len(steps)} times")
        counts = sp.diags_array(weight) @ counts
        given = self._checked_effects(effects, counts.shape[0])
        self.n_effects_in_ = given.shape[1]
        table = self._with_constant(given)
        smoothing = self.smoothing if self.background == "steps" else None
        if self.mode == "moving":
            theta = log_frequencies(counts, steps, clock.n_steps, smoothing)
        elif self.mode == "last" and smoothing is not None:
            theta = log_frequencies(counts, np.where(steps == steps.max(), 0, 1), 2, smoothing)[:1]
        else:
            theta = log_frequencies(counts, np.zeros_like(steps), 1, smoothing)
        if self.mode == "last":
            rows = np.flatnonzero(steps == steps.max())
            counts, table, steps = counts[rows], table[rows], steps[rows]
        if self.mode != "moving":
            steps = np.zeros(len(steps), dtype=np.int64)
        pooled, first = pool_rows(table, steps)
        design = Effects(table[first], steps[first], theta, thread_count(self.n_jobs))
        named: NamedPenalties = {**TIME_PENALTIES, "adaptive": partial(text_prior, len(theta))}
        stated = as_penalty(self.penalty, self.strength, "adaptive", named)
        warm = self.warm_start and hasattr(self, "trajectories_")
        self._before = (self.clock_, self.trajectories_) if warm else None
        self.clock_ = clock
        return CountProblem(design, pooled @ counts, over_time(stated, design))

    def _check_parameters(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"mode must be {', '.join(map(repr, MODES))}, got {self.mode!r}")
        if self.background not in BACKGROUNDS:
            raise ValueError(
                f"background must be {' or '.join(map(repr, BACKGROUNDS))}, got {self.background!r}"
            )
        if not (np.isfinite(self.smoothing) and self.smoothing > 0):
            raise ValueError(f"smoothing must be a positive number, got {self.smoothing!r}")

    def _begin(self, problem: CountProblem, callback: Callback | None) -> Array | None:
        """Return where a fit starts: at the last one, or where AdaptivePrior starts."""
        design = problem.design
        if self._before is not None:
            shape = (design.n_steps, design.n_weights)
            found = weights_on(self.clock_, self._before, shape)
            if found is not None:
                return found
        if not isinstance(problem.penalty, AdaptivePrior):
            return None
        return starting_weights(problem, self.start, callback)

    def adopt(self, problem: CountProblem, result: Result) -> TemporalTextModel:
        """Take over a solver's result as the fitted model."""
        design = problem.design
        J = self.n_effects_in_ + self.constant
        self.trajectories_ = result.x.reshape(J, design.n_steps, design.n_outputs).copy()
        self.background_ = design.background
        self.name_steps()
        self.penalty_, self.result_ = problem.penalty, result
        if isinstance(problem.penalty, AdaptivePrior):
            alpha = problem.penalty.posterior(result.x).alpha
            self.alpha_ = alpha if problem.penalty.shared else alpha.reshape(J, -1)
        features = J * design.n_outputs, self.n_selected_
        self.report_ = fit_report(problem.penalty, problem, result, features)
        return self

    def name_steps(self) -> None:
        """Set the names of the steps, by clock and mode."""
        if self.mode == "moving":
            self.steps_ = self.clock_.labels()
        else:
            self.steps_ = [self.clock_.label(self.clock_.n_steps - 1)]

    @property
    def n_selected_(self) -> int:
        """Number of trajectories of words under effects that are not zero at some step."""
        return int(np.count_nonzero(np.any(self.trajectories_ != 0, axis=1)))
