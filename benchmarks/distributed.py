"""Rows on a Dask cluster of this machine: agreement, and two workers beside one."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from benchmarks.page import table
from laconic import (
    L1,
    ElasticNet,
    GroupLasso,
    OverlapGroupLasso,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    distributed,
)

TITLE = "Rows on a cluster"
TOL = 1e-6


@contextmanager
def local(n_workers: int) -> Iterator[Any]:
    """Start workers as processes of one thread each, and yield their client."""
    from distributed import Client, LocalCluster

    os.environ["OMP_NUM_THREADS"] = "1"
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def power_law(n: int, p: int, seed: int, words: int = 50) -> tuple[sp.csr_matrix, Any]:
    """Return rows of words drawn by a power law, and scores of a few hundred of them."""
    rng = np.random.default_rng(seed)
    chance = 1.0 / np.arange(1, p + 1)
    edges = np.cumsum(chance / chance.sum())
    columns = np.minimum(np.searchsorted(edges, rng.random(n * words)), p - 1)
    rows = np.repeat(np.arange(n), words)
    X = sp.csr_matrix((np.ones(n * words), (rows, columns)), shape=(n, p))
    X.sum_duplicates()
    X.data = np.log1p(X.data)
    weights = np.zeros(p)
    chosen = rng.permutation(min(p, 2000))[:300]
    weights[chosen] = rng.normal(size=len(chosen)) * 2
    return X, X @ weights + rng.normal(size=n)


def agreement(data: Path, quick: bool) -> str:
    """Return objectives, supports and certificates of five penalties and three losses."""
    n, p = (400, 200) if quick else (4000, 2000)
    X, scores = power_law(n, p, 0)
    binary = (scores > np.median(scores)).astype(int)
    names = np.array(["low", "middle", "high"])[
        np.digitize(scores, np.quantile(scores, [0.3, 0.7]))
    ]
    disjoint = [list(range(i, min(p, i + 10))) for i in range(0, p, 10)]
    overlaps = [list(range(i, min(p, i + 12))) for i in range(0, p, 10)]
    penalties = {
        "lasso": L1(4.0),
        "elastic net": ElasticNet(4.0),
        "ridge": Ridge(4.0),
        "groups": GroupLasso(disjoint, 4.0),
        "overlapping groups": OverlapGroupLasso(overlaps, 4.0),
    }
    losses: dict[str, tuple[Any, Any]] = {
        "logistic": (SparseClassifier(), binary),
        "multinomial": (SparseClassifier(), names),
        "squared": (SparseRegressor(), scores),
    }
    rows: list[list[Any]] = []
    with local(2) as client, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for loss, (model, y) in losses.items():
            for name, penalty in penalties.items():
                wanted = clone(model).set_params(penalty=penalty, tol=TOL)
                here = clone(wanted).fit(X, y)
                with distributed.on(client, n_blocks=4) as cluster:
                    there = clone(wanted).fit(X, y)
                off = abs(there.objective_ - here.objective_) / here.objective_
                alone = (here.coef_ != 0) ^ (there.coef_ != 0)
                rows.append(
                    [
                        loss,
                        name,
                        f"{here.objective_:.6f}",
                        f"{off:.1e}",
                        here.n_selected_,
                        int(np.any(np.atleast_2d(alone), axis=0).sum()),
                        f"{here.certificate_:.1e}",
                        f"{there.certificate_:.1e}",
                        there.n_iter_,
                        cluster.n_sums,
                        cluster.n_bytes / max(there.n_iter_, 1) / 1024,
                    ]
                )
    return (
        f"## Agreement\n\n{n:,} rows, {p:,} columns, blocks on two workers, a tolerance of "
        f"{TOL:.0e}; features that only one of the two fits keeps are counted, bytes are those "
        "sent to workers.\n\n"
        + table(
            [
                *("loss", "penalty", "objective here", "relative difference", "features kept"),
                *("kept by one alone", "certificate here", "on the cluster", "steps", "sums"),
                "KB per step",
            ],
            rows,
        )
    )


def workers(data: Path, quick: bool) -> str:
    """Return seconds of one and of two workers over growing numbers of rows."""
    sizes = (2000,) if quick else (10_000, 100_000, 400_000)
    rows: list[list[Any]] = []
    for n in sizes:
        X, scores = power_law(n, 20_000, 2)
        y = (scores > 0).astype(int)
        model = SparseClassifier(L1(n / 1000), tol=1e-4)
        times: dict[int, float] = {}
        last: Any = None
        for n_workers in (1, 2):
            with local(n_workers) as client, distributed.on(client, n_blocks=4) as cluster:
                began = time.perf_counter()
                problem = clone(model).pose(X, y)
                placed = time.perf_counter() - began
                began = time.perf_counter()
                last = clone(model).solve(problem)
                times[n_workers] = time.perf_counter() - began
                n_sums = cluster.n_sums
        rows.append(
            [n, placed, times[1], times[2], times[1] / times[2], last.n_iter, n_sums, last.error]
        )
    load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    return (
        "## One and two workers\n\nA lasso over rows of 50 words of 20,000, in four blocks, "
        f"seconds on the wall of the solver alone; the load average at the end was {load}.\n\n"
        + table(
            [
                *("rows", "placing rows, s", "one worker, s", "two workers, s", "one / two"),
                *("steps", "sums", "certificate"),
            ],
            rows,
        )
    )


SECTIONS = {"agreement": agreement, "workers": workers}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in chosen.values())])
