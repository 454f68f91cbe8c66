"""Commands of taggers as people run them, and every mistake as one sentence."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import TokenFiles as Files
from commands import refused, result_of, run
from terminal import interrupted

import laconic
from laconic.tag.learners import LEARNERS

pytestmark = pytest.mark.slow

NOUNS, VERBS, ADJECTIVES = (
    ("dog", "cat", "bird", "fish", "horse"),
    ("saw", "chased", "met"),
    ("big", "old", "red"),
)
TEMPLATES = "word[0]\nword[-1]\npos[0]\npos[-1] pos[0]\nshape[0]\nngrams(pos, 1..3, -2..2)\n"


def sentences(n: int, seed: int) -> str:
    """Noun phrases and verbs in three columns."""
    random = np.random.default_rng(seed)
    lines = []
    for _ in range(n):
        for place in range(2):
            lines.append(f"{'The' if place == 0 else 'a'} DT B-NP")
            lines += [f"{random.choice(ADJECTIVES)} JJ I-NP" for _ in range(random.integers(3))]
            lines.append(f"{random.choice(NOUNS)} NN I-NP")
            lines.append(". . O" if place else f"{random.choice(VERBS)} VBD B-VP")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def given(tmp_path: Path) -> Files:
    files = Files(tmp_path, "txt", sentences, (40, 10))
    Path(files.templates).write_text(TEMPLATES)
    return files


def trained(given: Files, *options: str) -> Any:
    return result_of(
        "train", "tag", given.train, "-o", given.model, "--templates", given.templates, *options
    )


def test_train_reports_what_was_learned(given: Files) -> None:
    options = (
        "--learner",
        "sparseptron",
        "--budget",
        "3",
        "--every",
        "10",
        "--epochs",
        "2",
        "--refit",
        "mira",
    )
    report = trained(given, "--dev", given.dev, *options, "--refit-epochs", "3")
    assert report["groups_kept"] <= 3 < report["groups_total"]
    assert (
        0 < report["features_kept"] < report["features_total"] and report["degrees_of_freedom"] > 0
    )
    assert report["seconds"] > 0 and report["peak_memory_mb"] > 10 and not report["interrupted"]
    assert (
        report["objective"] is None and report["certificate"] is None
    )  # online learners have none
    first, second = "Sparseptron(budget=3, epochs=2, every=10)", "Mira(epochs=3)"
    assert report["learner"] == f"{first}, refitted by {second}" and report["refit"] == second
    assert [epoch["done"] for epoch in report["trace"]] == [1, 2, 1, 2, 3]
    assert report["features_held_most"] == max(
        held for epoch in report["trace"] for _, held in epoch["held"]
    )
    assert report["dev"]["f1"] > 0.95 and report["dev"]["sentences"] == 10
    model = laconic.load(given.model)
    assert (
        model.n_features_selected_ == report["features_kept"]
        and len(model.templates_) == report["groups_kept"]
    )
    assert sorted(os.listdir(given.folder)) == ["dev.txt.gz", "m.laconic", "templates", "train.txt"]


@pytest.mark.parametrize(
    ("learner", "penalty"),
    [(name, penalty) for name, entry in LEARNERS.items() for penalty in entry.penalties],
)
def test_every_learner_and_penalty(given: Files, learner: str, penalty: str) -> None:
    report = trained(
        given,
        "--learner",
        learner,
        "--penalty",
        penalty,
        "--epochs",
        "4",
        "--dev",
        given.dev,
        "--every",
        "20",
    )
    assert report["dev"]["f1"] > 0.5
    assert (report["objective"] is not None) == (learner == "crf")


def test_every_pass_is_the_same_again_with_a_seed(given: Files) -> None:
    contents = []
    for seed in ("1", "1", "2"):
        trained(given, "--seed", seed, "--epochs", "1", "--learner", "perceptron")
        contents.append(Path(given.model).read_bytes())
    assert contents[0] == contents[1] != contents[2]


def test_predict_adds_a_column(given: Files) -> None:
    trained(given)
    gold = [line.split() for line in sentences(10, 1).splitlines()]
    bare = "\n".join(" ".join(fields[:2]) for fields in gold) + "\n"
    lines = run("predict", given.model, text=bare).stdout.splitlines()
    model = laconic.load(given.model)
    tokens = [
        [tuple(line.split()) for line in block.split("\n")] for block in bare.strip().split("\n\n")
    ]
    expected = model.predict(tokens)
    assert [line.split()[2] for line in lines if line] == [
        label for labels in expected for label in labels
    ]
    assert [line.split()[:2] for line in lines] == [fields[:2] for fields in gold]
    with_gold = run("predict", given.model, given.dev).stdout.splitlines()
    assert [line.split()[:3] for line in with_gold] == gold and all(
        len(line.split()) in (0, 4) for line in with_gold
    )
    target = given.folder / "out.txt"
    summary = result_of("predict", given.model, given.dev, "-o", str(target))
    assert (
        summary["sentences"] == 10
        and summary["tokens"] == sum(map(bool, gold))
        and summary["output"] == str(target)
    )
    assert target.read_text().splitlines() == with_gold


def test_predict_writes_the_lines_that_it_reads(given: Files) -> None:
    trained(given)
    text = "-DOCSTART- -X-\n\nThe DT\ndog\tNN\n\n\n-DOCSTART- -X-\nsaw VBD"
    lines = run("predict", given.model, text=text).stdout.split("\n")
    assert [line.rsplit(None, 1)[0] if line else "" for line in lines] == [*text.split("\n"), ""]
    assert lines[0] == "-DOCSTART- -X- O" and lines[3].startswith("dog\tNN\tI-")


def test_predict_with_marginals_and_several_sequences(given: Files) -> None:
    trained(given, "--learner", "crf", "--scheme", "BIOES")
    rows = [
        line.split()
        for line in run("predict", given.model, given.dev, "--marginals").stdout.splitlines()
        if line
    ]
    probable = [dict(pair.rsplit("/", 1) for pair in row[4].split(",")) for row in rows]
    assert all(0.98 < sum(map(float, entry.values())) < 1.02 for entry in probable)
    assert {label[0] for entry in probable for label in entry} == set("BIOES") and {
        row[3][0] for row in rows
    } == set("BIO")
    several = [
        line.split()
        for line in run(
            "predict", given.model, "--k-best", "3", text="The DT\n\ndog NN\n"
        ).stdout.splitlines()
    ]
    assert [len(row) for row in several] == [4, 5, 0, 4, 5] and len(set(several[1][2:])) == 3
    assert all(
        row[:2] == ["#", "score"] and row[2:] == sorted(row[2:], key=float, reverse=True)
        for row in several[::3]
    )
    ((_, score), *_) = laconic.load(given.model).predict_k_best([[("The", "DT")]], 1)[0]
    assert several[0][2] == f"{score:.4f}"
    few = [
        line.split()
        for line in run(
            "predict", given.model, "--k-best", "99", text="dog NN\n"
        ).stdout.splitlines()
    ]
    assert few[1][-1] == "_" and few[1][2:].index("_") == len(few[0]) - 2, (
        "as many scores as sequences"
    )
    refused(
        given, "give one of them", "predict", given.model, given.dev, "--marginals", "--k-best", "2"
    )


def test_constrained_predictions_obey_the_scheme(given: Files) -> None:
    trained(given, "--epochs", "1")
    strange = "\n".join(["big JJ", "saw VBD", "dog NN"] * 30) + "\n"
    labels = [
        line.split()[2]
        for line in run("predict", given.model, "--constrained", text=strange).stdout.splitlines()
        if line
    ]
    assert all(
        label[0] != "I" or (k and labels[k - 1][1:] == label[1:]) for k, label in enumerate(labels)
    )


def test_evaluate_counts_as_conlleval_does(given: Files) -> None:
    trained(given)
    report = result_of("evaluate", given.model, given.dev)
    assert (
        report["f1"]
        == report["precision"]
        == report["recall"]
        == report["accuracy"]
        == report["complete"]
        == 1.0
    )
    assert {row["type"]: row["support"] for row in report["types"]} == {"NP": 20, "VP": 10}
    assert report["features_kept"] >= report["degrees_of_freedom"] > 0
    strange = given.folder / "strange.txt"
    strange.write_text("The DT B-XX\ndog NN I-XX\n. . O\n")
    report = result_of("evaluate", given.model, str(strange))
    assert report["f1"] == 0 and report["chunks_gold"] == 1 and report["complete"] == 0
    shown = run("evaluate", given.model, given.dev).stdout
    assert "precision" in shown and "degrees_of_freedom" in shown and "NP" in shown


def test_labels_that_are_not_of_chunks(given: Files) -> None:
    options = ("--columns", "word,label", "--templates", str(given.folder / "words"))
    (given.folder / "words").write_text("word[0]\nsuffix1[0]\n")
    plain = given.folder / "pos.txt"
    plain.write_text(
        "\n".join(" ".join(line.split()[:2]) for line in sentences(20, 0).splitlines()) + "\n"
    )
    report = result_of("train", "tag", str(plain), "-o", given.model, *options, "--dev", str(plain))
    assert report["dev"]["accuracy"] == 1.0 and {
        row["label"] for row in report["dev"]["labels"]
    } == {
        "DT",
        "JJ",
        "NN",
        "VBD",
        ".",
    }
    assert result_of("evaluate", given.model, str(plain))["complete"] == 1.0


def test_inspect_and_report(given: Files) -> None:
    trained(given, "--learner", "sparseptron", "--budget", "3", "--every", "10")
    shown = result_of("inspect", given.model, "-n", "4")
    kept, dropped = (
        [row["template"] for row in shown["templates"]["kept"]],
        shown["templates"]["dropped"],
    )
    assert len(kept) == shown["groups_kept"] and len(kept) + len(dropped) == shown["groups_total"]
    assert sorted(kept) == sorted(laconic.load(given.model).templates_.names)
    assert all(
        0 < len(rows) <= 4 and rows[0]["weight"] >= rows[-1]["weight"] > 0
        for rows in shown["features"].values()
    )
    assert shown["bigrams"]["likely"][0]["weight"] > 0 > shown["bigrams"]["unlikely"][0]["weight"]
    for_people = run("inspect", given.model).stdout
    assert all(name in for_people for name in kept) and dropped[0] in for_people
    page = given.folder / "page.html"
    assert result_of("report", given.model, "-o", str(page))["page"] == str(page)
    content = page.read_text()
    assert (
        all(name in content for name in (*kept, *dropped))
        and "<polyline" in content
        and content.count("<script") == 1
    )


def test_options_of_other_kinds_of_models_are_refused(given: Files) -> None:
    trained(given)
    refused(given, "--proba does not go with", "predict", given.model, given.dev, "--proba")
    refused(
        given,
        "--text does not go with",
        "evaluate",
        given.model,
        given.dev,
        "--text-field",
        "x",
    )
    refused(
        given,
        "--documents does not go",
        "report",
        given.model,
        "-o",
        str(given.folder / "p"),
        "--documents",
        given.dev,
    )
    texts = given.folder / "texts.tsv"
    texts.write_text("a\tsome words here\nb\tother things there\n" * 5)
    result_of("train", "classify", str(texts), "-o", given.model, "--strength", "0.1")
    refused(
        given, "a model of the kind 'classify'", "predict", given.model, str(texts), "--marginals"
    )


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "holds no tokens"),
    "blank": (b"\n\n \n", "holds no tokens"),
    "ragged": (
        b"The DT B-NP\ndog NN\n",
        ":2: expected 3 columns (word, pos, label) as in the lines before, found 2",
    ),
    "empty column": (
        b"The\tDT\tB-NP\ndog\t\tI-NP\n",
        ":2: expected 3 columns (word, pos, label) as in the lines before, found an empty one",
    ),
    "latin-1": (
        "café NN B-NP\n".encode("latin-1"),
        ":1: expected UTF-8 text, found other bytes; older files",
    ),
    "one label": (b"The DT O\ndog NN O\n", "at least two different labels"),
    "cut gzip": (gzip.compress(b"The DT B-NP\ndog NN O\n" * 9)[:-12], "gzip file is damaged"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_training_files(given: Files, kind: str) -> None:
    content, sentence = BAD_FILES[kind]
    bad = given.folder / "bad.txt"
    bad.write_bytes(content)
    refused(given, sentence, "train", "tag", str(bad), "-o", given.model)
    trained(given)
    if kind != "one label":
        refused(given, sentence, "evaluate", given.model, str(bad))


@pytest.mark.parametrize(
    ("sentence", "options"),
    [
        ("--learner must be one of", ["--learner", "magic"]),
        ("--refit must be one of", ["--refit", "magic"]),
        ("--penalty of the learner mira must be none", ["--learner", "mira", "--penalty", "lasso"]),
        ("--strength does not go with the learner mira", ["--learner", "mira", "--strength", "1"]),
        ("no penalty called 'magic'", ["--learner", "crf", "--penalty", "magic"]),
        ("got Ridge: use Fobos", ["--learner", "rda", "--penalty", "ridge"]),
        ("--strength takes a number of at least 0", ["--learner", "crf", "--strength", "-1"]),
        ("group_weight must be one of", ["--learner", "sparseptron", "--group-weight", "cube"]),
        ("refit_features must be", ["--refit", "mira", "--refit-features", "some"]),
        ("--scheme must be one of", ["--scheme", "IOB9"]),
        ("--columns needs two or more", ["--columns", "word"]),
        ("--columns needs two or more", ["--columns", "word,word,label"]),
        (":3: there is no view 'pos'", ["--columns", "word,tag,label"]),
        ("nor one of the ready sets", ["--templates", "absent"]),
        ("needs a file of word clusters", ["--templates", "ner_clusters"]),
        ("absent: cannot be read", ["--templates", "ner_clusters", "--clusters", "absent"]),
        ("there is no encoding", ["--encoding", "utf-99"]),
        ("give its name with -o", ["-o", "-"]),
        ("there is no folder", ["-o", "{folder}/absent/m"]),
        ("absent.txt: cannot be read", ["--dev", "{folder}/absent.txt"]),
    ],
)
def test_bad_requests(given: Files, sentence: str, options: list[str]) -> None:
    options = [option.format(folder=given.folder) for option in options]
    refused(
        given,
        sentence,
        "train",
        "tag",
        given.train,
        "-o",
        given.model,
        "--templates",
        given.templates,
        *options,
    )


@pytest.mark.parametrize("verb", ["predict", "evaluate", "inspect", "report"])
def test_damaged_models(given: Files, verb: str) -> None:
    trained(given)
    content = bytearray(Path(given.model).read_bytes())
    content[-5] ^= 4
    bad = given.folder / "bad"
    bad.write_bytes(content)
    more = {"inspect": [], "report": ["-o", str(given.folder / "page")]}.get(verb, [given.dev])
    refused(given, "the file is damaged", verb, str(bad), *more)


def test_line_ends_encodings_and_long_sentences(given: Files) -> None:
    other = given.folder / "other.txt"
    other.write_bytes(
        sentences(40, 0).replace("dog", "dögge").replace("\n", "\r\n").encode("latin-1")
    )
    report = result_of(
        "train",
        "tag",
        str(other),
        "-o",
        given.model,
        "--templates",
        given.templates,
        "--learner",
        "mira",
        "--encoding",
        "latin-1",
        "--dev",
        str(other),
    )
    assert report["sentences"] == 40 and report["dev"]["f1"] == 1.0
    assert any("dögge" in name for name in laconic.load(given.model).get_feature_names_out())
    lines = run("predict", given.model, str(other), "--encoding", "latin-1").stdout.splitlines()
    assert any(line.startswith("dögge NN I-NP I-NP") for line in lines)
    long = "The DT\nbig JJ\n" + "dog NN\n" * 10_000
    assert len(run("predict", given.model, text=long).stdout.splitlines()) == 10_002
    (given.folder / "long.txt").write_text(
        "The DT B-NP\n" + "dog NN I-NP\n" * 9_998 + "saw VBD B-VP\n"
    )
    report = result_of(
        "train",
        "tag",
        str(given.folder / "long.txt"),
        "-o",
        given.model,
        "--epochs",
        "1",
        "--templates",
        given.templates,
    )
    assert report["tokens"] == 10_000


def test_clusters_from_a_file(given: Files) -> None:
    paths = given.folder / "paths"
    paths.write_text(
        "".join(f"0{k % 2}\t{word}\t1\n" for k, word in enumerate(NOUNS)) + "1\tsaw\t1\n"
    )
    Path(given.templates).write_text("cluster1[0]\ncluster[0]\npos[0]\n")
    report = trained(given, "--clusters", str(paths), "--dev", given.dev)
    assert report["dev"]["f1"] > 0.9
    paths.unlink()  # the model has what it needs
    assert result_of("evaluate", given.model, given.dev)["f1"] == report["dev"]["f1"]


def test_on_conll2000(tmp_path: Path, data: Path) -> None:
    with gzip.open(data / "conll2000" / "test.txt.gz", "rt") as stream:
        blocks = stream.read().strip().split("\n\n")
    train, dev = tmp_path / "train.txt", tmp_path / "dev.txt.gz"
    train.write_text("\n\n".join(blocks[:600]) + "\n")
    dev.write_bytes(gzip.compress("\n\n".join(blocks[600:800]).encode()))
    options = (
        "--learner",
        "sparseptron",
        "--budget",
        "10",
        "--every",
        "200",
        "--epochs",
        "2",
        "--refit",
        "mira",
    )
    report = result_of(
        "train",
        "tag",
        str(train),
        "--dev",
        str(dev),
        "--templates",
        "chunking",
        *options,
        "--refit-epochs",
        "3",
        "-o",
        str(tmp_path / "m"),
    )
    assert report["groups_total"] == 96 and report["groups_kept"] <= 10
    assert report["dev"]["f1"] > 0.88
    assert result_of("evaluate", str(tmp_path / "m"), str(dev))["f1"] == report["dev"]["f1"]


def test_ctrl_c_keeps_what_was_learned(given: Files) -> None:
    Path(given.train).write_text(sentences(3000, 0))
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "tag",
        given.train,
        "-o",
        given.model,
        "--json",
        "--epochs",
        "100000",
    ]
    command += ["--templates", given.templates, "--learner", "perceptron", "--refit", "mira"]
    report = interrupted(command, b"pass 2")
    assert report["interrupted"] and 2 <= len(report["trace"]) < 100000
    assert laconic.load(given.model).interrupted_


def test_conllu_in_and_out(tmp_path: Path) -> None:
    words = {"the": "DET", "dog": "NOUN", "34 470": "NUM", "sees": "VERB"}
    sentence = ["the", "dog", "sees", "34 470"]
    rows = [
        "\t".join([str(k), word, "_", words[word], "_", f"L={word[0]}|N=1", *"____"])
        for k, word in enumerate(sentence, 1)
    ]
    files = Files(tmp_path, "txt", sentences, (1, 1))
    given, bare = tmp_path / "train.conllu", tmp_path / "bare.conllu"
    given.write_text("\n".join(["# text = the dog sees 34 470", *rows, "", ""]) * 3)
    bare.write_text(given.read_text().replace("L=", "M="))
    model = str(tmp_path / "m.laconic")
    report = result_of("train", "tag", str(given), "-o", model, "--label", "feats")
    assert report["sentences"] == 3 and report["labels"] == 4
    assert run("predict", model, str(bare)).stdout == given.read_text()
    assert result_of("evaluate", model, str(given))["accuracy"] == 1
    assert result_of("evaluate", model, str(bare))["accuracy"] == 0
    assert result_of("evaluate", model, str(bare), "--label", "upos")["accuracy"] == 0
    tags = run("predict", model, str(bare), "--label", "xpos").stdout.splitlines()
    assert [line.split("\t")[4] for line in tags[1:5]] == [
        "L=t|N=1",
        "L=d|N=1",
        "L=s|N=1",
        "L=3|N=1",
    ]
    refused(files, "CoNLL-U has no place", "predict", model, str(bare), "--marginals")
    columns = "the\ndog\n34 470\n".replace("34 470", "34\u00a0470")
    assert len(run("predict", model, text=columns).stdout.splitlines()) == 3
    report = result_of(
        "train", "tag", str(given), "-o", model, "--columns", "word,upos", "--label", "feats"
    )
    assert laconic.load(model).columns_ == ("word", "upos")
    assert run("predict", model, str(bare)).stdout == given.read_text()
    refused(
        files,
        "must be the last",
        "train",
        "tag",
        str(given),
        "--columns",
        "upos,word",
        "--label",
        "upos",
    )
    plain = tmp_path / "plain.txt"
    plain.write_text("the\ndog\n")
    refused(files, ":1: expected a word and its label, or more", "train", "tag", str(plain))
    plain.write_text("the DET\ndog NOUN\n\n")
    result_of("train", "tag", str(plain), "-o", model)
    refused(files, "name one by --label", "predict", model, str(bare))


def test_budgets_and_weights_of_labels(given: Files) -> None:
    report = trained(given, "--budget", "auto", "--class-weight", "O=0.5,B-VP=2")
    assert report["learner"].endswith("refitted by Mira()") or report["learner"] == "Mira()"
    model = laconic.load(given.model)
    assert model.class_weight == {"O": 0.5, "B-VP": 2.0}
    assert trained(given, "--budget", "2")["groups_kept"] <= 2
    given_options = ("--learner", "sparseptron", "--budget", "auto")
    refused(given, "is chosen by the learner auto", "train", "tag", given.train, *given_options)
    for budget in ("0", "many"):
        refused(given, "--budget must be auto or", "train", "tag", given.train, "--budget", budget)
    refused(given, "takes balanced, or", "train", "tag", given.train, "--class-weight", "heavy")
