"""The speed section of the page of linear models: the same work as a peer, in CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import linear_speed, linear_threads, problems, solvers
from benchmarks.classify_speed import lasso_race, lasso_table
from benchmarks.page import table
from benchmarks.problems import GroupPath
from benchmarks.timing import interleaved
from laconic import (
    L0,
    L1,
    GroupLasso,
    Groups,
    SparseClassifier,
    SparseRegressor,
    regularization_path,
)
from laconic.core.problem import Problem
from laconic.linear.path import Path as Fits

Goal: TypeAlias = "Callable[[dict[str, Any], Any], bool]"
TOLERANCES = tuple(10.0**-k for k in range(2, 11))
OUR_TOLERANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
PATIENCE = 120.0  # CPU seconds of a fit without a peer


ABOUT = """CPU seconds of one thread, competitors in turns in the same run; *peer / ours* above one
means that ours is faster. A peer gets its loosest tolerance that reaches the stated accuracy; a
lasso that no tolerance brings there has that of its smallest gap (up to a factor of two), which
stands beside ours."""


def section(data: Path, quick: bool = False) -> str:
    """Return all races, one thread each: a function per part, which opens with its title."""
    with threadpool_limits(1):
        parts = ["## Speed", ABOUT, *(f"### {race(data, quick)}" for race in RACES)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def group_paths(data: Path, quick: bool) -> str:
    """Return the race of group lassos along a path."""
    return "Group lasso, logistic loss, a path of 32 strengths beside adelie\n\n" + paths_table(
        data, (False,) if quick else (False, True)
    )


def dense_lasso(data: Path, quick: bool) -> str:
    """Return the race of lassos of a dense matrix."""
    shape = (400, 800) if quick else (400, 8000)
    return (
        f"Lasso, squared loss, {shape[0]} x {shape[1]:,} dense, to a relative duality gap of 1e-5"
        "\n\n" + dense_table(shape)
    )


def text_lasso(data: Path, quick: bool) -> str:
    """Return the race of lassos of word counts."""
    return (
        "Lasso, logistic loss, counts of science, to a relative duality gap of 1e-5\n\n"
        + lasso_table(data, (0.1,) if quick else (0.1, 0.01, 0.001))
    )


def alone(data: Path, quick: bool) -> str:
    """Return the fits that no peer can do."""
    return "Without a peer\n\n" + alone_table(data, quick)


def paths_table(data: Path, kinds: tuple[bool, ...]) -> str:
    """Adelie in its own environment, from the matrix to the weights at all strengths.

    Each at its loosest tolerance that reaches a goal at every strength, measured by formulas.
    """
    rows = []
    for dense in kinds:
        problem = problems.group_path(data, dense)
        n, p = problem.X.shape
        name = f"{'dense' if dense else 'counts of science'}, {n:,} x {p:,}, groups of 10"
        best = reached(problem, our_path(problem, 1e-7))
        asked = (data.resolve(), "dense" if dense else "text", *TOLERANCES)
        answer = solvers.ask_adelie("benchmarks.adelie_groups", *asked)
        theirs, mine = answer.get("runs", []), our_runs(problem)
        for goal, meets in GOALS.items():
            ours, peer = loosest(mine, best, meets), loosest(theirs, best, meets)
            tols = [f"{run['tol']:.0e}" if run else "not reached" for run in (ours, peer)]
            if not theirs:
                tols[1] = answer.get("failure", "nothing")
            times = [run["seconds"] if run else None for run in (ours, peer)]
            share = times[1] / times[0] if None not in times else None
            rows.append([name, goal, *tols, *times, share])
    columns = ["problem", "goal at every strength", "tolerance, ours", "tolerance, adelie"]
    return table([*columns, "ours, s", "adelie, s", "adelie / ours"], rows)


def our_runs(problem: GroupPath) -> list[dict[str, Any]]:
    """Return seconds, objectives and gaps of our path at every tolerance."""
    runs: list[dict[str, Any]] = []
    for tol in OUR_TOLERANCES:
        path = our_path(problem, tol)
        call = {"ours": partial(our_path, problem, tol)}
        seconds = interleaved(call, 3, False, time.process_time)["ours"].median
        gaps = problems.group_gaps(problem, path.weights, path.intercepts)
        found = {"objectives": reached(problem, path), "gaps": gaps}
        runs.append({"tol": tol, "seconds": seconds, **found})
    return runs


def our_path(problem: GroupPath, tol: float) -> Fits:
    """Fit the path to a certificate."""
    p = problem.X.shape[1]
    bounds = np.append(problem.starts, p)
    groups = Groups(np.arange(p), bounds, np.sqrt(np.diff(bounds)), p)
    model = SparseClassifier(GroupLasso(groups), tol=tol, max_iter=1000)
    strengths = len(problem.y) * problem.strengths
    return regularization_path(model, problem.X, problem.y, strengths=strengths)


def reached(problem: GroupPath, path: Fits) -> Any:
    """Return the objectives of our path by the formula."""
    return problems.group_objectives(problem, path.weights, path.intercepts)


def above(limit: float) -> Goal:
    """Return whether every objective of a run is at most `limit` over the best known."""
    return lambda run, best: bool(np.max(np.array(run["objectives"]) / best - 1) <= limit)


GOALS: dict[str, Goal] = {
    "objective within 1e-4 of the best": above(1e-4),
    "objective within 1e-6 of the best": above(1e-6),
    "duality gap of 1e-3": lambda run, best: max(run["gaps"]) <= 1e-3,
}


def loosest(runs: list[dict[str, Any]], best: Any, meets: Goal) -> dict[str, Any] | None:
    """Return the run of the loosest tolerance that meets a goal."""
    return next((run for run in runs if meets(run, best)), None)


def dense_table(shape: tuple[int, int]) -> str:
    """Normal columns, fifty of which make the target; without intercepts."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=shape))
    y = X[:, :50] @ rng.normal(size=50) + rng.normal(size=len(X))
    rows = []
    for share in (0.1, 0.01):
        strength = share * float(np.abs(X.T @ y).max())

        def pose(strength: float = strength) -> Problem:
            return SparseRegressor(L1(strength), fit_intercept=False).build_problem(X, y)

        race = lasso_race(pose, partial(solvers.celer_squared, X, y, strength))
        rows.append([f"{share:g} of the largest strength", *race])
    columns = ["problem", "gap, ours", "gap, celer", "ours, s", "celer, s", "celer / ours"]
    return table(columns, rows)


def alone_table(data: Path, quick: bool) -> str:
    """Problems that no peer takes; a fit is stopped after PATIENCE."""
    science = problems.newsgroup_counts(data, whole=True)
    twenty = problems.twenty_newsgroup_counts(data)
    work = [
        (f"L0, logistic, {science.rows.shape[1]:,} words of science", science, L0(1.0), 1e-4),
        ("multinomial lasso, 20 Newsgroups, all words, 20 classes", twenty, L1(1.0), 1e-3),
    ]
    rows = []
    for name, counts, penalty, tol in work[:1] if quick else work:
        began = time.process_time()

        def late(event: object, began: float = began) -> bool:
            return time.process_time() - began > PATIENCE

        model = SparseClassifier(penalty, tol=tol).fit(counts.rows, counts.labels, callback=late)
        seconds = time.process_time() - began
        report = model.report_
        certificate = f"{report.certificate:.0e}"
        end = "yes" if report.converged else "stopped" if report.interrupted else "no"
        rows.append([name, seconds, report.objective, certificate, end, report.features_kept])
    return table(
        ["problem", "CPU seconds", "objective", "certificate", "converged", "words kept"], rows
    )


RACES = (
    group_paths,
    dense_lasso,
    text_lasso,
    linear_speed.speed_smooth,
    linear_threads.threads,
    linear_speed.memory_float32,
    alone,
)
