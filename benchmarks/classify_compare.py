"""Small structured models beside linear SVMs on sublinear tf-idf, at every dev split of a task."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks import corpora, peers
from benchmarks.classify_models import (
    UNIT,
    Bench,
    Candidate,
    Grid,
    agreed,
    mean_accuracy,
    public_clusters,
)
from benchmarks.peers import Outcome

PLAIN = ("lasso", "ridge", "elastic")
SUBLINEAR = "logtfidf"
REFITS = (None, 0.01, 0.03, 0.1)
FINE = Grid((1e-3,), (0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5), REFITS)
# Phrases add their losses, and lassos lie higher.
FINE_PHRASES = Grid((1e-3,), (0.03, 0.1, 0.2, 0.4, 0.7, 0.9, 1.1), REFITS)
ELASTIC = Grid((0.03, 0.1, 0.3), FINE.lassos)
RIDGE = 0.1
CONTRAST = 0.5
PHRASES = 0.1
QUICK, QUICK_REFITS = Grid((1e-3,), (0.1,)), Grid((1e-3,), (0.1,), (None, 0.1))
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


def compare(
    tasks: Sequence[corpora.Task], data: Path, quick: bool
) -> tuple[dict[str, list[Outcome]], dict[str, float]]:
    """Models on sublinear tf-idf at every dev split, a row's setting chosen by all splits.

    And what dev says of variants.
    """
    families = ["sentence", "brown"] + (["tree"] if tasks[0].train.trees is not None else [])
    phrases: dict[str, Any] = {"constituents": PHRASES} if tasks[0].train.trees is not None else {}
    clusters = str(public_clusters(data))
    benches = [
        Bench(task, families, clusters=clusters, weighting=SUBLINEAR, **phrases) for task in tasks
    ]
    outcomes: dict[str, list[Outcome]] = {"svm": [peers.linear_svm(task) for task in tasks]}
    outcomes["svm sublinear"] = [peers.linear_svm(task, sublinear=True) for task in tasks]
    limits = [SHARE * outcome.nonzeros for outcome in outcomes["svm"]]

    def explored(grid: Grid, names: Sequence[str], **parameters: Any) -> list[list[Candidate]]:
        settings = [{"penalty": name, **parameters} for name in names]
        return [
            [
                c
                for setting in settings
                for c in b.explored(clone(b.model).set_params(**setting), grid)
            ]
            for b in benches
        ]

    def scored(
        candidates: Sequence[Sequence[Candidate]], most: Sequence[float] | None = None
    ) -> list[Outcome]:
        return [
            b.scored(row[agreed(candidates, most)])
            for b, row in zip(benches, candidates, strict=True)
        ]

    fine, elastic = (
        (FINE_PHRASES if phrases else FINE, ELASTIC) if not quick else (QUICK_REFITS, QUICK)
    )
    for row in PLAIN:
        outcomes[row] = scored(explored(QUICK if quick else UNIT, [row], constituents=0.0))
    structured = explored(fine, families, ridge=RIDGE, contrast=CONTRAST)
    outcomes["best"], outcomes["small"] = scored(structured), scored(structured, limits)
    variants = {
        "elastic net": explored(elastic, ["elastic"], constituents=0.0),
        "elastic net, contrast": explored(
            elastic, ["elastic"], constituents=0.0, contrast=CONTRAST
        ),
        "groups": explored(fine._replace(refits=(None,)), families, ridge=RIDGE),
        "groups, contrast": [[c for c in row if c.model.refit is None] for row in structured],
        "groups, contrast, refit": structured,
    }
    if phrases:
        plain = FINE if not quick else fine
        variants["groups, contrast, refit, no phrases"] = explored(
            plain, families, ridge=RIDGE, contrast=CONTRAST, constituents=0.0
        )
    trials = {name: mean_accuracy(rows, agreed(rows, limits)) for name, rows in variants.items()}
    trials |= {
        SEED_ROWS[row]: float(np.mean([o.dev_accuracy for o in outcomes[row]]))
        for row in ("svm", "svm sublinear")
    }
    if phrases:  # The SVM with what our models know, for fairness.
        trials["sublinear SVM, phrases"] = phrase_svm(benches[0])
    return outcomes, trials


def phrase_svm(bench: Bench) -> float:
    """Accuracy on dev of a linear SVM on sublinear tf-idf with the phrases as examples of the same
    weight, C tuned there.
    """
    rows, examples = bench.prepared.X, bench.prepared.examples
    if examples is None:
        raise ValueError("the task has no phrases with labels")
    X = sp.vstack([rows, examples.X], format="csr")
    labels = np.concatenate([bench.prepared.labels, examples.labels])
    weight = np.where(np.arange(X.shape[0]) < rows.shape[0], 1.0, PHRASES)
    dev = clone(bench.model).adopt_preparation(bench.prepared).vectorize(bench.dev)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fits = [
            LinearSVC(C=cost, random_state=0).fit(X, labels, weight) for cost in (0.1, 1.0, 10.0)
        ]
    return max(float(np.mean(fit.predict(dev) == bench.task.dev.labels)) for fit in fits)
