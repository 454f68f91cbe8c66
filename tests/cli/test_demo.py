"""The demo on a handful of documents in place of the docstrings of three packages."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from laconic.cli.main import app
from laconic.text import docstrings, markup

SENTENCES = {
    "numpy": "The array is broadcast. A view of the buffer is returned.",
    "scipy": "The integral is computed. A sparse solver is called.",
    "sklearn": "The estimator is fitted. A score of the samples is returned.",
}


@pytest.fixture
def few_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = list(SENTENCES) * 20
    monkeypatch.setattr(
        docstrings, "docstring_corpus", lambda: ([SENTENCES[label] for label in labels], labels)
    )


@pytest.mark.usefixtures("few_docstrings")
def test_the_demo_compares_and_inspects() -> None:
    outcome = CliRunner().invoke(app, ["demo", "--json"])
    assert outcome.exit_code == 0, outcome.output
    report = json.loads(outcome.stdout)
    assert report["documents"] == report["documents_train"] + report["documents_test"] == 60
    assert [(row["penalty"], row["accuracy"]) for row in report["models"]] == [
        ("lasso", 1.0),
        ("sentence", 1.0),
    ]
    assert report["words"].keys() == SENTENCES.keys() and report["groups"]["sentence"]["kept"]
    for_people = CliRunner().invoke(app, ["demo"]).stdout
    assert "strongest first" in for_people and "sentence groups kept" in for_people


def test_the_demo_of_taggers(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = ["If", "axis", "is", "None", "the", "array", "is", "flattened", "."]
    labels = ["O", "B-CODE", "O", "B-CODE", *["O"] * 5]
    monkeypatch.setattr(markup, "markup_corpus", lambda: ([tokens] * 40, [labels] * 40))
    outcome = CliRunner().invoke(app, ["demo", "tag", "--json"])
    assert outcome.exit_code == 0, outcome.output
    report = json.loads(outcome.stdout)
    assert report["sentences"] == 40 and report["sentences_test"] == 10
    assert [row["f1"] for row in report["models"]] == [1.0, 1.0]
    assert len(report["templates"]["kept"]) <= 15 and report["templates"]["dropped"]
    for_people = CliRunner().invoke(app, ["demo", "tag"]).stdout
    assert "templates kept" in for_people and "strongest first" in for_people
    assert CliRunner().invoke(app, ["demo", "parse"]).exit_code == 2
