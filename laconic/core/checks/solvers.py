"""Laws of solvers: certificate, warm start, repeatability and early stops."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from laconic.core.checks.law import require
from laconic.core.problem import Problem
from laconic.core.report import Event
from laconic.core.solvers.base import Solver
from laconic.core.solvers.fista import Fista


def check_solver(
    solver: Solver, problem: Problem, monotone: bool = False, warm: bool = True
) -> None:
    """Check every law of a solver on a problem it takes.

    `monotone`: values never rise; `warm`: a start at the optimum ends at once.
    """
    results = {
        tol: clone(solver).set_params(tol=tol).run(problem) for tol in (0.1, 0.01, solver.tol)
    }
    result = results[solver.tol]
    # From where the solver ended a few steps go below it if anything is there, and from zero many.
    further = Fista(tol=1e-12, max_iter=100).run(problem, result.x.copy())
    lowest = min(problem.value(further.x), problem.value(result.x))
    for tol, result in results.items():
        value = problem.value(result.x)
        require(result.converged == (result.error <= tol), "converged means error <= tol")
        require(result.converged, f"{solver!r} reaches {tol} on this problem, got {result.error}")
        if problem.penalty.convex:
            off = (value - lowest) / value
            require(
                off <= result.error + 1e-9,
                f"the certificate {result.error} bounds the distance {off} from the optimum",
            )
    again = clone(solver).run(problem)
    require(
        np.array_equal(again.x, result.x) and again.error == result.error,
        "the same input gives the same result",
    )
    values = np.array([line.value for line in result.trace])
    if monotone:
        require(
            np.all(np.diff(values) <= 1e-9 * (1 + np.abs(values[:-1]))),
            "values never rise along the trace",
        )
    if warm:
        start = result.x.copy()
        short = getattr(solver, "check_every", 1)
        resumed = clone(solver).set_params(tol=10 * solver.tol).run(problem, result.x)
        require(np.array_equal(start, result.x), "a solver does not write into its start")
        require(
            resumed.converged and resumed.n_iter <= short,
            f"a start at the optimum ends by the first check, took {resumed.n_iter}",
        )
    check_early_stop(solver, problem)


def check_early_stop(solver: Solver, problem: Problem) -> None:
    """Check that a callback that returns True, and Ctrl-C, end the run after that step.

    Both keep a point with its certificate.
    """

    def by_return(_: Event) -> bool:
        return True

    def by_interrupt(_: Event) -> bool:
        raise KeyboardInterrupt

    for callback in (by_return, by_interrupt):
        result = clone(solver).set_params(tol=1e-14).run(problem, callback=callback)
        require(
            result.interrupted and result.n_iter == 1 == len(result.trace),
            "an early stop ends the run after that step",
        )
        require(
            np.all(np.isfinite(result.x)) and result.x.shape == (problem.n_weights,),
            "an early stop keeps the point",
        )
        require(
            problem.value(result.x) <= problem.value(problem.start()) * (1 + 1e-9),
            "the point kept is no worse than the start",
        )
        require(result.error >= 0, "an early stop keeps a certificate")
