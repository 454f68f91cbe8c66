"""Learning weights that move over time: the penalty over a design, where to start, fitted tau."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from laconic.core.arrays import Array
from laconic.core.designs.rows import Rows
from laconic.core.designs.steps import Steps
from laconic.core.penalties import Penalty, PenaltySum
from laconic.core.problem import GapProblem, Problem
from laconic.core.report import Callback, Event
from laconic.core.solvers.base import Result, Solver
from laconic.core.solvers.choose import choose_solver
from laconic.time.adaptive import AdaptivePrior
from laconic.time.fused import FusedLasso, OverTime, SmoothGroupLasso
from laconic.time.trajectories import SmoothRidge, Trajectories

MAX_ROUNDS = 30  # of weights and tau by turns


TIME_PENALTIES: dict[str, Callable[[], Penalty]] = {
    "adaptive": AdaptivePrior,
    "smooth-ridge": SmoothRidge,
    "smooth-group": SmoothGroupLasso,
    "fused": FusedLasso,
}


def over_time(penalty: Penalty, design: Steps) -> Penalty:
    """Return the penalty over the weights of a design, features x steps x outputs.

    A penalty that is not about trajectories is one of features: a group holds all weights of its
    features, for all steps.
    """
    if isinstance(penalty, PenaltySum):
        terms = [over_time(term, design) for term in penalty.terms]
        return penalty.replace(terms=terms).check()
    penalty = penalty.check()
    if not isinstance(penalty, (Trajectories, OverTime)):
        return penalty.spread(design.n_steps * design.n_outputs)
    penalty = penalty.replace(n_steps=design.n_steps).spread(design.n_outputs)
    assert isinstance(penalty, (Trajectories, OverTime))
    penalty.threads = design.threads
    return penalty


def starting_weights(
    problem: Problem, start: Penalty | None, callback: Callback | None = None
) -> Array:
    """Return where AdaptivePrior starts: the weights of a fit with the penalty `start`.

    The bound has many optima, and a trajectory that starts near zero stays there, so that all
    features must start with weights of the size of their own effect. By default they come from a
    smooth ridge of half the mean, over features and steps, of sums of squares: it halves a weight
    that stands alone. A `start` that is not about trajectories, such as L1, gives weights that do
    not move: those of a fit to all rows alike, which miss features whose effect is zero on average.
    A callback sees the steps of this fit too.
    """
    design = problem.design
    assert isinstance(design, Steps)
    if start is None:
        squares = design.curvature(np.repeat(problem.gold.weight, design.n_outputs))
        start = SmoothRidge(strength=max(1e-9, 0.5 * float(squares.mean())), smoothness=10.0)
    if isinstance(start, (Trajectories, OverTime)):
        first = Problem(design, problem.loss, problem.gold, over_time(start, design))
        # A start need not be an optimum.
        return choose_solver(first.penalty, 1e-2, max_iter=30).run(first, callback=callback).x
    still = Rows(design.pooled(), design.n_outputs, design.intercept, design.threads)
    first = Problem(still, problem.loss, problem.gold, start.check().spread(design.n_outputs))
    found = choose_solver(first.penalty, 1e-3).run(first, callback=callback)
    weights, intercept = first.parts(found.x)
    table = np.repeat(weights.reshape(-1, 1, design.n_outputs), design.n_steps, axis=1)
    return np.concatenate([table.ravel(), intercept])


def run_empirical(
    solver: Solver,
    problem: GapProblem,
    x0: Array | None = None,
    callback: Callback | None = None,
) -> Result:
    """Fit weights and tau of an AdaptivePrior by turns (empirical Bayes).

    With q(alpha) fixed the best tau has a closed form, and each turn raises the bound. The prior
    with the fitted tau is the penalty of the problem afterwards.
    """
    trace: list[Event] = []
    n_iter = 0
    for _ in range(MAX_ROUNDS):
        result = solver.run(problem, x0, callback)
        trace += [replace(event, done=event.done + n_iter) for event in result.trace]
        n_iter += result.n_iter
        prior, x0 = problem.penalty, result.x
        assert isinstance(prior, AdaptivePrior)
        tau = prior.best_tau(problem.parts(x0)[0])
        if result.interrupted or abs(tau - prior.tau) <= 1e-2 * (1 + abs(prior.tau)):
            break
        problem.penalty = prior.replace(tau=tau)
    return result._replace(n_iter=n_iter, trace=trace)
