"""What people bring: frames, records, columns beside the text, weights, own words."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import refused, result_of, run

import laconic
from laconic import TextClassifier
from laconic.models.save import save_model
from laconic.text.documents import DocumentEncoder

SIGNS = {"good": ["fine", "great", "lovely"], "bad": ["dull", "poor", "awful"]}
COMMON = ["the", "of", "and", "in", "is", "that", "it", "for", "on", "are", "with"]


def records(n: int, seed: int = 0) -> list[dict[str, Any]]:
    """Reviews whose stars and shop say more than half of what their words say."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        label = ("good", "bad")[i % 2]
        meant = label if rng.random() > 0.3 else ("good", "bad")[int(rng.integers(2))]
        text = [*rng.choice(COMMON, 6), *rng.choice(SIGNS[meant], 2)]
        stars = round(float(rng.normal(4 if label == "good" else 2, 0.7)), 2)
        shop = str(rng.choice(["Rome", "Oslo"], p=[0.8, 0.2] if label == "good" else [0.2, 0.8]))
        review = " ".join(rng.permutation(text))
        rows.append({"review": review, "stars": stars, "shop": shop, "verdict": label})
    return rows


TRAIN, TEST = records(120), records(60, 1)
BESIDE = {"numbers": ("stars",), "categories": ("shop",), "text": "review"}


class DataSet:
    """Columns by name, as data sets of Hugging Face have them: no `columns`, no records."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.column_names = list(rows[0])

    def __getitem__(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows]


def formed(form: str) -> Any:
    """Return the training rows as people have them."""
    if form in ("pandas", "polars"):
        return pytest.importorskip(form).DataFrame(TRAIN)
    columns = {name: [row[name] for row in TRAIN] for name in TRAIN[0]}
    return {"records": TRAIN, "columns": columns, "data set": DataSet(TRAIN)}[form]


@pytest.mark.parametrize("form", ["records", "columns", "pandas", "polars", "data set"])
def test_every_form_of_columns_gives_the_same_model(form: str) -> None:
    stated = {"penalty": "lasso", "strength": 0.5}
    expected = TextClassifier(**stated).fit(
        [row["review"] for row in TRAIN], [row["verdict"] for row in TRAIN]
    )
    model = TextClassifier(**stated).fit(formed(form), "verdict")
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    beside = TextClassifier(**stated, **BESIDE).fit(formed(form), "verdict")
    assert beside.columns_.names == ["stars", "shop=Rome"] and beside.column_weights_.all()
    assert beside.score(TEST, [row["verdict"] for row in TEST]) > 0.9


def test_columns_are_free_unless_they_are_penalised() -> None:
    strong = {"penalty": "lasso", "strength": 1e4, **BESIDE}
    free = TextClassifier(**strong).fit(TRAIN, "verdict")
    assert not free.coef_.any() and free.column_weights_.all()
    with pytest.warns(UserWarning, match="no word was kept"):
        dear = TextClassifier(**strong, free_columns=False).fit(TRAIN, "verdict")
    assert not dear.column_weights_.any()
    # With only free columns the fit is a logistic regression of them.
    from sklearn.linear_model import LogisticRegression

    Z = free.columns_.rows({k: [row[k] for row in TRAIN] for k in ("stars", "shop")}, len(TRAIN))
    plain = LogisticRegression(C=1e9).fit(Z.toarray(), [row["verdict"] for row in TRAIN])
    np.testing.assert_allclose(free.column_weights_, plain.coef_, rtol=0.02)


@pytest.mark.slow
def test_columns_are_chosen_with_saved_and_explained(tmp_path: Path) -> None:
    model = TextClassifier(folds=3, seconds=20, **BESIDE).fit(TRAIN, "verdict")
    words_alone = TextClassifier(folds=3, text="review").fit(TRAIN, "verdict")
    gold = [row["verdict"] for row in TEST]
    assert model.score(TEST, gold) > words_alone.score(TEST, gold)
    for compact in (False, True):
        path = tmp_path / f"{compact}.laconic"
        (laconic.save_compact if compact else save_model)(model, path)
        loaded = laconic.load(path)
        np.testing.assert_allclose(
            loaded.decision_function(TEST), model.decision_function(TEST), rtol=1e-6
        )
    found = model.explain(TEST[0])
    by_name = {share.feature: share.contribution for share in found.features("good")}
    assert {"stars", "shop=Rome"} & by_name.keys()
    assert np.isclose(sum(by_name.values()) + found.intercepts[1], found.scores[1])
    with pytest.raises(ValueError, match="needs the column 'stars' beside the text"):
        model.predict(["a fine shop"])


def test_one_string_is_refused_with_what_to_do() -> None:
    model = TextClassifier("lasso", strength=0.1).fit(["sun sand", "snow ice"] * 4, ["a", "b"] * 4)
    for call in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match=r"give a list with one document, \[text\]"):
            call("snow and ice")
    with pytest.raises(ValueError, match="list with one document"):
        TextClassifier().fit("sun", ["a"])


def test_weights_of_documents_are_copies_of_them() -> None:
    texts, labels = [row["review"] for row in TRAIN], [row["verdict"] for row in TRAIN]
    weight = np.ones(len(texts))
    weight[:10] = 3
    stated = {"penalty": "elastic", "strength": 0.5, "tol": 1e-8}
    weighed = TextClassifier(**stated).fit(texts, labels, sample_weight=weight)
    copied = TextClassifier(**stated).fit(texts + 2 * texts[:10], labels + 2 * labels[:10])
    np.testing.assert_allclose(weighed.coef_, copied.coef_, atol=1e-4)
    with pytest.raises(ValueError, match="120 documents but 3 sample weights"):
        TextClassifier(**stated).fit(texts, labels, sample_weight=[1, 2, 3])
    chosen = TextClassifier(folds=2).fit(texts, labels, sample_weight=weight)
    assert chosen.tried_


def test_document_frequencies_stop_words_and_own_words() -> None:
    texts = ["the red cat", "the red dog", "the cow", "the CAT-fish"]
    assert DocumentEncoder().grow(texts, min_df=2) and _words(texts, min_df=2) == [
        "the", "red", "cat"
    ]  # fmt: skip
    assert _words(texts, max_df=0.5) == ["red", "cat", "dog", "cow", "fish"]
    assert _words(texts, max_df=2, min_df=0.5) == ["red", "cat"]
    encoder = DocumentEncoder(stop_words=["The", "red"], ngrams=2)
    encoder.grow(texts)
    assert encoder.vocab.words == ["cat", "dog", "cow", "fish", "cat fish"]
    encoder = DocumentEncoder(tokenizer=r"[\w-]+")
    encoder.grow(texts)
    assert "cat-fish" in encoder.vocab.words
    encoder = DocumentEncoder(tokenizer=str.split, lowercase=False)
    encoder.grow(texts)
    assert "CAT-fish" in encoder.vocab.words
    with pytest.raises(ValueError, match="no word is in at least 5"):
        _words(texts, min_df=5)
    with pytest.raises(ValueError, match="max_df is a number of documents from 1 on, or a share"):
        _words(texts, max_df=1.5)
    with pytest.raises(ValueError, match="is none: "):
        DocumentEncoder(tokenizer="[")


def _words(texts: list[str], **limits: float) -> list[str]:
    encoder = DocumentEncoder()
    encoder.grow(texts, **limits)
    return encoder.vocab.words


def test_own_words_are_saved_as_expressions_and_not_as_functions(tmp_path: Path) -> None:
    texts, labels = ["x-ray of a-b", "c-d and e"] * 5, ["a", "b"] * 5
    stated = {"penalty": "lasso", "strength": 0.01}
    model = TextClassifier(**stated, tokenizer=r"[\w-]+", stop_words=["of"], max_df=0.9)
    model.fit(texts, labels).save(tmp_path / "m.laconic")
    loaded = laconic.load(tmp_path / "m.laconic")
    assert "x-ray" in loaded.get_feature_names_out() and loaded.predict(["x-ray"]) == ["a"]
    pieces = loaded.explain("the x-ray of a").pieces()[0]
    assert [piece.text for piece in pieces if piece.word >= 0] == ["the", "x-ray", "a"]
    own = TextClassifier(**stated, tokenizer=str.split).fit(texts, labels)
    with pytest.raises(ValueError, match="give a regular expression, or split documents yourself"):
        own.save(tmp_path / "f.laconic")


def table(path: Path, rows: list[dict[str, Any]]) -> str:
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


class Folder:
    """Where a test writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder


@pytest.mark.slow
def test_the_command_line_takes_all_of_it(tmp_path: Path) -> None:
    train, test = table(tmp_path / "a.csv", TRAIN), table(tmp_path / "b.csv", TEST)
    (tmp_path / "stop.txt").write_text("the\nof\n")
    plain = table(tmp_path / "c.csv", [{"review": "fine"}])
    model, here = str(tmp_path / "m.laconic"), Folder(tmp_path)
    named = ("--text", "review", "--label", "verdict")
    result_of(
        *("train", "classify", train, "-o", model, "--seconds", "20", *named),
        *("--number", "stars", "--category", "shop", "--class-weight", "good=2,bad=1"),
        *("--min-df", "2", "--max-df", "0.9", "--stop-words", str(tmp_path / "stop.txt")),
        *("--tokenizer", r"\w\w+"),
    )
    assert result_of("evaluate", model, test, *named)["accuracy"] > 0.9
    rows = run("predict", model, test, "--text", "review").stdout.splitlines()
    assert len(rows) == len(TEST) and set(json.loads(rows[0])) == {"label"}
    shown = result_of("explain", model, test, "--text", "review")["documents"][0]
    assert any(one["feature"] == "stars" for one in shown["labels"][0]["features"])
    assert result_of("inspect", model)["columns"][0]["column"] == "stars"
    refused(here, "give a file that has them", "explain", model, "a fine shop")
    refused(here, "'stars' is missing", "predict", model, plain, "--text", "review")
    for option, value, sentence in (
        ("--class-weight", "good", "takes balanced, or weights such as spam=5,ham=1"),
        ("--min-df", "many", "takes a number of documents or a share"),
        ("--number", "stars,stars", "takes different names"),
        ("--category", "price", "'price' is missing"),
        ("--tokenizer", "[", "is a regular expression"),
    ):
        refused(here, sentence, "train", "classify", train, *named, option, value)
