"""The demo on a handful of documents in place of the docstrings of three packages."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from laconic.cli.main import app
from laconic.text import docstrings

SENTENCES = {
    "numpy": "The array is broadcast. A view of the buffer is returned.",
    "scipy": "The integral is computed. A sparse solver is called.",
    "sklearn": "The estimator is fitted. A score of the samples is returned.",
}


@pytest.fixture
def few_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = list(SENTENCES) * 20
    monkeypatch.setattr(docstrings, "docstring_corpus", lambda: ([SENTENCES[label] for label in labels], labels))


@pytest.mark.usefixtures("few_docstrings")
def test_the_demo_compares_and_inspects() -> None:
    outcome = CliRunner().invoke(app, ["demo", "--json"])
    assert outcome.exit_code == 0, outcome.output
    report = json.loads(outcome.stdout)
    assert report["documents"] == report["documents_train"] + report["documents_test"] == 60
    assert [(row["regularizer"], row["accuracy"]) for row in report["models"]] == [("lasso", 1.0), ("sentence", 1.0)]
    assert report["words"].keys() == SENTENCES.keys() and report["groups"]["sentence"]["kept"]
    for_people = CliRunner().invoke(app, ["demo"]).stdout
    assert "strongest first" in for_people and "sentence groups kept" in for_people
