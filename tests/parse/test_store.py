"""A loaded parser predicts what the saved one did; broken files are refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hostile import refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parsers import CLUSTERS, MODELS, SENTENCES, TREES, UNSEEN, fitted

import laconic
from laconic import Sparseptron
from laconic.errors import InputError
from laconic.models import file as files
from laconic.parse.store import pack
from laconic.parse.trees import DependencyTree


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_predictions_survive_saving(tmp_path: Path, name: str) -> None:
    model = fitted(**MODELS[name])
    model.save(tmp_path / "one")
    loaded = laconic.load(tmp_path / "one")
    for sentences in (SENTENCES, UNSEEN):
        assert loaded.predict(sentences) == model.predict(sentences)
        assert loaded.predict_k_best(sentences, 4) == model.predict_k_best(sentences, 4)
    for attribute in (
        "templates_given_",
        "trace_",
        "n_features_total_",
        "n_features_selected_",
        "shape_",
        "interrupted_",
    ):
        assert getattr(loaded, attribute) == getattr(model, attribute)
    assert loaded.scorer_.templates == model.scorer_.templates
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_loaded_model_learns_again_with_a_learner(tmp_path: Path) -> None:
    model = fitted(learner=Sparseptron(4, every=2))
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m").plain()
    assert loaded.learner == "Sparseptron(budget=4, every=2)"
    with pytest.raises(ValueError, match="learns by an online learner"):
        loaded.fit(SENTENCES, TREES)
    again = loaded.set_params(learner=model.learner, clusters=CLUSTERS).fit(SENTENCES, TREES)
    assert again.predict(UNSEEN) == model.predict(UNSEEN)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[DependencyTree]]:
    path = tmp_path_factory.mktemp("parser") / "m"
    model = fitted(model="carreras")
    model.save(path)
    return path.read_bytes(), model.predict(SENTENCES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(choice=st.data())
def test_cut_and_flipped_files_are_refused(
    tmp_path: Path, saved: tuple[bytes, list[DependencyTree]], choice: st.DataObject
) -> None:
    content = bytearray(saved[0])
    place = choice.draw(st.integers(0, len(content) - 1))
    if choice.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= 1 << choice.draw(st.integers(0, 7))
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(InputError) as caught:
        laconic.load(tmp_path / "bad")
    assert str(caught.value).startswith(str(tmp_path / "bad")) and "\n" not in str(caught.value)


def contents(tmp_path: Path) -> files.ModelFile:
    """A plain file, as laconic 0.1.0 wrote them and as rerankers hold them."""
    model = fitted(model="carreras", tagger=MODELS["own tags"]["tagger"])
    files.save(tmp_path / "good", "parse", *pack(model))
    assert laconic.load(tmp_path / "good").predict(UNSEEN) == model.predict(UNSEEN)
    return files.load(tmp_path / "good")


@pytest.mark.slow
def test_hostile_arrays(tmp_path: Path) -> None:
    """Arrays that were changed by someone who made the checksum right again."""
    file = contents(tmp_path)
    for name, array in file.arrays.items():
        if not len(array) or name.startswith(
            ("labels.", "tags.")
        ):  # those are taggers', which have such tests of their own
            continue
        poisoned = array.copy()
        poisoned.flat[-1] = (
            np.nan if array.dtype.kind == "f" else -7 if array.dtype.kind == "i" else 255
        )
        for changed in (
            poisoned,
            array[:-1],
            np.concatenate([array, array[-1:]]),
            array[None],
            array.astype(np.int8),
            np.zeros(()),
        ):
            refused(tmp_path, file._replace(arrays={**file.arrays, name: changed}))
        refused(
            tmp_path,
            file._replace(arrays={key: value for key, value in file.arrays.items() if key != name}),
        )
    for name in ("more", "parser.more", "pruner.more", "labels.more", "tags.more"):
        refused(tmp_path, file._replace(arrays={**file.arrays, name: np.zeros(1)}))


def test_lies_about_features_are_named(tmp_path: Path) -> None:
    file = contents(tmp_path)

    def changed(name: str, position: int, value: float) -> files.ModelFile:
        array = file.arrays[name].copy()
        array[position] = value
        return file._replace(arrays={**file.arrays, name: array})

    last = len(file.arrays["parser.atom"]) - 1
    assert "not there" in refused(tmp_path, changed("parser.atom", last, 10_000))
    assert "not there" in refused(tmp_path, changed("parser.atom", last, -1))
    assert "a weight is zero" in refused(tmp_path, changed("pruner.weight", 0, 0))
    refused(tmp_path, changed("parser.feature_count", 0, 2**62))
    refused(tmp_path, changed("parser.feature_count", 0, -1))


def test_hostile_meta(tmp_path: Path) -> None:
    file = contents(tmp_path)
    assert json.loads(json.dumps(file.meta)) == file.meta
    for name in file.meta.keys() - {"laconic"}:
        refused(
            tmp_path,
            file._replace(meta={key: value for key, value in file.meta.items() if key != name}),
        )
        refused(tmp_path, file._replace(meta={**file.meta, name: [[]]}))
    for names in (
        ["bias", "bias"],
        ["h.absent"],
        ["h.word[99999]"],
        [" bias"],
        ["g.word|t.word"],
        ["h.word|" * 4000],
    ):
        refused(tmp_path, file._replace(meta={**file.meta, "templates": names}))
    for name, value in {
        "model": "cousins",
        "crossing": True,
        "prune": 2.0,
        "most_heads": 0,
        "columns": [],
        "n_jobs": "x",
        "most_tokens": 0,
    }.items():
        parameters = {**file.meta["parameters"], name: value}
        refused(tmp_path, file._replace(meta={**file.meta, "parameters": parameters}))
