"""Classifiers in JavaScript: labels as Python has them, and scores to 1e-9."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from javascript import PREDICT, run_js

from laconic import TextClassifier, load, save_compact

PREDICTIONS = (
    PREDICT
    + """
say(given.texts.map((text) => {
  const { label, scores, probabilities } = model.predict(text);
  return [label, [...scores], probabilities];
}));
"""
)
SETTINGS: list[dict[str, Any]] = [
    {"weighting": "log", "ngrams": 2},
    {"weighting": "logtfidf", "prefixes": (3, 5)},
    {"weighting": "tfidf", "boundary": "line", "lowercase": False},
    {"weighting": "binary", "tokenizer": r"(?:\w|['-])+|[^\w\s]"},
    {"weighting": "count", "stop_words": ["the", "of"], "boundary": "double-space", "ngrams": 3},
]  # fmt: skip


def messages(data: Path, part: str, step: int) -> tuple[list[str], list[str]]:
    with gzip.open(data / "20news_bydate" / f"{part}.jsonl.gz", "rt") as stream:
        rows = [json.loads(line) for line in stream][::step]
    return [row["text"][:1200] for row in rows], [row["label"] for row in rows]


def check(model: TextClassifier, path: Path, texts: list[str]) -> None:
    save_compact(model, path, names=False)
    compact = load(path)
    found = run_js(PREDICTIONS, {"path": str(path), "texts": texts})
    scores = compact.all_scores(texts)
    assert [label for label, *_ in found] == compact.predict(texts).tolist()
    assert np.abs(np.array([row[1] for row in found]) - scores).max() <= 1e-9
    assert np.abs(np.array([row[2] for row in found]) - compact.predict_proba(texts)).max() <= 1e-9


@pytest.mark.slow
def test_twenty_labels_and_a_thousand_messages(data: Path, tmp_path: Path) -> None:
    model = TextClassifier("lasso", strength=1.0, weighting="log").fit(*messages(data, "train", 25))
    check(model, tmp_path / "model", messages(data, "test", 6)[0])


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings["weighting"])
def test_every_way_to_read_and_weigh(settings: dict[str, Any], data: Path, tmp_path: Path) -> None:
    texts, labels = messages(data, "train", 90)
    two = [label.startswith("comp") for label in labels]
    model = TextClassifier("lasso", strength=0.3, **settings).fit(texts, two)
    check(model, tmp_path / "model", messages(data, "test", 60)[0])


def test_several_labels_per_document(tmp_path: Path) -> None:
    texts = ["sun and sand", "snow and ice", "sun on ice", "rain"] * 5
    labels = [["warm"], ["cold"], ["warm", "cold"], []] * 5
    check(TextClassifier("lasso", strength=0.1).fit(texts, labels), tmp_path / "model", texts)


def test_contributions_add_up_and_lie_where_the_words_are(tmp_path: Path) -> None:
    texts = ["sun and sand", "snow and ice", "sun and heat", "ice and frost"] * 5
    model = TextClassifier("lasso", strength=0.5, ngrams=2).fit(texts, ["w", "c", "w", "c"] * 5)
    model.save(tmp_path / "plain")
    save_compact(model, tmp_path / "model")
    text = "Sun, sand. And snow! On ice; sun"
    script = (
        PREDICT
        + """
    const { units, words, prediction } = model.explain(given.text);
    say({ words: words.flat().map((outputs) => outputs[0]), score: prediction.scores[0],
      spelled: units.flatMap((unit) => unit.spans.map(([a, b]) => given.text.slice(a, b))) });
    """
    )
    found = run_js(script, {"path": str(tmp_path / "model"), "text": text})
    explained = model.explain(text)
    assert found["spelled"] == ["Sun", "sand", "And", "snow", "On", "ice", "sun"]
    assert np.allclose(found["words"], explained.by_word[1], atol=1e-12)
    assert found["score"] == pytest.approx(explained.scores[1], abs=1e-12)


def test_other_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    texts, labels = ["sun and sand", "snow and ice"] * 10, ["w", "c"] * 10
    TextClassifier("lasso", strength=0.1).fit(texts, labels).save(tmp_path / "plain")
    (tmp_path / "text").write_text("no model at all")
    content = (tmp_path / "plain").read_bytes()
    (tmp_path / "cut").write_bytes(content[:200])
    script = """
    import { load } from "WEB/laconic.js";
    const said = (path) => load(readFileSync(path)).then(() => "", (error) => error.message);
    say(await Promise.all(given.map(said)));
    """
    said = run_js(script, [str(tmp_path / name) for name in ("plain", "text", "cut")])
    assert "laconic compress" in said[0] and "truncated" in said[1] and "truncated" in said[2]
