"""Files of models of text that moves over time: saved and loaded, forged, damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import check_damage, refused

import laconic
from laconic import L1, AdaptivePrior, FusedLasso, Ridge, TemporalTextModel
from laconic.core.penalties import Penalty
from laconic.errors import InputError
from laconic.models import file as files
from laconic.time.sage.reader import learn_reader

TEXTS = [
    "wages rise and jobs rise",
    "jobs fall",
    "wages fall and snow falls",
    "snow and wages rise",
] * 3
FIELDS = {"region": ["at", "bo", "at", "bo"] * 3, "rate": [float(n % 5) for n in range(12)]}
YEARS = ["2001"] * 4 + ["2002"] * 4 + ["2003"] * 4
READER = learn_reader(TEXTS, FIELDS)
X, EFFECTS = READER.count(TEXTS), READER.describe(FIELDS)


def fitted(penalty: Penalty, **parameters: Any) -> TemporalTextModel:
    return TemporalTextModel(penalty, step="year", tol=1e-2, reader=READER, **parameters).fit(
        X, EFFECTS, YEARS
    )


@pytest.mark.parametrize(
    "model",
    [
        fitted(AdaptivePrior(floor=0.1)),
        fitted(AdaptivePrior(floor=0.1, shared=True), constant=False),
        fitted(FusedLasso(strength=2.0), background="steps"),
        fitted(Ridge(), mode="pooled"),
        fitted(L1(), mode="last"),
        TemporalTextModel(Ridge(), tol=1e-2).fit(X, None),
    ],
    ids=lambda model: f"{type(model.penalty).__name__} {model.mode} {model.background}",
)
def test_a_loaded_model_is_the_saved_one(tmp_path: Path, model: TemporalTextModel) -> None:
    model.save(tmp_path / "m")
    again = laconic.load(tmp_path / "m")
    effects = EFFECTS if model.n_effects_in_ else None
    assert again.score(X, effects, YEARS) == pytest.approx(model.score(X, effects, YEARS), abs=1e-6)
    assert np.allclose(again.trajectories_, model.trajectories_, atol=1e-6) and np.array_equal(
        again.background_, model.background_
    )
    assert (again.steps_, again.reader, again.effect_names) == (
        model.steps_,
        model.reader,
        model.effect_names,
    )
    assert (again.certificate_, again.converged_, again.interrupted_) == (
        model.certificate_,
        model.converged_,
        False,
    )
    assert hasattr(again, "alpha_") == hasattr(model, "alpha_")
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_reader_counts_words_and_describes_fields() -> None:
    assert READER.words[:2] == ("and", "rise") and READER.effects == [
        "region=at",
        "region=bo",
        "rate",
    ]
    assert X[0, READER.words.index("rise")] == 2 and READER.count(["unknown words"]).nnz == 0
    assert np.allclose(EFFECTS[:, 2].toarray().mean(), 0) and np.allclose(
        EFFECTS[:, 2].toarray().std(), 1
    )
    later = READER.describe(
        {"region": ["sf", "bo"], "rate": [float("nan"), FIELDS["rate"][0]]}
    ).toarray()
    assert later[0].tolist() == [0, 0, 0] and later[1, :2].tolist() == [0, 1]
    assert learn_reader(TEXTS, {"same": [3.0] * 12}).describe(
        {"same": [3.0, 4.0]}
    ).toarray().ravel().tolist() == [0.0, 1.0]
    with pytest.raises(
        InputError,
        match="fewer than two words are left: 7 words occur twice or more, and the first rank is",
    ):
        learn_reader(TEXTS, FIELDS, 500)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> files.ModelFile:
    path = tmp_path_factory.mktemp("good") / "m"
    fitted(AdaptivePrior(floor=0.1)).save(path)
    return files.load(path)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("kept", lambda a: a[:-1], "one bit per word"),
        ("kept", lambda a: a.astype(np.int64), "one bit per word"),
        ("kept", lambda a: a * 0, "the array trajectories"),
        ("trajectories", lambda a: a[:, :-1], "the array trajectories"),
        ("trajectories", lambda a: a * np.float32(np.nan), "not finite"),
        ("trajectories", lambda a: a.astype(np.float64), "the array trajectories"),
        ("background", lambda a: a[:, :-1], "the array background"),
        ("background", lambda a: a[0], "the array background"),
        ("background", lambda a: np.repeat(a, 2, axis=0), "the array background"),
        ("alpha", lambda a: a[:-1], "the array alpha"),
        ("word_ptr", lambda a: a[:-1], "not a usable model"),
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
        ({"parameters": {}}, "expected the parameters"),
        ({"effects": 2**40}, "possible numbers"),
        ({"effects": -1}, "possible numbers"),
        ({"words": 10**9}, "possible numbers"),
        ({"words": 4}, "other numbers of steps and outputs"),
        ({"effects": True}, "'effects'"),
        ({"fields": [3]}, "not a JSON object"),
        ({"fields": [{"name": "a", "mean": 0, "scale": 0}]}, "neither a number"),
        ({"fields": [{"name": "a", "categories": [1]}]}, "neither a number"),
        ({"fields": [{"name": "a", "categories": ["x", "x", "y"]}]}, "repeat each other"),
        ({"fields": []}, "not as many"),
        ({"text_field": 3}, "'text_field'"),
        ({"fields": {}}, "'fields'"),
        ({"penalty": {"name": "Penalty", "parameters": {}}}, "impossible values"),
        ({"clock": {}}, "the clock"),
        ({"n_iter": "many"}, "'n_iter'"),
    ],
)
def test_forged_meta_is_refused(
    tmp_path: Path, good: files.ModelFile, meta: dict[str, Any], says: str
) -> None:
    assert says in refused(tmp_path, good._replace(meta={**good.meta, **meta}))


def test_damage_anywhere_is_refused(tmp_path: Path, good: files.ModelFile) -> None:
    check_damage(tmp_path / "m", good)
