"""A loaded reranker predicts what the saved one did; broken files are refused in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parsers import attachments, reranker

import laconic
from laconic import Polynomial, Reranker, SubTrees, WordTagger
from laconic.errors import InputError
from laconic.models import file as files
from laconic.parse.lists import k_best
from laconic.rerank.store import _PARAMETERS

TRAIN, TEST = attachments(40, 0), attachments(40, 1)
MODELS: dict[str, dict[str, Any]] = {
    "trees": {},
    "products": {"kernel": Polynomial(3)},
    "default space": {"kernel": None, "rounds": 2, "beta": 0.25, "pretrain_epochs": 0},
    "basic templates": {"templates": "basic", "threshold": 8},
    "own tags": {
        "parser": laconic.Parser(
            "carreras", learner=laconic.Mira(1), tagger=WordTagger(learner=laconic.Mira(1), folds=2)
        )
    },
    "nothing to learn": {"k": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_predictions_survive_saving(tmp_path: Path, name: str) -> None:
    model = reranker(**MODELS[name]).fit(*TRAIN)
    model.save(tmp_path / "one")
    loaded = laconic.load(tmp_path / "one")
    assert isinstance(loaded, Reranker) and loaded.predict(TEST[0]) == model.predict(TEST[0])
    assert loaded.predict_k_best(TEST[0], 3) == model.predict_k_best(TEST[0], 3)
    lists = k_best(model.parser_, model.parser_._tokens(TEST[0]), 6)
    assert np.array_equal(loaded.rank_scores(lists), model.rank_scores(lists))
    for attribute in (
        "beta_",
        "wrong_",
        "rounds_",
        "n_features_total_",
        "n_features_selected_",
        "templates_given_",
        "k",
    ):
        assert getattr(loaded, attribute) == getattr(model, attribute)
    assert repr(loaded.kernel) == repr(model.kernel)
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_every_parameter_is_stored() -> None:
    assert _PARAMETERS.keys() == Reranker().get_params(deep=False).keys() - {"templates"}


def test_a_loaded_model_learns_again_with_a_parser(tmp_path: Path) -> None:
    model = reranker().fit(*TRAIN)
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    with pytest.raises(ValueError, match="parser must be a Parser or None"):
        loaded.fit(*TRAIN)
    again = loaded.set_params(parser=model.parser).fit(*TRAIN)
    assert again.predict(TEST[0]) == model.predict(TEST[0])


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> files.ModelFile:
    path = tmp_path_factory.mktemp("reranker") / "m"
    reranker(kernel=SubTrees(3)).fit(*TRAIN).save(path)
    return files.load(path)


ours = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


@ours
@given(choice=st.data())
def test_cut_and_flipped_files_are_refused(
    tmp_path: Path, saved: files.ModelFile, choice: st.DataObject
) -> None:
    files.save(tmp_path / "bad", saved.kind, saved.arrays, saved.meta)
    content = bytearray((tmp_path / "bad").read_bytes())
    place = choice.draw(st.integers(0, len(content) - 1))
    if choice.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= 1 << choice.draw(st.integers(0, 7))
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(InputError):
        laconic.load(tmp_path / "bad")


@pytest.mark.slow
@ours
@given(choice=st.data())
def test_a_file_forged_with_a_true_checksum_is_a_model_or_refused(
    tmp_path: Path, saved: files.ModelFile, choice: st.DataObject
) -> None:
    name = choice.draw(st.sampled_from(sorted(n for n, a in saved.arrays.items() if a.size)))
    raw = bytearray(saved.arrays[name].tobytes())
    for _ in range(choice.draw(st.integers(1, 3))):
        raw[choice.draw(st.integers(0, len(raw) - 1))] = choice.draw(st.integers(0, 255))
    forged = np.frombuffer(bytes(raw), saved.arrays[name].dtype).reshape(saved.arrays[name].shape)
    files.save(tmp_path / "forged", saved.kind, {**saved.arrays, name: forged}, saved.meta)
    try:
        model = laconic.load(tmp_path / "forged")
    except InputError as error:
        assert str(error).startswith(f"{tmp_path / 'forged'}: not a usable model: ")
    else:
        assert len(model.predict(TEST[0][:3])) == len(model.predict_k_best(TEST[0][:3], 2)) == 3


@pytest.mark.slow
def test_hostile_arrays(tmp_path: Path, saved: files.ModelFile) -> None:
    """Arrays that were changed by someone who made the checksum right again."""
    for name, array in saved.arrays.items():
        if not len(array) or name.startswith(
            "base."
        ):  # those are a parser's, which has such tests of its own
            continue
        poisoned = array.copy()
        poisoned.flat[-1] = (
            np.nan
            if array.dtype.kind == "f"
            else -7
            if array.dtype.kind == "i"
            else 255
            if array.itemsize == 1
            else 2**32 - 1
        )
        for changed in (
            poisoned,
            array[:-1],
            np.concatenate([array, array[-1:]]),
            array[None],
            array.astype(np.int8),
            np.zeros(()),
        ):
            refused(tmp_path, saved._replace(arrays={**saved.arrays, name: changed}))
        refused(
            tmp_path,
            saved._replace(
                arrays={key: value for key, value in saved.arrays.items() if key != name}
            ),
        )
    for name in ("more", "base.more", "base.parser.more", "space.more", "rank.more"):
        refused(tmp_path, saved._replace(arrays={**saved.arrays, name: np.zeros(1)}))


def test_lies_about_features_are_named(tmp_path: Path, saved: files.ModelFile) -> None:
    def changed(
        name: str, position: int, value: float, meta: dict[str, Any] | None = None
    ) -> files.ModelFile:
        array = saved.arrays[name].copy()
        array[position] = value
        return saved._replace(
            arrays={**saved.arrays, name: array}, meta=saved.meta if meta is None else meta
        )

    part, extension, n_basic = (
        saved.arrays["rank.part"],
        saved.arrays["rank.extension"],
        len(saved.arrays["space.template"]),
    )
    first = int(np.flatnonzero(part == 0)[0])
    assert "comes later" in refused(tmp_path, changed("rank.part", 0, 1))
    assert "extended as none can be" in refused(tmp_path, changed("rank.extension", first, n_basic))
    assert "extended as none can be" in refused(
        tmp_path, changed("rank.extension", len(part) - 1, 2**32 - 1)
    )
    second = int(np.flatnonzero(part == 0)[1])
    assert "occurs twice" in refused(tmp_path, changed("rank.extension", second, extension[first]))
    assert "not there" in refused(tmp_path, changed("space.atom", 0, 10_000))
    assert "the template of each basic feature" in refused(
        tmp_path, changed("space.template", 0, 99)
    )
    for kernel, sentence in (
        (["trees", 2], "of a larger order than 2"),
        (["products", 3], "extended as none can be"),
    ):
        meta = {**saved.meta, "parameters": {**saved.meta["parameters"], "kernel": kernel}}
        assert sentence in refused(tmp_path, saved._replace(meta=meta))


def test_hostile_meta(tmp_path: Path, saved: files.ModelFile) -> None:
    for name in saved.meta.keys() - {"laconic"}:
        refused(
            tmp_path,
            saved._replace(meta={key: value for key, value in saved.meta.items() if key != name}),
        )
        refused(tmp_path, saved._replace(meta={**saved.meta, name: [[]]}))
    for name, value in {
        "kernel": ["cousins", 2],
        "beta": "much",
        "random_state": 0.5,
        "k": 10**9,
        "folds": 0,
        "threshold": -1,
        "decay": 0,
        "memory": None,
        "parser": 3,
        "epochs": True,
    }.items():
        refused(
            tmp_path,
            saved._replace(
                meta={**saved.meta, "parameters": {**saved.meta["parameters"], name: value}}
            ),
        )
    for kernel in (["trees", 10**6], ["trees", 0], ["trees"], [[], 2], "trees"):
        refused(
            tmp_path,
            saved._replace(
                meta={**saved.meta, "parameters": {**saved.meta["parameters"], "kernel": kernel}}
            ),
        )
    for rounds in (
        [[1, 2, 3]],
        [[1, 2, 3, [[1, 2]]]],
        [[1, 2, "x", []]],
        [[1, 2, 3, [[1, 2, 3, 4, 5, "s"]]]],
        [None],
    ):
        refused(tmp_path, saved._replace(meta={**saved.meta, "rounds": rounds}))
    refused(tmp_path, saved._replace(meta={**saved.meta, "wrong": ["x"]}))
