"""`laconic compress` as people run it: rounding, learning again, the choice of eta, mistakes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from terminal import interrupted
from typer.testing import CliRunner

import laconic
from laconic.cli.main import app

pytestmark = pytest.mark.slow

RUNNER = CliRunner()


def documents(n: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    words = {"good": ["fine", "nice", "well", "plot"], "bad": ["poor", "dull", "sad", "plot"]}
    picked = [
        (label, " ".join(rng.choice(words[label], 3))) for label in rng.choice(["good", "bad"], n)
    ]
    return "".join(json.dumps({"label": label, "text": text}) + "\n" for label, text in picked)


def sentences(n: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    blocks = []
    for _ in range(n):
        kinds = rng.integers(2, size=3)
        blocks += [
            f"{'Mr' if k else 'the'} {'T' if k else 'D'} O\n"
            f"{'ab'[k]}{rng.integers(9)} N {'B-P' if k else 'O'}"
            for k in kinds
        ]
        blocks.append("")
    return "\n".join(blocks) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Training and development data of both kinds, and a model of each."""
    folder = tmp_path_factory.mktemp("compress")
    for name, make in (("docs", documents), ("sents", sentences)):
        (folder / f"{name}.train.jsonl").write_text(make(120, 0))
        (folder / f"{name}.dev.jsonl").write_text(make(40, 1))
    run(
        "train",
        "classify",
        folder / "docs.train.jsonl",
        "--strength",
        "0.1",
        "-o",
        folder / "docs.model",
    )
    tag = (
        "--learner",
        "crf",
        "--penalty",
        "lasso",
        "--strength",
        "0.1",
        "--templates",
        "chunking72",
    )
    run("train", "tag", folder / "sents.train.jsonl", *tag, "-o", folder / "sents.model")
    return folder


def run(*words: Any) -> dict[str, Any]:
    result = RUNNER.invoke(app, [*map(str, words), "--json", "--quiet"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.mark.parametrize("kind", ["docs", "sents"])
@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("tuned", [False, True])
def test_models_of_both_kinds(
    folder: Path, tmp_path: Path, kind: str, refit: bool, tuned: bool
) -> None:
    data = ["--data", folder / f"{kind}.train.jsonl"] if refit else []
    dev = ["--dev", folder / f"{kind}.dev.jsonl"] if tuned else []
    found = run(
        "compress", folder / f"{kind}.model", "--values", 4, *data, *dev, "-o", tmp_path / "small"
    )
    methods = {trial["method"] for trial in found["trials"]}
    assert methods == {"rounded", "learned again"} if refit else methods == {"rounded"}
    assert 1 <= found["degrees_of_freedom"] == len(found["values"]) <= 4
    assert found["degrees_of_freedom"] <= found["degrees_of_freedom_before"]
    best = max(trial["score"] for trial in found["trials"])
    assert [found["eta"], best] in [[trial["eta"], trial["score"]] for trial in found["trials"]]
    if refit or tuned:  # the score is that of the very file
        assert found["score"] == best and len(found["trials"]) >= 8
        assert found["score"] > found["score_before"] - 0.05
    else:
        assert len(found["trials"]) == 1 and found["eta"] is None and "score" not in found
    assert found["bytes"] == (tmp_path / "small").stat().st_size
    assert ("certificate" in found) == (found["method"] == "learned again")
    scores = run("evaluate", tmp_path / "small", folder / f"{kind}.dev.jsonl")
    assert scores["accuracy" if kind == "docs" else "f1"] > 0.9
    assert (
        laconic.load(tmp_path / "small").classes_.tolist()
        == laconic.load(folder / f"{kind}.model").classes_.tolist()
    )


def test_compressed_models_without_names_and_again(folder: Path, tmp_path: Path) -> None:
    named = run("compress", folder / "sents.model", "-o", tmp_path / "small")
    bare = run("compress", folder / "sents.model", "--no-names", "-o", tmp_path / "smallest")
    assert bare["bytes"] < named["bytes"] < named["bytes_before"]
    dev = folder / "sents.dev.jsonl"
    assert (
        run("evaluate", tmp_path / "smallest", dev)["f1"]
        == run("evaluate", tmp_path / "small", dev)["f1"]
    )
    again = run(
        "compress",
        tmp_path / "small",
        "--values",
        2,
        "--data",
        folder / "sents.train.jsonl",
        "-o",
        tmp_path / "again",
    )
    assert again["degrees_of_freedom"] <= 2 < again["degrees_of_freedom_before"] <= 8


def test_given_eta_and_lasso(folder: Path, tmp_path: Path) -> None:
    data = ("--data", folder / "sents.train.jsonl")
    few = run(
        "compress",
        folder / "sents.model",
        "--eta",
        0.3,
        "--lasso",
        3,
        *data,
        "-o",
        tmp_path / "few",
    )
    many = run(
        "compress",
        folder / "sents.model",
        "--eta",
        0.3,
        "--lasso",
        0.01,
        *data,
        "-o",
        tmp_path / "many",
    )
    assert few["eta"] == 0.3 and len(few["trials"]) == 1
    assert few["features_kept"] < many["features_kept"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--values", "3"], "--values must be an even number, not 3."),
        (["--eta", "0"], "--eta must be a number above 0, not 0.0."),
        (["--lasso", "1"], "give the training data with --data."),
        (["--text-field", "body"], "--text does not go with"),
        (["--dev", "nowhere"], "nowhere: cannot be read"),
    ],
)
def test_mistakes_are_one_sentence(
    folder: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    result = RUNNER.invoke(
        app, ["compress", str(folder / "sents.model"), "-o", str(tmp_path / "small"), *words]
    )
    assert result.exit_code == 2
    assert message in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "small").exists()


def test_ctrl_c_keeps_the_best_so_far(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "many").write_text(sentences(10000, 0))
    command = [
        sys.executable,
        "-m",
        "laconic",
        "compress",
        str(folder / "sents.model"),
        "--json",
        "-o",
        str(tmp_path / "small"),
    ]
    report = interrupted([*command, "--data", str(tmp_path / "many")], b"step ")
    assert report["interrupted"] and report["trials"][-1]["method"] == "learned again"
    assert (
        laconic.load(tmp_path / "small").plain().weights_.n_distinct
        == report["degrees_of_freedom"]
        <= 8
    )
