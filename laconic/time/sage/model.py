"""TemporalTextModel: sparse additive models of text (SAGE; Eisenstein et al. 2011) whose effects move over time (Yogatama 2015, section 3.4.3).

    p(word v | effects x, step t)  =  exp(theta_tv + sum_j x_j w_jv^(t)) / Z,        min_W  -sum_n sum_v c_nv log p(v | x_n, t_n) + penalty(trajectories of W)

theta is the background, log-frequencies of words; every w_jv deviates from it, for an effect j of the documents (their region, an economic variable,
or 1 for the constant), and moves over time as the penalty says. Documents to come are described with the weights of the last step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_is_fitted,
    validate_data,
)

from laconic.core.arrays import Array
from laconic.core.designs.effects import Effects
from laconic.core.penalties import Penalty, Separable
from laconic.core.report import Callback, Reported
from laconic.core.solvers.base import Result, Solver
from laconic.core.solvers.choose import choose_solver
from laconic.core.solvers.owlqn import Owlqn
from laconic.linear.model import fit_report
from laconic.models.save import Saved
from laconic.time.model import MODES, over_time
from laconic.time.problem import CountProblem
from laconic.time.sage.reader import DatedReader
from laconic.time.times import Clock, make_clock
from laconic.time.trajectories import AdaptivePrior, SmoothRidge
from laconic.time.variational import Variational, run_empirical

BACKGROUNDS = ("all", "steps")
CONSTANT = "(constant)"
ROWS = 256  # whose distributions are held at once


class WordWeight(NamedTuple):
    """A word, its weight for an effect at a step, and how many times likelier one unit of the effect makes it (before normalization)."""

    word: str
    weight: float
    factor: float


def text_prior(n_steps: int) -> AdaptivePrior:
    """The adaptive prior as it suits word counts: near zero it is a ridge of 0.7 on levels and 50 on changes, in counts of words."""
    return AdaptivePrior(tau=300.0, floor=0.01 * n_steps)


class TemporalTextModel(Saved, Reported, BaseEstimator):
    """How likely words are, given what is observed of a document and when it was written.

    Parameters
    ----------
    penalty : Penalty, default text_prior(steps); as in TemporalRegressor
    solver : Solver, default by the penalty
    constant : bool, whether there is an effect that all documents have: how words come and go by themselves
    background : "all": log-frequencies in all training documents; "steps": in those of each step, drawn towards the former
    smoothing : float, words of the former that are added to each step; beside it every word counts half a time more than it occurs
    mode : "moving"; "pooled": weights that do not move, from all rows; "last": from the rows of the last step alone (the background is from all of them)
    step : "year", "quarter", "month", "week" or "day" for dates, a width for numbers, None for times that are steps already
    start : Penalty of a first fit, where AdaptivePrior begins; default SmoothRidge(strength=1, smoothness=10)
    fit_tau : bool, whether the AdaptivePrior's tau is fitted too (empirical Bayes)
    tol : float, the certificate to reach when solver is None: of convex penalties the duality gap, relative to the objective
    max_iter : int or None, steps at most when solver is None
    warm_start : bool, begin where the last fit ended; steps that it did not have begin as its last one
    reader : DatedReader or None, which words and effects the columns are; without one they are known by numbers
    n_jobs : int or None, threads

    Attributes
    ----------
    trajectories_ : (effects, steps, words), the constant's last; background_ : (steps, words)
    clock_, steps_ : which time belongs to which step; what the steps are called
    alpha_ : (effects, words), or (effects,) if words share it: the mean of autocorrelations, from -1/2 (does not move) to 0; AdaptivePrior alone
    penalty_, certificate_, converged_, objective_, n_iter_, interrupted_, result_ : as in TemporalRegressor
    """

    clock_: Clock
    trajectories_: Array

    def __init__(
        self,
        penalty: Penalty | None = None,
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
    ):
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def fit(
        self,
        X: Any,
        effects: Any = None,
        times: Any = None,
        sample_weight: Any = None,
        callback: Callback | None = None,
    ) -> TemporalTextModel:
        """Learn from counts of words (n, V), effects (n, J) and times (n,), None: all at once. A callback may stop the fit by returning True."""
        problem = self.build_problem(X, effects, times, sample_weight)
        x0 = self._begin(problem, callback)
        if self.fit_tau and isinstance(problem.penalty, AdaptivePrior):
            result = run_empirical(self._solver(problem.penalty), problem, x0, callback).result
        else:
            result = self._solver(problem.penalty).run(problem, x0, callback)
        return self.adopt(problem, result)

    def build_problem(
        self, X: Any, effects: Any = None, times: Any = None, sample_weight: Any = None
    ) -> CountProblem:
        """The problem that `fit` solves, rows with the same effects at the same step pooled; sets the names learned from the data's form."""
        self._check_parameters()
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        counts = sp.csr_matrix(X)
        if counts.shape[1] < 2 or np.any(counts.data < 0):
            raise ValueError("counts of at least two words are needed, none of them negative")
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        clock, steps = (
            make_clock(np.zeros(counts.shape[0]), None)
            if times is None
            else make_clock(times, self.step)
        )
        if len(steps) != counts.shape[0]:
            raise ValueError(f"there are {counts.shape[0]} rows of counts, but {len(steps)} times")
        counts = sp.diags_array(weight) @ counts
        given = self._checked_effects(effects, counts.shape[0])
        self.n_effects_in_ = given.shape[1]
        table = self._with_constant(given)
        n_steps = clock.n_steps if self.mode == "moving" else 1
        rows = (
            np.flatnonzero(steps == steps.max()) if self.mode == "last" else np.arange(len(steps))
        )
        theta = self._frequencies(
            counts, steps if self.mode == "moving" else np.zeros_like(steps), n_steps
        )
        if self.mode == "last" and self.background == "steps":
            theta = self._frequencies(counts, np.where(steps == steps.max(), 0, 1), 2)[:1]
        counts, table = counts[rows], table[rows]
        steps = steps[rows] if self.mode == "moving" else np.zeros(len(rows), dtype=np.int64)
        pooled, first = _pool(table, steps)
        design = Effects(table[first], steps[first], theta, effective_n_jobs(self.n_jobs))
        penalty = over_time(
            self.penalty if self.penalty is not None else text_prior(n_steps), design
        )
        self._before = (
            (self.clock_, self.trajectories_)
            if self.warm_start and hasattr(self, "trajectories_")
            else None
        )
        self.clock_ = clock
        return CountProblem(design, pooled @ counts, penalty)

    def _check_parameters(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"mode must be {', '.join(map(repr, MODES))}, got {self.mode!r}")
        if self.background not in BACKGROUNDS:
            raise ValueError(
                f"background must be {' or '.join(map(repr, BACKGROUNDS))}, got {self.background!r}"
            )
        if not (np.isfinite(self.smoothing) and self.smoothing > 0):
            raise ValueError(f"smoothing must be a positive number, got {self.smoothing!r}")

    def _checked_effects(self, effects: Any, n_rows: int) -> sp.csr_matrix:
        if effects is None:
            return sp.csr_matrix((n_rows, 0))
        given = check_array(
            effects,
            accept_sparse="csr",
            dtype=np.float64,
            input_name="effects",
            ensure_min_features=0,
        )
        if given.shape[0] != n_rows:
            raise ValueError(f"there are {n_rows} rows of counts, but {given.shape[0]} of effects")
        return sp.csr_matrix(given)

    def _with_constant(self, effects: sp.csr_matrix) -> sp.csr_matrix:
        if self.constant:
            effects = sp.hstack([effects, np.ones((effects.shape[0], 1))], format="csr")
        if effects.shape[1] == 0:
            raise ValueError("there are no effects: give some, or constant=True")
        return effects

    def _frequencies(self, counts: sp.csr_matrix, steps: NDArray[np.int64], n_steps: int) -> Array:
        """(n_steps, words) log-frequencies."""
        whole = np.asarray(counts.sum(axis=0)).ravel() + 0.5
        whole /= whole.sum()
        if self.background == "all":
            return np.tile(np.log(whole), (n_steps, 1))
        by_step = (
            sp.csr_matrix(
                (np.ones(len(steps)), (steps, np.arange(len(steps)))), shape=(n_steps, len(steps))
            )
            @ counts
        )
        smoothed = by_step.toarray() + self.smoothing * whole
        return np.log(smoothed / smoothed.sum(axis=1, keepdims=True))

    def _solver(self, penalty: Penalty) -> Solver:
        """Quasi-Newton with a short memory: weights are many."""
        if self.solver is not None:
            return self.solver
        if isinstance(penalty, Separable) and not penalty.positive:
            return Owlqn(self.tol, self.max_iter or 1000, memory=5)
        solver = choose_solver(penalty, self.tol, self.max_iter)
        return solver.set_params(memory=5) if isinstance(solver, Variational) else solver

    def _begin(self, problem: CountProblem, callback: Callback | None) -> Array | None:
        """Where a fit begins: the last one, or what AdaptivePrior begins with (see TemporalLinear.begin)."""
        design = problem.design
        if self._before is not None:
            clock, table = self._before
            J, _, V = table.shape
            shift = self.clock_.origin - clock.origin
            if (J * design.n_steps * V, clock.unit, clock.width) == (
                design.n_weights,
                self.clock_.unit,
                self.clock_.width,
            ):
                places = np.arange(design.n_steps) + round(shift / clock.width)
                return table[:, np.clip(places, 0, table.shape[1] - 1)].ravel()
        if not isinstance(problem.penalty, AdaptivePrior):
            return None
        start = self.start if self.start is not None else SmoothRidge(strength=1.0, smoothness=10.0)
        first = problem.with_penalty(over_time(start, design))
        return choose_solver(first.penalty, 1e-3, max_iter=30).run(first, callback=callback).x

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
        features = len(self.trajectories_) * design.n_outputs, self.n_selected_
        self.report_ = fit_report(self, problem, result, features)
        return self

    def name_steps(self) -> None:
        """What the steps are called, by clock and mode."""
        self.steps_ = (
            self.clock_.labels()
            if self.mode == "moving"
            else [self.clock_.label(self.clock_.n_steps - 1)]
        )

    def predict_log_proba(self, effects: Any = None, times: Any = None) -> Array:
        """Log p of all words, (n, V), for rows of effects (None: one row without any), at the last step or at their times."""
        check_is_fitted(self)
        if effects is None:
            effects = np.zeros((1 if times is None else len(times), self.n_effects_in_))
        given = self._checked_effects(
            effects, effects.shape[0] if sp.issparse(effects) else len(effects)
        )
        return np.vstack([block for _, block in self._distributions(given, times)])

    def log_likelihood(self, X: Any, effects: Any = None, times: Any = None) -> Array:
        """sum_v c_nv log p(v | x_n, t_n) of every document, at the last step (None) or at the step nearest to its time."""
        check_is_fitted(self)
        counts = sp.csr_matrix(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        )
        given = self._checked_effects(effects, counts.shape[0])
        out = np.empty(counts.shape[0])
        for rows, block in self._distributions(given, times):
            part = counts[rows].tocoo()
            out[rows] = np.bincount(
                part.row, part.data * block[part.row, part.col], minlength=len(block)
            )
        return out

    def _distributions(self, effects: sp.csr_matrix, times: Any) -> Iterator[tuple[slice, Array]]:
        """Some rows after the other, and log p of all words for each of them."""
        if effects.shape[1] != self.n_effects_in_:
            raise ValueError(
                f"the model has {self.n_effects_in_} effects, but rows have {effects.shape[1]}"
            )
        n_steps = len(self.steps_)
        steps = np.full(effects.shape[0], n_steps - 1)
        if times is not None and n_steps > 1:
            steps = np.clip(self.clock_.steps(times), 0, n_steps - 1)
        if len(steps) != effects.shape[0]:
            raise ValueError(f"there are {effects.shape[0]} rows, but {len(steps)} times")
        table = self._with_constant(effects)
        weights = self.trajectories_.ravel()
        for begin in range(0, len(steps), ROWS):
            rows = slice(begin, begin + ROWS)
            design = Effects(
                table[rows], steps[rows], self.background_, effective_n_jobs(self.n_jobs)
            )
            yield rows, design.log_probabilities(weights)

    def score(
        self, X: Any, effects: Any = None, times: Any = None, sample_weight: Any = None
    ) -> float:
        """The mean of log p over all words of the documents."""
        counts = sp.csr_matrix(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        )
        weight = _check_sample_weight(sample_weight, counts, dtype=np.float64)
        n_words = float(weight @ np.asarray(counts.sum(axis=1)).ravel())
        if n_words == 0:
            raise ValueError("the documents have none of the model's words")
        return float(weight @ self.log_likelihood(X, effects, times)) / n_words

    def perplexity(self, X: Any, effects: Any = None, times: Any = None) -> float:
        """Exp of minus the score."""
        return float(np.exp(-self.score(X, effects, times)))

    def trajectory(self, word: Any, effect: Any = CONSTANT) -> Array:
        """(T,) the weights of a word for an effect, both named as the reader has them, or by number."""
        check_is_fitted(self)
        return self.trajectories_[
            self.effect_number(effect), :, self._number(word, self.word_names, "word")
        ].copy()

    def top_words(self, effect: Any, n: int = 10, step: Any = None) -> list[WordWeight]:
        """The n words that an effect makes likelier most, at the last step or at the one named."""
        check_is_fitted(self)
        place = (
            len(self.steps_) - 1
            if step is None or len(self.steps_) == 1
            else self.clock_.find(step)
        )
        weights = self.trajectories_[self.effect_number(effect), place]
        order = np.argsort(-weights, kind="stable")[:n]
        names = self.word_names
        return [
            WordWeight(names[v], float(weights[v]), float(np.exp(weights[v])))
            for v in order.tolist()
            if weights[v] > 0
        ]

    @property
    def word_names(self) -> list[str]:
        """Of all words: the reader's, or numbers."""
        return (
            list(self.reader.words)
            if self.reader is not None
            else [str(v) for v in range(self.trajectories_.shape[2])]
        )

    @property
    def effect_names(self) -> list[str]:
        """Of all effects: the reader's, or numbers; the constant's last."""
        named = (
            self.reader.effects
            if self.reader is not None
            else [str(j) for j in range(self.n_effects_in_)]
        )
        return named + [CONSTANT] * bool(self.constant)

    def effect_number(self, effect: Any) -> int:
        """The place of an effect among trajectories_."""
        return self._number(effect, self.effect_names, "effect")

    def _number(self, name: Any, names: list[str], what: str) -> int:
        if str(name) not in names:
            raise ValueError(f"there is no {what} {name!r}")
        return names.index(str(name))

    @property
    def n_selected_(self) -> int:
        """Trajectories of words under effects that are not zero at some step."""
        return int(np.count_nonzero(np.any(self.trajectories_ != 0, axis=1)))


def _pool(
    effects: sp.csr_matrix, steps: NDArray[np.int64]
) -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    """A matrix that adds up rows with the same effects at the same step, and of each sum the first row."""
    groups: dict[tuple[int, bytes, bytes], int] = {}
    first: list[int] = []
    member = np.empty(len(steps), dtype=np.int64)
    for n, step in enumerate(steps.tolist()):
        part = slice(effects.indptr[n], effects.indptr[n + 1])
        key = (step, effects.indices[part].tobytes(), effects.data[part].tobytes())
        member[n] = groups.setdefault(key, len(groups))
        if len(groups) > len(first):
            first.append(n)
    pooled = sp.csr_matrix(
        (np.ones(len(steps)), (member, np.arange(len(steps)))), shape=(len(groups), len(steps))
    )
    return pooled, np.array(first, dtype=np.int64)
