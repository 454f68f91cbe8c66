"""Model files written by laconic 0.1.0 still load, and predict what they did then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic import save_compact

FOLDER = Path(__file__).parents[1] / "data" / "models-0.1"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text("utf-8"))


def tuples(sentences: list[list[list[str]]]) -> list[list[tuple[str, ...]]]:
    return [[tuple(token) for token in sentence] for sentence in sentences]


@pytest.mark.parametrize("name", ["classify", "classify.compact", "classify.nameless"])
def test_classifiers(name: str) -> None:
    model, then = laconic.load(FOLDER / f"{name}.model"), EXPECTED["classify"]
    assert model.predict(then["documents"]).tolist() == then["labels"]
    assert np.allclose(model.predict_proba(then["documents"]), then["proba"], atol=1e-6)


def test_rows_of_length_1_survive_another_saving(tmp_path: Path) -> None:
    model, then = laconic.load(FOLDER / "classify.model"), EXPECTED["classify"]
    assert model.unit_rows_ and len(model.idf_) > model.coef_.shape[1]
    model.save(tmp_path / "m")
    save_compact(model, tmp_path / "compact")
    for name in ("m", "compact"):
        found = laconic.load(tmp_path / name).predict_proba(then["documents"])
        assert np.allclose(found, then["proba"], atol=1e-6)


@pytest.mark.parametrize("name", ["tag", "tag.compact"])
def test_taggers(name: str) -> None:
    model, then = laconic.load(FOLDER / f"{name}.model"), EXPECTED["tag"]
    assert model.predict(tuples(then["sentences"])) == then["labels"]


@pytest.mark.parametrize("name", ["parse", "parse.compact"])
def test_parsers(name: str) -> None:
    model, then = laconic.load(FOLDER / f"{name}.model"), EXPECTED["parse"]
    found = model.predict(tuples(then["sentences"]))
    assert [tree.heads for tree in found] == then["heads"]
    assert [tree.labels for tree in found] == then["labels"]


def test_rerankers() -> None:
    model, then = laconic.load(FOLDER / "rerank.model"), EXPECTED["rerank"]
    assert [tree.heads for tree in model.predict(tuples(then["sentences"]))] == then["heads"]


def test_language_models() -> None:
    text = ["the cat sleeps", "a dog barks", "the dog sleeps", "a cat barks"]
    for name, key in (("lm", "perplexity"), ("lm.kn", "kneser_ney")):
        model = laconic.load(FOLDER / f"{name}.model")
        assert model.perplexity([line.split() for line in text]) == pytest.approx(
            EXPECTED["lm"][key]
        )


def test_word_vectors() -> None:
    model, then = laconic.load(FOLDER / "embed.model"), EXPECTED["embed"]
    assert np.allclose(model.vector(then["word"]), then["vector"])


def test_models_over_time() -> None:
    model, then = laconic.load(FOLDER / "forecast.model"), EXPECTED["forecast"]
    found = model.predict(then["texts"], {"past": np.array(then["past"])})
    assert np.allclose(found, then["predicted"])
    model, then = laconic.load(FOLDER / "temporal.model"), EXPECTED["temporal"]
    assert np.allclose(model.predict(np.array(then["X"])), then["predicted"])
    model = laconic.load(FOLDER / "sage.model")
    assert np.abs(model.trajectories_).sum() == pytest.approx(EXPECTED["sage"]["trajectories"])
