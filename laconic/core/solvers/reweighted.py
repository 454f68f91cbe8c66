"""Iterative reweighting for overlapping groups: every group norm is the least of its quadratic upper bounds,

    |w_g| = min_{eta_g > 0}  |w_g|^2 / (2 eta_g) + eta_g / 2,

so for given eta the problem is the loss with a ridge of pace_i = sum over the groups of i of mass_g / eta_g on each weight, plus
the lasso: a few passes of coordinate descent, whatever the number of groups. eta follows the norms, over-relaxed (a power of their
ratio), and the weights of groups that die out are frozen, then set to exact zeros. The duals u_g = mass_g w_g / eta_g are inside
their balls when eta = |w_g|, which gives a duality gap at any point: what the gradient leaves over is shared in the same
proportions and the worst group scales the dual back. Nothing of the size of the copies is stored beyond the groups themselves.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.penalties import CopyTerm, GroupLasso, Terms
from laconic.core.problem import Problem
from laconic.core.ragged import pointers
from laconic.core.solvers.admm import split_penalty
from laconic.core.solvers.base import Solver


class Lengths:
    """eta of one overlapping term, and the pace it gives to every weight."""

    def __init__(self, term: CopyTerm, n_weights: int, first: float):
        self.index, self.inner = term
        self.n_weights = n_weights
        groups = self.inner.groups
        self.mass = self.inner.strength * groups.weight
        self.eta = np.full(len(groups), first)
        flat = isinstance(self.inner, GroupLasso)
        self.copies = _core.Copies(groups.ptr, self.index, n_weights) if flat else None

    def norms(self, weights: Array) -> Array:
        """|w_g| of every group (in a forest: of every node's whole group)."""
        if self.copies is None:
            return self.inner.norms(weights[self.index])
        out = np.empty(len(self.mass))
        self.copies.norms(weights, out)
        return out

    def reweigh(self, weights: Array, haste: float, floor: float) -> tuple[Array, float]:
        """Move eta by the ratio of the norms to it, to the power haste; the pace of every weight, and the largest ratio."""
        if self.copies is not None:
            pace = np.empty(self.n_weights)
            return pace, self.copies.reweigh(weights, self.mass, haste, floor, self.eta, pace)
        ratio = self.norms(weights) / self.eta
        self.eta = np.maximum(floor, self.eta * np.clip(ratio**haste, 0.1, 3.0))
        return self.pace(), float(ratio.max(initial=0.0))

    def twin(self, touched: NDArray[np.bool_]) -> Lengths:
        """The same groups with lengths of their own, to be balanced for the dual; only groups with touched weights are needed."""
        twin = copy(self)
        twin.eta = self.eta.copy()
        if self.copies is not None:
            groups = self.inner.groups
            inside = touched[self.index]
            sizes = np.diff(np.concatenate([[0], np.cumsum(inside)])[groups.ptr])
            kept = sizes > 0
            twin.copies = _core.Copies(pointers(sizes[kept]), self.index[inside], self.n_weights)
            twin.mass, twin.eta = self.mass[kept], self.eta[kept]
        return twin

    def pace(self) -> Array:
        """Sum over the groups of i of mass_g / eta_g, for every weight i."""
        pull = self.mass / self.eta
        if self.copies is not None:
            copies = np.repeat(pull, self.inner.groups.sizes)
        else:
            copies = np.empty(len(self.index))
            self.inner.kernel().path_sums(pull, copies)
        return np.bincount(self.index, weights=copies, minlength=self.n_weights).astype(
            np.float64, copy=False
        )


class ReweightedState(NamedTuple):
    """x with its scores, the lengths of all terms and the pace they give."""

    x: Array
    value: float
    error: float
    scores: Array
    lengths: list[Lengths]
    pace: Array
    kernel: Any
    terms: Terms
    bound: float
    best: Array
    best_value: float
    n_steps: int
    awake: NDArray[np.bool_]


class Reweighted(Solver):
    """Reweighted ridge steps; the duality gap is measured every `check_every` steps, against the best dual bound so far."""

    def __init__(
        self,
        tol: float = 1e-3,
        max_iter: int = 500,
        haste: float = 1.75,
        floor: float = 1e-8,
        max_passes: int = 2,
        check_every: int = 10,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.haste = haste
        self.floor = floor
        self.max_passes = max_passes
        self.check_every = check_every

    def init(self, problem: Problem, x: Array) -> ReweightedState:
        """Lengths start at a common value, or at the norms of a given start (but never at zero, which they could not leave)."""
        n = problem.design.n_penalised
        direct, copied = split_penalty(problem)
        for term in copied:
            if term.inner.norm not in (2, "2"):
                raise ValueError(
                    "Reweighted needs the 2-norm inside groups: use Admm for the infinity norm"
                )
        terms = direct.terms(n)
        kernel, _ = problem.descent(terms.ptr, terms.index, terms.mass)
        lengths = [Lengths(term, n, 0.1) for term in copied]
        weights = problem.parts(x)[0]
        if weights.any():
            for part in lengths:
                norms = part.norms(weights)
                part.eta = np.maximum(norms, 0.03 * float(norms.max(initial=0.0)))
        pace = sum((part.pace() for part in lengths), np.zeros(n))
        scores = problem.design.score(x)
        problem.fit_intercept(x, scores)
        value = problem.value(x)
        state = ReweightedState(
            x,
            value,
            np.inf,
            scores,
            lengths,
            pace,
            kernel,
            terms,
            -np.inf,
            x.copy(),
            value,
            0,
            self._awake(problem.parts(problem.smooth(x)[1])[0], terms),
        )
        # Zero may be optimal already, as at the start of a path.
        return state if weights.any() else self._measure(problem, state._replace(value=np.inf))

    def step(self, problem: Problem, state: ReweightedState) -> ReweightedState:
        """A few passes at the present pace, then new lengths."""
        terms = state.terms
        weights, intercept = problem.parts(state.x)
        n_steps = state.n_steps + 1
        ridge = state.pace + terms.ridge
        working = np.arange(len(weights))
        if n_steps % self.check_every != 1:
            # Weights held at zero move only in the step after a check, unless the gradient there pulls at them.
            largest = max(
                (float(part.mass.max(initial=0.0)) for part in state.lengths), default=0.0
            )
            alive = (weights != 0) & (ridge <= 0.01 * largest / self.floor + terms.ridge)
            working = np.flatnonzero(alive | state.awake)
        state.kernel.descend(
            working,
            _core.SeparableTerms(
                lasso=terms.lasso, ridge=ridge, centre=np.zeros(1), positive=terms.positive
            ),
            weights,
            intercept,
            state.scores,
            _core.DescentLimits(tolerance=1e-12, max_rounds=1, max_passes=self.max_passes),
        )
        state = state._replace(n_steps=n_steps, error=np.inf)
        if n_steps % self.check_every == 0:
            state = self._measure(problem, state)
        pace = sum(
            (part.reweigh(weights, self.haste, self.floor)[0] for part in state.lengths),
            np.zeros(len(weights)),
        )
        return state._replace(pace=pace)

    def _measure(self, problem: Problem, state: ReweightedState) -> ReweightedState:
        """The objective with dead groups at zero, the dual bound, and their distance."""
        x = state.x.copy()
        scores = state.scores.copy()
        problem.fit_intercept(x, scores)
        residual = problem.loss.value_residual(scores, problem.gold, problem.design.threads)[1]
        gradient = problem.parts(problem.design.pull(residual))[0]
        # Balancing the dual pays once the weights have settled.
        clean = self._without_dead(problem, state, x)
        value = self._value(problem, state, clean)
        settled = problem.relative(abs(state.value - value), value) <= 10 * self.tol
        bound = max(
            state.bound, self.dual_value(problem, state, residual, gradient, 60 if settled else 0)
        )
        best, best_value = (
            (clean, value) if value < state.best_value else (state.best, state.best_value)
        )
        error = problem.relative(max(0.0, best_value - bound), best_value)
        awake = self._awake(gradient, state.terms)
        return state._replace(
            value=value, error=error, bound=bound, best=best, best_value=best_value, awake=awake
        )

    @staticmethod
    def _awake(gradient: Array, terms: Terms) -> NDArray[np.bool_]:
        """Which weights the gradient pulls at more than the lasso holds them."""
        return (-gradient if terms.positive else np.abs(gradient)) > terms.lasso

    @staticmethod
    def _value(problem: Problem, state: ReweightedState, x: Array) -> float:
        """The objective, with the groups that are at hand already."""
        weights, terms = problem.parts(x)[0], state.terms
        direct = float(
            np.sum(terms.lasso * np.abs(weights)) + 0.5 * np.sum(terms.ridge * weights * weights)
        )
        return (
            problem.loss_at(x)[0]
            + direct
            + sum(float(part.mass @ part.norms(weights)) for part in state.lengths)
        )

    def _without_dead(self, problem: Problem, state: ReweightedState, x: Array) -> Array:
        """X with exact zeros on every weight that is in a group of negligible length."""
        clean = x.copy()
        weights = problem.parts(clean)[0]
        for part in state.lengths:
            norms = part.norms(weights)
            dead = norms < 1e-5 * float(norms.max(initial=0.0))
            on_copies = np.empty(len(part.index))
            if part.copies is None:
                part.inner.kernel().path_sums(dead.astype(float), on_copies)
            else:
                on_copies = np.repeat(dead.astype(float), part.inner.groups.sizes)
            weights[part.index[on_copies > 0]] = 0.0
        problem.fit_intercept(clean, problem.design.score(clean))
        return clean

    def dual_value(
        self,
        problem: Problem,
        state: ReweightedState,
        residual: Array,
        gradient: Array,
        rounds: int,
    ) -> float:
        """A lower bound of the optimum: loss* and direct* at scaled residuals, the rest of the gradient shared among the groups.

        Shares are proportional to mass / eta. Groups that get more than their mass are given larger lengths, the others smaller
        ones, for a number of rounds or until that stalls: the worst group's share decides how much the dual is scaled back.
        """
        terms = state.terms
        pushed = -gradient
        over = (
            np.maximum(pushed - terms.lasso, 0.0)
            if terms.positive
            else pushed - np.clip(pushed, -terms.lasso, terms.lasso)
        )
        lengths = [part.twin(over != 0) for part in state.lengths]
        ridge = state.pace + terms.ridge
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.where((ridge <= 0) & (over != 0), np.abs(pushed) / terms.lasso, 1.0)
        least = max(1.0, float(np.max(alone, initial=1.0)))
        best, shared, before = np.inf, over, np.inf
        for turn in range(rounds + 1):
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = np.where(ridge > 0, over / ridge, 0.0)
            balanced = [part.reweigh(moved, 2.0, 1e-30) for part in lengths]
            worst = max([least, *(ratio for _, ratio in balanced)])
            if worst < best:
                best, shared = worst, moved
            stalled = turn % 5 == 4 and best - least > 0.9 * (before - least)
            if best <= least * (1 + 0.5 * self.tol) or stalled:
                break
            before = best if turn % 5 == 4 else before
            ridge = sum((pace for pace, _ in balanced), terms.ridge + np.zeros(len(over)))
        scale = 1.0 / best
        return -problem.loss.conjugate(residual, problem.gold, scale) - 0.5 * float(
            np.sum(terms.ridge * (scale * shared) ** 2)
        )

    def finish(
        self, problem: Problem, state: ReweightedState
    ) -> tuple[Array, float, dict[str, Any]]:
        """The best point, its gap, and which groups of each term were kept."""
        if not np.isfinite(state.error):
            state = self._measure(problem, state)
        weights = problem.parts(state.best)[0]
        return (
            state.best,
            state.error,
            {"selected": [part.norms(weights) > 0 for part in state.lengths]},
        )
