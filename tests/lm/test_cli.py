"""train lm, predict, evaluate and inspect as users run them; one sentence for every mistake."""

from __future__ import annotations

import gzip
import math
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import refused, result_of, run
from terminal import interrupted

import laconic

pytestmark = pytest.mark.slow

NOUNS, VERBS = (
    ("cat", "dog", "mat", "bird", "fish", "house"),
    ("sat on", "saw", "went under", "spoke to"),
)


def sentences(n: int, seed: int) -> list[str]:
    """Return sentences such as `the cat sat on a small mat`."""
    drawn = random.Random(seed)
    return [
        f"{drawn.choice(('the', 'a', 'one'))} {drawn.choice(NOUNS)} {drawn.choice(VERBS)} "
        f"the {drawn.choice(('small ', ''))}{drawn.choice(NOUNS)}"
        for _ in range(n)
    ]


class Files:
    """Paths in a folder of one test."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.train = str(folder / "train.txt.gz")
        self.dev = str(folder / "dev.txt")
        self.model = str(folder / "m.laconic")
        self.arpa = str(folder / "m.arpa")
        Path(self.train).write_bytes(gzip.compress("\n\n".join(sentences(200, 0)).encode()))
        Path(self.dev).write_text("\n".join([*sentences(20, 1), "", "the zebra sat", "  "]))


@pytest.fixture
def given(tmp_path: Path) -> Files:
    return Files(tmp_path)


def trained(given: Files, *options: str) -> Any:
    return result_of("train", "lm", given.train, "-o", given.model, *(options or ("--order", "3")))


LOG_LINEAR = ("--learner", "log-linear", "--order", "3", "--max-iter", "30")
PERPLEXITIES = (
    "perplexity",
    "perplexity_known",
    "perplexity_without_ends",
    "perplexity_known_without_ends",
)


@pytest.mark.parametrize("method", ["kneser-ney", "interpolated", "log-linear"])
def test_train_reports_what_was_learned(given: Files, method: str) -> None:
    report = trained(
        given, "--order", "3", "--learner", method, "--dev", given.dev, "--arpa", given.arpa
    )
    assert (report["sentences"], report["order"], report["interrupted"], report["model"]) == (
        200,
        3,
        False,
        given.model,
    )
    assert (
        report["vocabulary"] == 2 + 3 + 6 + 7 + 1
        and report["seconds"] > 0 < report["peak_memory_mb"]
    )
    assert 0 < report["features_kept"] <= report["features_total"]
    assert 0 < report["groups_kept"] <= report["groups_total"]
    assert [row["order"] for row in report["orders"]] == [1, 2, 3]
    assert (report["objective"] is None) == (method != "log-linear")
    if method == "log-linear":
        assert (
            0 <= report["certificate"] < 1
            and report["n_iter"] > 0
            and "NestedGroups" in report["learner"]
        )
    assert (report["dev"]["sentences"], report["dev"]["unknown"]) == (21, 1)
    model = laconic.load(given.model)
    text = Path(given.dev).read_text().split("\n")
    text = [line for line in text if line.strip()]
    for name, options in zip(
        PERPLEXITIES,
        ({}, {"unknown": False}, {"ends": False}, {"unknown": False, "ends": False}),
        strict=True,
    ):
        assert model.perplexity(text, **options) == pytest.approx(report["dev"][name], rel=1e-5)
    same = result_of("evaluate", given.arpa, given.dev)
    assert same["perplexity"] == pytest.approx(report["dev"]["perplexity"], rel=1e-5)
    assert sorted(os.listdir(given.folder)) == ["dev.txt", "m.arpa", "m.laconic", "train.txt.gz"]


@pytest.mark.parametrize(
    ("options", "learner"),
    [
        (
            ["--penalty", "nested-ridge", "--strength", "0.5", "--growth", "1"],
            "NestedRidge(growth=1.0, strength=0.5)",
        ),
        (["--penalty", "nested-lasso", "--strength", "4"], "NestedLasso(strength=4.0)"),
        (["--penalty", "lasso", "--strength", "2"], "LogLinear(max_iter=30, penalty='lasso'"),
        (["--penalty", "l1+ridge", "--strength", "l1=0.5,ridge=0.1"], "{'l1': 0.5, 'ridge': 0.1}"),
        (["--penalty", "nested-tree", "--ridge", "0.1"], "NestedTree(ridge=0.1)"),
        (["--penalty", "nested-tree-inf", "--tol", "0.1"], "NestedTree(norm='inf')"),
        (
            ["--penalty", "nested-tree-inf", "--fade", "0.5", "--growth", "1"],
            "NestedTree(fade=0.5, growth=1.0, norm='inf')",
        ),
        (
            ["--penalty", "nested-groups", "--ridge", "0.2", "--jobs", "2"],
            "NestedGroups(ridge=0.2)",
        ),
    ],
)
def test_penalties(given: Files, options: list[str], learner: str) -> None:
    report = trained(given, *LOG_LINEAR, *options, "--dev", given.dev)
    assert learner in report["learner"] and report["dev"]["perplexity"] < 20
    if "lasso" in "".join(options):
        assert (
            report["features_kept"] < 0.7 * report["features_total"]
            and report["groups_kept"] < report["groups_total"]
        )
    shown = result_of("inspect", given.model)
    # A file does not say whether all passes were needed: what was not interrupted has converged.
    same = (shown.keys() & report.keys()) - {"model", "orders", "converged"}
    assert {name: shown[name] for name in same} == {name: report[name] for name in same}
    again = result_of("evaluate", given.model, given.dev)
    assert again["perplexity"] == pytest.approx(report["dev"]["perplexity"], rel=1e-5)


def test_several_files_are_one_text(given: Files) -> None:
    both = result_of("train", "lm", given.train, given.dev, "--order", "3")
    assert both["sentences"] == trained(given)["sentences"] + 21


def test_without_an_output_nothing_is_kept_and_said(given: Files) -> None:
    said = "laconic: no model file is written: give -o FILE to keep the model.\n"
    assert said in run("train", "lm", given.train).stderr
    assert said not in run("train", "lm", given.train, "-o", given.model).stderr


def test_pruning_and_rare_words(given: Files) -> None:
    fewer = trained(given, "--min-count", "120", "--max-ngrams", "20")
    assert 10 < sum(row["ngrams"] for row in fewer["orders"]) <= 20  # weights learned anew
    plain = ("--min-count", "120", "--learner", "kneser-ney")
    whole = trained(given, *plain)
    assert whole["vocabulary"] < 10
    small = trained(given, *plain, "--max-ngrams", "20")
    assert (
        sum(row["ngrams"] for row in small["orders"])
        == 20
        < sum(row["ngrams"] for row in whole["orders"])
    )
    few = ["train", "lm", given.train, "-o", given.model, "--max-ngrams", "5"]
    refused(given, "--max-ngrams must be at least 19, the number of words", *few)
    trained(given, *plain, "--size", "2900")
    assert 2500 < os.path.getsize(given.model) <= 2900
    few = ["train", "lm", given.train, "-o", given.model, "--size"]
    refused(given, "--size: the words alone take", *few, "100")
    refused(given, "--size does not go with --max-ngrams", *few, "5K", "--max-ngrams", "30")


def test_predict_writes_one_line_per_word(given: Files) -> None:
    trained(given)
    model = laconic.load(given.model)
    lines = run("predict", given.model, text="the cat sat\n\nzebra\n").stdout.split("\n")
    assert [line.split("\t")[0] for line in lines] == [
        "the",
        "cat",
        "sat",
        "</s>",
        "",
        "zebra",
        "</s>",
        "",
        "",
    ]
    expected = [*model.log_probs(["the cat sat"])[0], *model.log_probs(["zebra"])[0]]
    shown = [line.split("\t") for line in lines if line]
    assert [float(row[1]) for row in shown] == pytest.approx(
        [p / math.log(10) for p in expected], abs=1e-6
    )
    assert [row[2] for row in shown] == [
        "<s> the",
        "<s> the cat",
        "the cat sat",
        "</s>",
        "<unk>",
        "</s>",
    ]
    summary = result_of("predict", given.model, given.dev, "-o", str(given.folder / "out"))
    assert (summary["sentences"], summary["unknown"]) == (21, 1)
    written = [line.split("\t") for line in (given.folder / "out").read_text().splitlines() if line]
    total = result_of("evaluate", given.model, given.dev)["log10_prob"]
    assert sum(float(row[1]) for row in written) == pytest.approx(total, abs=1e-3)
    assert len(written) == summary["words"] + summary["sentences"]


@pytest.mark.parametrize("options", [("--order", "3"), LOG_LINEAR])
def test_inspect(given: Files, options: tuple[str, ...]) -> None:
    trained(given, *options, "--arpa", given.arpa)
    shown = result_of("inspect", given.model, "-n", "4")
    assert len(shown["contexts"]) == 4 and len(shown["contexts"][0]["context"].split()) == 2
    for order in (1, 2, 3):
        weights = [row["weight"] for row in shown["ngrams"] if row["order"] == order]
        assert len(weights) == 4 and weights == sorted(weights, reverse=True)
    assert all(
        len(row["ngram"].split()) == row["order"] and 0 < row["probability"] <= 1
        for row in shown["ngrams"]
    )
    bigram = next(row for row in shown["ngrams"] if row["order"] == 2 and "<s>" not in row["ngram"])
    first, second = bigram["ngram"].split()
    likely = result_of("inspect", given.arpa, "--complete", "cat sat", "-n", "3")["completions"]
    assert likely[0]["word"] == "on" and likely[0]["log10"] == pytest.approx(
        math.log10(likely[0]["probability"])
    )
    assert (
        "longest contexts" in run("inspect", given.model).stdout
        and run("inspect", given.arpa, "-n", "0").exit_code == 0
    )
    assert first and second
    drawn = [
        result_of("inspect", given.model, "--sample", "5", "--seed", seed)["sentences"]
        for seed in ("1", "1", "2")
    ]
    assert drawn[0] == drawn[1] != drawn[2] and len(drawn[0]) == 5
    refused(given, "--seed goes with --sample", "inspect", given.model, "--seed", "3")
    refused(given, "first words of a sentence", "inspect", given.model, "--complete", "<s> the")


def test_a_lasso_keeps_few_contexts_and_the_same_probabilities(given: Files) -> None:
    """N-grams without a weight are left out, and the ARPA file gives the same probabilities."""
    trained(
        given,
        *LOG_LINEAR,
        "--penalty",
        "lasso",
        "--strength",
        "2",
        "--order",
        "4",
        "--arpa",
        given.arpa,
    )
    shown = result_of("inspect", given.model, "-n", "100000")
    assert len(shown["ngrams"]) == shown["features_kept"] and all(
        row["weight"] > 0 for row in shown["ngrams"]
    )
    ours, theirs = (
        result_of("evaluate", path, given.dev)["log10_prob"] for path in (given.model, given.arpa)
    )
    assert ours == pytest.approx(theirs, abs=1e-4)


@pytest.mark.parametrize("method", ["kneser-ney", "interpolated", "log-linear"])
@pytest.mark.parametrize("order", ["1", "50"])
@pytest.mark.parametrize("text", ["word\n", "a\nb\nc\n", "a b c d e f g h\n"])
def test_short_texts_and_all_orders(given: Files, method: str, order: str, text: str) -> None:
    Path(given.train).write_text(text)
    outcome = run(
        "train", "lm", given.train, "-o", given.model, "--order", order, "--learner", method, "-q"
    )
    assert outcome.exit_code == 0 and "Traceback" not in outcome.stderr
    assert (outcome.stderr == "") == (method == "log-linear") and outcome.stderr.count("\n") <= 1
    assert result_of("evaluate", given.model, given.dev)["perplexity"] > 1
    chances = [
        row["probability"]
        for row in result_of("inspect", given.model, "--complete", "a b", "-n", "100")[
            "completions"
        ]
    ]
    assert sum(chances) == pytest.approx(1, abs=1e-4)


def test_files_that_are_not_text(given: Files) -> None:
    bad = given.folder / "bad.txt"
    trained(given)
    for content, sentence in (
        (b"", "bad.txt: holds no words; expected one sentence per line"),
        (b"\n \n\t\n", "bad.txt: holds no words"),
        (b"one\ncaf\xe9\n", "bad.txt:2: expected UTF-8 text"),
        (b"one\ntwo\0three\n", "bad.txt:2: expected text, one sentence per line, found a zero"),
        (bytes(range(256)), "bad.txt:"),
        (b"one\n\n<s> two </s>\n", "bad.txt:3: <s> is not allowed in a sentence"),
        (gzip.compress(b"one two", mtime=0)[:-9], "bad.txt: the gzip file is damaged"),
    ):
        bad.write_bytes(content)
        refused(given, sentence, "train", "lm", str(bad), "-o", given.model)
        refused(given, sentence, "train", "lm", given.train, "--dev", str(bad))
        refused(given, sentence, "evaluate", given.model, str(bad))
    refused(given, "absent: cannot be read", "train", "lm", str(given.folder / "absent"))
    bad.write_bytes(b"caf\xe9 noir\n")
    assert result_of("train", "lm", str(bad), "--encoding", "latin-1", "--order", "2")["words"] == 2


@pytest.mark.parametrize(
    ("sentence", "options"),
    [
        ("--order must be from 1 to 1000, not 0", ["--order", "0"]),
        ("--order must be from 1 to 1000, not 1001", ["--order", "1001"]),
        (
            "--learner must be one of classes, log-linear, kneser-ney, interpolated, not 'magic'",
            ["--learner", "magic"],
        ),
        (
            "there is no penalty called 'magic': expected one of",
            ["--learner", "log-linear", "--penalty", "magic"],
        ),
        (
            "--penalty does not go with --learner kneser-ney",
            ["--learner", "kneser-ney", "--penalty", "ridge"],
        ),
        (
            "--n-classes does not go with --learner log-linear",
            ["--learner", "log-linear", "--n-classes", "3"],
        ),
        ("--n-classes must be whole numbers below 100000", ["--n-classes", "3,x"]),
        ("--mix needs --dev", ["--mix", "other"]),
        (
            "--max-iter does not go with --learner interpolated",
            ["--learner", "interpolated", "--max-iter", "3"],
        ),
        (
            "--ridge does not go with --penalty lasso",
            ["--learner", "log-linear", "--penalty", "lasso", "--ridge", "1"],
        ),
        (
            "--fade does not go with --penalty nested-groups",
            ["--learner", "log-linear", "--fade", "0.5"],
        ),
        (
            "--strength takes a number of at least 0",
            ["--learner", "log-linear", "--strength", "-1"],
        ),
        ("--growth must be a number above 0", ["--learner", "log-linear", "--growth", "0"]),
        ("--tol must be a number above 0", ["--learner", "log-linear", "--tol", "nan"]),
        ("give its name with -o", ["-o", "-"]),
        ("give its name with --arpa", ["--arpa", "-"]),
        ("there is no folder", ["--arpa", "{folder}/absent/m"]),
        ("there is no encoding", ["--encoding", "utf-99"]),
    ],
)
def test_bad_requests(given: Files, sentence: str, options: list[str]) -> None:
    refused(
        given,
        sentence,
        "train",
        "lm",
        given.train,
        *[option.format(folder=given.folder) for option in options],
    )


def test_options_of_other_models_are_refused(given: Files) -> None:
    trained(given, "--order", "2", "--arpa", given.arpa)
    for model in (given.model, given.arpa):
        refused(given, "--proba does not go with", "predict", model, given.dev, "--proba")
    labelled = given.folder / "labelled.tsv"
    labelled.write_text("yes\tgood film\nno\tbad film\n" * 5)
    other = str(given.folder / "other.laconic")
    result_of("train", "classify", str(labelled), "-o", other)
    refused(given, "--sample does not go with", "inspect", other, "--sample", "3")


def test_files_that_are_not_arpa(given: Files) -> None:
    bad = given.folder / "bad.arpa"
    bad.write_text("\\data\\\nngram 1=3\n\n\\1-grams:\n-1 a\n")
    refused(given, "bad.arpa:5: ", "evaluate", str(bad), given.dev)
    bad.write_text("no model at all\n")
    refused(given, "bad.arpa: not a laconic model", "evaluate", str(bad), given.dev)


def test_ctrl_c_keeps_what_was_learned(given: Files) -> None:
    Path(given.train).write_text("\n".join(sentences(3000, 0)))
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "lm",
        given.train,
        "-o",
        given.model,
        "--json",
    ]
    report = interrupted(
        [*command, "--learner", "log-linear", "--max-iter", "100000", "--tol", "1e-15"],
        b"objective",
    )
    assert report["interrupted"] and 1 <= report["n_iter"] < 100000 and report["certificate"] >= 0
    assert laconic.load(given.model).interrupted_
    assert sorted(os.listdir(given.folder)) == ["dev.txt", "m.laconic", "train.txt.gz"]


def test_a_model_is_mixed_with_another(given: Files) -> None:
    general = str(given.folder / "general.laconic")
    result_of("train", "lm", given.dev, "-o", general, "--order", "2")
    result_of("export", general, "-o", given.arpa)
    alone = trained(given, "--order", "3", "--dev", given.dev)
    for other in (general, given.arpa):
        mixed = trained(given, "--order", "3", "--mix", other, "--dev", given.dev)
        assert mixed["learner"].startswith("interpolated(")
        assert mixed["dev"]["perplexity"] < alone["dev"]["perplexity"]
    assert run("train", "lm", given.train, "--mix", given.train, "--dev", given.dev).exit_code == 2


def test_a_model_is_adapted_to_a_domain(given: Files) -> None:
    general = str(given.folder / "general.laconic")
    result_of("train", "lm", given.train, "-o", general, "--order", "3")
    before = result_of("evaluate", general, given.dev)
    command = ("train", "lm", given.dev, "--prior", general)
    found = result_of(*command, "-o", given.model, "--dev", given.dev, "--mix", general)
    assert found["dev"]["perplexity"] < before["perplexity"]
    product = result_of(*command, "--dev", given.dev, "--mix", general, "--log-linear")
    assert product["learner"].startswith("multiplied(")
    plain = result_of(*command, "--arpa", given.arpa, "--max-ngrams", "60")
    assert plain["learner"].startswith("adapted(LogLinear(")
    assert sum(row["ngrams"] for row in plain["orders"]) <= 60
    refused(given, "--order does not go with --prior", *command, "--order", "3")
    refused(given, "--prior goes with the learners", *command, "--learner", "kneser-ney")
    refused(given, "--log-linear goes with --mix", "train", "lm", given.train, "--log-linear")


def test_lists_of_hypotheses_are_put_in_order(given: Files) -> None:
    trained(given, "--order", "3", "--learner", "kneser-ney")
    lists = ["0 ||| sat the cat ||| lm=1 ||| -1", "0 ||| the cat sat ||| lm=2 ||| -1.5", "1 ||| a"]
    shown = run("predict", given.model, "--nbest", "1", text="\n".join(lists)).stdout.splitlines()
    model = laconic.load(given.model)
    assert [line.split(" ||| ")[0] for line in shown] == ["0", "0", "1"]
    assert shown[0].startswith("0 ||| the cat sat ||| lm=2 ||| ")
    score = float(shown[0].split(" ||| ")[-1])
    assert score == pytest.approx(-1.5 + model.log_probs(["the cat sat"])[0].sum(), abs=1e-5)
    same = run("predict", given.model, "--nbest", "0", text="\n".join(lists)).stdout.splitlines()
    assert [line.rsplit(" ||| ", 1)[0] for line in same[:2]] == [
        line.rsplit(" ||| ", 1)[0] for line in lists[:2]
    ]
    for wrong in ("no fields", "0 ||| a ||| x", "0 ||| a ||| nan", "0 ||| <s> a ||| 1"):
        failed = run("predict", given.model, "--nbest", "1", text=wrong)
        assert failed.exit_code == 2 and "standard input:1: expected" in failed.output


def test_sentences_have_a_line_each(given: Files) -> None:
    trained(given, "--order", "3", "--learner", "kneser-ney")
    text = "the cat sat\n\nthe zebra\n"
    shown = run("predict", given.model, "--per-sentence", text=text).stdout.splitlines()
    rows = [line.split("\t") for line in shown]
    assert [row[5] for row in rows] == ["the cat sat", "the zebra"]
    assert [(row[2], row[3]) for row in rows] == [("3", "0"), ("2", "1")]
    model = laconic.load(given.model)
    for row in rows:
        assert float(row[1]) == pytest.approx(model.perplexity([row[5]]), rel=1e-4)
        lengths = model.ngram_lengths([row[5]])[0]
        assert float(row[4]) == pytest.approx(lengths.mean(), abs=0.01)


def test_a_vocabulary_is_read(given: Files) -> None:
    words = given.folder / "words.txt"
    words.write_text("the\ncat\n\nheron\n", encoding="utf-8")
    report = trained(given, "--order", "2", "--vocabulary", str(words), "--learner", "kneser-ney")
    assert report["vocabulary"] == 5
    words.write_text("the cat\n", encoding="utf-8")
    failed = run("train", "lm", given.train, "--vocabulary", str(words))
    assert failed.exit_code == 2 and "expected one word per line, found 'the cat'" in failed.output
