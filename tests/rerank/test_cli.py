"""Commands of rerankers as people run them, and every mistake as one sentence."""

from __future__ import annotations

import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from commands import TokenFiles as Files
from commands import refused, result_of, run
from parsers import attachments
from terminal import output_until_interrupted

import laconic
from laconic.text.treebanks import read_treebank

pytestmark = pytest.mark.slow


def treebank(n: int, seed: int) -> str:
    """Sentences in CoNLL-U of which the last word tells what "with" belongs to."""
    lines = []
    for tokens, tree in zip(*attachments(n, seed), strict=True):
        assert tree.labels is not None
        for number, (token, head, label) in enumerate(
            zip(tokens, tree.heads, tree.labels, strict=True), 1
        ):
            lines.append("\t".join([str(number), *token[:4], "_", str(head), label, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def given(tmp_path: Path) -> Files:
    return Files(tmp_path, "conllu", treebank, (40, 20))


QUICK = ("--model", "arcs", "--epochs", "1", "-k", "4", "--folds", "2", "--arcs", "2")


def trained(given: Files, *options: str) -> Any:
    return result_of("train", "rerank", given.train, "-o", given.model, *(options or QUICK))


def test_train_reports_what_was_learned(given: Files) -> None:
    report = trained(given, *QUICK, "--threshold", "0", "--dev", given.dev)
    assert (report["k"], report["folds"], report["threshold"], report["kernel"]) == (
        4,
        2,
        0,
        "SubTrees(arcs=2)",
    )
    assert 0 < report["features_kept"] <= report["features_total"] and report["basic_features"] > 0
    assert (
        report["parser"]["parts"] == "arcs"
        and report["parser"]["weights"] > 0
        and report["labels"] == 5
    )
    assert (
        report["dev"]["oracle_uas"] == 1.0 >= report["dev"]["uas"] > 0.9
        and report["dev"]["las"] > 0.9
    )
    assert set(report["dev"]["parser_alone"]) == {"uas", "las", "complete"}
    assert sum(row["weights"] for row in report["orders"]) == report["features_kept"]
    assert all(row["candidates"] == row["pruned"] + row["kept"] for row in report["orders"])
    assert report["rounds"][0]["orders"][0]["seconds"] >= 0 and report["seconds"] > 0
    assert laconic.load(given.model).n_features_selected_ == report["features_kept"]
    assert sorted(os.listdir(given.folder)) == ["dev.conllu.gz", "m.laconic", "train.conllu"]


@pytest.mark.parametrize(
    "options",
    [
        ["--kernel", "products", "--degree", "2"],
        ["--model", "grand-siblings", "--rounds", "2", "--memory", "64M", "--arcs", "2"],
    ],
)
def test_other_spaces_and_parsers(given: Files, options: list[str]) -> None:
    common = ["--epochs", "1", "--folds", "2", "-k", "3", "--threshold", "2"]
    model = [] if "--model" in options else ["--model", "arcs"]
    report = trained(given, *common, *model, *options, "--dev", given.dev, "--seed", "3")
    assert report["dev"]["uas"] > 0.9
    loaded = laconic.load(given.model)
    assert loaded.random_state == 3 and loaded.memory == (2**26 if "--memory" in options else 2**30)


def test_predict_fills_in_heads_and_labels(given: Files) -> None:
    trained(given)
    lines = run("predict", given.model, given.dev).stdout.splitlines()
    model = laconic.load(given.model)
    trees = model.predict(attachments(20, 1)[0])
    shown = [line.split("\t") for line in lines if line]
    assert [int(fields[6]) for fields in shown] == [head for tree in trees for head in tree.heads]
    assert [fields[7] for fields in shown] == [label for tree in trees for label in tree.labels]
    assert run("predict", given.model, text=treebank(20, 1)).stdout.splitlines() == lines
    summary = result_of("predict", given.model, given.dev, "-o", str(given.folder / "out"))
    assert summary["sentences"] == 20 and (given.folder / "out").read_text().splitlines() == lines


def test_several_trees_of_a_sentence(given: Files) -> None:
    trained(given)
    out = given.folder / "out"
    result_of("predict", given.model, given.dev, "--k-best", "3", "-o", str(out))
    lines = out.read_text().splitlines()
    ranked = laconic.load(given.model).predict_k_best(read_treebank(given.dev), 3)
    trees = [tree for trees in ranked for tree in trees]
    assert [line for line in lines if line.startswith("#")] == [
        f"# score = {score:.4f}" for _, score in trees
    ]
    assert read_treebank(out).heads.tolist() == [head for tree, _ in trees for head in tree.heads]
    assert read_treebank(out).labels == [label for tree, _ in trees for label in tree.labels]


def test_evaluate(given: Files) -> None:
    report = trained(given, *QUICK, "--dev", given.dev)
    scores = result_of("evaluate", given.model, given.dev)
    assert {name: scores[name] for name in report["dev"]} == report["dev"]
    assert scores["features_kept"] == report["features_kept"]
    assert "parser_alone.uas" in run("evaluate", given.model, given.dev).stdout


def test_inspect_draws_trees(given: Files) -> None:
    trained(given, *QUICK, "--threshold", "0")
    shown = result_of("inspect", given.model, "-n", "100000")
    assert [row["order"] for row in shown["orders"]] == [1, 2] and set(shown["features"]) == {
        "1",
        "2",
    }
    for row in shown["orders"]:
        top = shown["features"][str(row["order"])]
        assert len(top["for"]) + len(top["against"]) == row["weights"]
        assert all(len(each["arcs"]) == row["order"] for each in (*top["for"], *top["against"]))
    assert (
        len(shown["templates"]["kept"]) + len(shown["templates"]["dropped"])
        == shown["groups_total"]
    )
    few = result_of("inspect", given.model, "-n", "40")["features"]["2"]
    assert few["for"] == shown["features"]["2"]["for"][:40]
    deep = next(row for row in few["for"] if [arc["depth"] for arc in row["arcs"]] == [0, 1])
    lines = run("inspect", given.model, "-n", "40").stdout.splitlines()
    drawn = [f"{deep['weight']:+.4g}", deep["arcs"][0]["feature"]], deep["arcs"][1]["feature"]
    above, below = next(
        (a, b) for a, b in pairwise(lines) if (a.split(maxsplit=1), b.strip()) == drawn
    )
    assert below.index(deep["arcs"][1]["feature"]) == above.index(deep["arcs"][0]["feature"]) + 4
    assert any(
        line.split() == ["order", "counted", "candidates", "pruned", "kept", "weights"]
        for line in lines
    )
    assert run("inspect", given.model, "-n", "0").exit_code == 0


def test_what_does_not_go_with_rerankers_is_refused(given: Files) -> None:
    trained(given)
    refused(given, "--proba does not go with", "predict", given.model, given.dev, "--proba")
    refused(
        given,
        "laconic compress does not go with",
        "compress",
        given.model,
        "-o",
        str(given.folder / "small"),
    )


def test_bad_treebanks(given: Files) -> None:
    bad = given.folder / "bad.conllu"
    for content, sentence in (
        ("", "holds no tokens"),
        (re.sub(r"_\t\d\t", "_\t_\t", treebank(5, 0)), "the head must be a number"),
        ("nothing of the kind\n", "expected 4 columns"),
        (treebank(5, 0), "folds must be from 2 to the number of sentences, 5, got 10"),
    ):
        bad.write_text(content)
        refused(given, sentence, "train", "rerank", str(bad), "-o", given.model)
        if "folds" not in sentence:
            refused(
                given,
                sentence,
                "train",
                "rerank",
                given.train,
                "--dev",
                str(bad),
                "-o",
                given.model,
            )
    refused(
        given,
        "absent: cannot be read",
        "train",
        "rerank",
        str(given.folder / "absent"),
        "-o",
        given.model,
    )


@pytest.mark.parametrize(
    ("sentence", "options"),
    [
        ("k must be from 1 to", ["-k", "0"]),
        ("folds must be from 2", ["--folds", "1"]),
        ("epochs must be at least 1", ["--epochs", "0"]),
        ("--model must be one of", ["--model", "cousins"]),
        ("--kernel must be one of trees, products", ["--kernel", "magic"]),
        ("--arcs does not go with --kernel products", ["--kernel", "products"]),
        ("--degree does not go with --kernel trees", ["--degree", "2"]),
        ("most_order must be from 1 to 255", ["--arcs", "0"]),
        ("threshold must be", ["--threshold", "-1"]),
        ("rounds must be at least 1", ["--rounds", "0"]),
        ("epochs must be at least 1, pretrain_epochs 0", ["--pretrain-epochs", "-1"]),
        ("memory must be from 1024", ["--memory", "0"]),
        ("--memory takes a number of bytes", ["--memory", "inf"]),
        ("give its name with -o", ["-o", "-"]),
        ("there is no folder", ["-o", "{folder}/absent/m"]),
        ("there is no encoding", ["--encoding", "utf-99"]),
    ],
)
def test_bad_requests(given: Files, sentence: str, options: list[str]) -> None:
    options = [option.format(folder=given.folder) for option in options]
    refused(given, sentence, "train", "rerank", given.train, "-o", given.model, *QUICK, *options)


def test_a_threshold_that_is_too_small_for_the_memory(given: Files) -> None:
    command = (
        "train",
        "rerank",
        given.train,
        "-o",
        given.model,
        *QUICK,
        "--threshold",
        "0",
        "--memory",
    )
    refused(given, "the smallest threshold that fits is ", *command, "200k")
    refused(given, "and no threshold fits; give more memory", *command, "10k")


def test_ctrl_c_leaves_nothing(given: Files) -> None:
    Path(given.train).write_text(treebank(400, 0))
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "rerank",
        given.train,
        "-o",
        given.model,
        "--json",
        "--folds",
        "50",
        "--arcs",
        "1",
    ]
    assert output_until_interrupted(command, b"fold 2") == b""
    assert sorted(os.listdir(given.folder)) == ["dev.conllu.gz", "train.conllu"]
