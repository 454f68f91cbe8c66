"""Trees over labels: how they are given or learned, what they change, paths and their scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import JsonFiles, refused, result_of, run

import laconic
from laconic import TextClassifier
from laconic.classify.label_tree import branches_of, path_scores
from laconic.models.save import save_model

LABELS = ["comp.mac", "comp.pc", "sci.med", "sci.space", "rec"]
OWN = {
    "comp.mac": ["apple"],
    "comp.pc": ["intel"],
    "sci.med": ["drug"],
    "sci.space": ["moon"],
    "rec": ["goal"],
}
SHARED = {"comp": ["disk", "screen"], "sci": ["theory", "journal"], "rec": ["game", "team"]}
COMMON = ["the", "of", "and", "in", "is", "that", "it", "for", "on", "are", "with"]


def corpus(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Texts with a word of their branch, and half of them with one of their label."""
    rng = np.random.default_rng(seed)
    labels = [LABELS[i % len(LABELS)] for i in range(n)]
    texts = []
    for label in labels:
        signs = [rng.choice(SHARED[label.split(".")[0]]), rng.choice(COMMON)]
        signs += OWN[label] if rng.random() < 0.6 else []
        texts.append(" ".join(rng.permutation([*rng.choice(COMMON, 5), *signs])))
    return texts, labels


TRAIN, TEST = corpus(200, 0), corpus(100, 1)
STATED = {"penalty": "label-tree", "strength": 1.0, "label_tree": "dots", "tol": 1e-5}


def test_trees_are_read_from_names_and_parents() -> None:
    classes = np.array(sorted(LABELS))
    branches = branches_of("dots", classes)
    assert branches.names == ("comp", "sci")
    assert branches.nested() == [[0, 1], [3, 4], 2]
    assert branches.path(0, "comp.mac") == ("comp", "comp.mac")
    parents = {"comp.mac": "pc", "comp.pc": "pc", "sci.med": "all", "pc": "all", "sci.space": "all"}
    deep = branches_of(parents, classes)
    assert deep.names == ("all", "pc") and deep.nested() == [[[0, 1], 3, 4], 2]
    three = branches_of("dots", np.array(["a", "a.b", "a.b.c", "a.b.d", "e"]))
    assert three.path(2, "a.b.c") == ("a", "a.b", "a.b.c")


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ("bark", "label_tree is 'dots', 'confusion' or the parent"),
        ({"x": "y"}, "none of the labels 'comp.mac', "),
        ({"comp.mac": "a", "a": "comp.mac"}, "goes in a circle at"),
    ],
)
def test_what_is_no_tree_is_one_sentence(tree: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        TextClassifier(**{**STATED, "label_tree": tree}).fit(*TRAIN)


def test_labels_without_a_tree_are_refused() -> None:
    with pytest.raises(ValueError, match="no label has a dot"):
        TextClassifier(label_tree="dots").fit(["a b", "c d", "e f"], ["x", "y", "z"])
    with pytest.raises(ValueError, match="two labels has no groups"):
        TextClassifier(**STATED).fit(["aa", "bb"] * 3, ["x.a", "x.b"] * 3)
    with pytest.raises(ValueError, match="one label per document"):
        TextClassifier(label_tree="confusion").fit(["aa", "bb"] * 3, [["x"], ["y"]] * 3)


def test_sisters_share_words() -> None:
    model = TextClassifier(**STATED).fit(*TRAIN)
    assert model.converged_ and model.taxonomy_ == {
        label: label.split(".")[0] for label in LABELS if "." in label
    }
    weights = dict(zip(model.get_feature_names_out(), model.coef_.T, strict=True))
    comp = [model.classes_.tolist().index(label) for label in LABELS[:2]]
    others = np.setdiff1d(np.arange(5), comp)
    for word in SHARED["comp"]:
        assert np.all(weights[word][comp] > 0) and np.all(weights[word][others] <= 0)
    # The lasso takes a word for one of two sisters, where it tells a little more of that one.
    flat = TextClassifier("lasso", strength=8.0, label_tree="dots").fit(*TRAIN)
    tree = TextClassifier(**{**STATED, "strength": 3.0}).fit(*TRAIN)
    assert _split_sisters(tree) < _split_sisters(flat)


def _split_sisters(model: TextClassifier) -> float:
    """Return the share of words with a weight for some sisters of a branch, but not for all."""
    branches = branches_of("dots", model.classes_)
    kept = [np.count_nonzero(model.coef_[own], axis=0) for own in branches.members]
    used = sum(np.count_nonzero(one) for one in kept)
    return sum(np.count_nonzero(one == 1) for one in kept) / used


def test_the_tree_is_learned_from_confusions() -> None:
    model = TextClassifier(**{**STATED, "label_tree": "confusion"}).fit(*TRAIN)
    assert model.taxonomy_ is not None
    assert model.taxonomy_["comp.mac"] == model.taxonomy_["comp.pc"] == "comp.mac | comp.pc"
    assert model.taxonomy_["sci.med"] == model.taxonomy_["sci.space"]
    assert "rec" not in model.taxonomy_


@pytest.mark.slow
def test_defaults_choose_with_the_tree_and_files_keep_it(tmp_path: Path) -> None:
    model = TextClassifier(label_tree="dots", folds=2, seconds=30).fit(*TRAIN)
    assert model.settings_["penalty"] == "label-tree" and model.tried_[-1].penalty == "label-tree"
    assert model.score(*TEST) > 0.7
    for save in (save_model, laconic.save_compact):
        save(model, tmp_path / "m")
        loaded = laconic.load(tmp_path / "m")
        assert loaded.paths(TEST[0]).tolist() == model.paths(TEST[0]).tolist()
    flat = TextClassifier(penalty="lasso", strength=0.05, label_tree="dots").fit(*TRAIN)
    assert flat.settings_["penalty"] == "lasso"
    assert flat.paths(["game, team, goal"]).tolist() == [["rec"]]


def test_paths_end_where_nothing_is_sure() -> None:
    model = TextClassifier(**STATED).fit(*TRAIN)
    texts = ["the disk and the screen", "apple disk", "of and in"]
    chances = model.predict_proba(texts)
    for least in (0.3, 0.6, 0.9):
        for path, row in zip(model.paths(texts, least), chances, strict=True):
            for node in path:
                inside = [str(label).startswith(node) for label in model.classes_]
                assert row[inside].sum() >= least
    assert model.paths(texts[:1], 0.6)[0] == ["comp"]
    assert model.paths(texts[:1])[0][0] == "comp" and len(model.paths(texts[:1])[0]) == 2
    with pytest.raises(ValueError, match="paths need label_tree="):
        TextClassifier("lasso", strength=1.0).fit(*TRAIN).paths(texts)


def test_hierarchical_scores_count_common_nodes() -> None:
    right = ("comp", "comp.mac")
    assert path_scores([(right, right)]).f1 == 1
    found = path_scores([(right, ("comp", "comp.pc")), (("rec",), right)])
    assert np.isclose(found.precision, 1 / 4) and np.isclose(found.recall, 1 / 3)
    assert np.isclose(found.f1, 2 / 7)


@pytest.mark.slow
def test_the_command_line_reads_trees_and_writes_paths(tmp_path: Path) -> None:
    rows = [{"text": text, "label": label} for text, label in zip(*TRAIN, strict=True)]
    files = JsonFiles(tmp_path, rows)
    tree = files.write("tree.tsv", "comp.mac\tcomp\ncomp.pc\tcomp\n")
    result_of(
        *("train", "classify", files.train, "-o", files.model, "--label-tree", tree),
        *("--seconds", "20", "--folds", "2"),
    )
    scores = result_of("evaluate", files.model, files.train)
    assert scores["accuracy"] <= scores["hierarchical_f1"] <= 1
    lines = run("predict", files.model, files.train).stdout.splitlines()
    found = [json.loads(row) for row in lines]
    assert all(row["path"][-1] == row["label"] for row in found)
    sure = run("predict", files.model, files.train, "--at-least", "0.99").stdout
    assert any(json.loads(row)["path"] in ([], ["comp"]) for row in sure.splitlines())
    shown = result_of("inspect", files.model)
    assert {"disk", "screen"} & {one["word"] for one in shown["branches"]["comp"]}
    bad = files.write("bad.tsv", "comp.mac comp\n")
    train = ("train", "classify", files.train, "--label-tree")
    refused(files, "bad.tsv:1: expected a label, a tab and its parent", *train, bad)
    refused(files, "No such file", *train, str(tmp_path / "none.tsv"))
