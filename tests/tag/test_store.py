"""A loaded tagger predicts what the saved one did; broken files are refused in one sentence."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import refused

import laconic
from laconic import Crf, Fobos, Mira, Perceptron, Rda, Sparseptron, Tagger
from laconic.core.report import passes_of
from laconic.models import file as files
from laconic.tag.conll import read_columns
from laconic.text.templates import Atom, Template, Templates
from laconic.text.token_columns import TokenColumns
from laconic.text.views import WordClusters

SENTENCES = [
    [("The", "DT"), ("dog", "NN"), ("saw", "VBD"), ("a", "DT"), ("Cat", "NNP")],
    [("A", "DT"), ("cat", "NN"), ("ran", "VBD")],
    [("dogs", "NNS"), ("ran", "VBD"), ("home", "NN"), ("yesterday", "RB"), (".", ".")],
    [("He", "PRP"), ("saw", "VBD"), ("the", "DT"), ("big", "JJ"), ("dog", "NN"), (".", ".")],
]
LABELS = [
    ["B-NP", "I-NP", "B-VP", "B-NP", "I-NP"],
    ["B-NP", "I-NP", "B-VP"],
    ["B-NP", "B-VP", "B-NP", "B-NP", "O"],
    ["B-NP", "B-VP", "B-NP", "I-NP", "I-NP", "O"],
]
UNSEEN = [[("A", "DT"), ("DOG", "NNP"), ("sat", "VBD"), ("zzz", "XX")], [], [("dog", "NN")]]
CLUSTERS = WordClusters(
    {
        "dog": "0010",
        "dogs": "0011",
        "cat": "0001",
        "Cat": "1101",
        "ran": "1000",
        "saw": "1001",
        "DOG": "1111",
    }
)
PAIRED = Templates(
    [Template((Atom("word", 0),)), Template((Atom("pos", 0),), pairs=True), Template(())]
)
CLUSTERED = Templates(
    [Template((Atom(view, 0),)) for view in ("word", "cluster2", "cluster", "suffix2", "shape")]
)


def fitted(**parameters: Any) -> Tagger:
    return Tagger(**{"templates": "chunking72", "learner": Mira(3), **parameters}).fit(
        SENTENCES, LABELS
    )


MODELS: dict[str, dict[str, Any]] = {
    "mira": {},
    "sparseptron": {
        "learner": Sparseptron(5, every=2),
        "refit": Perceptron(2),
        "constrained": True,
    },
    "crf": {"learner": Crf(max_iter=5)},
    "lasso": {"learner": Rda(0.05), "scheme": "BIOES"},
    "fobos": {
        "learner": Fobos(0.01, "label-group"),
        "refit": Mira(1),
        "refit_features": "features",
    },
    "pairs": {"templates": PAIRED},
    "pairs of a crf": {"templates": PAIRED, "learner": Crf(max_iter=5)},
    "clusters": {"templates": CLUSTERED, "clusters": CLUSTERS},
}


@pytest.mark.parametrize("name", MODELS)
def test_predictions_survive_saving(tmp_path: Path, name: str) -> None:
    model = fitted(**MODELS[name])
    model.save(tmp_path / "one")
    loaded = laconic.load(tmp_path / "one")
    for sentences in (SENTENCES, UNSEEN):
        assert loaded.predict(sentences) == model.predict(sentences)
        for before, after in zip(
            model.predict_marginals(sentences), loaded.predict_marginals(sentences), strict=True
        ):
            np.testing.assert_array_equal(before, after)
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    for attribute in (
        "templates_",
        "templates_given_",
        "n_features_total_",
        "n_features_selected_",
        "scheme_",
    ):
        assert getattr(loaded, attribute) == getattr(model, attribute)
    assert list(loaded.trace_) == passes_of(model.trace_)  # steps of solvers are not stored
    np.testing.assert_array_equal(
        [loaded.objective_, loaded.certificate_], [model.objective_, model.certificate_]
    )
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_only_clusters_in_use_are_stored(tmp_path: Path) -> None:
    model = fitted(**MODELS["clusters"])
    many = WordClusters({**CLUSTERS.paths, "unheard": "01", "of": "0110"})
    model.encoder_.clusters = many
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    words = set(loaded.encoder_.clusters.paths)
    assert {"dog", "cat", "ran"} <= words and not words & {"unheard", "of"}
    assert (
        loaded.encoder_.clusters.bits("DOG") == "1111"
    )  # it hides the cluster of "dog", though no feature is of its own


def test_a_loaded_model_learns_again_with_a_learner(tmp_path: Path) -> None:
    model = fitted(learner=Sparseptron(5, every=2))
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert loaded.learner == "Sparseptron(budget=5, every=2)"
    with pytest.raises(ValueError, match="a learner such as"):
        loaded.fit(SENTENCES, LABELS)
    assert loaded.set_params(learner=model.learner).fit(SENTENCES, LABELS).predict(
        UNSEEN
    ) == model.predict(UNSEEN)


def test_on_a_slice_of_conll2000(tmp_path: Path, data: Path) -> None:
    tokens = read_columns(data / "conll2000" / "test.txt.gz", ("word", "pos", "label"))
    ptr = tokens.ptr[:301]
    part = TokenColumns(
        ("word", "pos"), [tokens.values[0][: ptr[-1]], tokens.values[1][: ptr[-1]]], ptr
    )
    labels = [list(tokens.values[2][a:b]) for a, b in pairwise(ptr.tolist())]
    rest = TokenColumns(
        ("word", "pos"),
        [column[ptr[-1] :] for column in tokens.values[:2]],
        tokens.ptr[300:] - ptr[-1],
    )
    model = Tagger(learner=Sparseptron(10, epochs=2, every=100), refit=Mira(2)).fit(part, labels)
    assert len(model.templates_) <= 10
    model.save(tmp_path / "m")
    assert laconic.load(tmp_path / "m").predict_flat(rest) == model.predict_flat(rest)


def contents(tmp_path: Path) -> files.ModelFile:
    fitted(templates=CLUSTERED, clusters=CLUSTERS, learner=Sparseptron(4, every=2)).save(
        tmp_path / "good"
    )
    return files.load(tmp_path / "good")


def test_hostile_arrays(tmp_path: Path) -> None:
    file = contents(tmp_path)
    for name, array in file.arrays.items():
        poisoned = array.copy()
        poisoned.flat[-1] = (
            np.nan if array.dtype.kind == "f" else -7 if array.dtype.kind == "i" else 255
        )
        longer = np.concatenate([array, array[-1:]])
        for changed in (
            poisoned,
            array[:-1],
            longer,
            array[None],
            array.astype(np.int8),
            np.zeros(()),
        ):
            refused(tmp_path, file._replace(arrays={**file.arrays, name: changed}))
        refused(
            tmp_path,
            file._replace(arrays={key: value for key, value in file.arrays.items() if key != name}),
        )
    refused(tmp_path, file._replace(arrays={**file.arrays, "more": np.zeros(1)}))


def test_lies_about_features_are_named(tmp_path: Path) -> None:
    file = contents(tmp_path)
    atom, count, label = (file.arrays[name] for name in ("atom", "weight_count", "weight_label"))

    def changed(name: str, position: int, value: int) -> files.ModelFile:
        array = file.arrays[name].copy()
        array[position] = value
        return file._replace(arrays={**file.arrays, name: array})

    assert "not there" in refused(tmp_path, changed("atom", 0, 10_000))
    assert "not there" in refused(tmp_path, changed("atom", 0, -1))
    assert "occurs twice" in refused(tmp_path, changed("atom", 0, int(atom[1])))
    assert "belongs to label 200" in refused(tmp_path, changed("weight_label", 0, 200))
    assert count[0] > 1
    assert "occurs twice" in refused(tmp_path, changed("weight_label", 0, int(label[1])))
    assert "zero or occurs twice" in refused(tmp_path, changed("weight", 0, 0))
    refused(tmp_path, changed("weight_count", 0, 0))
    refused(tmp_path, changed("feature_count", 0, 2**62))


def test_hostile_meta(tmp_path: Path) -> None:
    file = contents(tmp_path)
    assert json.loads(json.dumps(file.meta)) == file.meta
    for name in file.meta.keys() - {"laconic"}:
        refused(tmp_path, file._replace(meta={**file.meta, name: [[]]}))
        # Files of laconic 0.1.0 do not have these.
        if name in ("converged", "learner", "certificate_kind"):
            continue
        refused(
            tmp_path,
            file._replace(meta={key: value for key, value in file.meta.items() if key != name}),
        )
    for labels in (
        [],
        ["O"],
        ["O", "O", "B-NP", "I-NP"],
        [1, 2, 3, 4],
        ["O", "B-NP", "I-NP", "x"],
        ["a\0", "a", "b", "c"],
    ):
        refused(tmp_path, file._replace(meta={**file.meta, "labels": labels}))
    for scheme in ("plain", "IOB9"):
        refused(tmp_path, file._replace(meta={**file.meta, "scheme": scheme}))


@pytest.mark.parametrize(
    "template",
    [
        "ngrams(word, 1..1000000000, -5..5)",
        "word[99999]",
        "word[0]word[0]",
        "prefix0[0]",
        "absent[0]",
        'test(word,"a{99999999999999999999}")[0]',
        'test(word,"' + "(" * 3000 + ")" * 3000 + '")[0]',
        'test(word,"(")[0]',
        "",
        " word[0]",
        "shape[0]",
    ],
)
def test_hostile_templates(tmp_path: Path, template: str) -> None:
    file = contents(tmp_path)
    names = [template, *file.meta["templates"][1:]]
    refused(tmp_path, file._replace(meta={**file.meta, "templates": names}))
    refused(tmp_path, file._replace(meta={**file.meta, "kept": [0, 0]}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learner", 3),
        ("refit_features", "some"),
        ("columns", []),
        ("columns", ["word", "word"]),
        ("columns", "word"),
        ("scheme", "IOB9"),
        ("constrained", 1),
        ("n_jobs", 2**40),
        ("n_jobs", True),
        ("unheard_of", 1),
    ],
)
def test_hostile_parameters(tmp_path: Path, name: str, value: Any) -> None:
    file = contents(tmp_path)
    refused(
        tmp_path,
        file._replace(meta={**file.meta, "parameters": {**file.meta["parameters"], name: value}}),
    )


def test_only_fitted_taggers_are_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        Tagger().save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []
