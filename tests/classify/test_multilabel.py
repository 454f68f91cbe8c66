"""Documents with several labels: one model, a threshold per label, lists in and lists out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import JsonFiles, refused, result_of, run
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

import laconic
from laconic import TextClassifier
from laconic.classify.multilabel import (
    as_labels,
    best_thresholds,
    indicator,
    label_set_scores,
    names_of,
)
from laconic.models.save import save_model

WORDS = {"war": ["army", "battle"], "love": ["kiss", "heart"], "space": ["moon", "rocket"]}
COMMON = ["the", "of", "and", "in", "is", "that", "it", "for", "on", "are", "with"]


def corpus(n: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Texts with a word of each of their genres, which may be none; one in five is missing."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        own = sorted(rng.choice(list(WORDS), rng.integers(0, 3), replace=False))
        signs = [str(rng.choice(WORDS[label])) for label in own if rng.random() > 0.2]
        texts.append(" ".join(rng.permutation([*rng.choice(COMMON, 6), *signs])))
        labels.append(list(map(str, own)))
    return texts, labels


TRAIN, TEST = corpus(150, 0), corpus(80, 1)


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier(folds=3, seconds=20).fit(*TRAIN)


def test_labels_come_as_lists_and_go_as_lists(model: TextClassifier) -> None:
    assert model.classes_.tolist() == ["love", "space", "war"]
    predicted = model.predict(["a kiss on the moon", "it is the battle", "of and in"])
    assert predicted[0] == ["love", "space"] and predicted[1] == ["war"]
    chances = model.predict_proba(TEST[0])
    assert chances.shape == (80, 3) and not np.allclose(chances.sum(axis=1), 1)
    scores = label_set_scores(TEST[1], model.predict(TEST[0]))
    assert scores.micro_f1 > 0.8 and model.score(*TEST) == scores.subset_accuracy


def test_a_stated_problem_is_one_logistic_regression_per_label() -> None:
    texts, labels = TRAIN
    model = TextClassifier("ridge", strength=1.0, tol=1e-8).fit(texts, labels)
    assert np.array_equal(model.thresholds_, np.zeros(3))
    X = model.vectorize(texts).toarray()
    gold = indicator(as_labels(labels), model.classes_)
    for k in range(3):
        plain = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(X, gold[:, k])
        np.testing.assert_allclose(model.coef_[k], plain.coef_[0], atol=1e-3)
    as_table = TextClassifier("ridge", strength=1.0, tol=1e-8).fit(texts, gold)
    np.testing.assert_allclose(as_table.coef_, model.coef_)


def test_thresholds_are_best_on_what_they_saw() -> None:
    rng = np.random.default_rng(0)
    gold = (rng.random((200, 4)) < [0.5, 0.2, 0.1, 0.01]).astype(float)
    scores = 2 * gold + rng.normal(size=gold.shape) - 3
    found = best_thresholds(scores, gold)
    for k in range(3):
        best = f1_score(gold[:, k], scores[:, k] > found[k])
        few = [
            t for t in np.linspace(-4, 0, 41) if np.sum(scores[:, k] > t) <= 2 * gold[:, k].sum()
        ]
        assert best >= max(f1_score(gold[:, k], scores[:, k] > t) for t in few)
    assert found[3] == 0  # too few documents
    useless = best_thresholds(rng.normal(size=(400, 1)), gold[:1, :1] * 0 + _rare(400))
    given = np.mean(rng.normal(size=400) > useless)
    assert given < 0.2


def _rare(n: int) -> np.ndarray:
    gold = np.zeros((n, 1))
    gold[:: n // 20] = 1
    return gold


def test_scores_are_those_of_scikit_learn() -> None:
    gold, predicted = TEST[1], [row[:1] for row in TEST[1]]
    names = names_of(as_labels(gold))
    true, guessed = (indicator(as_labels(rows), names) for rows in (gold, predicted))
    found = label_set_scores(gold, predicted)
    assert np.isclose(found.micro_f1, f1_score(true, guessed, average="micro"))
    assert np.isclose(found.macro_f1, f1_score(true, guessed, average="macro"))
    assert np.isclose(found.subset_accuracy, np.mean((true == guessed).all(axis=1)))


def test_files_keep_labels_and_thresholds(model: TextClassifier, tmp_path: Path) -> None:
    for save in (save_model, laconic.save_compact):
        path = tmp_path / save.__name__
        save(model, path)
        loaded = laconic.load(path)
        assert loaded.predict(TEST[0]).tolist() == model.predict(TEST[0]).tolist()
        np.testing.assert_allclose(loaded.thresholds_, model.thresholds_)


def test_explanations_add_up_and_labels_are_on_their_own(model: TextClassifier) -> None:
    found = model.explain("a kiss at the moon")
    assert found.predicted == ["love", "space"]
    np.testing.assert_allclose(found.probabilities, model.predict_proba(["a kiss at the moon"])[0])
    total = found.intercepts + found.by_word.sum(axis=1)
    np.testing.assert_allclose(total, found.scores)
    with pytest.raises(ValueError, match="none is against another"):
        found.against("love", "war")


def test_what_cannot_be_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="document 1 has one label"):
        TextClassifier().fit(["a b", "c d"], [["x"], "y"])
    with pytest.raises(ValueError, match="no document has a label"):
        TextClassifier().fit(["a b", "c d"], [[], []])
    with pytest.raises(ValueError, match="class_weight is for one class per row"):
        TextClassifier("lasso", strength=1, class_weight="balanced").fit(*TRAIN)


def written(path: Path, data: tuple[list[str], list[list[str]]]) -> str:
    rows: list[dict[str, Any]] = [
        {"text": text, "genres": own} for text, own in zip(*data, strict=True)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.slow
def test_the_command_line_reads_and_writes_lists(tmp_path: Path) -> None:
    train, test = written(tmp_path / "a.jsonl", TRAIN), written(tmp_path / "b.jsonl", TEST)
    model, label = str(tmp_path / "m.laconic"), ("--label", "genres")
    here = JsonFiles(tmp_path, [])
    result_of("train", "classify", train, "-o", model, "--seconds", "20", *label)
    scores = result_of("evaluate", model, test, *label)
    assert scores["micro_f1"] > 0.8 and {"macro_f1", "subset_accuracy"} <= scores.keys()
    rows = [json.loads(line) for line in run("predict", model, test).stdout.splitlines()]
    assert len(rows) == 80 and all(isinstance(row["labels"], list) for row in rows)
    assert result_of("inspect", model)["thresholds"].keys() == WORDS.keys()
    shown = result_of("explain", model, "--data", train, *label)
    assert shown["class_sizes"].keys() == WORDS.keys() and shown["words"]
    refused(here, "`laconic evaluate`", "explain", model, "--test", test, *label)
    page = str(tmp_path / "m.html")
    assert run("report", model, "-o", page, "--documents", test, *label).exit_code == 0
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text('{"text": "a", "genres": ["x"]}\n{"text": "b", "genres": "y"}\n')
    refused(here, "mixed.jsonl:2", "train", "classify", str(mixed), *label)
