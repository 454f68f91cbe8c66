"""The demo on a handful of documents in place of the docstrings of three packages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from laconic.cli.main import app

SENTENCES = {
    "numpy": "The array is broadcast. A view of the buffer is returned.",
    "scipy": "The integral is computed. A sparse solver is called.",
    "sklearn": "The estimator is fitted. A score of the samples is returned.",
}
pytestmark = pytest.mark.filterwarnings("ignore:the text has too few n-grams")


@pytest.fixture(autouse=True)
def few_docstrings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    labels = list(SENTENCES) * 20
    texts = [" ".join(SENTENCES[label] for _ in range(3)) for label in labels]
    for home in ("laconic.text.docstrings", "laconic.classify.demo"):
        monkeypatch.setattr(f"{home}.docstring_corpus", lambda: (texts, labels))


def shown(task: str) -> tuple[dict[str, Any], str]:
    """Return the report of a demo, and what people read."""
    outcome = CliRunner().invoke(app, ["demo", task, "--json", "-o", "page.html"])
    assert outcome.exit_code == 0, outcome.output
    report = json.loads(outcome.stdout)
    assert report["page_bytes"] == Path("page.html").stat().st_size
    assert "Content-Security-Policy" in Path("page.html").read_text("utf-8")
    said = CliRunner().invoke(app, ["demo", task]).stdout
    assert Path("demo.html").exists() and "open demo.html" in said
    assert f"Next, on a file of yours: laconic train {task} " in said
    return report, said


def test_the_demo_compares_explains_and_writes_a_page() -> None:
    report, said = shown("classify")
    assert report["documents"] == report["documents_train"] + report["documents_test"] == 60
    peer, model, small = report["models"]
    assert peer["model"].startswith("scikit-learn") and small["model"].endswith("8 weight values")
    assert [row["accuracy"] for row in report["models"]] == [1.0, 1.0, 1.0]
    assert small["words"] <= model["words"] < peer["words"]
    assert small["bytes"] <= model["bytes"] < peer["bytes"]
    assert any(
        f"{label}:" in said and SENTENCES[label].split(".")[0] in said for label in SENTENCES
    )


def test_the_demo_of_taggers(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = ["If", "axis", "is", "None", "the", "array", "is", "flattened", "."]
    labels = ["O", "B-CODE", "O", "B-CODE", *["O"] * 5]
    monkeypatch.setattr("laconic.tag.demo.markup_corpus", lambda: ([tokens] * 40, [labels] * 40))
    report, said = shown("tag")
    assert report["sentences"] == 40 and report["sentences_test"] == 10
    assert [row["f1"] for row in report["models"]] == [1.0, 1.0, 1.0]
    assert report["models"][1]["templates"] <= 15 and "If axis is None" in said


@pytest.mark.filterwarnings("ignore:stopped after")
def test_the_demos_of_next_words_and_of_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    report, said = shown("lm")
    full, few = report["models"]
    assert few["ngrams"] < full["ngrams"] and few["bytes"] < full["bytes"]
    assert "What is the next word" in said
    monkeypatch.setattr("laconic.embed.demo.SIZE", 13)
    report, _ = shown("embed")
    dense, sparse = report["models"]
    assert dense["words"] == sparse["words"] > 5 and sparse["zeros"] >= dense["zeros"]


def test_other_tasks_are_refused() -> None:
    outcome = CliRunner().invoke(app, ["demo", "rerank"])
    assert outcome.exit_code == 2 and "classify, tag, lm, embed" in outcome.stderr
