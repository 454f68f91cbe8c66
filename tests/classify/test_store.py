"""A loaded model predicts what the saved one did; a damaged file is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import refused

import laconic
from laconic import TextClassifier
from laconic.classify import explain
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.save import load, save_model

TEXTS = [
    "The shuttle went into orbit. Mission control was happy.",
    "A doctor treats the disease. The patient was happy.",
    "The orbit of the moon is known. Rockets fly there.",
    "Symptoms of the disease. Doctors know the treatment.",
    "The goal came late. Both teams played hockey.",
    "Hockey fans saw a goal. The season was long.",
] * 3
LABELS = ["space", "med", "space", "med", "sport", "sport"] * 3
UNSEEN = ["orbit of a doctor unknownword", "", "hockey hockey goal the the", "zzz qqq"]


def fitted(two_classes: bool = False, **parameters: Any) -> TextClassifier:
    keep = [i for i, label in enumerate(LABELS) if label != "sport" or not two_classes]
    model = TextClassifier(**{"strength": 0.3, "lasso": 0.05, **parameters})
    return model.fit([TEXTS[i] for i in keep], [LABELS[i] for i in keep])


@pytest.mark.parametrize("two_classes", [True, False])
@pytest.mark.parametrize(("ngrams", "prefixes"), [(1, ()), (2, (2, 4))])
@pytest.mark.parametrize("weighting", ["count", "binary", "tfidf", "logtfidf"])
def test_predictions_survive_saving(
    tmp_path: Path, weighting: str, ngrams: int, prefixes: tuple[int, ...], two_classes: bool
) -> None:
    model = fitted(two_classes, weighting=weighting, ngrams=ngrams, prefixes=prefixes)
    assert 0 < model.n_features_selected_ < model.n_features_total_
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    np.testing.assert_allclose(
        loaded.predict_proba(TEXTS + UNSEEN),
        model.predict_proba(TEXTS + UNSEEN),
        rtol=0,
        atol=1e-12,
    )
    assert loaded.predict(UNSEEN).tolist() == model.predict(UNSEEN).tolist()
    assert (
        loaded.coef_.shape[1] == model.n_features_selected_ == len(loaded.get_feature_names_out())
    )
    assert loaded.get_params() == model.get_params()
    assert loaded.vectorize(UNSEEN).shape == (len(UNSEEN), loaded.coef_.shape[1])


@pytest.mark.parametrize("weighting", ["count", "tfidf"])
def test_saving_twice_gives_the_same_bytes(tmp_path: Path, weighting: str) -> None:
    fitted(weighting=weighting).save(tmp_path / "one")
    laconic.load(tmp_path / "one").save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("weighting", ["count", "log", "tfidf", "logtfidf"])
def test_dead_words_are_not_in_the_file(tmp_path: Path, weighting: str) -> None:
    model = fitted(weighting=weighting)
    dead = next(
        word
        for word, weights in zip(model.get_feature_names_out(), model.coef_.T, strict=True)
        if not weights.any()
    )
    model.save(tmp_path / "m")
    arrays = files.load(tmp_path / "m").arrays
    assert dead not in files.decode_strings(arrays["word_data"], arrays["word_ptr"])
    assert len(arrays.get("idf", [])) in (0, model.n_features_selected_)


@pytest.mark.parametrize("weighting", ["count", "tfidf"])
def test_a_model_without_any_weight_still_predicts(tmp_path: Path, weighting: str) -> None:
    model = fitted(strength=1e6, weighting=weighting)
    assert model.n_features_selected_ == 0
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    np.testing.assert_allclose(
        loaded.predict_proba(UNSEEN), model.predict_proba(UNSEEN), rtol=0, atol=1e-12
    )


def test_files_call_the_penalty_as_version_0_1_did(tmp_path: Path) -> None:
    model = fitted(penalty="elastic")
    model.save(tmp_path / "m")
    found = files.load(tmp_path / "m")
    assert found.meta["parameters"]["regularizer"] == "elastic"
    assert "penalty" not in found.meta["parameters"]
    assert laconic.load(tmp_path / "m").penalty == "elastic"


def test_groups_and_certificate_are_kept(tmp_path: Path) -> None:
    model = fitted(penalty="sentence", strength=0.05)
    summary = model.groups_["sentence"]
    assert 0 < summary.selected <= summary.total == len(model.families_[0].groups)
    assert set(summary.kept) <= {s + "." for text in TEXTS for s in text.rstrip(".").split(". ")}
    save_model(model, tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.groups_ == model.groups_
    for name in (
        "certificate_",
        "objective_",
        "converged_",
        "interrupted_",
        "n_features_total_",
        "n_features_selected_",
    ):
        assert getattr(loaded, name) == getattr(model, name)
    kept = (loaded.report_.groups_total, loaded.report_.groups_kept)
    assert kept == (model.report_.groups_total, model.report_.groups_kept)


@pytest.mark.parametrize("weighting", ["count", "tfidf"])
def test_a_loaded_model_explains_itself_as_before(tmp_path: Path, weighting: str) -> None:
    model = fitted(weighting=weighting)
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert explain.top_words(loaded, 5) == explain.top_words(model, 5)
    for before, after in zip(
        explain.sentence_effects(model, TEXTS[0]),
        explain.sentence_effects(loaded, TEXTS[0]),
        strict=True,
    ):
        assert (after.text, after.kept) == (before.text, before.kept)
        assert after.log_odds == pytest.approx(before.log_odds, abs=1e-12)


@pytest.mark.parametrize("labels", [[3, 1], [True, False], [2.0, 1.0], ["a", "é"]])
def test_labels_keep_their_type(tmp_path: Path, labels: list[Any]) -> None:
    model = TextClassifier(strength=0.1).fit(TEXTS, (labels * len(TEXTS))[: len(TEXTS)])
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert loaded.classes_.tolist() == sorted(labels)
    assert loaded.classes_.dtype.kind == model.classes_.dtype.kind


def test_unusual_parameters_survive(tmp_path: Path) -> None:
    parameters = {
        "strength": {"lasso": 0.1},
        "class_weight": {"space": 2.0, "med": 1.0, "sport": 1},
        "max_iter": np.int64(500),
    }
    model = fitted(**parameters)
    model.save(tmp_path / "m")
    assert laconic.load(tmp_path / "m").get_params() == model.get_params()


def test_only_fitted_models_of_known_types_are_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        TextClassifier().save(tmp_path / "m")
    with pytest.raises(ValueError, match="cannot be saved"):
        save_model(object(), tmp_path / "m")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def contents(tmp_path: Path, weighting: str = "tfidf") -> files.ModelFile:
    fitted(weighting=weighting, penalty="sentence", strength=0.01).save(tmp_path / "good")
    return files.load(tmp_path / "good")


def test_another_kind_is_named(tmp_path: Path) -> None:
    assert "'translate'" in refused(tmp_path, contents(tmp_path)._replace(kind="translate"))


@pytest.mark.parametrize("name", ["weight", "intercept", "word_data", "word_ptr", "idf"])
def test_hostile_arrays(tmp_path: Path, name: str) -> None:
    file = contents(tmp_path)
    array = file.arrays[name]
    poisoned = array.copy()
    poisoned.flat[0] = np.nan if array.dtype.kind == "f" else 255
    shorter = array[
        :-1
    ]  # fewer columns of weights would be words that count towards the length alone
    for changed in (poisoned, shorter, array[None], array.astype(np.float32), np.zeros(0)):
        refused(tmp_path, file._replace(arrays={**file.arrays, name: changed}))
    refused(
        tmp_path,
        file._replace(arrays={key: value for key, value in file.arrays.items() if key != name}),
    )
    refused(tmp_path, file._replace(arrays={**file.arrays, "more": array}))


def test_a_word_that_occurs_twice(tmp_path: Path) -> None:
    file = contents(tmp_path, "count")
    n = file.arrays["weight"].shape[1]
    data, ptr = files.encode_strings(["same"] * n)
    assert "repeated" in refused(
        tmp_path, file._replace(arrays={**file.arrays, "word_data": data, "word_ptr": ptr})
    )


def test_hostile_meta(tmp_path: Path) -> None:
    file = contents(tmp_path)
    assert json.loads(json.dumps(file.meta)) == file.meta
    for name in file.meta.keys() - {"laconic"}:
        without = {key: value for key, value in file.meta.items() if key != name}
        older = ("settings", "tried", "taxonomy", "unit_rows", "certificate_kind")
        if name not in older:  # files of laconic 0.1.0 do not have these
            refused(tmp_path, file._replace(meta=without))
        refused(tmp_path, file._replace(meta={**file.meta, name: [[]]}))
    for labels in (
        [],
        ["a"],
        ["a", 1, "b"],
        ["a", "a", "b"],
        [None, None, None],
        ["a", "b"],
        [["a"], ["b"], ["c"]],
    ):
        refused(tmp_path, file._replace(meta={**file.meta, "labels": labels}))
    for groups in (
        {"sentence": {}},
        {"sentence": {"total": 1, "selected": 1, "kept": [1], "dropped": []}},
    ):
        refused(tmp_path, file._replace(meta={**file.meta, "groups": groups}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("regularizer", "magic"),
        ("regularizer", {"name": "os.system", "parameters": {}}),
        ("regularizer", {"name": "L1", "parameters": {"factors": {"array": "weight"}}}),
        ("strength", "strong"),
        ("strength", {"sentence": []}),
        ("lasso", "much"),
        ("weighting", "bm25"),
        ("weighting", ["count"]),
        ("ngrams", 0),
        ("ngrams", True),
        ("ngrams", 2**40),
        ("prefixes", 4),
        ("prefixes", [0]),
        ("prefixes", [3, 3]),
        ("boundary", "page"),
        ("boundary", {}),
        ("features", "topics"),
        ("class_weight", [["a"]]),
        ("class_weight", [[["a"], 1]]),
        ("clusters", [1]),
        ("random_state", 0.5),
        ("unheard_of", 1),
    ],
)
def test_hostile_parameters(tmp_path: Path, name: str, value: Any) -> None:
    file = contents(tmp_path)
    refused(
        tmp_path,
        file._replace(meta={**file.meta, "parameters": {**file.meta["parameters"], name: value}}),
    )


def test_a_parameter_that_an_older_version_lacked_has_its_default(tmp_path: Path) -> None:
    file = contents(tmp_path)
    parameters = {
        name: value for name, value in file.meta["parameters"].items() if name != "random_state"
    }
    files.save(tmp_path / "old", file.kind, file.arrays, {**file.meta, "parameters": parameters})
    assert load(tmp_path / "old").random_state == TextClassifier().random_state


def test_damaged_files(tmp_path: Path) -> None:
    fitted().save(tmp_path / "good")
    good = (tmp_path / "good").read_bytes()
    generator = np.random.default_rng(0)
    for damaged in [
        good[: len(good) // 2],
        b"",
        good + b"x",
        *(_flipped(good, generator) for _ in range(50)),
    ]:
        (tmp_path / "bad").write_bytes(damaged)
        with pytest.raises(InputError):
            laconic.load(tmp_path / "bad")


def _flipped(content: bytes, generator: np.random.Generator) -> bytes:
    changed = bytearray(content)
    changed[generator.integers(len(changed))] ^= 1 << int(generator.integers(8))
    return bytes(changed)
