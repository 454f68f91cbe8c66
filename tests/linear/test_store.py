"""Linear models of matrices in files: they predict as before, and hostile files are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import result_of
from hostile import check_damage, refused
from penalties import PENALTIES

import laconic
from laconic import (
    L1,
    ElasticNet,
    GroupLasso,
    Groups,
    Huber,
    Multinomial,
    Poisson,
    SparseClassifier,
    SparseRegressor,
    StrengthCV,
    StrengthIC,
)
from laconic.errors import InputError
from laconic.linear.page import write_report
from laconic.linear.store import pack
from laconic.models import file as files

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 9))
Y = X[:, 0] - X[:, 4] + 0.1 * RNG.normal(size=60)
LABELS = np.array(["low", "mid", "high"])[np.digitize(Y, [-0.7, 0.7])]
MODELS: dict[str, tuple[Any, Any]] = {
    "regressor": (SparseRegressor(L1(3.0), standardize=True, relax=0.5), Y),
    "counts": (SparseRegressor(loss=Poisson()), np.round(np.exp(Y))),
    "huber": (SparseRegressor(loss=Huber(0.5)), Y),
    "two": (SparseClassifier("elastic", strength=0.5, class_weight="balanced"), Y > 0),
    "three": (SparseClassifier(class_weight={"low": 2.0, "mid": 1.0, "high": 1.0}), LABELS),
    "softmax": (SparseClassifier(L1(0.3), loss=Multinomial()), Y > 0),
    "groups": (SparseRegressor(GroupLasso(Groups.from_lists([[0, 1], [4, 5]], 9))), Y),
    "cv": (StrengthCV(SparseClassifier(), n_strengths=4, cv=3, rule="1se"), LABELS),
    "cv of two": (
        StrengthCV(SparseRegressor("elastic"), n_strengths=4, cv=3, parameters={"l1_ratio": [0.5]}),
        Y,
    ),
    "ic": (StrengthIC(SparseRegressor(), "ebic", n_strengths=8), Y),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_predicts_as_before(tmp_path: Path, name: str) -> None:
    model = MODELS[name][0].fit(X, MODELS[name][1])
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert loaded.coef_.shape == model.coef_.shape
    assert loaded.report_.as_dict().keys() == model.report_.as_dict().keys()
    assert (loaded.certificate_, loaded.n_selected_) == (model.certificate_, model.n_selected_)
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    if name == "cv":
        np.testing.assert_array_equal(loaded.scores_, model.scores_)
        assert loaded.best_params_ == model.best_params_ and loaded.rule == "1se"
    if name == "ic":
        np.testing.assert_array_equal(loaded.degrees_of_freedom_, model.degrees_of_freedom_)
    # What is loaded can be fitted again.
    again = loaded.fit(X, MODELS[name][1])
    np.testing.assert_allclose(again.coef_, model.coef_, atol=0.05)


@pytest.mark.parametrize("name", PENALTIES)
def test_every_penalty_is_kept(tmp_path: Path, name: str) -> None:
    model = SparseRegressor(L1(3.0)).fit(X, Y).set_params(penalty=PENALTIES[name])
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m").penalty
    assert type(loaded) is type(PENALTIES[name])
    w = RNG.normal(size=9)
    if not isinstance(PENALTIES[name], laconic.Discrete):
        assert loaded.value(np.abs(w)) == PENALTIES[name].value(np.abs(w))


def test_names_of_features_are_kept_and_zeros_cost_nothing(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"größe {k}" for k in range(9)])
    model = SparseRegressor(L1(10.0)).fit(frame, Y)
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert loaded.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    wide = np.zeros((60, 5000))
    wide[:, :9] = X
    SparseRegressor(L1(3.0)).fit(wide, Y).save(tmp_path / "wide")
    assert (tmp_path / "wide").stat().st_size < 4000


@pytest.fixture
def good() -> files.ModelFile:
    arrays, meta = pack(MODELS["three"][0].fit(X, LABELS))
    return files.ModelFile("linear", 1, arrays, meta)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("kept", np.array([0, 9], np.uint8)),
        ("kept", np.array([4, 0], np.uint8)),
        ("kept", np.array([0.0, 1.0])),
        ("weight", np.zeros((3, 99))),
        ("weight", np.full((3, 9), np.nan)),
        ("intercept", np.zeros(2)),
        ("intercept", np.zeros(0)),
        ("name_data", np.zeros(3, np.uint8)),
        ("more", np.zeros(3)),
    ],
)
def test_hostile_arrays(tmp_path: Path, good: files.ModelFile, name: str, array: Any) -> None:
    assert "not a usable model" in refused(
        tmp_path, good._replace(arrays={**good.arrays, name: array})
    )


@pytest.mark.parametrize(
    "meta",
    [
        {"type": "oracle"},
        {"type": "regressor"},
        {"features": 2**40},
        {"features": -1},
        {"features": True},
        {"labels": ["low"]},
        {"labels": ["low", "low", "mid"]},
        {"flat": True},
        {"penalty": {"name": "eval", "parameters": {}}},
        {"penalty": 3},
        {"penalty": {"name": "GroupLasso", "parameters": {"groups": {"array": "weight"}}}},
        {"used_loss": {"name": "Squared", "parameters": {}}},
        {"used_loss": None},
        {"class_weight": [["low"]]},
        {"parameters": {}},
        {"groups": [1]},
        {"objective": "much"},
        {"search": {"type": "cv"}},
        {"search": 7},
    ],
)
def test_hostile_meta(tmp_path: Path, good: files.ModelFile, meta: dict[str, Any]) -> None:
    assert "not a usable model" in refused(tmp_path, good._replace(meta={**good.meta, **meta}))


@pytest.mark.parametrize("name", ["tol", "n_jobs", "relax", "standardize", "max_iter"])
@pytest.mark.parametrize("value", ["x", [], {}, -1.5])
def test_hostile_parameters(tmp_path: Path, good: files.ModelFile, name: str, value: Any) -> None:
    parameters = {**good.meta["parameters"], name: value}
    if name == "tol" and value == -1.5:
        return  # a number that the next fit refuses
    refused(tmp_path, good._replace(meta={**good.meta, "parameters": parameters}))


def test_hostile_searches(tmp_path: Path) -> None:
    arrays, meta = pack(MODELS["cv"][0].fit(X, LABELS))
    file = files.ModelFile("linear-search", 1, arrays, meta)
    for name, array in (
        ("scores", np.zeros((3, 3))),
        ("scores", np.zeros(4)),
        ("strengths", np.full(4, np.inf)),
        ("strengths", np.float64(3.0).reshape(())),
    ):
        refused(tmp_path, file._replace(arrays={**arrays, name: array}))
    for more in ({"type": "oracle"}, {"best_score": None}, {"best_params": [1]}, {"parameters": 1}):
        wrong = {**meta, "search": {**meta["search"], **more}}
        refused(tmp_path, file._replace(meta=wrong))


@pytest.mark.slow
def test_damage_anywhere_is_refused(tmp_path: Path, good: files.ModelFile) -> None:
    check_damage(tmp_path / "m", good)


def test_a_penalty_of_another_package_is_shown_and_not_imported(tmp_path: Path) -> None:
    class Own(ElasticNet):
        """A penalty that no file can bring back."""

    SparseRegressor(Own(0.5)).fit(X, Y).save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    np.testing.assert_array_equal(
        loaded.predict(X), SparseRegressor(ElasticNet(0.5)).fit(X, Y).predict(X)
    )
    with pytest.raises(ValueError, match="not imported from files"):
        loaded.fit(X, Y)


def test_what_is_not_fitted_is_not_saved(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    for model in (SparseRegressor(), StrengthCV(SparseRegressor())):
        with pytest.raises(NotFittedError):
            model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three", "cv", "groups", "ic"])
def test_commands(tmp_path: Path, name: str) -> None:
    model = MODELS[name][0].fit(X, MODELS[name][1])
    model.save(tmp_path / "m")
    shown = result_of("inspect", str(tmp_path / "m"), "-n", "2")
    assert shown["features_total"] == 9 and shown["certificate"] == model.certificate_
    assert {len(rows) for rows in shown["weights"].values()} <= {0, 1, 2}
    result_of("report", str(tmp_path / "m"), "-o", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Strongest features" in page and ("<svg" in page) == (name == "cv")


def test_a_page_escapes_names(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["<script>", *(f"x{k}" for k in range(8))])
    write_report(SparseRegressor(L1(3.0)).fit(frame, Y), tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_a_file_of_another_kind_is_not_taken(tmp_path: Path, good: files.ModelFile) -> None:
    files.save(tmp_path / "m", "classify", good.arrays, good.meta)
    with pytest.raises(InputError):
        laconic.load(tmp_path / "m")
