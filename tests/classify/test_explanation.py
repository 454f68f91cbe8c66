"""What explains a model as a whole: words, quality, stability, comparison, page and tables."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss

import laconic
from laconic.classify.explanation.comparison import compare
from laconic.classify.explanation.material import LabelledDocuments, Request, gather
from laconic.classify.explanation.page import write_explanations, write_material
from laconic.classify.explanation.quality import assess, reliability
from laconic.classify.explanation.stability import learning_curve, stability
from laconic.classify.explanation.tables import write_table
from laconic.classify.explanation.words import contexts, word_statistics, word_table
from laconic.classify.model import TextClassifier
from tests.classify.test_page import Outline

COMMON = ["the", "one", "was", "late", "calm", "we", "went"]
OWN = {"space": ["rocket", "orbit", "moon"], "health": ["doctor", "patient", "clinic"]}
OWN |= {"sport": ["goal", "keeper", "match"]}


def corpus(n: int, labels: list[str], seed: int) -> LabelledDocuments:
    """Sentences of common words and about one word of the label each; some are of another."""
    random = np.random.default_rng(seed)
    gold = [labels[k % len(labels)] for k in range(n)]
    texts = []
    for label in gold:
        said = label if random.random() < 0.9 else labels[random.integers(len(labels))]
        sentences = [
            " ".join([*random.choice(COMMON, 4), random.choice(OWN[said])]).capitalize() + "."
            for _ in range(2)
        ]
        texts.append(" ".join(sentences))
    return LabelledDocuments(texts, gold)


TRAIN, TEST = corpus(90, list(OWN), 1), corpus(60, list(OWN), 2)
TWO = corpus(200, ["space", "health"], 3)


@pytest.fixture(scope="module")
def three() -> TextClassifier:
    return TextClassifier("lasso", strength=1.0).fit(*TRAIN)


@pytest.fixture(scope="module")
def two() -> TextClassifier:
    return TextClassifier("lasso", strength=1.0, weighting="tfidf", ngrams=2).fit(*TWO)


@pytest.mark.parametrize("which", ["two", "three"])
def test_effects_are_weights_times_spreads(which: str, request: pytest.FixtureRequest) -> None:
    model: TextClassifier = request.getfixturevalue(which)
    data = TWO if which == "two" else TRAIN
    table = word_table(model, word_statistics(model, *data))
    X = model.vectorize(data.documents).toarray()
    counts = model.encoder_.encode(data.documents).counts(X.shape[1]).toarray()
    gold = np.array(data.labels)
    for row in table:
        f = model.encoder_.vocab.id(row["word"])
        k = list(model.classes_).index(row["label"])
        weight = model.coef_[0, f] * (1 if k else -1) if which == "two" else model.coef_[k, f]
        assert row["weight"] == pytest.approx(weight) and weight != 0
        assert row["spread"] == pytest.approx(X[:, f].std())
        assert row["effect"] == pytest.approx(weight * X[:, f].std())
        assert row["occurrences"] == counts[:, f].sum()
        assert row["documents"] == (counts[:, f] > 0).sum()
        assert row["in_label"] == (counts[gold == row["label"], f] > 0).sum()
    for label in model.classes_:
        size = np.abs(table["effect"][table["label"] == label])
        assert np.all(np.diff(size) <= 0)
    assert len(table) == np.count_nonzero(model.coef_)


def test_contexts_are_places_of_the_word(two: TextClassifier) -> None:
    words = [*two.encoder_.vocab.words[:30], "unheard"]
    for word, rows in contexts(two, words, *TWO, n=2).items():
        assert bool(rows) == (word != "unheard")
        for row in rows:
            assert row.keyword.lower() == word
            assert f"{row.left}{row.keyword}{row.right}" in TWO.documents[row.document]
            assert row.label == TWO.labels[row.document]
        assert len({row.document for row in rows}) == len(rows)


@pytest.mark.parametrize("which", ["two", "three"])
def test_quality_agrees_with_scikit_learn(which: str, request: pytest.FixtureRequest) -> None:
    model: TextClassifier = request.getfixturevalue(which)
    data = TWO if which == "two" else TEST
    found = assess(model, *data)
    chances = model.predict_proba(data.documents)
    predicted = model.predict(data.documents)
    assert found.labels.tolist() == model.classes_.tolist()
    np.testing.assert_array_equal(found.confusion, confusion_matrix(data.labels, predicted))
    assert found.accuracy == np.mean(predicted == np.array(data.labels))
    assert found.log_loss == pytest.approx(log_loss(data.labels, chances))
    if which == "two":
        single = brier_score_loss(np.array(data.labels) == model.classes_[1], chances[:, 1])
        assert found.brier == pytest.approx(2 * single)
    bins = found.reliability
    assert bins.documents.sum() == len(data.labels)
    full = bins.documents > 0
    assert np.nansum(bins.accuracy[full] * bins.documents[full]) == pytest.approx(
        found.accuracy * len(data.labels)
    )


def test_a_calibrated_forecast_has_no_error_and_a_sure_wrong_one_has_all() -> None:
    assert reliability(np.full(10, 0.7), np.arange(10) < 7).error == pytest.approx(0)
    assert reliability(np.ones(4), np.zeros(4, bool)).error == 1


def test_a_label_that_the_model_does_not_know_is_missed(two: TextClassifier) -> None:
    found = assess(two, [*TWO.documents, "A goal."], [*TWO.labels, "sport"])
    assert found.labels.tolist() == ["health", "space", "sport"]
    assert found.confusion.sum() == 201 and found.confusion[:, 2].sum() == 0
    assert np.isfinite(found.log_loss)


def test_stability_tells_words_from_noise(two: TextClassifier) -> None:
    found = stability(two, *TWO, n_samples=20)
    table = found.words
    share = {row["word"]: row["chosen"] for row in table}
    signal = np.mean([share.get(word, 0.0) for word in (*OWN["space"], *OWN["health"])])
    noise = np.mean([share.get(word, 0.0) for word in COMMON])
    assert signal > 0.8 and noise < 0.5 * signal and found.n_samples == 20
    assert np.all(table["low"] <= table["high"])
    assert -0.1 <= found.consistency <= 1
    weights = {row["word"]: row["weight"] for row in word_table(two)}
    for row in table[:6]:
        assert row["weight"] == pytest.approx(weights.get(row["word"], 0), rel=0.01, abs=0.01)
    again = stability(two, *TWO, n_samples=20)
    np.testing.assert_array_equal(again.words, table)


def test_resamples_keep_no_more_words_than_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("LEAST", 2), ("SHARE", 0.0), ("WIDER", (1,))):
        monkeypatch.setattr(f"laconic.classify.tuning.{name}", value)
    plain = {"prefixes": (), "ngrams": 1, "weighting": "log", "contrast": 0.0, "frequency": 0.0}
    model = TextClassifier(**plain, folds=2).fit(*TWO)
    model.save(tmp_path / "few.laconic")
    found = stability(laconic.load(tmp_path / "few.laconic"), *TWO, n_samples=5)
    own = set(found.words["word"][found.words["weight"] != 0])
    assert own == {row["word"] for row in word_table(model)} and len(own) == 2
    assert found.words["chosen"].sum() <= 2 + 1e-9


def test_the_same_words_in_every_resample_are_wholly_stable() -> None:
    model = TextClassifier("ridge", strength=1.0)
    texts, labels = ["rocket orbit", "doctor patient"] * 20, ["space", "health"] * 20
    found = stability(model, texts, labels, n_samples=5)
    assert found.consistency == 1 and set(found.words["chosen"]) == {1.0}


def test_the_learning_curve_ends_at_the_model(three: TextClassifier) -> None:
    points = learning_curve(three, TRAIN, TEST)
    assert [point.documents for point in points] == sorted({p.documents for p in points})
    assert points[-1].documents == len(TRAIN.labels)
    predicted = three.predict(TEST.documents)
    assert points[-1].accuracy == np.mean(predicted == np.array(TEST.labels))
    inside = learning_curve(three, TRAIN)
    assert inside[-1].documents == len(TRAIN.labels) * 4 // 5


def test_a_comparison_counts_words_and_discordant_documents(two: TextClassifier) -> None:
    other = TextClassifier("lasso", strength=4.0).fit(*TWO)
    found = compare(two, other, *TWO)
    words = [set(word_table(model)["word"]) for model in (two, other)]
    assert set(found.only_first) == words[0] - words[1]
    assert set(found.only_second) == words[1] - words[0]
    assert found.shared == len(words[0] & words[1])
    right = [model.predict(TWO.documents) == np.array(TWO.labels) for model in (two, other)]
    first, second = int(np.sum(right[0] & ~right[1])), int(np.sum(right[1] & ~right[0]))
    assert (found.first_right, found.second_right) == (first, second)
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    assert found.p_value == pytest.approx(expected)
    same = compare(two, two, *TWO)
    assert same.agreement == same.p_value == 1 and not same.only_first


@pytest.mark.slow
def test_the_pages_are_complete_and_escaped(three: TextClassifier, tmp_path: Path) -> None:
    hostile = '<script>alert("x")</script>'
    labels = [hostile if label == "sport" else label for label in TRAIN.labels]
    data = LabelledDocuments([f"{text} {hostile}" for text in TRAIN.documents], labels)
    model = TextClassifier("lasso", strength=0.1).fit(*data)
    model.tried_ = [{"strength": 0.1, "what": hostile}]  # type: ignore[attr-defined]
    found = gather(model, Request(5, data, data, 3, True, three))
    write_material(model, found, tmp_path / "model.html")
    write_explanations([model.explain(data.documents[0])], tmp_path / "document.html")
    for name in ("model.html", "document.html"):
        page = (tmp_path / name).read_text("utf-8")
        outline = Outline(page)
        assert outline.tags.count("script") == 1 and "Content-Security-Policy" in page
        assert "http" not in page.replace("http-equiv", "").replace(
            "http://www.w3.org", ""
        ).replace("http://purl.org", "").replace("https://matplotlib.org", "").replace(
            "http://creativecommons.org", ""
        )
    text = Outline((tmp_path / "model.html").read_text("utf-8")).text
    for title in ("How sure", "Confusion", "Calibration", "Learning curve", "tried", "Beside"):
        assert title in text


def test_tables_are_read_again(three: TextClassifier, tmp_path: Path) -> None:
    table = word_table(three, word_statistics(three, *TRAIN))
    write_table(tmp_path / "words.csv", table)
    with open(tmp_path / "words.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["word"] for row in rows] == table["word"].tolist()
    np.testing.assert_allclose([float(row["effect"]) for row in rows], table["effect"], rtol=1e-5)
    write_table(tmp_path / "words.tex", table)
    lines = (tmp_path / "words.tex").read_text().splitlines()
    assert len(lines) == len(table) + 6 and lines[0] == r"\begin{tabular}{llrrrrrr}"
    with pytest.raises(ValueError, match=r"written as \.csv or \.tex"):
        write_table(tmp_path / "words.doc", table)


def test_words_are_a_frame_where_there_is_pandas(
    three: TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    assert isinstance(three.words_, pandas.DataFrame)
    assert len(three.words_) == np.count_nonzero(three.coef_)
    monkeypatch.setattr("laconic.classify.explanation.tables.find_spec", lambda name: None)
    assert three.words_.dtype.names[:3] == ("label", "word", "weight")
    assert "pandas" in sys.modules
