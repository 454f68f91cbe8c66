"""Table 3.1's form: mean squared error by step of time and overall, of models that ignore time, follow it alike, and follow it each in its own way."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.exceptions import ConvergenceWarning

from benchmarks.page import number, table
from benchmarks.temporal_data import SETS, Dated
from laconic import (
    L1,
    AdaptivePrior,
    FusedLasso,
    Ridge,
    RollingOrigin,
    SmoothGroupLasso,
    SmoothRidge,
    TemporalRegressor,
    rolling_forecast,
)

Array = NDArray[np.float64]
OURS = "adaptive prior"
STRENGTHS = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)


class Family(NamedTuple):
    """A kind of model: settings to choose from, as (penalty of them, mode)."""

    make: Callable[..., Any]
    mode: str
    grid: dict[str, tuple[float, ...]]

    def settings(self, quick: bool) -> list[dict[str, float]]:
        """All combinations; in a quick run the one in the middle."""
        every = [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]
        return [every[len(every) // 2]] if quick else every

    def model(self, setting: dict[str, float], step: str | None) -> TemporalRegressor:
        """A regressor with this setting."""
        return TemporalRegressor(self.make(**setting), mode=self.mode, step=step, tol=3e-3, max_iter=200)


def families(noise: float) -> dict[str, Family]:
    """The models of the table; strengths of the prior are shares of `noise`, a variance of what no model explains."""
    prior = {
        "strength": tuple(round(noise * share, 6) for share in (0.1, 0.3, 1.0, 3.0)),
        "floor": (1e-4, 1e-2, 1e-1),
        "tau": (1.0, 100.0),
    }
    lasso = tuple(s / 10 for s in STRENGTHS[:6])
    return {
        "ridge-one": Family(Ridge, "last", {"strength": STRENGTHS}),
        "ridge-all": Family(Ridge, "pooled", {"strength": STRENGTHS}),
        "ridge-ts": Family(SmoothRidge, "moving", {"strength": STRENGTHS[:6], "smoothness": (3.0, 30.0, 300.0)}),
        "lasso-one": Family(L1, "last", {"strength": lasso}),
        "lasso-all": Family(L1, "pooled", {"strength": lasso}),
        "fused lasso": Family(FusedLasso, "moving", {"strength": lasso[1:5], "fusion": (3.0, 30.0)}),
        "smooth groups": Family(SmoothGroupLasso, "moving", {"strength": lasso[:4], "smoothness": (1.0, 10.0, 100.0)}),
        OURS: Family(AdaptivePrior, "moving", prior),
    }


class Tested(NamedTuple):
    """Squared errors of the test rows, their steps, the setting, features in use at the last test step, seconds of all fits."""

    errors: Array
    labels: NDArray[Any]
    setting: dict[str, float]
    n_selected: int
    seconds: float


def squared_errors(model: TemporalRegressor, dated: Dated, origin: RollingOrigin) -> tuple[Array, NDArray[Any], list[Any]]:
    """Of every row that is forecast."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # certificates are in the page, where they matter
        done = rolling_forecast(model, dated.X, dated.y, dated.times, origin, keep=True)
    return (done.predicted - dated.y[done.rows]) ** 2, done.labels, done.models


def tune(family: Family, dated: Dated, quick: bool) -> dict[str, float]:
    """The setting with the least error on development steps."""
    errors = [
        (float(squared_errors(family.model(one, dated.step), dated, dated.dev)[0].mean()), n, one)
        for n, one in enumerate(family.settings(quick))
    ]
    return min(errors)[2]


def test(family: Family, dated: Dated, quick: bool) -> Tested:
    """Tune on development steps, then forecast the test steps once."""
    setting = tune(family, dated, quick)
    began = time.perf_counter()
    origin = dated.test if not quick else dated.dev
    errors, labels, models = squared_errors(family.model(setting, dated.step), dated, origin)
    return Tested(errors, labels, setting, models[-1].n_selected_, time.perf_counter() - began)


def noise_of(dated: Dated) -> float:
    """What a pooled ridge leaves unexplained before the test: the scale for strengths of the prior."""
    fold = next(iter(dated.test.folds(dated.times)))
    best = TemporalRegressor(Ridge(100.0), mode="pooled")
    rows = np.array_split(fold.train, 2)
    model = best.fit(dated.X[rows[0]], dated.y[rows[0]])
    return float(np.mean((model.predict(dated.X[rows[1]]) - dated.y[rows[1]]) ** 2))


def section(name: str) -> Callable[[Path, bool], str]:
    """The section of one set."""

    def make(data: Path, quick: bool) -> str:
        dated = SETS[name](data)
        found = {kind: test(family, dated, quick) for kind, family in families(noise_of(dated)).items()}
        return "\n".join([f"## {dated.title}", dated.about, "", by_step(found), significance(found), settings(found)])

    return make


def by_step(found: dict[str, Tested]) -> str:
    """A row a step, the lowest error in bold; the last row is over all documents."""
    labels = found[OURS].labels
    rows = []
    for label in [*dict.fromkeys(labels.tolist()), "overall"]:
        here = labels == label if label != "overall" else np.ones(len(labels), dtype=bool)
        errors = [float(one.errors[here].mean()) for one in found.values()]
        cells = [f"**{number(error)}**" if error == min(errors) else number(error) for error in errors]
        rows.append([str(label), int(here.sum()), *cells])
    return table(["step", "documents", *found], rows)


def significance(found: dict[str, Tested]) -> str:
    """Wilcoxon's signed-rank test over documents, and over steps, which are fewer but nearer to independent."""
    ours = found[OURS]
    steps = [*dict.fromkeys(ours.labels.tolist())]
    rows = []
    for kind, one in found.items():
        if kind == OURS:
            continue
        means = [[float(each.errors[each.labels == label].mean()) for label in steps] for each in (ours, one)]
        ahead = sum(a < b for a, b in zip(*means, strict=True))
        documents = float(wilcoxon(ours.errors, one.errors).pvalue)
        by_steps = float(wilcoxon(*means).pvalue) if len(steps) > 5 else float("nan")
        rows.append(
            [
                kind,
                float(ours.errors.mean() / one.errors.mean()),
                f"{ahead} of {len(steps)}",
                f"{documents:.1e}",
                number(by_steps),
            ]
        )
    return table([f"{OURS} against", "ratio of errors", "steps ahead", "p over documents", "p over steps"], rows)


def settings(found: dict[str, Tested]) -> str:
    """What was chosen on development steps."""
    rows = [
        [kind, ", ".join(f"{name} {value:g}" for name, value in one.setting.items()), one.n_selected, one.seconds]
        for kind, one in found.items()
    ]
    return table(["model", "chosen on development steps", "features in use at the end", "seconds of test fits"], rows)
