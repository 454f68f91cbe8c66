"""train embed, predict, evaluate, inspect and export as users run them, mistakes included."""

from __future__ import annotations

import gzip
import os
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import refused, result_of, run
from terminal import interrupted, output_until_interrupted

import laconic
from laconic.text.vectors import read_vectors

pytestmark = pytest.mark.slow

TOPICS = [
    words.split()
    for words in (
        "sun moon star sky light night cloud comet orbit planet",
        "bank cash loan debt coin price money market trade credit",
        "bread soup salt meat fruit sugar cook dish rice milk",
    )
]
COMMON = ["the", "of", "in"]


def sentences(n: int, seed: int = 0) -> list[str]:
    """Return sentences with words of one topic each, and some that occur everywhere."""
    drawn = random.Random(seed)
    return [
        " ".join(drawn.choices(drawn.choice(TOPICS), k=6) + drawn.choices(COMMON, k=3))
        for _ in range(n)
    ]


class Files:
    """Paths in a folder of one test."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.first, self.second = str(folder / "first.txt"), str(folder / "second.txt.gz")
        self.model, self.vectors = str(folder / "m.laconic"), str(folder / "m.txt")
        Path(self.first).write_text("\n".join(sentences(300)))
        Path(self.second).write_bytes(gzip.compress("\n".join(sentences(300, 1)).encode()))

    def write(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)


@pytest.fixture
def given(tmp_path: Path) -> Files:
    return Files(tmp_path)


def trained(given: Files, *options: str) -> Any:
    return result_of(
        "train", "embed", given.first, given.second, "-o", given.model, "--jobs", "1", *options
    )


SMALL = ("--dimensions", "13", "--strength", "0.5", "--epochs", "2")
SVD = ("--learner", "svd", "--dimensions", "4")


def test_train_reports_what_was_learned(given: Files) -> None:
    report = trained(given, *SMALL, "--word2vec", given.vectors)
    assert (report["words"], report["size"], report["occurrences"], report["interrupted"]) == (
        33,
        13,
        600 * 9,
        False,
    )
    assert (
        report["seconds"] > 0 < report["peak_memory_mb"]
        and report["objective"] > 0 <= report["certificate"] < 1e-3
    )
    assert (
        0 < report["features_kept"] < report["features_total"] == 33 * 13
        and 0 < report["associations"] <= 33 * 33
    )
    assert report["share_of_zeros"] == pytest.approx(
        1 - report["features_kept"] / report["features_total"]
    )
    assert (
        report["groups_kept"] <= report["groups_total"] == 13
        and "OnlineDictionary" in report["learner"]
    )
    model = laconic.load(given.model)
    vocab, vectors = read_vectors(given.vectors)
    assert vocab.words == model.words_ and vectors.tolist() == model.vectors().tolist()
    near = {word for word, _ in model.most_similar("sun", 5)}
    assert near <= set(TOPICS[0])


@pytest.mark.parametrize(
    ("options", "learner"),
    [
        (
            ["--penalty", "lasso", "--positive", "--seed", "3"],
            "penalty='lasso', positive=True, random_state=3",
        ),
        (["--dimensions", "4", "--branching", "3"], "branching=(3,)"),
        (["--learner", "svd", "--dimensions", "2"], "Svd("),
        (
            ["--learner", "stochastic", "--epochs", "3", "--negatives", "2", "--recode"],
            "StochasticCoding(epochs=3, n_jobs=1, negatives=2.0, recode=True",
        ),
    ],
)
def test_learners_by_name(given: Files, options: list[str], learner: str) -> None:
    report = trained(given, *options)
    assert learner in report["learner"]
    model = laconic.load(given.model)
    assert "--positive" not in options or model.codes_.data.min() >= 0


def test_counting_has_options(given: Files) -> None:
    options = (
        "--window 2 --dynamic --min-count 100 --max-words 20 --n-contexts 10 --rare drop "
        "--subsample 0.01 --memory 1k"
    )
    trained(
        given,
        *SVD,
        *options.split(),
        "--association",
        "pmi",
        "--smoothing",
        "1",
        "--shift",
        "2",
        "--scale",
        "0.5",
        "--pair-weighting",
        "0.25",
    )
    model = laconic.load(given.model)
    assert len(model) <= 20 and (model.window, model.dynamic, model.n_contexts, model.rare) == (
        2,
        True,
        10,
        "drop",
    )
    assert (model.association, model.smoothing, model.shift, model.scale, model.subsample) == (
        "pmi",
        1.0,
        2.0,
        0.5,
        0.01,
    )
    assert model.weighting == 0.25


def test_text_from_standard_input(given: Files) -> None:
    text = "\n".join(sentences(200))
    assert result_of("train", "embed", "-", *SVD, text=text)["words"] == 33


def test_predict(given: Files) -> None:
    trained(given, *SVD)
    model = laconic.load(given.model)
    outcome = run("predict", given.model, text="sun bank\nzebra\n")
    assert outcome.exit_code == 0
    lines = [line.split(" ") for line in outcome.stdout.splitlines()]
    assert [line[0] for line in lines] == ["sun", "bank"]
    assert np.array(lines[0][1:], np.float32).tolist() == model.vector("sun").tolist()
    outcome = run("predict", given.model, "--nearest", "3", text="sun")
    assert [line.split("\t")[:2] for line in outcome.stdout.splitlines()] == [
        ["sun", word] for word, _ in model.most_similar("sun", 3)
    ]
    report = result_of("predict", given.model, "-o", given.write("out", ""), text="sun zebra")
    assert (report["words"], report["unknown"]) == (2, 1)


def test_evaluate(given: Files) -> None:
    trained(given, *SVD)
    pairs = given.write(
        "pairs.txt", "sun moon 9\nsun bank 1\nSoup salt 8\nbread market 2\nzebra sun 3\n"
    )
    more = given.write("more.txt", "milk rice 7\nmilk loan 3\ncash orbit 2\n")
    analogies = given.write(
        "analogies.txt",
        ": topics\nsun moon bank cash\nsun zebra bank cash\n: gram1\nsun star bread soup\n",
    )
    gaps = given.write(
        "gaps.tsv", "id\tleft\tright\ta\tb\tanswer\n1\tthe sun and\tof moon\tbank\tstar\tb\n"
    )
    report = result_of("evaluate", given.model, pairs, analogies, gaps, more)
    assert report["similarity"] == pytest.approx(
        np.mean([row["spearman"] for row in report["similarity sets"]])
    )
    assert [(row["covered"], row["pairs"]) for row in report["similarity sets"]] == [(4, 5), (3, 3)]
    assert (
        report["similarity"] > 0.5
        and report["analogies"]["semantic"]["covered"] == 1
        and report["analogies"]["all"]["covered"] == 2
    )
    assert report["completion"] == {"accuracy": 1.0, "covered": 1, "sentences": 1}
    again = result_of("evaluate", given.model, "--task", "similarity", pairs)
    assert again["similarity"] == report["similarity sets"][0]["spearman"]
    parts = [
        given.write(
            f"{name}.txt",
            "".join(
                f"({4 * (i % 2)} (2 {TOPICS[i % 2][i % 10]}) (2 {TOPICS[i % 2][(i + 3) % 10]}))\n"
                for i in range(n)
            )
            + "(2 neutral)\n",
        )
        for name, n in (("train", 60), ("dev", 20), ("test", 20))
    ]
    sentiment = result_of("evaluate", given.model, *parts)["sentiment"]
    assert sentiment["accuracy"] == sentiment["dev_accuracy"] == 1


def test_inspect(given: Files) -> None:
    trained(given, *SMALL)
    report = result_of("inspect", given.model, "-n", "3")
    rows = report["dimensions"]
    assert sorted(row["dimension"] for row in rows) == list(range(13)) and [
        row["depth"] for row in rows[:3]
    ] == [0, 1, 2]
    assert (
        all(len(row["positive"]) <= 3 and 0 <= row["used"] <= 1 for row in rows)
        and report["share_of_zeros"] > 0
    )
    assert rows[2]["parent"] == rows[1]["dimension"]
    table = run("inspect", given.model).stdout
    assert "\n  1 " in table and "\n    4 " in table
    found = result_of(
        "inspect", given.model, "--near", "sun", "--analogy", "sun moon bank", "-n", "2"
    )
    assert [len(rows) for name, rows in found.items() if name not in ("model", "bytes")] == [2, 2]
    assert {row["word"] for row in found["near sun"]} <= set(TOPICS[0])


@pytest.mark.parametrize("binary", [False, True])
def test_files_of_word2vec_are_models_too(given: Files, binary: bool) -> None:
    trained(given, *SVD)
    result_of("export", given.model, "-o", given.vectors, *(["--binary"] if binary else []))
    ours, theirs = (
        result_of("inspect", path, "--near", "sun")["near sun"]
        for path in (given.model, given.vectors)
    )
    assert [row["word"] for row in ours] == [row["word"] for row in theirs]


def test_ctrl_c_keeps_what_was_learned(given: Files) -> None:
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "embed",
        given.first,
        "-o",
        given.model,
        "--json",
        "--jobs",
        "1",
    ]
    report = interrupted([*command, "--dimensions", "13", "--epochs", "1000000"], b"objective")
    assert report["interrupted"] and laconic.load(given.model).interrupted_


def test_ctrl_c_while_reading_writes_nothing(given: Files) -> None:
    pipe = given.folder / "pipe"
    os.mkfifo(pipe)
    before = sorted(os.listdir(given.folder))
    writer = os.open(pipe, os.O_RDWR)  # keeps the pipe open, so that its reader waits
    command = [sys.executable, "-m", "laconic", "train", "embed", str(pipe), "-o", given.model]
    assert output_until_interrupted(command, b"counting") == b""
    os.close(writer)
    assert sorted(os.listdir(given.folder)) == before


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        ("", [], "text.txt: holds no words"),
        ("word", ["--min-count", "1"], "no two of the 1 words"),
        ("a b c", [], "no word occurs 10 times or more, the most frequent one 1 times"),
        (b"a b\n\xff\xfe\x00", [], "text.txt:2: expected UTF-8 text"),
        (b"a b\n\0\1\2", [], "text.txt:2: expected text, one sentence per line, found a zero"),
        ("a b", ["--learner", "other"], "--learner must be one of online"),
        ("a b", ["--penalty", "other"], "--penalty other: there is no penalty called 'other'"),
        (
            "a b",
            ["--learner", "svd", "--strength", "1"],
            "--strength does not go with --learner svd",
        ),
        (
            "a b",
            ["--learner", "stochastic", "--pair-weighting", "0.5"],
            "--pair-weighting does not go with --learner stochastic",
        ),
        (
            "a b",
            ["--penalty", "lasso", "--branching", "3"],
            "--branching does not go with --penalty lasso",
        ),
        ("a b", ["--branching", "x"], "--branching takes numbers"),
        ("a b", ["--dimensions", "14", "--min-count", "1"], "trees of 13 nodes"),
        ("a b", ["--memory", "lots"], "--memory takes a number of bytes"),
        ("a b", ["--strength", "-1"], "--strength takes a number of at least 0"),
        ("a b", ["--window", "0", "--min-count", "1"], "window must be"),
        ("a b", ["--rare", "x"], "rare must be one of gap"),
        ("a b", ["--word2vec", "-"], "a word2vec file is written to a file"),
        ("a b", ["--smoothing", "2", "--min-count", "1"], "smoothing must be from 0 to 1"),
        ("a b", ["--scale", "2", "--min-count", "1"], "scale must be from 0 to 1"),
        ("a b", ["--learner", "svd", "--min-count", "1"], "size must be from 1 to 2"),
    ],
)
def test_mistakes_of_training(
    given: Files, content: str | bytes, options: list[str], says: str
) -> None:
    refused(
        given, says, "train", "embed", given.write("text.txt", content), "-o", given.model, *options
    )


def test_a_window_longer_than_any_line(given: Files) -> None:
    assert trained(given, *SVD, "--window", "500")["words"] == 33


def test_other_mistakes(given: Files) -> None:
    refused(
        given, "cannot be read", "train", "embed", str(given.folder / "absent"), "-o", given.model
    )
    trained(given, *SVD)
    refused(given, "no vector for 'zebra'", "inspect", given.model, "--near", "zebra")
    refused(given, "--analogy takes three words, not 1", "inspect", given.model, "--analogy", "sun")
    refused(
        given,
        "knows none of these words",
        "predict",
        given.model,
        "-o",
        str(given.folder / "out"),
        text="zebra",
    )
    refused(given, "none of the tasks", "evaluate", given.model, given.write("x.txt", "nothing\n"))
    refused(given, "--task must be one of", "evaluate", given.model, "--task", "x", given.first)
    refused(
        given,
        "sentiment takes three files",
        "evaluate",
        given.model,
        given.write("t.txt", "(3 (2 a))\n"),
    )
    refused(
        given,
        "with a label from 0",
        "evaluate",
        given.model,
        *[given.write("t.txt", "(S (A a) (B b))\n")] * 3,
    )
    refused(given, "--proba does not go with", "predict", given.model, "--proba", text="sun")
    refused(
        given, "compress does not go with", "compress", given.model, "-o", str(given.folder / "out")
    )
    refused(
        given, "there is no folder", "export", given.model, "-o", str(given.folder / "no" / "out")
    )
    language_model = str(given.folder / "lm")
    result_of(
        "train",
        "lm",
        given.first,
        "-o",
        language_model,
        "--learner",
        "log-linear",
        "--order",
        "2",
        "--max-iter",
        "2",
    )
    refused(
        given,
        "is evaluated on one file, not on 2",
        "evaluate",
        language_model,
        given.first,
        given.first,
    )
    assert result_of("export", language_model, "-o", str(given.folder / "arpa"))["ngrams"] > 0


def test_report(given: Files) -> None:
    trained(given, *SMALL)
    page = given.folder / "page.html"
    result_of("report", given.model, "-o", str(page), "--words", "sun moon star; bank cash")
    assert page.read_text().count("<svg") == 4
    refused(
        given,
        "no vector for 'zebra'",
        "report",
        given.model,
        "-o",
        str(given.folder / "bad.html"),
        "--words",
        "zebra",
    )
