"""Small structured models beside linear SVMs on sublinear tf-idf, at every dev split of a task."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks import corpora, peers
from benchmarks.classify_models import UNIT, Bench, Candidate, Grid, agreed, mean_accuracy, public_clusters
from benchmarks.peers import Outcome

PLAIN = ("lasso", "ridge", "elastic")
SUBLINEAR = "logtfidf"
FINE = Grid((1e-4, 1e-3), (0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8))
# Phrases add their losses, and lassos lie higher.
FINE_PHRASES = Grid((1e-3,), (0.03, 0.1, 0.2, 0.4, 0.7, 0.9, 1.1))
# (ridge, refit): the ridge beside the groups, and the ridge that gives the kept words their final weights, if any.
RIDGES: tuple[tuple[float, float | None], ...] = ((0.1, None), (0.3, None), (0.1, 0.01), (0.1, 0.03), (0.1, 0.1))
ELASTIC = Grid((0.03, 0.1, 0.3), FINE.lassos)
CONTRAST = 0.5
PHRASES = 0.1
QUICK, QUICK_RIDGES = Grid((1e-3,), (0.1,)), ((0.0, None), (0.0, 0.1))
UNREFITTED = ((0.0, None),)
SHARE = 0.1
SEED_ROWS = {
    "lasso": "lasso",
    "ridge": "ridge",
    "elastic": "elastic net",
    "best": "structured",
    "small": "structured, small",
    "svm": "SVM",
    "svm sublinear": "sublinear SVM",
}


def compare(tasks: Sequence[corpora.Task], data: Path, quick: bool) -> tuple[dict[str, list[Outcome]], dict[str, float]]:
    """Models on sublinear tf-idf at every dev split, a row's setting chosen by all splits; and what dev says of variants."""
    families = ["sentence", "brown"] + (["tree"] if tasks[0].train.trees is not None else [])
    phrases: dict[str, Any] = {"constituents": PHRASES} if tasks[0].train.trees is not None else {}
    benches = [Bench(task, families, clusters=str(public_clusters(data)), weighting=SUBLINEAR, **phrases) for task in tasks]
    outcomes: dict[str, list[Outcome]] = {"svm": [peers.linear_svm(task) for task in tasks]}
    outcomes["svm sublinear"] = [peers.linear_svm(task, sublinear=True) for task in tasks]
    limits = [SHARE * outcome.nonzeros for outcome in outcomes["svm"]]

    def explored(grid: Grid, ridges: Any, names: Sequence[str], **parameters: Any) -> list[list[Candidate]]:
        pairs = product(names, ridges)
        settings = [{"regularizer": name, "ridge": ridge, "refit": refit, **parameters} for name, (ridge, refit) in pairs]
        return [[c for setting in settings for c in b.explored(clone(b.model).set_params(**setting), grid)] for b in benches]

    def scored(candidates: Sequence[Sequence[Candidate]], most: Sequence[float] | None = None) -> list[Outcome]:
        return [b.scored(row[agreed(candidates, most)]) for b, row in zip(benches, candidates, strict=True)]

    fine, ridges = (QUICK, QUICK_RIDGES) if quick else (FINE_PHRASES if phrases else FINE, RIDGES)
    elastic = QUICK if quick else ELASTIC
    for row in PLAIN:
        outcomes[row] = scored(explored(QUICK if quick else UNIT, UNREFITTED, [row], constituents=0.0))
    structured = explored(fine, ridges, families, contrast=CONTRAST)
    outcomes["best"], outcomes["small"] = scored(structured), scored(structured, limits)
    unrefitted = [[c for c in row if c.model.refit is None] for row in structured]
    variants = {
        "elastic net": explored(elastic, UNREFITTED, ["elastic"], constituents=0.0),
        "elastic net, contrast": explored(elastic, UNREFITTED, ["elastic"], constituents=0.0, contrast=CONTRAST),
        "groups": explored(fine, ridges[:1], families),
        "groups, contrast": unrefitted,
        "groups, contrast, refit": structured,
    }
    if phrases:
        coarse = QUICK if quick else Grid((1e-3,), FINE.lassos)
        variants["groups, contrast, refit, no phrases"] = explored(coarse, ridges, families, constituents=0.0, contrast=CONTRAST)
    trials = {name: mean_accuracy(rows, agreed(rows, limits)) for name, rows in variants.items()}
    trials |= {SEED_ROWS[row]: float(np.mean([o.dev_accuracy for o in outcomes[row]])) for row in ("svm", "svm sublinear")}
    if phrases:  # The SVM with what our models know, for fairness.
        trials["sublinear SVM, phrases"] = phrase_svm(benches[0])
    return outcomes, trials


def phrase_svm(bench: Bench) -> float:
    """Accuracy on dev of a linear SVM on sublinear tf-idf with the phrases as examples of the same weight, C tuned there."""
    rows, examples = bench.prepared.X, bench.prepared.examples
    if examples is None:
        raise ValueError("the task has no phrases with labels")
    X = sp.vstack([rows, examples.X], format="csr")
    labels = np.concatenate([bench.prepared.labels, examples.labels])
    weight = np.where(np.arange(X.shape[0]) < rows.shape[0], 1.0, PHRASES)
    dev = clone(bench.model).adopt_preparation(bench.prepared).vectorize(bench.dev)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fits = [LinearSVC(C=cost, random_state=0).fit(X, labels, weight) for cost in (0.1, 1.0, 10.0)]
    return max(float(np.mean(fit.predict(dev) == bench.task.dev.labels)) for fit in fits)
