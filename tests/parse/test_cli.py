"""Commands of parsers as people run them, and every mistake as one sentence."""

from __future__ import annotations

import gzip
import json
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
from laconic.tag.learners import TREE_LEARNERS
from laconic.text.treebanks import read_treebank

pytestmark = pytest.mark.slow

NOUNS, VERBS, ADJECTIVES = (
    ("dog", "cat", "bird", "fish", "horse"),
    ("saw", "chased", "met"),
    ("big", "old", "red"),
)
TEMPLATES = """h.coarse|m.coarse|dir
h.word|m.word
m.coarse|m.coarse[+1]|dist
h.coarse|between.coarse|m.coarse
bias
"""


def trees(n: int, seed: int) -> str:
    """Write sentences in CoNLL-U, with a comment, a multiword token and an empty node."""
    random = np.random.default_rng(seed)
    lines = []
    for number in range(n):
        tokens: list[list[Any]] = []

        def phrase(tokens: list[list[Any]], relation: str) -> int:
            first = len(tokens)
            adjectives = [random.choice(ADJECTIVES) for _ in range(random.integers(3))]
            noun = first + len(adjectives) + 2
            tokens.append(["the", "the", "DET", "DT", noun, "det"])
            tokens += [[word, word, "ADJ", "JJ", noun, "amod"] for word in adjectives]
            tokens.append([word := random.choice(NOUNS), word, "NOUN", "NN", 0, relation])
            return noun

        subject = phrase(tokens, "nsubj")
        tokens.append([word := random.choice(VERBS), word, "VERB", "VBD", 0, "root"])
        verb = len(tokens)
        thing = phrase(tokens, "obj")
        tokens.append([".", ".", "PUNCT", ".", verb, "punct"])
        tokens[subject - 1][4] = tokens[thing - 1][4] = verb
        lines += [f"# sent_id = {number}", "1-2\tthedog" + "\t_" * 8]
        for place, (word, lemma, coarse, fine, head, label) in enumerate(tokens, 1):
            lines.append(
                f"{place}\t{word}\t{lemma}\t{coarse}\t{fine}\t_\t{head}\t{label}\t_\tNote={place}"
            )
        lines += [f"{len(tokens)}.1\tghost" + "\t_" * 8, ""]
    return "\n".join(lines) + "\n"


@pytest.fixture
def given(tmp_path: Path) -> Files:
    files = Files(tmp_path, "conllu", trees, (30, 10))
    Path(files.templates).write_text(TEMPLATES)
    return files


def trained(given: Files, *options: str) -> Any:
    return result_of(
        "train",
        "parse",
        given.train,
        "-o",
        given.model,
        "--templates",
        given.templates,
        "--epochs",
        "3",
        *options,
    )


def test_train_reports_what_was_learned(given: Files) -> None:
    options = (
        "--learner",
        "sparseptron",
        "--budget",
        "2",
        "--every",
        "10",
        "--refit",
        "mira",
        "--refit-epochs",
        "2",
    )
    report = trained(given, "--dev", given.dev, *options)
    assert report["groups_kept"] <= 2 and report["groups_total"] == 5
    assert (
        0 < report["features_kept"] <= report["features_total"] and report["degrees_of_freedom"] > 0
    )
    assert report["seconds"] > 0 and report["peak_memory_mb"] > 10 and not report["interrupted"]
    first, second = "Sparseptron(budget=2, epochs=3, every=10)", "Mira(epochs=2)"
    assert report["learner"] == f"{first}, refitted by {second}" and report["refit"] == second
    assert [epoch["done"] for epoch in report["trace"]] == [1, 2, 3, 1, 2]
    assert report["single_root"] and report["labels"] == 6 and report["parts"] == "arcs"
    assert (
        report["dev"]["uas"] > 0.9
        and report["dev"]["las"] > 0.9
        and report["dev"]["sentences"] == 10
    )
    model = laconic.load(given.model)
    assert model.n_features_selected_ == report["features_kept"]
    assert sorted(os.listdir(given.folder)) == [
        "dev.conllu.gz",
        "m.laconic",
        "templates",
        "train.conllu",
    ]


@pytest.mark.parametrize(
    ("learner", "penalty"),
    [(name, penalty) for name, entry in TREE_LEARNERS.items() for penalty in entry.penalties],
)
def test_every_learner_and_penalty(given: Files, learner: str, penalty: str) -> None:
    report = trained(
        given,
        "--learner",
        learner,
        "--penalty",
        penalty,
        "--dev",
        given.dev,
        "--every",
        "20",
        "--no-labels",
    )
    assert report["dev"]["uas"] > 0.5 and report["dev"]["las"] is None and report["labels"] == 0


@pytest.mark.parametrize(
    "options",
    [
        ["--order", "2"],
        ["--order", "3"],
        ["--model", "siblings"],
        ["--model", "tri-siblings"],
        ["--crossing"],
    ],
)
def test_every_model(given: Files, options: list[str]) -> None:
    report = result_of(
        "train",
        "parse",
        given.train,
        "-o",
        given.model,
        "--epochs",
        "2",
        "--dev",
        given.dev,
        *options,
    )
    assert report["dev"]["uas"] == report["dev"]["las"] == report["dev"]["complete"] == 1.0
    ranked = run("predict", given.model, given.dev, "--k-best", "3").stdout
    assert ranked.count("# score = ") == 30
    shown = result_of("inspect", given.model, "-n", "3")
    assert len(shown["kinds"]) == {
        "arcs": 1,
        "siblings": 2,
        "carreras": 3,
        "grand siblings": 4,
    }.get(report["parts"], 5)


def test_predict_fills_in_heads_and_labels(given: Files) -> None:
    trained(given)
    gold = trees(10, 1).splitlines()
    bare = [
        line
        if "." in (fields := line.split("\t"))[0] or len(fields) < 10 or "-" in fields[0]
        else _without_tree(fields)
        for line in gold
    ]
    assert any("\t_\t_\t_\tNote" in line for line in bare)
    lines = run("predict", given.model, text="\n".join(bare) + "\n").stdout.splitlines()
    assert lines == gold
    target = given.folder / "out.conllu"
    summary = result_of("predict", given.model, given.dev, "-o", str(target))
    tokens = sum("\tNote=" in line for line in gold)
    assert (
        summary["sentences"] == 10
        and summary["tokens"] == tokens
        and summary["output"] == str(target)
    )
    assert target.read_text().splitlines() == gold
    assert run(
        "predict", given.model, text="\n".join([*bare, "# the end", ""])
    ).stdout.splitlines() == [*gold, "# the end"]


def _without_tree(fields: list[str]) -> str:
    return "\t".join([*fields[:6], "_", "_", *fields[8:]])


def test_a_parser_with_its_own_tags_makes_subtrees_of_texts(given: Files) -> None:
    report = trained(given, "--own-tags", "--dev", given.dev)
    assert report["tag_weights"] > 0 and report["dev"]["uas"] > 0.9
    words = ["the", "big", "dog", "met", "the", "cat", "."]
    coarse = ["DET", "ADJ", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    fine = ["DT", "JJ", "NN", "VBD", "DT", "NN", "."]
    bare = ["# sent_id = 7", "1-2\tthebig" + "\t_" * 8]
    bare += [f"{n}\t{word}" + "\t_" * 7 + f"\tNote={n}" for n, word in enumerate(words, 1)]
    for options, score in (([], []), (["--k-best", "1"], ["# score"])):
        found = run("predict", given.model, *options, text="\n".join(bare) + "\n").stdout
        lines = found.strip().split("\n")
        assert [line[:7] for line in lines if line[0] == "#"] == ["# sent_", *score]
        assert lines[1 + len(score)] == bare[1]
        rows = [line.split("\t") for line in lines[2 + len(score) :]]
        assert [row[3] for row in rows] == coarse and [row[4] for row in rows] == fine
        assert [row[6] for row in rows] == ["3", "3", "4", "0", "6", "4", "4"]
        assert [row[9] for row in rows] == [f"Note={n}" for n in range(1, 8)]
    texts = given.folder / "texts.jsonl"
    rows = [
        {"text": text, "label": text[4:7]}
        for text in ("The dog saw the big cat.", "The cat met the old dog.") * 5
    ]
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    classify = (
        "train",
        "classify",
        str(texts),
        "--penalty",
        "tree",
        "--strength",
        "0.01",
        "--lasso",
        "0.01",
    )
    output = str(given.folder / "c.laconic")
    assert result_of(*classify, "--parser", given.model, "-o", output)["groups_total"] == 10 * 3
    assert result_of("evaluate", output, str(texts))["accuracy"] == 1.0
    refused(
        given,
        "give it with --penalty tree",
        "train",
        "classify",
        str(texts),
        "--parser",
        given.model,
    )
    refused(given, "expected a parser trained with", *classify, "--parser", output)
    refused(
        given,
        "is for documents that are strings",
        *classify[:2],
        _as_words(given),
        *classify[3:],
        "--parser",
        given.model,
    )
    trained(given)
    refused(given, "expected a parser trained with", *classify, "--parser", given.model)


def _as_words(given: Files) -> str:
    path = given.folder / "words.jsonl"
    path.write_text(
        "".join(
            json.dumps({"text": [["a", word]], "label": word}) + "\n" for word in ("dog", "cat")
        )
    )
    return str(path)


@pytest.mark.parametrize("names", ["--names", "--no-names"])
@pytest.mark.parametrize("learned", [False, True])
def test_compress_and_use_what_it_writes(given: Files, learned: bool, names: str) -> None:
    trained(given, "--model", "carreras", "--learner", "mira")
    small = str(given.folder / "small")
    data = ["--data", given.train, "--dev", given.dev] if learned else []
    before = result_of("evaluate", given.model, given.dev)["uas"]
    report = result_of("compress", given.model, "--values", "4", names, *data, "-o", small)
    assert {trial["method"] for trial in report["trials"]} == (
        {"rounded", "learned again"} if learned else {"rounded"}
    )
    assert not report["interrupted"]
    assert 1 <= report["degrees_of_freedom"] <= 4 < report["degrees_of_freedom_before"]
    assert report["bytes"] == os.path.getsize(small) < report["bytes_before"]
    compact = laconic.load(small)
    assert (
        compact.pruner_.weights.n_distinct <= 64
        and compact.labeler_.tagger_.weights_.n_distinct <= 4
    )
    scores = result_of("evaluate", small, given.dev)
    assert (
        scores["uas"] > 0.9
        and scores["las"] > 0.8
        and scores["degrees_of_freedom"] == report["degrees_of_freedom"]
    )
    if learned:  # scores are of the file that was written, and not of a model on the way to it
        assert report["score"] == scores["uas"] == max(t["score"] for t in report["trials"])
        assert report["score_before"] == before
    assert run("predict", small, given.dev).stdout.count("# sent_id") == 10
    if names == "--names":
        shown = result_of("inspect", small, "-n", "3")
        assert (
            shown["features_kept"] == report["features_kept"] and len(shown["features"]["arc"]) == 3
        )
        again = result_of("compress", small, "--values", "2", "-o", str(given.folder / "smaller"))
        assert again["degrees_of_freedom"] <= 2
    else:
        outcome = run("inspect", small)
        assert (
            outcome.exit_code == 2
            and "stored without names" in outcome.stderr
            and outcome.stderr.count("\n") == 1
        )


def test_compress_says_so_when_few_values_cost_much(given: Files) -> None:
    trained(given)
    small = str(given.folder / "small")
    outcome = run("compress", given.model, "--eta", "9", "--dev", given.dev, "-o", small, "--json")
    report = json.loads(outcome.stdout)
    lost = 100 * (report["score_before"] - report["score"])
    assert lost > 0.5 and report["eta"] == 9
    assert outcome.stderr == (
        f"laconic: 8 values cost {lost:.1f} points on {given.dev}: "
        "try --values 16, or --data with the training data.\n"
    )


def test_a_compressed_parser_has_the_eta_and_lasso_that_are_given(given: Files) -> None:
    trained(given)
    found = [
        result_of(
            "compress",
            given.model,
            "--eta",
            "0.01",
            "--lasso",
            lasso,
            "--data",
            given.train,
            "-o",
            str(given.folder / "s"),
        )
        for lasso in ("0", "0.001")
    ]
    assert [len(report["trials"]) for report in found] == [1, 1] and found[0]["eta"] == 0.01
    assert found[1]["features_kept"] < found[0]["features_kept"]


def test_several_trees_of_a_sentence(given: Files) -> None:
    trained(given)
    lines = run("predict", given.model, given.dev, "--k-best", "4").stdout
    blocks = lines.strip().split("\n\n")
    assert len(blocks) == 40
    ((best, score), *_), *_ = laconic.load(given.model).predict_k_best(read_treebank(given.dev), 4)
    first = blocks[0].splitlines()
    assert (
        first[0] == "# sent_id = 0"
        and first[1] == f"# score = {score:.4f}"
        and first[2].startswith("1-2\t")
    )
    assert [int(line.split("\t")[6]) for line in first if "\tNote=" in line] == best.heads
    scores = [float(line.split()[3]) for line in lines.splitlines() if line.startswith("# score")]
    assert all(scores[k] >= scores[k + 1] for k in range(39) if (k + 1) % 4)
    assert len(set(blocks[:4])) == 4 and all(
        block.splitlines()[0] == first[0] for block in blocks[:4]
    )
    few = given.folder / "few.conllu"
    few.write_text("1\tdog\tdog\tNOUN\tNN\t_\t_\t_\t_\t_\n")
    out = given.folder / "out"
    result_of("predict", given.model, str(few), "--k-best", "9", "-o", str(out))
    assert out.read_text().count("# score") == 1, "a word has one tree"
    assert len(read_treebank(out)) == 1


def test_evaluate_counts_with_and_without_punctuation(given: Files) -> None:
    trained(given)
    report = result_of("evaluate", given.model, given.dev)
    assert (
        report["uas"] == report["las"] == report["complete"] == report["labelled_complete"] == 1.0
    )
    lines = trees(1, 1).splitlines()
    stop = next(k for k, line in enumerate(lines) if "\tPUNCT\t" in line)
    fields = lines[stop].split("\t")
    lines[stop] = "\t".join([*fields[:6], "1", "dep", *fields[8:]])
    other = given.folder / "other.conllu"
    other.write_text("\n".join(lines) + "\n")
    report = result_of("evaluate", given.model, str(other))
    n = report["tokens"]
    assert report["uas"] == report["las"] == pytest.approx((n - 1) / n) and report["complete"] == 0
    assert report["without_punctuation"] == {
        "tokens": n - 1,
        "uas": 1.0,
        "las": 1.0,
        "complete": 1.0,
    }
    shown = run("evaluate", given.model, given.dev).stdout
    assert "without_punctuation.las" in shown and "degrees_of_freedom" in shown


def test_inspect_and_report(given: Files) -> None:
    trained(given, "--learner", "sparseptron", "--budget", "2", "--every", "10")
    shown = result_of("inspect", given.model, "-n", "4")
    kept, dropped = (
        [row["template"] for row in shown["templates"]["kept"]],
        shown["templates"]["dropped"],
    )
    assert (
        len(kept) == shown["groups_kept"] and len(kept) + len(dropped) == shown["groups_total"] == 5
    )
    assert sum(row["given"] for row in shown["kinds"]) == 5 and shown["kinds"][0]["part"] == "arc"
    assert shown["kinds"][0]["weights"] == shown["features_kept"]
    assert {"POS x POS", "bilexical", "middle POS", "bias"} <= {
        row["family"] for row in shown["families"]
    }
    assert len(shown["features"]["arc"]) == 4 and shown["labels"] == [
        "amod",
        "det",
        "nsubj",
        "obj",
        "punct",
        "root",
    ]
    for_people = run("inspect", given.model).stdout
    assert (
        all(name in for_people for name in (*kept, *dropped))
        and "families of templates" in for_people
    )
    page = given.folder / "page.html"
    assert result_of("report", given.model, "-o", str(page))["page"] == str(page)
    content = page.read_text()
    assert (
        all(name in content for name in (*kept, *dropped))
        and "<polyline" in content
        and content.count("<script") == 1
    )


def test_four_columns_and_conll_2009(given: Files) -> None:
    banks = {"four": [], "2009": []}  # type: dict[str, list[str]]
    for line in trees(20, 0).splitlines():
        fields = line.split("\t")
        if "\tNote=" in line:
            banks["four"].append("\t".join([fields[0], fields[1], fields[4], fields[6]]))
            word, tag, head, label = fields[1], fields[4], fields[6], fields[7]
            banks["2009"].append(
                "\t".join(
                    [
                        fields[0],
                        word,
                        word,
                        word,
                        tag,
                        tag,
                        "_",
                        "_",
                        head,
                        head,
                        label,
                        label,
                        "_",
                        "_",
                    ]
                )
            )
        elif not line:
            for lines in banks.values():
                lines.append("")
    for name, lines in banks.items():
        path = given.folder / name
        path.write_text("\n".join(lines) + "\n")
        report = result_of(
            "train", "parse", str(path), "-o", given.model, "--dev", str(path), "--epochs", "3"
        )
        assert report["dev"]["uas"] == 1.0 and report["dev"]["las"] == (
            1.0 if name == "2009" else None
        )
        assert run("predict", given.model, str(path)).stdout.splitlines() == lines


def test_options_of_other_kinds_of_models_are_refused(given: Files) -> None:
    trained(given)
    refused(given, "--proba does not go with", "predict", given.model, given.dev, "--proba")
    refused(given, "--marginals does not go with", "predict", given.model, given.dev, "--marginals")
    refused(
        given, "--constrained does not go with", "evaluate", given.model, given.dev, "--constrained"
    )
    refused(
        given,
        "--text does not go with",
        "compress",
        given.model,
        "--text-field",
        "x",
        "-o",
        str(given.folder / "small"),
    )
    texts = given.folder / "texts.tsv"
    texts.write_text("a\tsome words here\nb\tother things there\n" * 5)
    result_of("train", "classify", str(texts), "-o", given.model, "--strength", "0.1")
    refused(given, "--k-best does not go with", "predict", given.model, given.dev, "--k-best", "2")


def _line(number: str, head: str, word: str = "dog") -> str:
    return f"{number}\t{word}\tdog\tNOUN\tNN\t_\t{head}\tdep\t_\t_\n"


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "holds no tokens"),
    "comments alone": (b"# nothing\n\n \n", "holds no tokens"),
    "cycle": (
        (_line("1", "2") + _line("2", "1") + _line("3", "0")).encode(),
        ":1: the heads form a cycle",
    ),
    "its own head": ((_line("1", "0") + _line("2", "2")).encode(), ":2: the heads form a cycle"),
    "out of range": (
        (_line("1", "0") + _line("2", "7")).encode(),
        ":2: the head is 7, but the sentence has 2 tokens",
    ),
    "below zero": (
        _line("1", "-1").encode(),
        ":1: the head must be a number from 0 on, found '-1'",
    ),
    "no heads": (_line("1", "_").encode(), ":1: the head must be a number from 0 on, found '_'"),
    "missing columns": (b"1\tdog\tdog\tNOUN\tNN\n", ":1: expected 4 columns, CoNLL-X or -U (10)"),
    "ragged": ((_line("1", "0") + "2\tdog\tNN\t1\n").encode(), ":2: expected CoNLL-X or CoNLL-U"),
    "numbers": (
        (_line("1", "0") + _line("3", "1")).encode(),
        ":2: expected token number 2, found '3'",
    ),
    "two heads": ((_line("1", "0") + _line("2", "1|3")).encode(), ":2: the head must be a number"),
    "blanks for tabs": (b"1 dog dog NOUN NN _ 0 root _ _\n", ":1: expected 4 columns"),
    "latin-1": (_line("1", "0", "café").encode("latin-1"), ":1: expected UTF-8 text"),
    "cut gzip": (gzip.compress(trees(9, 0).encode())[:-12], "gzip file is damaged"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_treebanks(given: Files, kind: str) -> None:
    content, sentence = BAD_FILES[kind]
    bad = given.folder / "bad.conllu"
    bad.write_bytes(content)
    refused(given, sentence, "train", "parse", str(bad), "-o", given.model)
    trained(given, "--no-labels", "--epochs", "1")
    refused(given, sentence, "evaluate", given.model, str(bad))
    if kind not in ("cycle", "its own head", "no heads"):  # trees of the input are not looked at
        refused(given, sentence, "predict", given.model, str(bad), "-o", str(given.folder / "out"))


@pytest.mark.parametrize(
    ("sentence", "options"),
    [
        ("--learner must be one of", ["--learner", "magic"]),
        ("--refit must be one of", ["--refit", "crf"]),
        ("--penalty of the learner mira must be none", ["--penalty", "lasso"]),
        ("--strength does not go with the learner mira", ["--strength", "1"]),
        ("--strength takes a number of at least 0", ["--learner", "rda", "--strength", "-1"]),
        ("group_weight must be one of", ["--learner", "sparseptron", "--group-weight", "cube"]),
        ("refit_features must be", ["--refit", "mira", "--refit-features", "some"]),
        ("--model must be one of", ["--model", "cousins"]),
        ("give one of them", ["--model", "arcs", "--order", "2"]),
        ("scored by arcs alone", ["--order", "2", "--crossing"]),
        ("prune must be from 0 to 1", ["--prune", "2"]),
        ("nor one of the ready sets", ["--templates", "absent"]),
        (":2: expected views of roles", ["--templates", "{folder}/train.conllu"]),
        ("absent: cannot be read", ["--clusters", "absent"]),
        ("there is no encoding", ["--encoding", "utf-99"]),
        ("give its name with -o", ["-o", "-"]),
        ("there is no folder", ["-o", "{folder}/absent/m"]),
        ("absent.conllu: cannot be read", ["--dev", "{folder}/absent.conllu"]),
    ],
)
def test_bad_requests(given: Files, sentence: str, options: list[str]) -> None:
    options = [option.format(folder=given.folder) for option in options]
    refused(given, sentence, "train", "parse", given.train, "-o", given.model, *options)


def test_a_treebank_without_labels_or_with_one(given: Files) -> None:
    """Labels that say nothing are no labels."""
    blank = given.folder / "blank.conllu"
    blank.write_text(
        "".join(_line("1", "2") + _line("2", "0") + "\n" for _ in range(5)).replace("dep", "_")
    )
    report = result_of(
        "train", "parse", str(blank), "-o", given.model, "--epochs", "2", "--dev", str(blank)
    )
    assert report["labels"] == 0 and report["dev"]["uas"] == 1.0


def test_a_long_sentence(given: Files) -> None:
    trained(given)
    long = "".join(f"{t}\tdog\tdog\tNOUN\tNN\t_\t_\t_\t_\t_\n" for t in range(1, 301))
    heads = [
        int(line.split("\t")[6])
        for line in run("predict", given.model, text=long).stdout.splitlines()
        if line
    ]
    assert len(heads) == 300 and heads.count(0) == 1


def test_on_the_english_web_treebank(tmp_path: Path, data: Path) -> None:
    with gzip.open(data / "ud" / "English-EWT" / "dev.conllu.gz", "rt") as stream:
        blocks = stream.read().strip().split("\n\n")
    train, dev = tmp_path / "train.conllu", tmp_path / "dev.conllu.gz"
    train.write_text("\n\n".join(blocks[:250]) + "\n")
    dev.write_bytes(gzip.compress("\n\n".join(blocks[250:300]).encode()))
    report = result_of(
        "train", "parse", str(train), "--dev", str(dev), "--epochs", "3", "-o", str(tmp_path / "m")
    )
    assert (
        report["groups_total"] == 100 and report["dev"]["uas"] > 0.7 and report["dev"]["las"] > 0.6
    )
    scores = result_of("evaluate", str(tmp_path / "m"), str(dev))
    assert {name: scores[name] for name in report["dev"]} == report["dev"]
    out = tmp_path / "out.conllu"
    result_of("predict", str(tmp_path / "m"), str(dev), "-o", str(out))
    found, gold = read_treebank(out), read_treebank(dev)
    assert found.tokens.values == gold.tokens.values
    assert np.mean(found.heads == gold.heads) == pytest.approx(scores["uas"])


def test_ctrl_c_keeps_what_was_learned(given: Files) -> None:
    Path(given.train).write_text(trees(500, 0))
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "parse",
        given.train,
        "-o",
        given.model,
        "--json",
        "--epochs",
        "100000",
    ]
    report = interrupted([*command, "--templates", given.templates], b"pass 2")
    assert report["interrupted"] and 2 <= len(report["trace"]) < 100000
    model = laconic.load(given.model)
    assert model.interrupted_ and model.labeler_ is not None
