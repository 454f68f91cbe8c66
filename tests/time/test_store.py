"""Models that move over time in files: they load as saved, and forged files are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import check_damage, refused
from penalties import same_penalty

import laconic
from laconic import (
    L1,
    AdaptivePrior,
    FusedLasso,
    GroupLasso,
    PenaltySum,
    Poisson,
    Ridge,
    SmoothGroupLasso,
    SmoothRidge,
    TemporalClassifier,
    TemporalRegressor,
)
from laconic.errors import InputError
from laconic.models import file as files

RNG = np.random.default_rng(0)
X = (RNG.random((120, 9)) < 0.4).astype(float)
YEARS = np.repeat(np.arange(2000, 2006), 20)
Y = X[:, 0] + (YEARS - 2003) / 3 * X[:, 1] + 0.1 * RNG.normal(size=120)


@pytest.mark.parametrize(
    "model",
    [
        TemporalRegressor(AdaptivePrior(strength=0.1)),
        TemporalRegressor(AdaptivePrior(strength=0.1), fit_tau=True),
        TemporalRegressor(SmoothGroupLasso(strength=2.0), step=2.0),
        TemporalRegressor(FusedLasso(), step="year"),
        TemporalRegressor(Ridge(), mode="pooled", fit_intercept=False),
        TemporalRegressor(L1(), mode="last"),
        TemporalRegressor(SmoothRidge(), loss=Poisson()),
    ],
    ids=repr,
)
def test_a_loaded_regressor_is_the_saved_one(tmp_path: Path, model: TemporalRegressor) -> None:
    target = np.round(np.exp(Y)) if model.loss is not None else Y
    model.fit(X, target, times=YEARS).save(tmp_path / "m")
    again = laconic.load(tmp_path / "m")
    assert (
        type(again) is TemporalRegressor
        and again.steps_ == model.steps_
        and repr(again.penalty_) == repr(model.penalty_)
    )
    assert np.array_equal(again.trajectories_, model.trajectories_) and np.array_equal(
        again.predict(X), model.predict(X)
    )
    assert np.array_equal(
        again.at(model.steps_[0]).predict(X), model.at(model.steps_[0]).predict(X)
    )
    assert (
        hasattr(again, "alpha_") == hasattr(model, "alpha_")
        and again.n_selected_ == model.n_selected_
    )
    assert (again.objective_, again.certificate_, again.converged_, again.n_iter_) == (
        model.objective_,
        model.certificate_,
        model.converged_,
        model.n_iter_,
    )
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize("cuts", [[0.5], [0.2, 0.8]], ids=["two labels", "three labels"])
def test_a_loaded_classifier_is_the_saved_one(tmp_path: Path, cuts: list[float]) -> None:
    labels = np.array(["low", "middle", "high"])[np.digitize(Y, cuts)]
    model = TemporalClassifier(AdaptivePrior()).fit(X, labels, times=YEARS)
    model.save(tmp_path / "m")
    again = laconic.load(tmp_path / "m")
    assert np.array_equal(again.predict(X), model.predict(X)) and np.array_equal(
        again.predict_proba(X), model.predict_proba(X)
    )
    assert (
        np.array_equal(again.alpha_, model.alpha_)
        and again.classes_.tolist() == model.classes_.tolist()
    )


@pytest.mark.slow
def test_trajectories_that_are_zero_take_a_bit(tmp_path: Path) -> None:
    wide = np.hstack([X, np.zeros((120, 10_000))])
    TemporalRegressor(SmoothGroupLasso(strength=2.0)).fit(wide, Y, times=YEARS).save(tmp_path / "m")
    assert (tmp_path / "m").stat().st_size < 5_000


@pytest.mark.parametrize(
    "penalty",
    [GroupLasso([[0, 1], [2, 3]]), "fused+l1", PenaltySum([SmoothRidge(), L1(0.1)]), L1(0.3), None],
    ids=repr,
)
def test_the_stated_penalty_comes_back(tmp_path: Path, penalty: Any) -> None:
    model = TemporalRegressor(penalty, strength=0.5, max_iter=5).fit(X, Y, times=YEARS)
    model.save(tmp_path / "m")
    found = laconic.load(tmp_path / "m")
    assert same_penalty(found.penalty, penalty) and found.strength == 0.5
    assert same_penalty(found.penalty_, model.penalty_)
    np.testing.assert_allclose(found.predict(X), model.predict(X))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> files.ModelFile:
    path = tmp_path_factory.mktemp("good") / "m"
    TemporalRegressor(AdaptivePrior(strength=0.1)).fit(X, Y, times=YEARS).save(path)
    return files.load(path)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("kept", lambda a: a[:-1], "one bit per feature"),
        ("kept", lambda a: a.astype(np.int64), "one bit per feature"),
        ("kept", lambda a: a * 0, "the array trajectories"),
        ("trajectories", lambda a: a[:, :-1], "the array trajectories"),
        ("trajectories", lambda a: a * np.nan, "not finite"),
        ("trajectories", lambda a: a.astype(np.float32), "the array trajectories"),
        ("drift", lambda a: a[:-1], "the array drift"),
        ("alpha", lambda a: a[:-1], "the array alpha"),
        ("more", lambda a: np.zeros(1), "expected the arrays"),
    ],
)
def test_forged_arrays_are_refused(
    tmp_path: Path, good: files.ModelFile, name: str, change: Any, says: str
) -> None:
    forged = {**good.arrays, name: change(good.arrays.get(name))}
    assert says in refused(tmp_path, good._replace(arrays=forged))


@pytest.mark.parametrize(
    ("meta", "says"),
    [
        ({"type": "parser"}, "'type' is one of"),
        ({"type": "classifier"}, "the loss does not go with"),
        ({"loss": "Logistic"}, "the loss does not go with"),
        ({"loss": "eval"}, "knows no 'eval'"),
        ({"parameters": {}}, "expected the parameters"),
        ({"features": 2**40}, "possible number"),
        ({"features": 10**9}, "possible number"),
        ({"features": 3}, "one bit per feature"),
        ({"features": True}, "'features'"),
        ({"penalty": {"name": "Penalty", "parameters": {}}}, "impossible values"),
        ({"stated": 3}, "neither a name nor a penalty"),
        ({"strength": "much"}, "the strength"),
        ({"penalty": {"name": "Ridge", "parameters": {"power": 1}}}, "has no parameters"),
        ({"clock": {"unit": None, "width": 0, "origin": 0, "n_steps": 6}}, "the clock"),
        ({"clock": {"unit": "year", "width": 1, "origin": 1e300, "n_steps": 6}}, "the clock"),
        ({"clock": {"unit": "eon", "width": 1, "origin": 0, "n_steps": 6}}, "the clock"),
        ({"clock": {"unit": None, "width": 1, "origin": 0, "n_steps": 7}}, "steps"),
        ({"clock": {}}, "the clock"),
        ({"n_iter": "many"}, "'n_iter'"),
    ],
)
def test_forged_meta_is_refused(
    tmp_path: Path, good: files.ModelFile, meta: dict[str, Any], says: str
) -> None:
    assert says in refused(tmp_path, good._replace(meta={**good.meta, **meta}))


@pytest.mark.parametrize("value", ["x", [], {}, -1, None, 1e400])
@pytest.mark.parametrize(
    "name", ["tau", "strength", "floor", "ends", "n_steps", "shared", "n_outputs"]
)
def test_penalties_with_impossible_parameters_are_refused_or_harmless(
    tmp_path: Path, good: files.ModelFile, name: str, value: Any
) -> None:
    penalty = {
        **good.meta["penalty"],
        "parameters": {**good.meta["penalty"]["parameters"], name: value},
    }
    try:
        files.save(tmp_path / "bad", good.kind, good.arrays, {**good.meta, "penalty": penalty})
        model = laconic.load(tmp_path / "bad")
    except (InputError, ValueError) as error:
        assert "\n" not in str(error)
    else:
        assert np.all(np.isfinite(model.predict(X)))


def test_damage_anywhere_is_refused(tmp_path: Path, good: files.ModelFile) -> None:
    check_damage(tmp_path / "m", good)
