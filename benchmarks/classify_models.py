"""laconic's text classifiers tuned on dev by the paper's protocol.

One preparation of a task serves every model.

Strengths are tuned at a loose tolerance, then the chosen setting is fitted anew from zero at
FINAL_TOL; that fit is what is scored on test, counted and timed. There is no refit on train + dev.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from benchmarks.classify_grid import Grid as Grid
from benchmarks.classify_grid import StrengthTrial, trials_of
from benchmarks.corpora import NEWSGROUPS, Part, Task
from benchmarks.page import number, percent
from benchmarks.peers import Outcome
from laconic.classify.model import TextClassifier
from laconic.classify.preparation import Prepared
from laconic.text.trees import parse_tree

TUNING_TOL, TUNING_STEPS = 1e-2, 100
FINAL_TOL, FINAL_STEPS = 1e-3, 500
WORKERS = 2
SIZES = {"neutral_label": "2", "n_topics": 1000, "n_clusters": 5000}


PAPER = Grid()
# Rows of tf-idf have length 1, rows of counts are ten to a hundred times longer: the decades are
# lower.
UNIT = Grid((1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0), (1e-2, 1e-1, 1.0))


class Candidate(NamedTuple):
    """A model with its strengths set, how it did on dev, and the seconds of the grid it is from."""

    model: TextClassifier
    trial: StrengthTrial
    grid_seconds: float


def documents(part: Part) -> list[Any]:
    """A part as TextClassifier takes it: trees where there are trees, sentences where the corpus
    gives them, else strings.
    """
    if part.trees is not None:
        return [parse_tree(tree) for tree in part.trees]
    return part.sentences if part.sentences is not None else part.texts


class Bench:
    """A task with everything learned from its training text, from which any model is tuned."""

    def __init__(
        self, task: Task, families: Sequence[str], features: tuple[str, ...] = (), **parameters: Any
    ):
        self.task = task
        self.train, self.dev, self.test = (
            documents(part) for part in (task.train, task.dev, task.test)
        )
        self.model = TextClassifier(
            "+".join(families), features=features, **{**SIZES, **parameters}
        )
        began = time.perf_counter()
        self.prepared = self.model.prepare(self.train, task.train.labels)
        self.seconds = time.perf_counter() - began

    def tuned(
        self, penalty: str, weighting: str, grid: Grid, features: tuple[str, ...] = ()
    ) -> Outcome:
        """The best setting on dev, ties to the fewest weights, fitted anew and scored on test."""
        model = clone(self.model).set_params(
            penalty=penalty, weighting=weighting, features=features
        )
        return self.scored(choose(self.explored(model, grid)))

    def explored(
        self,
        model: TextClassifier,
        grid: Grid,
        stop: tuple[float, int] = (TUNING_TOL, TUNING_STEPS),
    ) -> list[Candidate]:
        """Return every setting of the grid for one model, with its scores on dev.

        `stop` are the tolerance and the number of steps at which fits stop.
        """
        # Both strengths of the elastic net are chosen.
        penalty = "ridge+lasso" if model.penalty == "elastic" else model.penalty
        model = clone(model).set_params(penalty=penalty, tol=stop[0], max_iter=stop[1])
        lassos = grid.lassos if penalty not in ("lasso", "ridge") else None
        began = time.perf_counter()
        trials = trials_of(
            model,
            self.adapted(model),
            (self.dev, self.task.dev.labels),
            grid._replace(lassos=lassos),
        )
        seconds = time.perf_counter() - began
        settings = [{"strength": t.strength, "lasso": t.lasso, "refit": t.refit} for t in trials]
        return [
            Candidate(clone(model).set_params(**s), t, seconds)
            for s, t in zip(settings, trials, strict=True)
        ]

    def scored(self, candidate: Candidate) -> Outcome:
        """Fit a chosen setting from zero to the final tolerance and score it on test."""
        model = clone(candidate.model).set_params(tol=FINAL_TOL, max_iter=FINAL_STEPS)
        prepared = self.adapted(model)
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit_prepared(prepared)
        seconds = time.perf_counter() - began
        predictions = model.predict(self.test)
        accuracy = float(np.mean(predictions == self.task.test.labels))
        chosen = (model.penalty, model.strength, model.lasso, model.ridge, model.refit)
        dev_accuracy, size = candidate.trial.accuracy, model.n_features_selected_
        return Outcome(
            accuracy, size, chosen, dev_accuracy, seconds, candidate.grid_seconds, predictions
        )

    def adapted(self, model: TextClassifier) -> Prepared:
        """The prepared data of one model: its families, its added features, its weighting."""
        added = tuple(
            part
            for name, part in zip(self.model.features, self.prepared.added, strict=True)
            if name in model.features
        )
        return model.adapt(self.prepared)._replace(added=added)


def choose(candidates: Sequence[Candidate], most: float = np.inf) -> Candidate:
    """The most accurate on dev with at most `most` weights (any, if none is so small), ties to the
    fewest weights.
    """
    small = [
        candidate for candidate in candidates if candidate.trial.n_selected <= most
    ] or candidates
    return max(small, key=lambda candidate: (candidate.trial.accuracy, -candidate.trial.n_selected))


def agreed(splits: Sequence[Sequence[Candidate]], most: Sequence[float] | None = None) -> int:
    """Which setting has the lowest mean log-loss on dev over the splits, which list the same
    settings in the same order.

    If `most` is given, of those within that many weights on every split (of all, if none is). Ties
    go to the fewest weights.
    """
    log_loss = np.mean([[c.trial.log_loss for c in row] for row in splits], axis=0).round(12)
    size = np.array([[c.trial.n_selected for c in row] for row in splits])
    small = (
        np.all(size <= np.array(most)[:, None], axis=0)
        if most is not None
        else np.ones(len(log_loss), dtype=bool)
    )
    rows = np.flatnonzero(small) if small.any() else np.arange(len(log_loss))
    return int(rows[np.lexsort((size.mean(axis=0)[rows], log_loss[rows]))[0]])


def mean_accuracy(splits: Sequence[Sequence[Candidate]], setting: int) -> float:
    """On dev, of one setting."""
    return float(np.mean([row[setting].trial.accuracy for row in splits]))


def over_tasks(
    measure: Callable[[str, bool, Path, bool], Any], data: Path, quick: bool
) -> list[Any]:
    """Run `measure` of every task (the first if quick) in the order of the page, two at a time."""
    jobs = [(name, stripped, data, quick) for stripped in (False, True) for name in NEWSGROUPS]
    jobs += [(name, False, data, quick) for name in ("sst", "convote")]
    if quick:
        return [measure(*jobs[0])]
    # The slowest tasks first, so that no worker ends with one of them alone.
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        running = {job[:2]: pool.submit(measure, *job) for job in jobs[::-1]}
        return [running[job[:2]].result() for job in jobs]


def cell(outcome: Outcome | None) -> str:
    """Test accuracy and, in brackets, non-zero weights."""
    return "–" if outcome is None else f"{percent(outcome.accuracy)} ({number(outcome.nonzeros)})"


def seconds(outcome: Outcome | None) -> str:
    """Seconds of the chosen fit / of its grid."""
    return (
        "–"
        if outcome is None
        else f"{number(outcome.fit_seconds, 2)} / {number(outcome.grid_seconds, 2)}"
    )


def public_clusters(data: Path) -> Path:
    """Brown clusters of a large news corpus (BLLIP), for the semi-supervised variant."""
    return data / "brown_clusters" / "bllip-clusters.txt.gz"
