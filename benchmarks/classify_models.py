"""laconic's text classifiers tuned on dev by the paper's protocol; one preparation of a task serves every model.

Strengths are tuned at a loose tolerance, then the chosen setting is fitted anew from zero at FINAL_TOL; that fit is what is
scored on test, counted and timed. There is no refit on train + dev.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from benchmarks.corpora import Part, Task
from benchmarks.peers import Outcome
from laconic.estimators.text import Prepared, TextClassifier
from laconic.estimators.tuning import Trial, tune
from laconic.text.trees import parse_tree

TUNING_TOL, TUNING_STEPS = 1e-2, 100
FINAL_TOL, FINAL_STEPS = 1e-3, 1000


class Grid(NamedTuple):
    """Strengths and lassos to try; None is the paper's."""

    strengths: Sequence[float] | None = None
    lassos: Sequence[float] | None = None


PAPER = Grid()
# Rows of tf-idf have length 1 where rows of counts are ten to a hundred times longer: the decades lie lower.
UNIT = Grid((1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0), (1e-2, 1e-1, 1.0))


def documents(part: Part) -> list[Any]:
    """A part as TextClassifier takes it: trees where there are trees, sentences where the corpus gives them, else strings."""
    if part.trees is not None:
        return [parse_tree(tree) for tree in part.trees]
    return part.sentences if part.sentences is not None else part.texts


class Bench:
    """A task with everything learned from its training text, from which any model is tuned."""

    def __init__(self, task: Task, families: Sequence[str], features: tuple[str, ...] = (), **parameters: Any):
        self.task = task
        self.train, self.dev, self.test = (documents(part) for part in (task.train, task.dev, task.test))
        self.model = TextClassifier("+".join(families), features=features, neutral_label="2", **parameters)
        began = time.perf_counter()
        self.prepared = self.model.prepare(self.train, task.train.labels)
        self.seconds = time.perf_counter() - began

    def tuned(
        self, regularizer: str, weighting: str, grid: Grid, features: tuple[str, ...] = (), most: float = np.inf
    ) -> Outcome:
        """The best setting on dev (with at most `most` weights; ties: fewest), fitted anew and scored on test."""
        model = clone(self.model).set_params(
            regularizer=regularizer, weighting=weighting, features=features, tol=TUNING_TOL, max_iter=TUNING_STEPS
        )
        prepared = self._for(model)
        labels, dev_labels = self.task.train.labels, self.task.dev.labels
        lassos = grid.lassos if regularizer not in ("lasso", "ridge") else None
        began = time.perf_counter()
        _, trials = tune(model, (self.train, labels), (self.dev, dev_labels), grid.strengths, lassos, prepared=prepared)
        grid_seconds = time.perf_counter() - began
        chosen = choose(trials, most)
        final = model.set_params(strength=chosen.strength, lasso=chosen.lasso, tol=FINAL_TOL, max_iter=FINAL_STEPS)
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            final.fit_prepared(prepared)
        fit_seconds = time.perf_counter() - began
        predictions = final.predict(self.test)
        accuracy = float(np.mean(predictions == self.task.test.labels))
        setting = (chosen.strength, chosen.lasso)
        return Outcome(accuracy, final.n_features_selected_, setting, chosen.accuracy, fit_seconds, grid_seconds, predictions)

    def _for(self, model: TextClassifier) -> Prepared:
        """The prepared data of one model: its families, its added features, its weighting."""
        added = tuple(part for name, part in zip(self.model.features, self.prepared.added, strict=True) if name in model.features)
        return model.adapt(self.prepared)._replace(added=added)


def choose(trials: Sequence[Trial], most: float = np.inf) -> Trial:
    """The most accurate trial with at most `most` weights (any, if none is so small), ties to the fewest weights."""
    small = [trial for trial in trials if trial.n_selected <= most] or list(trials)
    return max(small, key=lambda trial: (trial.accuracy, -trial.n_selected))


def public_clusters(data: Path) -> Path:
    """Brown clusters of a large news corpus (BLLIP), for the semi-supervised variant."""
    return data / "brown_clusters" / "bllip-clusters.txt.gz"
