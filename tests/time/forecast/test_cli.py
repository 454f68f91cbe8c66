"""Commands for forecasts as people run them, and every mistake as one sentence."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import JsonFiles, refused, result_of, run
from terminal import interrupted

import laconic
from laconic import Ridge, TemporalRegressor

pytestmark = pytest.mark.slow

WORDS = [
    "market",
    "growth",
    "sales",
    "weak",
    "strong",
    "demand",
    "steady",
    "prices",
    "rising",
    "falling",
    "drought",
    "harvest",
]


def rows(n_years: int = 8, per_year: int = 25) -> list[dict[str, Any]]:
    """`drought` changes its meaning over the years; the number beside the text counts half."""
    drawn = random.Random(0)
    found = []
    for year in range(2000, 2000 + n_years):
        for _ in range(per_year):
            words, past = drawn.choices(WORDS, k=8), drawn.gauss(0, 1)
            rise = 2 * (year - 2000) / max(1, n_years - 1) - 1
            target = (
                ("strong" in words)
                - ("weak" in words)
                + rise * ("drought" in words)
                + 0.5 * past
                + drawn.gauss(0, 0.2)
            )
            date = f"{year}-{drawn.randint(1, 12):02d}-15"
            state = "up" if target > 0.3 else "down" if target < -0.3 else "flat"
            found.append(
                {
                    "text": " ".join(words),
                    "date": date,
                    "target": target,
                    "past": past,
                    "state": state,
                }
            )
    return found


@pytest.fixture
def given(tmp_path: Path) -> JsonFiles:
    return JsonFiles(tmp_path, rows())


def trained(given: JsonFiles, *options: str) -> Any:
    return result_of(
        "train",
        "forecast",
        given.train,
        "-o",
        given.model,
        "--number",
        "past",
        "--strength",
        "0.1",
        *options,
    )


def test_from_rows_to_forecasts(given: JsonFiles) -> None:
    later = given.write("later.jsonl", rows(9)[-25:])
    told = trained(given, "--dev", later)
    assert (
        told["steps"] == 8
        and told["first_step"] == "2000"
        and told["converged"]
        and told["features_total"] == 13
    )
    assert (
        told["dev"]["documents"] == 25
        and told["dev"]["mse"] < 0.15
        and told["dev"]["by step"][0]["step"] == "2008"
    )
    assert {
        "seconds",
        "peak_memory_mb",
        "objective",
        "certificate",
        "features_kept",
    } <= told.keys()
    assert result_of("evaluate", given.model, later)["mse"] == pytest.approx(told["dev"]["mse"])
    out = str(given.folder / "out.jsonl")
    new = given.write(
        "new.jsonl", [{"text": "strong growth", "past": 0.0}, {"text": "weak", "past": 1}]
    )
    assert result_of("predict", given.model, new, "-o", out)["documents"] == 2
    found = [json.loads(line)["forecast"] for line in Path(out).read_text().splitlines()]
    model = laconic.load(given.model)
    assert found == pytest.approx(
        model.predict(["strong growth", "weak"], {"past": [0.0, 1.0]}).tolist()
    )


def test_what_moved(given: JsonFiles) -> None:
    trained(given)
    told = result_of("inspect", given.model, "-n", "3")
    assert told["rising"][0]["name"] == "drought" and told["rising"][0]["change"] > 1
    assert sum(row["features"] for row in told["autocorrelations"]) == 13
    assert {row["name"] for row in told["strongest now"]} <= {"drought", "strong", "weak", "(past)"}
    half = result_of("inspect", given.model, "-n", "1", "--since", "2004")
    assert 0 < half["rising"][0]["change"] < told["rising"][0]["change"]
    shown = run("inspect", given.model)
    assert shown.exit_code == 0 and "rising" in shown.output and "drought" in shown.output
    series = given.write(
        "series.csv",
        "date,rate\n" + "".join(f"{year}-06,{year - 1990}\n" for year in range(1995, 2010)),
    )
    page = given.folder / "page.html"
    result_of(
        "report",
        given.model,
        "-o",
        str(page),
        "--words",
        "drought strong; weak",
        "--series",
        series,
    )
    content = page.read_text()
    assert content.count("<svg") == 3 and "drought, strong" in content and "Rising" in content
    result_of("report", given.model, "-o", str(page))
    assert page.read_text().count("<svg") == 2


def test_rolling_forecasts_and_strengths(given: JsonFiles) -> None:
    told = result_of(
        "train",
        "forecast",
        given.train,
        "--number",
        "past",
        "--first",
        "2005",
        "--gap",
        "1",
        "--strengths",
        "0.1,1000",
    )
    assert [row["step"] for row in told["rolling"]["by step"]] == ["2005", "2006", "2007"] and told[
        "rolling"
    ]["documents"] == 75
    assert [row["strength"] for row in told["strengths"]] == [0.1, 1000.0]
    assert told["strengths"][0]["error"] == told["rolling"]["mse"] < told["strengths"][1]["error"]
    assert "strength=0.1" in told["penalty"] and told["model"] is None


@pytest.mark.parametrize(
    "options",
    [
        ["--penalty", "smooth-ridge", "--smoothness", "10"],
        ["--penalty", "smooth-group", "--smoothness", "10"],
        ["--penalty", "fused", "--fusion", "2"],
        ["--penalty", "ridge"],
        ["--penalty", "lasso", "--mode", "last"],
        ["--penalty", "smooth-ridge+lasso", "--strength", "smooth-ridge=5,lasso=1"],
        ["--penalty", "slope"],
        [
            "--tau",
            "50",
            "--floor",
            "0.01",
            "--step",
            "quarter",
            "--weighting",
            "tfidf",
            "--ngrams",
            "2",
        ],
        ["--fit-tau", "--first-rank", "2", "--max-words", "8", "--number-scale", "3"],
    ],
    ids=" ".join,
)
def test_penalties_and_features(given: JsonFiles, options: list[str]) -> None:
    told = trained(given, *options)
    assert told["converged"] and result_of("evaluate", given.model, given.train)["documents"] == 200
    assert told["mode"] == (
        "last" if "last" in options else "pooled" if {"ridge", "slope"} & {*options} else "moving"
    )
    assert result_of("inspect", given.model)["features_kept"] == told["features_kept"]


def test_labels(given: JsonFiles) -> None:
    told = trained(given, "--categories", "--target-field", "state", "--first", "2006")
    assert told["labels"] == ["down", "flat", "up"] and told["rolling"]["accuracy"] > 0.5
    out = str(given.folder / "out.jsonl")
    result_of("predict", given.model, given.train, "-o", out, "--proba")
    found = [json.loads(line) for line in Path(out).read_text().splitlines()]
    assert {row["label"] for row in found} == {"down", "flat", "up"} and sum(
        found[0]["probabilities"].values()
    ) == pytest.approx(1)
    assert result_of("evaluate", given.model, given.train)["accuracy"] > 0.5
    up = result_of("inspect", given.model, "--label", "up")["rising"]
    assert up and up != result_of("inspect", given.model)["rising"]
    refused(
        given,
        "there are no trajectories of the label 'sideways'",
        "inspect",
        given.model,
        "--label",
        "sideways",
    )


def test_rows_without_a_target_one_step_and_empty_steps(given: JsonFiles) -> None:
    holes = [{**row, "target": None} if n % 10 == 0 else row for n, row in enumerate(rows())]
    path = given.write("holes.jsonl", holes)
    refused(
        given,
        "holes.jsonl:1: 'target' is a number, not null.",
        "train",
        "forecast",
        path,
        "-o",
        given.model,
    )
    told = result_of("train", "forecast", path, "--skip-missing", "-o", given.model)
    assert told["rows_skipped"] == 20
    assert result_of("evaluate", given.model, path, "--skip-missing")["documents"] == 180
    one = given.write("one.jsonl", [{**row, "date": "2007"} for row in rows()])
    assert result_of("train", "forecast", one)["steps"] == 1
    refused(
        given,
        "there is no step with rows that has rows before it",
        "train",
        "forecast",
        one,
        "--first",
        "2007",
    )
    far = given.write("far.jsonl", [row for row in rows() if not "2003" <= row["date"] < "2005"])
    assert (
        result_of("train", "forecast", far, "--first", "2003")["rolling"]["by step"][0]["step"]
        == "2005"
    )


def test_mistakes_get_one_sentence(given: JsonFiles) -> None:
    train = ("train", "forecast", given.train)
    for options, says in {
        ("--penalty", "best"): "there is no penalty called 'best': expected one of adaptive",
        ("--mode", "first"): "--mode must be one of moving, pooled, last, not 'first'.",
        (
            "--step",
            "decade",
        ): "--step must be one of year, quarter, month, week, day, not 'decade'.",
        ("--strengths", "1,much"): "--strengths takes numbers of at least 0 with commas",
        ("--strengths", "1,-2"): "--strengths takes numbers of at least 0 with commas",
        ("--strengths", "1,2", "--strength", "1"): "exclude each other",
        ("--strength", "-1"): "--strength takes a number of at least 0",
        ("--strengths", "1,2"): "need rolling forecasts",
        ("--gap", "1"): "need rolling forecasts",
        ("--smoothness", "1"): "--smoothness does not go with --penalty adaptive.",
        ("--strength", "lasso=1"): "strength has an entry for 'lasso', but the penalty is adaptive",
        ("--penalty", "ridge", "--fit-tau"): "--fit-tau does not go with --penalty ridge.",
        ("--floor", "0"): "floor must be a positive number",
        ("--tau", "nan"): "--tau must be a number of at least 0",
        ("--number", "future"): "train.jsonl:1: the field 'future' is missing",
        ("--target-field", "state"): "train.jsonl:1: 'state' is a number, not",
        ("--date-field", "text"): "train.jsonl:1: 'text' is a date such as",
        ("--first", "1999"): "there is no step '1999': steps go from 2000 to 2007",
        ("--first", "soon"): "is no date: 'soon'",
        ("--max-words", "5", "--first-rank", "500"): "none is left from rank 500 on",
        ("-o", str(given.folder / "no" / "m")): "there is no folder",
    }.items():
        refused(given, says, *train, *options)
    bad = given.write("bad.jsonl", [*rows(1), {"text": "x", "date": "May 2003", "target": 1}])
    refused(given, "bad.jsonl:26: 'date' is a date such as 2008-07-31", "train", "forecast", bad)
    refused(given, "the file is empty", "train", "forecast", given.write("empty.jsonl", []))
    trained(given)
    refused(
        given,
        "the field 'past' is missing",
        "predict",
        given.model,
        given.write("n.jsonl", [{"text": "x"}]),
    )
    refused(given, "--proba is for labels", "predict", given.model, given.train, "--proba")
    refused(
        given,
        "the model has no weight for 'snow'",
        "report",
        given.model,
        "-o",
        f"{given.folder}/p",
        "--words",
        "snow",
    )
    refused(given, "there is no step '1980'", "inspect", given.model, "--since", "1980")
    refused(given, "does not go with", "inspect", given.model, "--near", "strong")
    old = given.write("old.csv", "date,rate\n1950,1\n")
    refused(
        given,
        "no value within the steps",
        "report",
        given.model,
        "-o",
        f"{given.folder}/p",
        "--series",
        old,
    )


def test_models_of_rows_of_numbers_can_be_inspected(given: JsonFiles) -> None:
    TemporalRegressor(Ridge(), mode="pooled").fit(
        np.eye(4), np.arange(4.0), times=[2000, 2001, 2002, 2003]
    ).save(given.model)
    assert result_of("inspect", given.model)["mode"] == "pooled"
    refused(given, "laconic predict does not go with", "predict", given.model, given.train)


def test_ctrl_c_keeps_the_model(given: JsonFiles) -> None:
    many = given.write(
        "many.jsonl",
        [
            {**row, "text": row["text"] + f" w{n % 997} v{n % 991}"}
            for n, row in enumerate(rows(8, 400))
        ],
    )
    command = [
        sys.executable,
        "-m",
        "laconic",
        "train",
        "forecast",
        many,
        "-o",
        given.model,
        "--step",
        "day",
        "--json",
    ]
    told = interrupted([*command, "--strength", "1e-6", "--floor", "1e-9"], b"step 2")
    assert (
        told["interrupted"]
        and not told["converged"]
        and laconic.load(given.model).model_.interrupted_
    )
