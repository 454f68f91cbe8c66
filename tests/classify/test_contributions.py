"""Contributions add up to scores, for every weighting, feature and number of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit

from laconic.classify.model import TextClassifier
from laconic.models.save import load, save_compact, save_model

TEXTS = [
    "The rocket left the launch pad. We cheered for the crew.",
    "An orbit decays slowly. The crew was calm.",
    "The launch was late. Nobody knew why the rocket shook.",
    "The doctor saw a patient. We waited for the result.",
    "A patient needs rest. The doctor was calm.",
    "The clinic was late. Nobody knew why the patient slept.",
    "The goal came late. The keeper was calm.",
    "A keeper needs luck. The goal stood.",
]
LABELS = ["space"] * 3 + ["health"] * 3 + ["sport"] * 2
WORDS = ["The", "rocket", "launch", "patient", "doctor", "calm", "Zyx", "a", "goal"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=4)
MODELS = {
    (weighting, n): TextClassifier(
        "lasso", strength=0.01, weighting=weighting, ngrams=3, prefixes=(3, 5)
    ).fit(TEXTS[: 6 if n == 2 else 8], LABELS[: 6 if n == 2 else 8])
    for weighting in ("count", "binary", "tfidf", "logtfidf")
    for n in (2, 3)
}


@pytest.mark.parametrize("key", MODELS, ids=lambda key: f"{key[0]}-{key[1]}")
@settings(max_examples=25)
@given(document=DOCUMENTS)
def test_words_sentences_and_features_add_up_to_the_score(
    key: tuple[str, int], document: list[str]
) -> None:
    model = MODELS[key]
    found = model.explain(document)
    score = model.decision_function([document]).ravel()
    expected = np.array([-score[0], score[0]]) if len(score) == 1 else score
    np.testing.assert_allclose(found.scores, expected, atol=1e-12)
    for part in (found.by_word, found.by_sentence, found.shares):
        np.testing.assert_allclose(part.sum(axis=1) + found.intercepts, expected, atol=1e-12)
    for k, label in enumerate(model.classes_):
        rows = found.features(label)
        total = sum(row.contribution for row in rows) + found.intercepts[k]
        assert total == pytest.approx(expected[k], abs=1e-12)
        for row in rows:
            f = model.encoder_.vocab.id(row.feature)
            sign = 1 if len(score) > 1 or k == 1 else -1
            assert row.weight == pytest.approx(sign * model.coef_[k % len(model.coef_), f])
            assert row.times * row.value * row.weight == pytest.approx(row.contribution)
    assert found.predicted == model.predict([document])[0]
    np.testing.assert_allclose(found.probabilities, model.predict_proba([document])[0], atol=1e-12)


@pytest.mark.parametrize("n", [2, 3])
def test_log_odds_are_log_odds(n: int) -> None:
    model = MODELS["logtfidf", n]
    text = "The rocket was late. The patient needs a goal."
    chances = dict(zip(model.classes_, model.predict_proba([text])[0], strict=True))
    found = model.explain(text).against("space", "health")
    assert found.labels.tolist() == ["health", "space"]
    assert found.scores[1] == pytest.approx(np.log(chances["space"] / chances["health"]))
    assert found.by_word[1].sum() + found.intercepts[1] == pytest.approx(found.scores[1])
    if n == 2:
        assert model.explain(text).scores[1] == pytest.approx(logit(chances["space"]))


def test_features_cover_the_words_they_are_made_of() -> None:
    encoder = MODELS["count", 3].encoder_
    unit = ["nobody", "knew", "why", "the", "goal", "stood"]
    features = [*unit, *encoder._ngrams_of(unit), *encoder._prefixes_of(unit)]
    spans = encoder.spans_of(unit)
    assert len(spans) == len(features)
    for (start, end), feature in zip(spans.tolist(), features, strict=True):
        covered = " ".join(unit[start:end])
        assert covered == feature or covered.startswith(feature.removesuffix("*"))
    assert encoder.spans_of([]).shape == (0, 2)


def test_a_phrase_adds_to_its_words_in_equal_parts() -> None:
    model = TextClassifier("ridge", strength=0.1, ngrams=2).fit(TEXTS, LABELS)
    found = model.explain([["the", "rocket"]])
    ids = model.encoder_.vocab.ids(["the", "rocket", "the rocket"])
    the, rocket, both = model.coef_[:, ids].T
    np.testing.assert_allclose(found.by_word, np.stack([the + both / 2, rocket + both / 2], axis=1))


@pytest.mark.parametrize("text", ["The ROCKET -- left! \n İstanbul's crew.", "", "?", "x y z"])
def test_pieces_are_the_text(text: str) -> None:
    found = MODELS["count", 3].explain(text)
    for pieces, sentence, words in zip(found.pieces(), found.texts, found.words, strict=True):
        assert "".join(piece.text for piece in pieces) == sentence
        marked = [piece.text.lower() for piece in pieces if piece.word >= 0]
        assert marked == words or "İ" in sentence
    numbers = [piece.word for pieces in found.pieces() for piece in pieces if piece.word >= 0]
    assert numbers == list(range(found.by_word.shape[1]))


@pytest.mark.parametrize("weighting", ["count", "logtfidf"])
def test_files_and_compact_files_explain_alike(weighting: str, tmp_path: Path) -> None:
    model = MODELS[weighting, 3]
    save_model(model, tmp_path / "m.laconic")
    save_compact(model, tmp_path / "c.laconic")
    whole = model.explain(" ".join(TEXTS)).as_dict()
    for name in ("m.laconic", "c.laconic"):
        again = load(tmp_path / name).explain(" ".join(TEXTS)).as_dict()
        for one, other in zip(whole["labels"], again["labels"], strict=True):
            for part in ("words", "sentences"):
                np.testing.assert_allclose(one[part], other[part], atol=1e-12)
            assert [f["feature"] for f in one["features"]] == [
                f["feature"] for f in other["features"]
            ]


def test_an_unknown_label_is_named() -> None:
    found = MODELS["count", 2].explain(TEXTS[0])
    with pytest.raises(ValueError, match="labels health, space; got 'music'"):
        found.features("music")
    with pytest.raises(ValueError, match="between two labels"):
        found.against("space", "space")
