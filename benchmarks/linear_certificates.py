"""Certificates beside true distances: overlapping sentence groups and language models."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, problems
from benchmarks.linear_penalties import PENALTIES
from benchmarks.lm_texts import penn, sentences
from benchmarks.page import number, table
from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties import L1, OverlapGroupLasso, Penalty, PenaltySum, Ridge
from laconic.core.problem import Problem
from laconic.core.report import Event
from laconic.core.solvers.reweighted import Reweighted
from laconic.linear.model import SparseClassifier, SparseRegressor
from laconic.lm.contexts import Contexts
from laconic.lm.log_linear import nested_weights
from laconic.lm.nested import NestedLasso, NestedPenalty, NestedRidge
from laconic.lm.nested_groups import NestedGroups
from laconic.lm.nested_tree import NestedTree
from laconic.lm.problem import NestedProblem
from laconic.lm.running import SentenceEncoder
from laconic.lm.scaled import ScaledFista

TASKS = ("science", "sports", "religion", "computer", "sst", "convote")
OVERLAP_TEXT = """\
Summed log-loss + 0.1 * groups of sentences, weighted sqrt(size), all training words, a free \
intercept; sum: with a lasso of 0.05 and a ridge of 0.01. One thread; CPU seconds from the matrix \
on. `optimum`: the best value of any run, its certificate 1e-6 or as small as 1,000 steps make it. \
Reached: the objective is within 1e-4 of it, measured where the solver measures it."""
LAYERED_TEXT = """Nested layers of random groups with the defaults, at 0.5, 0.2, 0.1, 0.03 and
0.01 of the largest strength."""
LAYERED_SHARES = (0.5, 0.2, 0.1, 0.03, 0.01)
LAYERED_LOSSES: dict[str, Callable[[Array], Array]] = {
    "squared": lambda signal: signal,
    "logistic": lambda signal: (signal > 0).astype(float),
    "multinomial": lambda signal: np.digitize(signal, [-1.0, 1.0]).astype(float),
}
LANGUAGE_TEXT = """\
Passes of full batches until the objective is within 1e-3 of the optimum (600 passes), and until \
the duality gap says so; both measured every {every} passes. `at 60`: true distance and gap after \
60 passes."""
LANGUAGE: dict[str, NestedPenalty] = {
    "groups (the default)": NestedGroups(),
    "ridge": NestedRidge(),
    "lasso": NestedLasso(),
    "tree, infinity norm": NestedTree(norm="inf", strength=0.4),
    "tree": NestedTree(),
}
EVERY = 5


def section(data: Path, quick: bool = False) -> str:
    """Return what certificates cost, and how close they are to true distances."""
    parts = (overlap_certificates(data, quick), layered_certificates(quick))
    language = language_model_certificates(data, quick)
    return "\n\n".join(["## Certificates", *(part.rstrip() for part in (*parts, language))]) + "\n"


def layered_certificates(quick: bool = False) -> str:
    """Steps until layered groups are certified to 1e-4, by losses, shapes and strengths."""
    rows = []
    for loss, y_of in LAYERED_LOSSES.items():
        for n, p in ((60, 10), (100, 30), (200, 60))[: 1 if quick else 3]:
            rng = np.random.default_rng(n)
            X = rng.normal(size=(n, p))
            y = y_of(X[:, : p // 3] @ rng.normal(size=p // 3) + rng.normal(size=n))
            kind = SparseRegressor if loss == "squared" else SparseClassifier
            fits = []
            for share in LAYERED_SHARES:
                drawn = PENALTIES["layered groups, nested"](np.random.default_rng(p), p).penalty
                model = kind(drawn)
                largest = model.build_problem(X, y).strength_max()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fits.append(kind(drawn.replace(strength=share * largest)).fit(X, y))
            certified = sum(fit.converged_ for fit in fits)
            steps = [fit.report_.n_iter for fit in fits]
            worst = f"{max(fit.certificate_ for fit in fits):.0e}"
            rows.append([f"{loss}, {n} x {p}", f"{certified} of {len(fits)}", max(steps), worst])
    columns = ["problem", "certified 1e-4", "most steps", "largest certificate"]
    return "\n".join(["### Layered groups\n", LAYERED_TEXT, "", table(columns, rows)])


def overlap_certificates(data: Path, quick: bool = False) -> str:
    """Seconds until 1e-4 is reached and certified, on all tasks with sentence groups."""
    rows = []
    with threadpool_limits(1):
        for name in TASKS[:1] if quick else TASKS:
            for title, extra in (("", []), (", sum", [L1(0.05), Ridge(0.01)])):
                rows.append([name + title, *_overlap_row(name, data, extra)])
    columns = [
        "task",
        "groups",
        "optimum",
        "reached 1e-4, s",
        "certified 1e-4, s",
        "certified / reached",
        "certificate",
        "distance",
    ]
    return "\n".join(["### Overlapping groups\n", OVERLAP_TEXT, "", table(columns, rows)])


def _overlap_row(name: str, data: Path, extra: list[Penalty]) -> list[Any]:
    counts = problems.newsgroup_counts(data, name)
    found = problems.sentence_groups(corpora.load(name, data).train, counts.vectorizer)
    groups = Groups(found.index, found.ptr, found.weight, counts.rows.shape[1])
    penalty: Penalty = OverlapGroupLasso(groups, strength=problems.SENTENCE_STRENGTH)
    penalty = PenaltySum([penalty, *extra]) if extra else penalty

    def pose() -> Problem:
        return SparseClassifier(penalty).build_problem(counts.rows, counts.labels)

    best = Reweighted(tol=1e-6, max_iter=1000).run(pose())
    events: list[tuple[float, Event]] = []
    began = time.process_time()
    problem = pose()
    result = Reweighted(tol=1e-4).run(
        problem, callback=lambda event: events.append((time.process_time() - began, event))
    )
    seconds = time.process_time() - began
    value = problem.value(result.x)
    lowest = min(value, problem.value(best.x))
    near = [at for at, event in events if event.value <= lowest * (1 + 1e-4)]
    reached = near[0] if near else None
    return [
        len(groups),
        f"{lowest:.4f}",
        reached,
        seconds if result.converged else None,
        seconds / reached if reached and result.converged else None,
        f"{result.error:.0e}",
        f"{value / lowest - 1:.0e}",
    ]


def language_model_certificates(data: Path, quick: bool = False) -> str:
    """Passes until 1e-3 is reached and until it is certified, on pieces of two corpora."""
    texts = {
        "Penn": penn(data, "train")[: 100 if quick else 2000],
        "Brown": sentences(data / "brown" / "brown.news.txt.gz")[: 100 if quick else 2000],
    }
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        for name, text in texts.items():
            encoded = SentenceEncoder.learn(text, 1, None)[1]
            for title, penalty in LANGUAGE.items():
                contexts = Contexts.build(encoded, 4, penalty.collapses)
                trees = nested_weights(contexts)
                terms = penalty.check().on(trees)
                words = f"{name}, {len(encoded.tokens):,} words"
                rows.append(
                    [words, title, *_passes(partial(NestedProblem, contexts.kernel, terms))]
                )
    columns = [
        "text",
        "penalty",
        "reached 1e-3",
        "certified 1e-3",
        "certified / reached",
        "distance at 60",
        "gap at 60",
    ]
    note = LANGUAGE_TEXT.format(every=EVERY)
    return "\n".join(["### Language models\n", note, "", table(columns, rows)])


def _passes(pose: Callable[[], NestedProblem]) -> list[Any]:
    """Measure one model; every run has a problem of its own, which remembers lower bounds."""
    problem = pose()
    long = ScaledFista(1e-13, 600, check_every=1000).run(problem)
    lowest = min(event.value for event in long.trace)
    events: list[Event] = []
    ScaledFista(1e-3, 600, check_every=EVERY).run(pose(), callback=events.append)
    reached = next((e.done for e in events if e.value <= lowest * (1 + 1e-3)), None)
    certified = events[-1].done if events[-1].certificate <= 1e-3 else None
    at_60 = ScaledFista(1e-13, 60, check_every=1000).run(pose())
    return [
        reached,
        certified,
        certified / reached if certified and reached else None,
        number(max(0.0, problem.value(at_60.x) / lowest - 1), 1),
        number(float(np.maximum(at_60.error, 0.0)), 1),
    ]
