"""Stability selections in files: they select as before, and hostile files are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import result_of
from hostile import check_damage, refused

import laconic
from laconic import L1, GroupLasso, SparseClassifier, SparseRegressor, StabilitySelection
from laconic.errors import InputError
from laconic.linear.stability_store import pack
from laconic.models import file as files

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 30))
Y = X[:, 0] - X[:, 4] + RNG.normal(size=80)
FEW = {"n_pairs": 4, "n_strengths": 12}
SELECTIONS: dict[str, tuple[StabilitySelection, Any]] = {
    "regressor": (StabilitySelection(SparseRegressor(standardize=True), **FEW), Y),
    "classifier": (
        StabilitySelection(SparseClassifier("elastic", class_weight="balanced"), n_first=3, **FEW),
        Y > 0,
    ),
    "groups": (
        StabilitySelection(
            SparseRegressor(GroupLasso([[0, 1], [4, 5]])),
            threshold=np.float64(0.6),
            random_state=np.random.RandomState(3),
            **FEW,
        ),
        Y,
    ),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_loaded_selection_selects_as_before(tmp_path: Path, name: str) -> None:
    model, y = SELECTIONS[name]
    model.fit(X, y).save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert type(loaded) is StabilitySelection
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    np.testing.assert_array_equal(loaded.frequencies_, model.frequencies_)
    everything = np.arange(30)
    np.testing.assert_array_equal(
        loaded.frequency_paths(everything), model.frequency_paths(everything)
    )
    for learned in ("n_first_", "mean_selected_", "expected_false_", "expected_false_any_"):
        assert getattr(loaded, learned) == getattr(model, learned)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    if name != "groups":  # whose seed is no number
        again = loaded.fit(X, y)
        np.testing.assert_array_equal(again.frequencies_, model.frequencies_)


def test_names_are_kept_and_shown(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"größe {k}" for k in range(30)])
    model = StabilitySelection(SparseRegressor(), **FEW).fit(frame, Y)
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    shown = result_of("inspect", str(tmp_path / "m"), "-n", "2")
    assert {row["feature"] for row in shown["frequencies"]} == {"größe 0", "größe 4"}
    assert shown["features_stable"] == model.get_support().sum()
    assert shown["halves"] == 8


@pytest.fixture(scope="module")
def good() -> files.ModelFile:
    model = StabilitySelection(SparseRegressor(L1()), n_first=2, **FEW).fit(X, Y)
    return files.ModelFile("linear-stability", 1, *pack(model))


def test_hostile_arrays(tmp_path: Path, good: files.ModelFile) -> None:
    place, index, ptr = (good.arrays[f"entered_{part}"] for part in ("place", "index", "ptr"))
    for name, array in (
        ("place", place * 0),
        ("place", place[1:]),
        ("place", place.astype(np.float64)),
        ("place", place.astype(np.uint64) + np.uint64(2**40)),
        ("index", index + np.uint8(30)),
        ("index", index[::-1].copy()),
        ("index", index.reshape(1, -1)),
        ("ptr", ptr[:-1]),
        ("ptr", ptr[-1:]),
        ("ptr", ptr[:0]),
        ("ptr", ptr + np.uint8(1)),
        ("ptr", ptr[::-1].copy()),
        ("ptr", np.array([0, 0, len(place)], np.uint8)),  # more than n_first
        ("more", ptr),
    ):
        wrong = good._replace(arrays={**good.arrays, f"entered_{name}": array})
        assert "not a usable model" in refused(tmp_path, wrong)
    for names in ((["a"], ["name_data", "name_ptr"]), (["a"] * 30, ["name_data"])):
        held = dict(zip(("name_data", "name_ptr"), files.encode_strings(names[0]), strict=True))
        more = {name: held[name] for name in names[1]}
        refused(tmp_path, good._replace(arrays={**good.arrays, **more}))


@pytest.mark.parametrize(
    "meta",
    [
        {"features": 0},
        {"features": 2**40},
        {"features": True},
        {"features": 3},
        {"n_first": 0},
        {"n_first": 1},
        {"n_first": None},
        {"estimator": None},
        {"estimator": {}},
        {"parameters": {}},
    ],
)
def test_hostile_meta(tmp_path: Path, good: files.ModelFile, meta: dict[str, Any]) -> None:
    assert "not a usable model" in refused(tmp_path, good._replace(meta={**good.meta, **meta}))


def test_hostile_parameters(tmp_path: Path, good: files.ModelFile) -> None:
    for name, value in (
        ("threshold", 0.5),
        ("threshold", "much"),
        ("max_false", 0),
        ("n_first", 1.5),
        ("n_pairs", 0),
        ("n_strengths", [5]),
        ("ratio", "x"),
        ("n_jobs", 1.0),
        ("random_state", -1),
        ("random_state", 2**32),
    ):
        parameters = {**good.meta["parameters"], name: value}
        refused(tmp_path, good._replace(meta={**good.meta, "parameters": parameters}))
    for name, value in (("type", "oracle"), ("penalty", 3), ("parameters", {"tol": 1.0})):
        estimator = {**good.meta["estimator"], name: value}
        refused(tmp_path, good._replace(meta={**good.meta, "estimator": estimator}))


def test_what_cannot_be_loaded_is_not_saved(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        StabilitySelection(SparseRegressor()).save(tmp_path / "m")
    fitted = StabilitySelection(SparseRegressor(), **FEW).fit(X, Y).set_params(threshold=0.1)
    with pytest.raises(InputError, match="threshold"):
        fitted.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.slow
def test_damage_anywhere_is_refused(tmp_path: Path, good: files.ModelFile) -> None:
    check_damage(tmp_path / "m", good)
