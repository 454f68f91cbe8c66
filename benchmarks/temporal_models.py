"""The models of Table 3.1's form, with settings to choose from, and how a setting is chosen anew
for every step from what is known by then.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from benchmarks.temporal_data import Dated
from laconic import L1, AdaptivePrior, FusedLasso, Ridge, SmoothRidge, TemporalRegressor
from laconic.time.rolling import Fold
from laconic.time.trajectories import LIMIT

Array = NDArray[np.float64]
Setting = dict[str, Any]
OURS, LASSO = "adaptive prior", "lasso-all"
RIDGES = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)
LASSOS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
USUAL_STEPS = 10
# Settings with more than this multiple of the least error on development steps are abandoned.
FOLLOWED = 1.1


class Family(NamedTuple):
    """A kind of model: settings to choose from, what makes a penalty of one and a number of steps,
    and how its weights move.
    """

    settings: list[Setting]
    penalty: Callable[[Setting, int], Any]
    mode: str


def every(**grid: tuple[Any, ...]) -> list[Setting]:
    """All combinations."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def prior(setting: Setting, n_steps: int) -> AdaptivePrior:
    """The floor grows as the square of the steps: a weight that stands still is then held by many
    steps as much as by few.
    """
    floor = setting["floor"] * (n_steps / USUAL_STEPS) ** 2
    return AdaptivePrior(strength=setting["strength"], floor=floor, tau=setting["tau"])


def strength_of(ridge: float, floor: float, tau: float) -> float:
    """With which the prior holds small weights that stand still about as a ridge of strength
    `ridge` does; `floor` says how small they must be.

    Near zero it is strength T / floor_T (1 + 2 E[alpha]) |w|^2 / 2 with 1 + 2 E[alpha] = 2 / tau +
    1 - 2 C beforehand, floor_T = floor (T / USUAL_STEPS)^2, and |w|^2 is T times that of one step.
    """
    return round(ridge * floor / (USUAL_STEPS**2 * (2 / tau + 1 - 2 * LIMIT)), 6)


def families(variance: float, lasso: float | None = None) -> dict[str, Family]:
    """The models of the table.

    Strengths of the prior are shares of the targets' variance or, where it begins with a lasso of
    strength `lasso`, those of ridges.
    """

    def shares(*values: float) -> tuple[float, ...]:
        return tuple(round(variance * value, 6) for value in values)

    ours = every(
        strength=shares(1, 3, 10, 30), floor=(1e-2, 1e-1, 1.0), tau=(10.0, 100.0, 1000.0, 10000.0)
    )
    if lasso is not None:
        near_zero = every(ridge=RIDGES[4:], floor=(1e-6, 1e-5, 1e-4), tau=(1e4, 1e5))
        ours += [
            {
                "strength": strength_of(**one),
                "floor": one["floor"],
                "tau": one["tau"],
                "lasso": lasso,
            }
            for one in near_zero
        ]
    return {
        "ridge-one": Family(every(strength=RIDGES), lambda one, _: Ridge(**one), "last"),
        "ridge-all": Family(every(strength=RIDGES), lambda one, _: Ridge(**one), "pooled"),
        "ridge-ts": Family(
            every(strength=RIDGES[:6], smoothness=(10.0, 100.0, 1000.0)),
            lambda one, _: SmoothRidge(**one),
            "moving",
        ),
        "lasso-one": Family(every(strength=LASSOS), lambda one, _: L1(**one), "last"),
        LASSO: Family(every(strength=LASSOS), lambda one, _: L1(**one), "pooled"),
        "fused lasso": Family(
            every(strength=LASSOS[:4], fusion=(3.0, 30.0)),
            lambda one, _: FusedLasso(**one),
            "moving",
        ),
        OURS: Family(ours, prior, "moving"),
    }


def fitted(family: Family, setting: Setting, dated: Dated, fold: Fold) -> TemporalRegressor:
    """The model of a setting, of what was known before a fold's test step."""
    times = dated.times[fold.train]
    n_steps = dated.n_steps(times)
    start = L1(setting["lasso"]) if "lasso" in setting else None
    model = TemporalRegressor(
        family.penalty(setting, n_steps),
        mode=family.mode,
        step=dated.step,
        start=start,
        tol=3e-3,
        max_iter=200,
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # a forecast needs no more digits than these
        return model.fit(dated.X[fold.train], dated.y[fold.train], times=times)


class Tried(NamedTuple):
    """One setting at all steps: squared errors (rows,), NaN where none was forecast.

    Features in use and CPU seconds of the fit of every step.
    """

    errors: Array
    n_selected: dict[str, int]
    seconds: dict[str, float]


class Each(NamedTuple):
    """One setting at all test steps: its mean squared error, and features used at the last."""

    setting: Setting
    error: float
    n_selected: int


class Outcome(NamedTuple):
    """Squared errors of the test rows, their steps, the setting of every step, features in use at
    the last one, seconds of the fits that were chosen; every setting by itself.
    """

    errors: Array
    labels: NDArray[Any]
    chosen: list[Setting]
    n_selected: int
    seconds: float
    each: list[Each]


def steps_of(dated: Dated, quick: bool) -> tuple[list[Fold], list[Fold]]:
    """Steps that settings are first chosen by, and test steps.

    Where it must be quick, the first three of the former, the last of which is the test.
    """
    dev = list(dated.dev.folds(dated.times))
    return (dev[:2], dev[2:3]) if quick else (dev, list(dated.test.folds(dated.times)))


def tried(family: Family, setting: Setting, dated: Dated, folds: list[Fold]) -> Tried:
    """Forecasts of some steps with one setting."""
    errors = np.full(len(dated.y), np.nan)
    n_selected, seconds = {}, {}
    for fold in folds:
        began = time.process_time()
        model = fitted(family, setting, dated, fold)
        seconds[fold.label] = time.process_time() - began
        n_selected[fold.label] = model.n_selected_
        errors[fold.test] = (model.predict(dated.X[fold.test]) - dated.y[fold.test]) ** 2
    return Tried(errors, n_selected, seconds)


def best_known(errors: Array, fold: Fold) -> int:
    """Of errors (settings, rows): the setting with the least mean over rows that were forecast and
    whose targets are known when the fold is forecast.
    """
    return int(np.argmin(means_known(errors, fold)))


def means_known(errors: Array, fold: Fold) -> Array:
    """Of every setting the mean over these rows; zeros if there are none."""
    known = fold.train[np.isfinite(errors[0, fold.train])]
    return errors[:, known].mean(axis=1) if len(known) else np.zeros(len(errors))


def chosen_by_what_is_known(family: Family, dated: Dated, quick: bool) -> Outcome:
    """Forecast every test step with the setting that did best up to it."""
    dev, test = steps_of(dated, quick)
    settings = family.settings[:: len(family.settings) // 2] if quick else family.settings
    first = np.array([tried(family, one, dated, dev).errors for one in settings])
    means = means_known(first, test[0])
    followed = np.flatnonzero(means <= FOLLOWED * means.min())
    later = [tried(family, settings[k], dated, test) for k in followed]
    errors = np.array(
        [
            np.where(np.isfinite(one.errors), one.errors, first[k])
            for k, one in zip(followed, later, strict=True)
        ]
    )
    best = [best_known(errors, fold) for fold in test]
    rows, last = np.concatenate([fold.test for fold in test]), test[-1].label
    each = [
        Each(settings[k], float(errors[i, rows].mean()), one.n_selected[last])
        for i, (k, one) in enumerate(zip(followed, later, strict=True))
    ]
    return Outcome(
        np.concatenate([errors[k, fold.test] for k, fold in zip(best, test, strict=True)]),
        np.concatenate([np.full(len(fold.test), fold.label, dtype=object) for fold in test]),
        [settings[followed[k]] for k in best],
        later[best[-1]].n_selected[last],
        sum(later[k].seconds[fold.label] for k, fold in zip(best, test, strict=True)),
        each,
    )


def known_variance(dated: Dated) -> float:
    """Of the targets that are known before the first test step."""
    return float(np.var(dated.y[next(iter(dated.test.folds(dated.times))).train]))


def tested(dated: Dated, quick: bool) -> dict[str, Outcome]:
    """All models of the table.

    The prior may begin with the lasso that was chosen for the first test step.
    """
    variance = known_variance(dated)
    found: dict[str, Outcome] = {}
    for kind in families(variance):
        lasso = found[LASSO].chosen[0]["strength"] if LASSO in found else None
        found[kind] = chosen_by_what_is_known(families(variance, lasso)[kind], dated, quick)
        print(kind, f"{found[kind].errors.mean():.4f}", found[kind].chosen[-1], flush=True)
    return found


def alone(dated: Dated, folds: list[Fold]) -> Array:
    """Squared errors of least squares on the numbers beside the texts and a constant, from all of
    the past.
    """
    numbers = dated.X[:, dated.X.shape[1] - dated.n_numbers :].toarray()
    rows = np.hstack([numbers, np.ones((len(numbers), 1))])
    errors = []
    for fold in folds:
        weights = np.linalg.lstsq(rows[fold.train], dated.y[fold.train], rcond=None)[0]
        errors.append((rows[fold.test] @ weights - dated.y[fold.test]) ** 2)
    return np.concatenate(errors)
