"""Language models in JavaScript: log probabilities to 1e-9, and the same next words."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from javascript import PREDICT, run_js

from laconic import ClassMixture, KneserNey, LanguageModel, load, save_compact

SCRIPT = (
    PREDICT
    + """
say({ scores: given.sentences.map((sentence) => model.logProb(sentence)),
  next: given.starts.map(([words, prefix]) => model.complete(words, 5, prefix)) });
"""
)
SENTENCES = ["a b c", "a b d", "b c a", "ж ü c", "a c c"] * 4


def check(model: LanguageModel, path: Path, sentences: list[str], prefix: str) -> None:
    save_compact(model, path)
    compact = load(path)
    starts = [[s.split()[:3], p] for s in sentences[:12] for p in ("", prefix)]
    found = run_js(SCRIPT, {"path": str(path), "sentences": sentences, "starts": starts})
    expected = np.array([compact.log_prob(sentence) for sentence in sentences])
    assert np.abs(np.array(found["scores"]) - expected).max() <= 1e-9
    for (words, given), answer in zip(starts, found["next"], strict=True):
        wanted = compact.complete(words, 5, given)
        assert [word for word, _ in answer] == [word for word, _ in wanted]
        assert np.allclose([p for _, p in answer], [p for _, p in wanted], atol=1e-9, rtol=0)


@pytest.mark.filterwarnings("ignore:the text has too few n-grams")
def test_small_models_of_every_order(tmp_path: Path) -> None:
    for order in (1, 2, 4):
        model = LanguageModel(order, KneserNey()).fit(SENTENCES)
        check(model, tmp_path / "model", [*SENTENCES, "", "x y", "a\u3000b\x85c"], "a")


@pytest.mark.slow
def test_real_sentences_and_classes(data: Path, tmp_path: Path) -> None:
    with gzip.open(data / "ptb" / "ptb.valid.txt.gz", "rt") as text:
        sentences = [line.strip() for line in text][:3000]
    model = LanguageModel(3, ClassMixture(KneserNey(), (20,)), min_count=2)
    check(model.fit(sentences[:2000]), tmp_path / "model", sentences[2000:], "s")
