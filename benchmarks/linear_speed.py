"""The speed of ridge fits beside scikit-learn's solvers, and the memory of single precision."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks import problems
from benchmarks.page import table
from benchmarks.timing import interleaved, measure_in_subprocess, ratio
from laconic import Ridge, SparseClassifier

TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
REPEATS = 5


def smooth_cases(data: Path) -> Iterator[tuple[str, Any, Any, float, tuple[str, ...]]]:
    """Name, rows, labels, strength and peers of every problem."""
    counts = problems.newsgroup_counts(data)
    X, y = sp.csr_matrix(counts.rows, dtype=float), np.asarray(counts.labels)
    tfidf = sp.csr_matrix(TfidfTransformer(sublinear_tf=True).fit_transform(X))
    by_frequency = np.asarray((X > 0).sum(axis=0)).ravel().argsort()
    large = np.ones(X.shape[1])
    large[by_frequency[-50]] = 1000.0
    few = sp.csr_matrix(X[:, by_frequency[-300:]])
    scale = np.r_[np.ones(299), 1000.0]
    sparse, every = ("newton-cg", "lbfgs"), ("newton-cg", "newton-cholesky", "lbfgs")
    yield "counts", X, y, 1.0, sparse
    yield "counts", X, y, 0.01, sparse
    yield "tf-idf", tfidf, y, 1.0, sparse
    yield "tf-idf", tfidf, y, 0.1, sparse
    yield "counts, one column x 1000", sp.csr_matrix(X @ sp.diags(large)), y, 1.0, sparse[:1]
    yield "300 words", few, y, 1.0, every
    yield "300 words, one x 1000", sp.csr_matrix(few @ sp.diags(scale)), y, 1.0, every[:2]
    yield "300 words, one x 1000, dense", few.toarray() * scale, y, 1.0, every[:2]


def objective(X: Any, y: Any, strength: float, model: Any) -> float:
    """Summed log-loss + strength |w|^2 / 2."""
    w = model.coef_.ravel()
    margins = np.where(y > 0, 1, -1) * (X @ w + np.ravel(model.intercept_)[0])
    return float(np.logaddexp(0, -margins).sum() + 0.5 * strength * w @ w)


def speed_smooth(data: Path, quick: bool) -> str:
    """Ours with default options beside each peer at its loosest tolerance that reaches as far."""
    rows = []
    cases = list(smooth_cases(data))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, X, y, strength, peers in cases[:1] if quick else cases:
            ours = SparseClassifier(Ridge(strength))
            goal = objective(X, y, strength, ours.fit(X, y))
            for solver in peers:
                peer, reached = LogisticRegression(C=1 / strength, solver=solver), np.inf
                for tol in TOLERANCES:
                    peer.set_params(tol=tol, max_iter=3000).fit(X, y)
                    reached = objective(X, y, strength, peer)
                    if reached <= goal * (1 + 1e-7):
                        break
                times = interleaved(
                    {"ours": lambda: ours.fit(X, y), "peer": lambda: peer.fit(X, y)},  # noqa: B023
                    1 if quick else REPEATS,
                    clock=time.process_time,
                )
                rows.append(
                    [
                        f"{name}, strength {strength:g}",
                        f"{solver}, tol {tol:.0e}",
                        f"{ours.certificate_:.0e}",
                        f"{reached / goal - 1:+.0e}",
                        times["ours"].median,
                        times["peer"].median,
                        ratio(times, "peer", "ours"),
                    ]
                )
    head = ["problem", "scikit-learn", "certificate", "its objective beside ours"]
    return (
        "Ridge logistic regression on science, CPU seconds of one thread\n\n"
        "Both from the matrix to the model; the peer at its loosest tolerance that reaches our "
        "objective.\n\n" + table([*head, "ours, s", "peer, s", "peer / ours"], rows)
    )


def fitted(values: str, form: str, n_rows: int) -> float:
    """Fit a ridge to made-up rows; return the gigabytes of the matrix."""
    rng = np.random.default_rng(0)
    X: Any = rng.random((n_rows, 500), dtype=np.float32).astype(values, copy=False)
    size = float(X.nbytes)
    if form == "sparse":
        index = rng.integers(0, 20, X.shape, dtype=np.int32)
        index += 20 * np.arange(500, dtype=np.int32)
        ptr = np.arange(0, X.size + 1, 500, dtype=np.int32)
        X = sp.csr_matrix((X.ravel(), index.ravel(), ptr), shape=(n_rows, 10000))
        size += index.nbytes
    SparseClassifier(Ridge(1e3), tol=1e-2).fit(X, rng.integers(0, 2, n_rows)).predict(X)
    return size / 1e9


def memory_float32(data: Path, quick: bool) -> str:
    """Peak memory of a fresh process that makes a matrix, fits a ridge and predicts."""
    rows = []
    for form in ("dense", "sparse"):
        for values in ("float64", "float32"):
            done = measure_in_subprocess(fitted, values, form, 2000 if quick else 100_000)
            gigabytes = done.peak_megabytes / 1e3
            rows.append([form, values, f"{done.value:.2f}", f"{gigabytes:.2f}"])
    return (
        "Memory of single precision\n\nPeak of a fresh process that makes a matrix of 500 entries "
        "per row, fits a ridge and predicts.\n\n"
        + table(["matrix", "values", "its size, GB", "peak of the process, GB"], rows)
    )
