"""The speed section of the classify page: the same problem for laconic and a peer, to the same
duality gap or objective.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from threadpoolctl import threadpool_limits

from benchmarks import corpora, problems, solvers
from benchmarks.classify_models import PAPER, Bench, Grid, choose
from benchmarks.classify_scale import copies_table
from benchmarks.page import number, table
from benchmarks.problems import Counts
from benchmarks.solvers import Solution
from benchmarks.timing import interleaved, ratio
from laconic.core.grouping import by_label
from laconic.core.groups import Groups
from laconic.core.penalties import L1, GroupLasso, OverlapGroupLasso, TreeGroupLasso
from laconic.core.problem import Problem
from laconic.core.solvers.admm import Admm
from laconic.core.solvers.base import Result
from laconic.core.solvers.reweighted import Reweighted
from laconic.core.solvers.working_set import WorkingSet
from laconic.linear.model import SparseClassifier

GAP = 1e-5
PATIENCE = 60.0  # seconds a solver may take for the overlapping problem
TOLERANCES = tuple(10.0**-k for k in range(2, 9))
REPEATS = 5
ROW_SHARE = 0.01

TREE_TEXT = "Large forests are swept on all cores; SPAMS has one thread for one vector."


def section(data: Path, quick: bool = False) -> str:
    """All comparisons, one thread each."""
    with threadpool_limits(1):
        parts = [
            "## Speed",
            "### Lasso logistic regression on science, CPU seconds to a relative gap of 1e-5",
            lasso_table(data, (0.1,) if quick else (0.1, 0.01, 0.001)),
            "### Tree prox",
            TREE_TEXT,
            tree_table(10**4 if quick else 10**6),
            "### Overlapping sentence groups, seconds to 1e-4 above the optimum (Clarabel: 140 s)",
            overlap_table(data),
            "### Tuned fits on sports, unigram counts",
            tuned_table(data, quick),
            "### Multinomial rows over twenty newsgroups",
            rows_table(data, 0.1 if quick else ROW_SHARE),
            "### Many overlapping groups",
            copies_table(data, (10**4,) if quick else (10**5, 3 * 10**5, 10**6)),
            "### A fresh process",
            start_table(),
        ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def lasso_problem(counts: Counts, strength: float) -> Problem:
    """The sum of log-losses + n strength * ||w||_1, which has the minimizer of the mean with
    strength; no intercept.
    """
    penalty = L1(strength * len(counts.labels))
    return SparseClassifier(penalty, fit_intercept=False).build_problem(counts.rows, counts.labels)


def reaching(solve: Callable[[float], Solution], problem: Problem) -> float:
    """The loosest tolerance of a peer whose answer has a relative duality gap of at most GAP.

    If none has, that whose gap is at most twice the smallest.
    """
    gaps: dict[float, float] = {}
    for tol in TOLERANCES:
        gaps[tol] = problem.certificate(solve(tol).weights)
        if gaps[tol] <= GAP:
            return tol
    return next(tol for tol, gap in gaps.items() if gap <= 2 * min(gaps.values()))


def lasso_table(data: Path, shares: tuple[float, ...]) -> str:
    """Ours beside each peer on the same problem.

    Every clock runs from the CSR matrix to the weights.

    Liblinear's intercept is the penalised weight of one more feature: both get that feature as a
    column of ones.
    """
    counts = problems.newsgroup_counts(data)
    ones = csr_matrix(np.ones((len(counts.labels), 1)))
    with_ones = counts._replace(rows=csr_matrix(hstack([counts.rows, ones])))
    liblinear = partial(solvers.liblinear_lasso, scaling=0.0)
    peers = [
        ("liblinear, intercept", liblinear, with_ones),
        ("liblinear", liblinear, counts),
        ("celer", solvers.celer_lasso, counts),
    ]
    rows = []
    for share in shares:
        strength = share * problems.lasso_strength_max(counts)
        for name, peer, matrix in peers:
            race = lasso_race(
                partial(lasso_problem, matrix, strength),
                lambda tol, p=peer, m=matrix, s=strength: p(m, s, tol),
            )
            rows.append([f"{share:g} of the largest strength", name, *race])
    return table(
        ["problem", "peer", "gap, ours", "gap, peer", "ours, s", "peer, s", "peer / ours"], rows
    )


def lasso_race(pose: Callable[[], Problem], peer: Callable[[float], Solution]) -> list[Any]:
    """Gaps and CPU seconds of ours and of a peer at its loosest sufficient tolerance."""
    problem = pose()

    def ours() -> Result:
        return WorkingSet(tol=GAP).run(pose())

    try:
        tol = reaching(peer, problem)
    except ImportError:
        return ["–", "not installed", "–", "–", "–"]
    runs = {"ours": ours, "peer": lambda: peer(tol)}
    times = interleaved(runs, REPEATS, clock=time.process_time)
    gaps = [f"{problem.certificate(x):.0e}" for x in (ours().x, peer(tol).weights)]
    return [*gaps, times["ours"].median, times["peer"].median, ratio(times, "peer", "ours")]


def tree_table(n_nodes: int) -> str:
    """One prox over a random recursive tree with a variable and a group a node."""
    parent = problems.random_tree(n_nodes)
    generator = np.random.default_rng(0)
    weight, values = np.sqrt(1 + generator.random(n_nodes)), generator.normal(size=n_nodes)
    groups = Groups(np.arange(n_nodes), np.arange(n_nodes + 1), weight, n_nodes, parent)
    rows = []
    for norm, theirs in ((2, "l2"), ("inf", "linf")):
        penalty = TreeGroupLasso(groups, strength=0.1, norm=norm)
        tree = problems.spams_tree(parent, weight)
        try:
            peer = solvers.spams_tree_prox(values, tree, 0.1, theirs)
        except ImportError:
            rows.append(
                [f"{n_nodes:,} nodes, norm {norm}", "–", "SPAMS is not installed", "–", "–"]
            )
            continue
        apart = float(np.abs(penalty.prox(values) - peer).max())
        run = {
            "ours": lambda p=penalty: p.prox(values),
            "spams": lambda n=theirs, t=tree: solvers.spams_tree_prox(values, t, 0.1, n),
        }
        times = interleaved(run, REPEATS)
        seconds = (times["ours"].median, times["spams"].median)
        rows.append(
            [
                f"{n_nodes:,} nodes, norm {norm}",
                *seconds,
                ratio(times, "spams", "ours"),
                f"{apart:.0e}",
            ]
        )
    return table(["problem", "ours, s", "SPAMS, s", "SPAMS / ours", "largest difference"], rows)


def overlap_table(data: Path) -> str:
    """Reweighting and ADMM on the science problem of benchmarks.problems."""
    counts = problems.newsgroup_counts(data)
    found = problems.sentence_groups(corpora.load("science", data).train, counts.vectorizer)
    groups = Groups(found.index, found.ptr, found.weight, counts.rows.shape[1])
    penalty = OverlapGroupLasso(groups, strength=problems.SENTENCE_STRENGTH)
    goal = problems.SENTENCE_OPTIMUM * (1 + 1e-4)
    rows = []
    for solver in (Reweighted(tol=1e-9, max_iter=2000), Admm(tol=1e-9, max_iter=2000)):
        began = time.perf_counter()
        problem = SparseClassifier(penalty).build_problem(counts.rows, counts.labels)
        result = solver.run(
            problem, callback=lambda progress: progress.value <= goal or progress.seconds > PATIENCE
        )
        seconds = time.perf_counter() - began
        value = problem.value(result.x)
        rows.append(
            [
                type(solver).__name__,
                seconds,
                f"{value:.4f}",
                f"{value / problems.SENTENCE_OPTIMUM - 1:.1e}",
                f"{result.error:.1e}",
            ]
        )
    return table(["solver", "seconds", "objective", "above 341.6465", "certified gap"], rows)


def tuned_table(data: Path, quick: bool) -> str:
    """The lasso and the sentence regularizer at the strengths that dev prefers, in turns: from
    prepared data, and from documents.
    """
    bench = Bench(corpora.load("sports", data), ["sentence"])
    grid = Grid((0.1,), (0.1,)) if quick else PAPER
    starts: dict[str, dict[str, Any]] = {"encoded data": {}, "documents": {}}
    for name in ("lasso", "sentence"):
        model = bench.model.set_params(penalty=name)
        chosen = choose(bench.explored(model, grid)).model.set_params(tol=1e-3, max_iter=500)
        prepared = bench.adapted(chosen)
        starts["encoded data"][name] = lambda m=chosen, p=prepared: m.fit_prepared(p)
        starts["documents"][name] = lambda m=chosen: m.fit(bench.train, bench.task.train.labels)
    rows = []
    for start, fits in starts.items():
        times = interleaved(fits, REPEATS)
        lasso, sentence = times["lasso"].median, times["sentence"].median
        rows.append(
            [
                start,
                number(lasso),
                number(sentence),
                ratio(times, "sentence", "lasso"),
                "33 s / 27 s = 1.2",
            ]
        )
    return table(["from", "lasso fit, s", "sentence fit, s", "sentence / lasso", "the paper"], rows)


def rows_table(data: Path, share: float) -> str:
    """Adelie with a path of 32 strengths to a tight tolerance.

    Ours until its objective is reached, and to a gap of 1e-4.
    """
    counts = problems.twenty_newsgroup_counts(data)
    n, n_words = counts.rows.shape
    classes = int(counts.labels.max()) + 1
    strength = share * problems.row_strength_max(counts)
    # Groups spread over K outputs weigh sqrt(K) times more.
    penalty = GroupLasso(by_label(n_words), strength=n * strength / np.sqrt(classes))
    peer = solvers.ask_adelie("benchmarks.adelie_rows", data.resolve(), share)
    rows: list[list[Any]] = [["adelie", peer.get("seconds", peer.get("failure")), *_row(peer)]]
    goals = {"laconic, a gap of 1e-4": -np.inf}
    if "objective" in peer:
        goals = {"laconic, until adelie's objective": n * peer["objective"], **goals}
    for name, goal in goals.items():
        began = time.perf_counter()
        model = SparseClassifier(penalty, solver=WorkingSet(tol=1e-4))
        model.fit(counts.rows, counts.labels, callback=lambda progress, g=goal: progress.value <= g)
        seconds = time.perf_counter() - began
        objective = problems.row_objective(counts, strength, model.coef_.T, model.intercept_)
        rows.append([name, seconds, *_row({"objective": objective, "kept": model.n_selected_})])
    return table(["solver", "seconds", "objective", "words kept"], rows)


def _row(found: dict[str, Any]) -> list[Any]:
    return [f"{found['objective']:.5f}", found["kept"]] if "objective" in found else ["–", "–"]


FRESH = """
import sys
sys.modules["pandas"] = None  # a peer may have brought it along; laconic does not need it and \
scikit-learn imports it if it can
import numpy, scipy.sparse, time
start = time.perf_counter()
import laconic
imported = time.perf_counter()
import sklearn.base
beneath = time.perf_counter()
from laconic import TextClassifier
first = []
TextClassifier("sentence", strength=0.01, lasso=0.01).fit(
    ["rain and snow. more rain", "sun and heat", "snow today", "heat and sun. dry"] * 5, ["wet", \
"dry", "wet", "dry"] * 5,
    callback=lambda progress: first.append(time.perf_counter()))
print(imported - start, beneath - imported, first[0] - beneath, first[0] - start)
"""


def start_table() -> str:
    """Three fresh processes; the best of each column."""

    def once() -> list[float]:
        done = subprocess.run(
            [sys.executable, "-c", FRESH], capture_output=True, text=True, check=True
        )
        return [float(word) for word in done.stdout.split()]

    seconds = np.min([once() for _ in range(3)], axis=0)
    return table(
        [
            "`import laconic` beyond numpy and scipy, s",
            "scikit-learn's own import, s",
            "the rest, to the first step of a first fit, s",
            "all of it, s",
        ],
        [[number(value) for value in seconds]],
    )
