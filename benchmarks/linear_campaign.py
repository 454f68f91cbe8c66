"""The certificate campaign: random problems, solved with defaults, checked from outside.

`python -m benchmarks.linear_campaign --seed N` shows one problem and what came of it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.linear_losses import LOSSES
from benchmarks.linear_oracle import at_zero, objective, optimum, steepest_slope
from benchmarks.linear_penalties import PENALTIES
from benchmarks.linear_random import DATA, FORMS, SHARES, WEIGHTS, Case, draw
from benchmarks.page import number, table
from laconic.linear.base import SparseLinear

PROBLEMS = 5_000
TOL = 1e-4  # of the estimators, by default
LIMIT = 10.0  # CPU seconds of one problem
# What numbers of an outside solver, and sums in float64, may be wrong by: a share of the objective,
# and a share of the objective at zero.
SLACK, FLOOR = 1e-6, 1e-9
SLOPE = 10 * TOL  # of a penalty that is not convex, from which on a point is not stationary


class Outcome(NamedTuple):
    """What came of a problem; `distance` is relative to the objective reached.

    `distance` says how far above the optimum the model is at least, `unknown` how far the bounds
    of the optimum are apart. `failure` is empty, or one of FAILURES.
    """

    seed: int
    penalty: str
    loss: str
    data: str
    converged: bool
    warned: bool
    failure: str = ""
    certificate: float = np.nan
    distance: float = np.nan
    unknown: float = np.nan
    seconds: float = np.nan
    message: str = ""


FALSE, RAISED, ENDED, WRONG = "false certificate", "exception", "process ended", "wrong objective"
FAILURES = (FALSE, RAISED, ENDED, WRONG)
Source: TypeAlias = Callable[[int], Case]


def run_case(case: Case) -> Outcome:
    """Fit with defaults, and check what the fit says of itself."""
    blank = Outcome(case.seed, case.penalty_name, case.loss_name, case.data, False, False)
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            strength = case.strength()
            model = case.estimator(strength).fit(case.X, case.y, case.sample_weight)
        except Exception as problem:  # whatever it is, it is counted
            return blank._replace(
                failure=RAISED, message=f"{type(problem).__name__}: {problem}".split("\n")[0]
            )
    fitted = blank._replace(
        converged=bool(model.report_.converged),
        warned=any(issubclass(w.category, ConvergenceWarning) for w in caught),
        certificate=float(model.report_.certificate),
        seconds=time.process_time() - began,
    )
    return check(case, strength, model, fitted)


def check(case: Case, strength: float, model: SparseLinear, fitted: Outcome) -> Outcome:
    """Return the outcome with its distance to the optimum, and its failure if there is one."""
    W, b = np.atleast_2d(model.coef_).T, np.atleast_1d(model.intercept_)
    reached, unit = objective(case, strength, W, b), at_zero(case, strength)
    size = max(abs(reached), 1e-300)
    if not abs(model.report_.objective - reached) <= SLACK * size + FLOOR * unit:
        said = f"the report says {model.report_.objective:.9g}, the formula {reached:.9g}"
        return fitted._replace(failure=WRONG, message=said)
    claims = fitted.converged or fitted.certificate <= TOL
    if not case.drawn.formula(strength).convex:
        slope = steepest_slope(case, strength, W, b)
        fitted = fitted._replace(distance=slope, unknown=0.0)
        if claims and slope > SLOPE:
            said = f"the objective falls along a coordinate, by {slope:.1e} of its first fall"
            return fitted._replace(failure=FALSE, message=said)
        return fitted
    low, high = optimum(case, strength)
    best = min(high, reached)
    fitted = fitted._replace(distance=(reached - best) / size, unknown=(best - low) / size)
    allowed = (fitted.certificate + SLACK) * size + FLOOR * unit
    if claims and reached - high > allowed:
        said = (
            f"certificate {fitted.certificate:.1e}, but {(reached - high) / size:.1e} above "
            f"{high:.9g}"
        )
        return fitted._replace(failure=FALSE, message=said)
    return fitted


def _work(cases: Source, seeds: Sequence[int], pipe: Connection) -> None:
    """In the child: send one outcome after the other; a problem over LIMIT ends the process."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    for seed in seeds:
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        pipe.send(run_case(cases(seed)))
    pipe.close()


def outcomes(seeds: Iterable[int], cases: Source = draw, jobs: int = 1) -> Iterator[Outcome]:
    """Yield what came of each problem, solved in forked processes; one that ends takes none along.

    A child that ends early has one problem to answer for, and another child goes on after it.
    """
    context = multiprocessing.get_context("fork")
    rest = list(seeds)
    shares = [rest[start::jobs] for start in range(jobs)]
    running: dict[Any, tuple[Any, list[int]]] = {}

    def begin(share: list[int]) -> None:
        if share:
            ours, theirs = context.Pipe(duplex=False)
            child = context.Process(target=_work, args=(cases, share, theirs), daemon=True)
            child.start()
            theirs.close()
            running[ours] = (child, share)

    for share in shares:
        begin(share)
    while running:
        for pipe in wait(list(running)):
            child, share = running[pipe]
            try:
                found = pipe.recv()
                share.pop(0)
                yield found
            except EOFError:
                child.join()
                del running[pipe]
                if share:
                    case = cases(share.pop(0))
                    yield _ended(case, child.exitcode)
                    begin(share)


def _ended(case: Case, code: int | None) -> Outcome:
    why = f"over {LIMIT:g} CPU seconds" if code == -signal.SIGVTALRM else f"exit code {code}"
    return Outcome(
        case.seed, case.penalty_name, case.loss_name, case.data, False, False, ENDED, message=why
    )


def section(data: Path, quick: bool = False) -> str:
    """Return the section of the page."""
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    found = sorted(outcomes(range(40 if quick else PROBLEMS), jobs=jobs))
    failed = [one for one in found if one.failure]
    parts = [
        "## Random problems",
        ABOUT.format(
            problems=f"{len(found):,}",
            penalties=len(PENALTIES),
            losses=len(LOSSES),
            data=", ".join(DATA),
            forms=", ".join(FORMS),
            weights=", ".join(WEIGHTS),
            shares=", ".join(f"{share:g}" for share in SHARES),
        ),
        summary({"all": found}),
        "### By penalty",
        summary(grouped(found, lambda one: one.penalty, PENALTIES)),
        "### By loss",
        summary(grouped(found, lambda one: one.loss, LOSSES)),
        "### By kind of data",
        summary(grouped(found, lambda one: one.data, DATA)),
        "### Failures",
        failures(failed, "benchmarks.linear_campaign"),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


ABOUT = """{problems} random problems, each fitted with the defaults of `SparseClassifier` or
`SparseRegressor` but for penalty, loss and intercept. Every one draws

- one of {penalties} penalties and one of {losses} losses (the tables below),
- data: {data},
- a format: {forms},
- sample weights: {weights},
- a strength: {shares} of the largest that keeps a weight,
- whether there is an intercept.

Sizes go up to 50 rows and 24 columns. A *false certificate* is one of at most 1e-4, or a fit that
calls itself converged, whose objective by an independent formula in NumPy is above that of a point
found by Clarabel (cvxpy) by more than the certificate and 1e-6 of it. Where a penalty is not convex
the test is that no small step along a coordinate gains (of the quantile loss, which turns at every
row: no step that changes scores by a thousandth of the targets' deviation). A *wrong objective* is
one that the formula does not confirm. *Not checked* are problems where the primal and dual values
of Clarabel are more than 2e-6 apart. *Distance* is the largest one of fits that converged, relative
to the objective (not convex: the slope that is left, relative to that at zero weights)."""


def grouped(
    found: Sequence[Outcome], key: Callable[[Outcome], str], order: Iterable[str]
) -> dict[str, list[Outcome]]:
    """Return outcomes by a name, in the order of its table."""
    return {name: those for name in order if (those := [one for one in found if key(one) == name])}


def summary(groups: dict[str, list[Outcome]]) -> str:
    """Return a table of counts, one row per group."""
    rows = []
    for name, those in groups.items():
        solved = [one for one in those if one.failure not in (RAISED, ENDED)]
        stopped = [one for one in solved if not one.converged]
        distances = [one.distance for one in solved if one.converged and one.distance >= 0]
        rows.append(
            [
                name,
                len(those),
                len(solved) - len(stopped),
                sum(one.warned for one in stopped),
                sum(not one.warned for one in stopped),
                *(sum(one.failure == kind for one in those) for kind in FAILURES),
                sum(not one.unknown <= 2 * SLACK for one in solved if one.failure != WRONG),
                f"{max(distances, default=np.nan):.0e}",
                max((one.seconds for one in solved), default=np.nan),
            ]
        )
    columns = ["", "problems", "converged", "not converged, said", "not converged, silent"]
    plural = ["false certificates", "exceptions", "processes ended", "wrong objectives"]
    return table([*columns, *plural, "not checked", "distance", "slowest, s"], rows)


def failures(failed: Sequence[Outcome], module: str) -> str:
    """Return a table of the failures, up to 40; each number reproduces one."""
    if not failed:
        return "None."
    rows = [
        [f"{one.seed}", f"{one.penalty} · {one.loss} · {one.data}", one.failure, one.message]
        for one in failed[:40]
    ]
    shown = f"`python -m {module} --seed N` reproduces one of the {len(failed)}."
    return f"{shown}\n\n" + table(["N", "problem", "failure", "what it says"], rows)


def show(module: str, cases: Source = draw) -> None:
    """Show the problem of a number from the command line, and what came of it."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--seed", type=int, required=True, help="number of the problem")
    case = cases(parser.parse_args().seed)
    print(case)
    for name, value in zip(Outcome._fields, run_case(case), strict=True):
        print(f"{name:12} {number(value) if isinstance(value, float) else value}")


if __name__ == "__main__":
    show("benchmarks.linear_campaign")
