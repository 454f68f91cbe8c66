"""Commands for classifiers as people run them, and every mistake as one sentence."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import refused, result_of, run
from terminal import interrupted

import laconic

WORDS = {
    "space": ["orbit", "moon", "rocket", "launch", "shuttle"],
    "med": ["doctor", "disease", "patient", "drug", "symptom"],
}
COMMON = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "is",
    "that",
    "it",
    "was",
    "for",
    "on",
    "are",
    "with",
    "they",
    "be",
    "this",
    "have",
    "from",
]


def documents(
    n: int, seed: int, labels: tuple[str, ...] = ("space", "med")
) -> list[dict[str, Any]]:
    """Documents of two sentences: common words, and a few of the label's own."""
    generator = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        label = labels[i % len(labels)]
        own = generator.choice(WORDS.get(label, COMMON), 3)
        words = [*generator.choice(COMMON, 9), *own]
        generator.shuffle(words)
        rows.append(
            {
                "text": f"{' '.join(words[:6]).capitalize()}. {' '.join(words[6:]).capitalize()}.",
                "label": label,
            }
        )
    return rows


def written(path: Path, rows: list[Any]) -> str:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return str(path)


class Files:
    """Paths in a folder of one test."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.train = written(folder / "train.jsonl", documents(60, 0))
        self.dev = written(folder / "dev.jsonl.gz", documents(20, 1))
        self.model = str(folder / "m.laconic")


@pytest.fixture
def given(tmp_path: Path) -> Files:
    return Files(tmp_path)


def trained(given: Files, *options: str) -> Any:
    return result_of(
        "train", "classify", given.train, "-o", given.model, "--strength", "0.5", *options
    )


def test_train_reports_what_was_learned(given: Files) -> None:
    report = trained(given, "--dev", given.dev)
    assert report["converged"] and not report["interrupted"] and 0 <= report["certificate"] <= 1e-3
    assert 0 < report["features_kept"] < report["features_total"]
    assert report["groups_total"] == report["groups_kept"] == 0
    assert report["seconds"] > 0 and report["peak_memory_mb"] > 10 and report["objective"] > 0
    assert report["dev"] == {"documents": 20, "accuracy": 1.0, "macro_f1": 1.0}
    assert "trials" not in report  # a given strength is not tuned
    assert laconic.load(given.model).n_features_selected_ == report["features_kept"]
    assert sorted(os.listdir(given.folder)) == ["dev.jsonl.gz", "m.laconic", "train.jsonl"]


def test_the_shortest_command_chooses_and_says_what_it_tried(given: Files) -> None:
    report = result_of("train", "classify", given.train, "-o", given.model, "--folds", "2")
    assert report["strength"] > 0 and report["features_kept"] > 0
    assert report["tried"][-1]["chosen"] and report["tried"][-1]["folds"] == 2
    assert result_of("evaluate", given.model, given.dev)["accuracy"] == 1.0
    shown = run("inspect", given.model).stdout
    assert "chosen" in shown and "held-out accuracy" in shown


@pytest.mark.parametrize(
    "options", [["--penalty", "sentence", "--folds", "2"], ["--small", "2"], ["--refit-ridge", "0"]]
)
def test_what_is_given_is_fixed_and_dev_chooses_the_rest(given: Files, options: list[str]) -> None:
    report = result_of("train", "classify", given.train, "--dev", given.dev, *options)
    assert report["features_kept"] > 0 and report["tried"][-1]["accuracy"] > 0.8
    assert "dev" not in report  # the model has learned from it
    assert report["features_kept"] <= 2 or "--small" not in options
    assert "refit" not in report or "--refit-ridge" not in options or report["refit"] == 0


@pytest.mark.parametrize(
    "options",
    [
        ["--penalty", "sentence", "--strength", "0.01", "--lasso", "0.1"],
        ["--penalty", "brown", "--n-clusters", "5", "--strength", "0.1", "--lasso", "0.1"],
        [
            "--penalty",
            "sentence+brown",
            "--n-clusters",
            "5",
            "--strength",
            "0.01",
            "--lasso",
            "0.1",
        ],
        [
            "--penalty",
            "ridge",
            "--strength",
            "1",
            "--weighting",
            "tfidf",
            "--ngrams",
            "2",
            "--min-count",
            "2",
            "--prefixes",
            "3,5",
        ],
    ],
)
def test_every_model_is_written_and_works(given: Files, options: list[str]) -> None:
    report = result_of("train", "classify", given.train, "-o", given.model, *options)
    assert (report["groups_total"] > 0) == ("ridge" not in options)
    assert result_of("evaluate", given.model, given.dev)["accuracy"] == 1.0
    assert sum("groups" in line for line in run("inspect", given.model).stdout.splitlines()) >= (
        0 if "ridge" in options else 2
    )


def test_clusters_from_a_file(given: Files) -> None:
    paths = given.folder / "paths"
    paths.write_text(
        "".join(
            f"{bits}\t{word}\t1\n"
            for bits, kind in (("0", "space"), ("1", "med"))
            for word in WORDS[kind]
        )
    )
    options = ["--penalty", "brown", "--clusters", str(paths), "--strength", "0.01"]
    report = result_of("train", "classify", given.train, "-o", given.model, *options)
    assert report["groups_total"] == 3  # the root and the two clusters
    assert "orbit" in run("inspect", given.model).stdout


def test_trees(given: Files) -> None:
    lines = ["(1 (2 a) (1 (2 very) (1 good film)))", "(0 (0 (2 no) (0 bad film)) (2 indeed))"] * 10
    trees = given.folder / "trees.txt"
    trees.write_text("\n".join(lines) + "\n")
    options = ["--penalty", "tree", "--strength", "0.01", "--lasso", "0.05"]
    report = result_of("train", "classify", str(trees), "-o", given.model, *options)
    assert (
        report["groups_total"] == 20 * 3
    )  # each tree has three nested phrases of two words or more
    assert result_of("evaluate", given.model, str(trees))["accuracy"] == 1.0


def test_predict_writes_a_line_a_document(given: Files) -> None:
    trained(given)
    plain = [
        json.loads(line) for line in run("predict", given.model, given.dev).stdout.splitlines()
    ]
    assert [row["label"] for row in plain] == [row["label"] for row in documents(20, 1)]
    content = "".join(json.dumps({"text": row["text"]}) + "\n" for row in documents(20, 1))
    with_proba = [
        json.loads(line)
        for line in run("predict", given.model, "--proba", text=content).stdout.splitlines()
    ]
    expected = laconic.load(given.model).predict_proba([row["text"] for row in documents(20, 1)])
    assert [row["label"] for row in with_proba] == [row["label"] for row in plain]
    np.testing.assert_allclose(
        [[row["probabilities"][k] for k in ("med", "space")] for row in with_proba], expected
    )
    target = given.folder / "labels.jsonl"
    summary = result_of("predict", given.model, given.dev, "-o", str(target))
    assert summary["documents"] == 20 and summary["output"] == str(target)
    assert [json.loads(line) for line in target.read_text().splitlines()] == plain


def test_evaluate_counts_unknown_labels_as_missed(given: Files) -> None:
    trained(given)
    gold = documents(20, 1)
    gold[0]["label"] = "sport"
    report = result_of("evaluate", given.model, written(given.folder / "gold.jsonl", gold))
    assert report["accuracy"] == 0.95
    by_label = {row["label"]: row for row in report["labels"]}
    assert by_label["sport"] == {
        "label": "sport",
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
        "support": 1,
    }
    assert by_label["med"]["f1"] == 1.0
    assert report["macro_f1"] == pytest.approx(np.mean([row["f1"] for row in report["labels"]]))


def test_inspect_shows_words_and_groups(given: Files) -> None:
    trained(given, "--penalty", "sentence", "--strength", "0.02", "--lasso", "0.3")
    shown = result_of("inspect", given.model, "-n", "4")
    assert {entry["word"] for entry in shown["words"]["space"]} <= set(WORDS["space"])
    assert {entry["word"] for entry in shown["words"]["med"]} <= set(WORDS["med"])
    assert all(entry["weight"] > 0 for entry in shown["words"]["med"])
    assert 0 < len(shown["groups"]["sentence"]["kept"]) <= 4
    for_people = run("inspect", given.model).stdout
    assert "orbit" in for_people and shown["groups"]["sentence"]["kept"][0] in for_people


def test_numbers_of_a_table_for_people(given: Files) -> None:
    outcome = run("train", "classify", given.train, "--strength", "0.5")
    assert outcome.exit_code == 0
    assert (
        dict(line.split(maxsplit=1) for line in outcome.stdout.splitlines())["converged"] == "yes"
    )
    assert not Path(given.model).exists()


def test_a_model_without_words_is_an_error(given: Files) -> None:
    outcome = run("train", "classify", given.train, "--strength", "1000", "-o", given.model)
    assert outcome.exit_code == 2 and "no word was kept" in outcome.stderr
    assert not Path(given.model).exists()


def test_a_solver_that_is_cut_short_says_so(given: Files) -> None:
    hard = ["--strength", "0.001", "--tol", "1e-12", "--max-iter", "1"]
    outcome = run("train", "classify", given.train, *hard)
    assert outcome.exit_code == 0 and "stopped after 1" in outcome.stderr


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "one class": (b'{"text": "some words", "label": "a"}\n' * 3, "expected at least two labels"),
    "not utf-8": (b'{"text": "caf\xe9 words", "label": "a"}\n', ":1: expected UTF-8"),
    "bad json": (
        b'{"text": "some words", "label": "a"}\n{"text": \n',
        ":2: expected one JSON object",
    ),
    "no label": (b'{"text": "some words"}\n', ":1: the field 'label' is missing"),
    "no words": (b'{"text": "?", "label": "a"}\n{"text": "!", "label": "b"}\n', "no words"),
    "half a character": (
        b'{"text": [["a\\ud83d"], ["b"]], "label": "x"}\n{"text": "more words", "label": "y"}\n',
        "half a character",
    ),
    "cut gzip": (
        gzip.compress(b'{"text": "some words", "label": "a"}\n' * 9)[:-12],
        "gzip file is damaged",
    ),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_training_files(given: Files, kind: str) -> None:
    content, sentence = BAD_FILES[kind]
    bad = given.folder / "bad.jsonl"
    bad.write_bytes(content)
    refused(given, sentence, "train", "classify", str(bad), "-o", given.model)


@pytest.mark.parametrize(
    ("sentence", "arguments"),
    [
        ("'sport' is not in the training data", ["{train}", "--dev", "{strange}", "-o", "{model}"]),
        (
            "--strength takes a number of at least 0, or one per term of a sum such as "
            "lasso=0.5,ridge=0.1, not 'nan'",
            ["{train}", "--strength", "nan", "-o", "{model}"],
        ),
        (
            "--strength takes a number of at least 0, or one per term of a sum such as "
            "lasso=0.5,ridge=0.1, not '-1'",
            ["{train}", "--strength", "-1", "-o", "{model}"],
        ),
        (
            "--lasso must be a number of at least 0, not inf",
            ["{train}", "--lasso", "inf", "-o", "{model}"],
        ),
        ("tol must be", ["{train}", "--tol", "0", "-o", "{model}"]),
        ("No such file", ["{folder}/absent.jsonl", "-o", "{model}"]),
        ("found none", ["{folder}", "-o", "{model}"]),
        ("there is no folder", ["{train}", "-o", "{folder}/absent/m"]),
        ("this is a folder", ["{train}", "-o", "{folder}"]),
        ("give its name with -o", ["{train}", "-o", "-"]),
        ("--folds must be", ["{train}", "--folds", "1", "-o", "{model}"]),
        ("--small must be", ["{train}", "--small", "0", "-o", "{model}"]),
        ("penalty is a sum of", ["{train}", "--penalty", "magic", "-o", "{model}"]),
        ("penalty is a sum of", ["{train}", "--penalty", "lasso+magic", "-o", "{model}"]),
        ("weighting is", ["{train}", "--weighting", "bm25", "-o", "{model}"]),
        ("boundary is", ["{train}", "--boundary", "page", "-o", "{model}"]),
        ("needs documents that are trees", ["{train}", "--penalty", "tree", "-o", "{model}"]),
        (
            "absent",
            [
                "{train}",
                "--penalty",
                "brown",
                "--clusters",
                "{folder}/absent",
                "-o",
                "{model}",
            ],
        ),
    ],
)
def test_bad_requests(given: Files, sentence: str, arguments: list[str]) -> None:
    strange = written(given.folder / "strange.jsonl", documents(4, 2, ("space", "sport")))
    names = {
        "train": given.train,
        "model": given.model,
        "folder": str(given.folder),
        "strange": strange,
    }
    refused(
        given, sentence, "train", "classify", *(argument.format(**names) for argument in arguments)
    )


def test_a_refused_training_leaves_the_old_model(given: Files) -> None:
    trained(given)
    before = Path(given.model).read_bytes()
    refused(
        given,
        "weighting is",
        "train",
        "classify",
        given.train,
        "--weighting",
        "no",
        "-o",
        given.model,
    )
    assert Path(given.model).read_bytes() == before


@pytest.mark.parametrize("verb", ["predict", "evaluate", "inspect"])
@pytest.mark.parametrize("damage", ["truncated", "flipped", "folder", "missing", "text"])
def test_damaged_models(given: Files, verb: str, damage: str) -> None:
    trained(given)
    content = bytearray(Path(given.model).read_bytes())
    bad = given.folder / "bad"
    if damage == "truncated":
        bad.write_bytes(content[: len(content) // 2])
    elif damage == "flipped":
        content[-5] ^= 4
        bad.write_bytes(content)
    elif damage == "folder":
        bad.mkdir()
    elif damage == "text":
        bad.write_text("not a model at all\n")
    refused(given, str(bad), verb, str(bad), *([] if verb == "inspect" else [given.dev]))


def test_predictions_need_a_folder(given: Files) -> None:
    trained(given)
    refused(
        given,
        "there is no folder",
        "predict",
        given.model,
        given.dev,
        "-o",
        str(given.folder / "absent" / "out"),
    )


@pytest.mark.slow
def test_as_a_program(given: Files) -> None:
    command = [sys.executable, "-m", "laconic"]
    done = subprocess.run(
        [*command, "train", "classify", "-", "-o", given.model, "--strength", "0.1"],
        input=Path(given.train).read_bytes(),
        capture_output=True,
    )
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    done = subprocess.run([*command, "predict", given.model, given.dev], capture_output=True)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 20
    done = subprocess.run([*command, "inspect", given.train], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert done.stdout.startswith(f"laconic {laconic.__version__} (Python ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "options"),
    [
        ("step 2", ["--strength", "0.001", "--lasso", "0.001", "--tol", "1e-15"]),
        ("trial 1", ["--dev", "{dev}"]),
    ],
)
def test_ctrl_c_keeps_the_best_model(given: Files, shown: str, options: list[str]) -> None:
    generator = np.random.default_rng(0)
    noise = [[f"w{k}" for k in generator.zipf(1.2, 200) % 4000] for _ in range(200)]
    rows = [
        {"text": [words[i : i + 8] for i in range(0, 200, 8)], "label": i % 3}
        for i, words in enumerate(noise)
    ]
    train = written(given.folder / "noise.jsonl", rows)
    dev = written(given.folder / "noise.dev.jsonl", rows[:50])
    options = [option.format(dev=dev) for option in options]
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "classify",
        train,
        "-o",
        given.model,
        "--json",
        "--penalty",
        "sentence",
        "--max-iter",
        "100000000",
        *options,
    ]
    report = interrupted(command, shown.encode())
    assert report["interrupted"] and (shown == "trial 1" or not report["converged"])
    assert laconic.load(given.model).interrupted_


def test_explain_a_document_and_a_file(given: Files) -> None:
    trained(given)
    found = result_of("explain", given.model, "The orbit of a doctor.")["documents"]
    assert len(found) == 1 and {row["label"] for row in found[0]["labels"]} == {"space", "med"}
    for row in found[0]["labels"]:
        assert row["intercept"] + sum(row["words"]) == pytest.approx(row["score"])
    many = result_of("explain", given.model, given.dev, "--about", "med")["documents"]
    assert len(many) == 20
    assert all([row["label"] for row in one["labels"]] == ["med"] for one in many)
    piped = result_of("explain", given.model, "-", text='{"text": "orbit"}\n')["documents"]
    assert piped[0]["sentences"] == ["orbit"]
    shown = run("explain", given.model, "The orbit of a doctor.\x1b[31m")
    assert shown.exit_code == 0 and "\x1b" not in shown.stdout and "orbit" in shown.stdout
    page = given.folder / "page.html"
    result_of("explain", given.model, given.dev, "-o", str(page))
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_explain_the_model(given: Files) -> None:
    trained(given)
    sources = ("--data", given.train, "--test", given.dev)
    table = given.folder / "words.csv"
    found = result_of("explain", given.model, *sources, "--resamples", "3", "--table", str(table))
    assert found["class_sizes"].keys() == {"space", "med"}
    assert found["quality"]["documents"] == sum(map(sum, found["quality"]["confusion"]))
    assert found["stability"]["resamples"] == 3
    assert table.read_text().splitlines()[0].startswith("label,word,weight,spread,effect")
    same = result_of("explain", given.model, "--other", given.model, "--data", given.dev)
    assert same["comparison"]["agreement"] == 1
    shown = run("explain", given.model, *sources, "--curve")
    assert "learning_curve" in shown.stdout and "confusion" in shown.stdout


def test_explain_refuses_in_one_sentence(given: Files) -> None:
    trained(given)
    m = given.model
    refused(given, "no such file", "explain", m, "missing.jsonl")
    refused(given, "the document is empty", "explain", m, " ")
    refused(given, "labels med, space; got 'x'", "explain", m, "orbit", "--about", "x")
    refused(given, "--about goes with a document", "explain", m, "--about", "med")
    refused(given, "leave the document out", "explain", m, "orbit", "--curve")
    refused(given, "training documents with --data", "explain", m, "--resamples", "5")
    refused(given, "give them with --data", "explain", m, "--other", m)
    refused(given, "written as .csv or .tex", "explain", m, "--table", "words.doc")
