"""Commands for models of text over time as people run them, and mistakes as one sentence."""

from __future__ import annotations

import gzip
import json
import math
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from commands import JsonFiles, refused, result_of, run
from terminal import interrupted

import laconic
from laconic import Ridge, TemporalTextModel

pytestmark = pytest.mark.slow

WORDS = ["market", "growth", "sales", "weak", "strong", "demand", "steady", "prices"]


def rows(n_years: int = 6, per_year: int = 12) -> list[dict[str, Any]]:
    """`drought` rises in the west; `layoffs` goes with the rate."""
    drawn = random.Random(0)
    found = []
    for year in range(2000, 2000 + n_years):
        for n in range(per_year):
            region, rate = ("west", "east")[n % 2], drawn.choice([3.0, 6.0, 9.0])
            words = drawn.choices(WORDS, k=60) + ["layoffs"] * int(rate)
            words += ["drought"] * (2 * (year - 2000) if region == "west" else 2)
            found.append(
                {
                    "text": " ".join(words),
                    "date": f"{year}-{n % 12 + 1:02d}-15",
                    "region": region,
                    "rate": rate,
                }
            )
    return found


@pytest.fixture
def given(tmp_path: Path) -> JsonFiles:
    return JsonFiles(tmp_path, rows())


EFFECTS = ("--effect", "region", "--effect", "rate")


def trained(given: JsonFiles, *options: str) -> Any:
    return result_of(
        "train", "sage", given.train, "-o", given.model, *EFFECTS, "--tol", "1e-3", *options
    )


def test_from_documents_to_likelihoods(given: JsonFiles) -> None:
    later = given.write("later.jsonl", rows(7)[-12:])
    told = trained(given, "--dev", later)
    assert (
        told["steps"] == 6
        and told["last_step"] == "2005"
        and told["vocabulary"] == 10
        and told["converged"]
    )
    assert told["effects"] == ["region=east", "region=west", "rate", "(constant)"]
    dev = told["dev"]
    assert (
        dev["documents"] == 12
        and dev["steps"][0]["step"] == "2006"
        and dev["perplexity"] < dev["background_alone"]["perplexity"]
    )
    assert dev["perplexity"] == pytest.approx(math.exp(dev["nats_per_word"]))
    scored = result_of("evaluate", given.model, later)
    assert scored["negative_log_likelihood"] == pytest.approx(
        dev["negative_log_likelihood"], rel=1e-5
    )
    out = str(given.folder / "out.jsonl")
    assert result_of("predict", given.model, later, "-o", out)["words"] == dev["words"]
    lines = [json.loads(line) for line in Path(out).read_text().splitlines()]
    assert -sum(line["log_probability"] for line in lines) == pytest.approx(
        scored["negative_log_likelihood"]
    )
    nothing = given.write(
        "nothing.jsonl", [{"text": "unknown", "date": "2006", "region": "north", "rate": 1}]
    )
    assert json.loads(run("predict", given.model, nothing).stdout) == {
        "words": 0,
        "log_probability": 0.0,
        "perplexity": None,
    }


def test_what_rose_and_which_words_effects_have(given: JsonFiles) -> None:
    trained(given)
    told = result_of("inspect", given.model, "-n", "2", "--effect", "region=west")
    assert told["rising"][0]["name"] == "drought" and told["rising"][0]["change"] > 0.5
    assert told["top_words"][0]["words"][0]["word"] == "drought"
    whole = result_of("inspect", given.model, "-n", "2")
    assert [row["effect"] for row in whole["top_words"]] == [
        "region=east",
        "region=west",
        "rate",
        "(constant)",
    ]
    assert (
        whole["top_words"][2]["words"][0]["word"] == "layoffs" and whole["effect"] == "(constant)"
    )
    shown = run("inspect", given.model, "-n", "2", "--since", "2004").stdout
    assert "rising for (constant)" in shown and "layoffs" in shown


@pytest.mark.parametrize(
    "options",
    [
        ("--penalty", "ridge", "--mode", "last", "--background", "steps"),
        ("--penalty", "lasso", "--strength", "2"),
        ("--penalty", "elastic", "--max-iter", "50"),
        ("--penalty", "smooth-ridge", "--smoothness", "5"),
        ("--penalty", "fused", "--fusion", "2", "--max-iter", "50"),
        ("--tau", "10", "--floor", "0.1", "--no-constant", "--step", "quarter"),
        ("--fit-tau", "--max-iter", "20"),
        ("--first-rank", "3", "--max-words", "4"),
    ],
)
def test_options(given: JsonFiles, options: tuple[str, ...]) -> None:
    told = trained(given, *options)
    assert told["features_total"] == len(told["effects"]) * told["vocabulary"]
    assert result_of("evaluate", given.model, given.train)["perplexity"] < 12
    assert (told["vocabulary"] == 4) == ("--first-rank" in options)


def test_gzip_other_names_and_one_step(given: JsonFiles) -> None:
    content = "".join(
        json.dumps({"body": row["text"], "day": "2001-02-03", "rate": row["rate"]}) + "\n"
        for row in rows(1)
    )
    packed = given.folder / "train.jsonl.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    names = ("--text-field", "body", "--date-field", "day", "--effect", "rate")
    told = result_of("train", "sage", str(packed), "-o", given.model, *names)
    assert told["steps"] == 1 and told["converged"]
    assert result_of("evaluate", given.model, str(packed))["documents"] == 12


BAD = {
    "no-effect": (
        [{"text": "a a", "date": "2001"}],
        ":1: the field 'region' is missing; found 'text', 'date'.",
    ),
    "no-date": ([{"text": "a a", "region": "x", "rate": 1}], ":1: the field 'date' is missing"),
    "bad-date": (
        [{"text": "a a", "date": "soon", "region": "x", "rate": 1}],
        ":1: 'date' is a date such as 2008-07-31, 2008-07 or 2008, not 'soon'.",
    ),
    "bad-number": ([rows(1)[0], {**rows(1)[0], "rate": None}], ":2: 'rate' is a number, not null."),
    "no-words": (
        [{"text": "", "date": "2001", "region": "x", "rate": 1}],
        "fewer than two words are left: 0 words occur twice or more",
    ),
    "empty": ("", "the file is empty; expected at least one document."),
    "no-json": ("{", ":1: expected one JSON object per line"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_in_one_sentence(given: JsonFiles, name: str) -> None:
    content, sentence = BAD[name]
    path = given.write(f"{name}.jsonl", content)
    refused(given, sentence, "train", "sage", path, "-o", given.model, *EFFECTS)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--penalty", "best"), "there is no penalty called 'best'"),
        (("--mode", "now"), "--mode must be one of moving, pooled, last"),
        (("--step", "eon"), "--step must be one of year"),
        (("--background", "none"), "--background must be one of all, steps, not 'none'."),
        (("--strength", "-1"), "--strength takes a number of at least 0"),
        (("--tol", "0"), "--tol must be a number above 0"),
        (("--penalty", "ridge", "--tau", "3"), "--tau does not go with --penalty ridge."),
        (("--floor", "0"), "floor must be a positive number"),
        (("-o", "-"), "a model is written to a file"),
    ],
)
def test_options_that_cannot_be(given: JsonFiles, options: tuple[str, ...], sentence: str) -> None:
    refused(given, sentence, "train", "sage", given.train, *EFFECTS, *options)


def test_other_mistakes(given: JsonFiles) -> None:
    refused(given, "there are no effects", "train", "sage", given.train, "--no-constant")
    trained(given)
    refused(given, "there is no effect 'north'", "inspect", given.model, "--effect", "north")
    refused(
        given,
        "the field 'region' is missing",
        "evaluate",
        given.model,
        given.write("a.jsonl", [{"text": "a", "date": "2001"}]),
    )
    unknown = given.write(
        "unknown.jsonl", [{"text": "x", "date": "2001", "region": "west", "rate": 1}]
    )
    refused(given, "the documents have none of the model's words", "evaluate", given.model, unknown)
    refused(given, "--complete does not go with", "inspect", given.model, "--complete", "a")
    TemporalTextModel(Ridge()).fit(sp.csr_matrix(np.ones((3, 4)))).save(given.model)
    refused(given, "learned from counts", "evaluate", given.model, given.train)
    assert laconic.load(given.model).effect_names == ["(constant)"]


def test_ctrl_c_keeps_the_model_reached(given: JsonFiles) -> None:
    many = given.write(
        "many.jsonl",
        [{**row, "text": row["text"] + f" w{n % 499}"} for n, row in enumerate(rows(6, 200))],
    )
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "sage",
        many,
        "-o",
        given.model,
        *EFFECTS,
        "--step",
        "month",
        "--json",
    ]
    told = interrupted([*command, "--tol", "1e-12", "--max-iter", "100000"], b"step 2")
    assert told["interrupted"] and not told["converged"] and laconic.load(given.model).interrupted_
