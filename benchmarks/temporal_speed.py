"""How the time of a fit grows with features, documents and steps; and how many trajectories can be dropped at no loss."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.page import number, percent, table
from benchmarks.temporal_data import SETS, Dated
from benchmarks.temporal_forecast import OURS, families, noise_of, squared_errors, tune
from laconic import AdaptivePrior, RollingOrigin, SmoothGroupLasso, TemporalRegressor

N_WORDS = 100  # words of a document that are features


class Timed(NamedTuple):
    """Seconds a step of the solver, steps, seconds of the whole fit, how far it got, megabytes at the most so far."""

    per_step: float
    n_steps: int
    seconds: float
    certificate: float
    megabytes: float


def stream(n_features: int, n_documents: int, n_steps: int) -> tuple[sp.csr_matrix, NDArray, NDArray]:
    """Documents of 100 words by Zipf's law; ten words move, a hundred stand still, the others say nothing."""
    rng = np.random.default_rng(0)
    chance = 1.0 / np.arange(1, n_features + 1)
    columns = rng.choice(n_features, (n_documents, N_WORDS), p=chance / chance.sum())
    X = sp.csr_matrix(
        (np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, N_WORDS)), shape=(n_documents, n_features)
    )
    X.sum_duplicates()
    X.data[:] = 1.0
    times = np.sort(rng.integers(n_steps, size=n_documents))
    weights = np.zeros((n_features, n_steps))
    told = rng.choice(n_features, min(110, n_features), replace=False)
    weights[told[10:]] = rng.normal(size=(len(told) - 10, 1))
    weights[told[:10]] = rng.normal(size=(10, n_steps)).cumsum(axis=1) / np.sqrt(n_steps)
    y = np.array([(X[[n]] @ weights[:, times[n]])[0] for n in range(n_documents)]) + rng.normal(size=n_documents)
    return X, y, times


def timed(n_features: int, n_documents: int, n_steps: int) -> Timed:
    """One fit of the adaptive prior."""
    X, y, times = stream(n_features, n_documents, n_steps)
    began = time.perf_counter()
    model = TemporalRegressor(AdaptivePrior(strength=1.0, floor=1e-3, tau=100.0), tol=1e-3, n_jobs=-1).fit(X, y, times=times)
    seconds = time.perf_counter() - began
    trace = model.result_.trace
    per_step = trace[-1].seconds / max(1, len(trace))
    return Timed(per_step, model.n_iter_, seconds, model.certificate_, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def speed(data: Path, quick: bool) -> str:
    """Each of the three sizes on its own, then all at once."""
    base = (500, 500, 5) if quick else (2_500, 2_500, 10)
    shapes = [base]
    shapes += [(base[0] * f, base[1], base[2]) for f in (2, 4)] + [(base[0], base[1] * f, base[2]) for f in (2, 4)]
    shapes += [(base[0], base[1], base[2] * f) for f in (2, 4)] + ([] if quick else [(10_000, 5_000, 30)])
    rows = []
    for shape in shapes:
        one = timed(*shape)
        rows.append(
            [
                f"{shape[0]:,}",
                shape[1],
                shape[2],
                1e3 * one.per_step,
                one.n_steps,
                one.seconds,
                f"{one.certificate:.0e}",
                one.megabytes,
            ]
        )
    columns = [
        "features",
        "documents",
        "steps of time",
        "ms a solver step",
        "solver steps",
        "seconds",
        "certificate",
        "peak MB so far",
    ]
    return "\n".join(
        [
            "## Speed of the adaptive prior",
            f"Documents of {N_WORDS} words, all cores. A solver step is a pass over documents and trajectories.",
            "",
            table(columns, rows),
        ]
    )


def zeros(data: Path, quick: bool) -> str:
    """Movies: error and trajectories in use along strengths of the group lasso over time, beside the models with none removed."""
    dated = SETS["movies"](data)
    origin = dated.dev if quick else dated.test
    kinds = families(noise_of(dated))
    rows = []
    n_features = dated.X.shape[1]
    for kind in ("ridge-ts", OURS):
        model = kinds[kind].model(tune(kinds[kind], dated, quick), dated.step)
        rows.append(line(kind, model, dated, origin, n_features))
    for strength in (1.0, 3.0) if quick else (0.3, 1.0, 2.0, 3.0, 5.0, 10.0):
        model = TemporalRegressor(SmoothGroupLasso(strength=strength, smoothness=10.0), tol=3e-3)
        rows.append(line(f"smooth groups, strength {strength:g}", model, dated, origin, n_features))
    return "\n".join(["## Trajectories that are exactly zero (movies)", table(["model", "MSE", "trajectories removed, %"], rows)])


def line(name: str, model: TemporalRegressor, dated: Dated, origin: RollingOrigin, n_features: int) -> list[str]:
    """Name, error, share of trajectories that are exactly zero at the last test step."""
    errors, _, models = squared_errors(model, dated, origin)
    return [name, number(float(errors.mean())), percent(1 - models[-1].n_selected_ / n_features)]
