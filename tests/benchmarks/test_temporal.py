"""The page of models over time: what is tuned is tuned on development steps, and tables say what
was found.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.temporal_data import SETS, Dated
from benchmarks.temporal_forecast import by_step, settings, significance, verdict
from benchmarks.temporal_models import (
    LASSO,
    OURS,
    Each,
    Outcome,
    alone,
    best_known,
    chosen_by_what_is_known,
    families,
    known_variance,
    prior,
    strength_of,
    tried,
)
from laconic import RollingOrigin
from laconic.time.rolling import Fold

pytestmark = pytest.mark.slow


def dated() -> Dated:
    """Two words and a number; the second word rises."""
    rng = np.random.default_rng(0)
    years = np.repeat(np.arange(2000, 2008), 20)
    X = np.column_stack([rng.random((160, 2)) < 0.5, rng.normal(size=160)]).astype(float)
    y = X[:, 0] + (years - 2004) / 4 * X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=160)
    dev, test = RollingOrigin(first=2004, last=2005), RollingOrigin(first=2006)
    return Dated("t", "a", sp.csr_matrix(X), y, years, ["a", "b", "(n)"], None, dev, test, 1)


def test_settings_are_chosen_by_rows_that_are_known() -> None:
    errors = np.array([[np.nan, 1.0, 1.0, 9.0], [np.nan, 2.0, 1.0, 0.0], [np.nan, 1.0, 0.5, 5.0]])
    rows = np.arange(4)
    assert best_known(errors, Fold("a", rows[:2], rows[2:])) == 0  # of equals the first
    assert best_known(errors, Fold("b", rows[:3], rows[3:])) == 2
    assert best_known(errors, Fold("c", rows, rows[:1])) == 1
    assert best_known(errors, Fold("d", rows[:1], rows[1:])) == 0  # nothing was forecast yet


def test_what_comes_later_chooses_nothing() -> None:
    given = dated()
    family = families(1.0)["ridge-ts"]
    found = chosen_by_what_is_known(family, given, quick=False)
    later = given.y.copy()
    later[given.times >= 2007] += 100.0
    changed = chosen_by_what_is_known(family, given._replace(y=later), quick=False)
    assert (
        changed.chosen == found.chosen
        and changed.errors[:20].tolist() == found.errors[:20].tolist()
    )
    assert (
        set(found.labels.tolist()) == {"2006", "2007"}
        and found.seconds > 0
        and found.n_selected == 3
    )
    assert all(setting in [one.setting for one in found.each] for setting in found.chosen)
    known = given.y[given.times < 2006]
    assert known_variance(given._replace(y=later)) == pytest.approx(np.var(known))


def test_every_kind_forecasts_and_the_prior_may_begin_with_a_lasso() -> None:
    given = dated()
    folds = list(given.test.folds(given.times))
    for kind, family in families(0.1, 3.0).items():
        found = tried(family, family.settings[-1], given, folds)
        assert np.array_equal(np.isfinite(found.errors), given.times >= 2006), kind
        assert list(found.seconds) == ["2006", "2007"]
    assert {"lasso": 3.0}.items() <= families(0.1, 3.0)[OURS].settings[
        -1
    ].items() and "lasso" not in families(0.1)[OURS].settings[-1]
    few, many = (prior({"strength": 1.0, "floor": 0.1, "tau": 1.0}, n) for n in (10, 20))
    assert few.floor == pytest.approx(0.1) and many.floor == pytest.approx(0.4)


def test_least_squares_on_the_numbers_alone() -> None:
    given = dated()
    errors = alone(given, list(given.test.folds(given.times)))
    assert len(errors) == 40 and 0.1 < errors.mean() < np.var(given.y)


def test_tables_and_the_verdict() -> None:
    labels = np.repeat(np.array(["2006", "2007"], dtype=object), 10)
    errors = np.tile([1.0, 2.0], 10)
    each = [Each({"tau": 1.0}, 3.0, 1), Each({"tau": 2.0}, 2.5, 1)]
    found = {
        "ridge-ts": Outcome(errors * 4, labels, [{}], 1, 1.0, each),
        LASSO: Outcome(errors * 2, labels, [{"tau": 1.0}, {"tau": 1.0}], 1, 1.0, each),
        OURS: Outcome(errors, labels, [{}], 1, 1.0, each[:1]),
    }
    page = by_step(found, errors * 3)
    assert "| overall | 20 | 6.00 | 3.00 | **1.50** | 4.50 |" in page
    assert "50.0 % below the best of the others (lasso-all, 3.000)" in verdict(found, errors * 3)
    assert "| lasso-all | 0.500 | 2 of 2 |" in significance(found)
    page = settings(found)
    assert (
        "| lasso-all | tau 1 (2 of 2) | 1 |" in page
        and "| 2.500 | tau 2 |" in page
        and "| 3.000 | tau 1 |" in page
    )


@pytest.mark.parametrize("name", ["movies", "titles"])
def test_real_sets_are_read(data: Path, name: str) -> None:
    given = SETS[name](data)
    assert given.X.shape == (len(given.y), len(given.names)) and len(given.times) == len(given.y)
    assert max(fold.test.max() for fold in given.dev.folds(given.times)) < len(given.y)
    first = next(iter(given.test.folds(given.times)))
    gap = 3 if name == "titles" else 0
    assert given.times[first.train].max() < given.times[first.test].min() - gap


@pytest.mark.parametrize("tau", [1e4, 1e5])
@pytest.mark.parametrize("n_steps", [10, 30])
def test_near_zero_the_prior_is_the_ridge_it_is_named_by(tau: float, n_steps: int) -> None:
    setting = {"strength": strength_of(1000.0, 1e-5, tau), "floor": 1e-5, "tau": tau}
    small = np.full(n_steps, 1e-6)
    held = prior(setting, n_steps).replace(n_steps=n_steps).check().gradient(small).sum() / 1e-6
    assert 1000 <= held <= 1500  # a little more: not even there does q(alpha) stay at its prior
