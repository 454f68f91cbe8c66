"""Scores of word vectors on tasks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from laconic.embed.model import WordVectors
from laconic.embed.task_files import Analogies, Completion, Similarity
from laconic.embed.tasks import (
    Score,
    analogy_scores,
    completion_score,
    lookup,
    sentence_means,
    sentiment_score,
    similarity_score,
)

N = 60


@pytest.fixture(scope="module")
def model() -> WordVectors:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(N, 7)) * (rng.random((N, 7)) > 0.3)
    return WordVectors()._adopt([f"w{i}" for i in range(N)], np.arange(N, 0, -1), vectors)


def test_words_are_looked_up_in_lower_case_too() -> None:
    model = WordVectors()._adopt(["us", "US", "the"], [3, 2, 1], np.eye(3))
    assert lookup(model, ["US", "us", "The", "Them"]).tolist() == [1, 0, 2, -1]


def test_similarity_is_the_rank_correlation_of_known_pairs(model: WordVectors) -> None:
    rng = np.random.default_rng(1)
    pairs, scores = rng.integers(0, N + 5, (40, 2)), rng.random(40)
    known = np.all(pairs < N, axis=1)
    cosines = [model.similarity(f"w{i}", f"w{j}") for i, j in pairs[known]]
    found = similarity_score(
        model, Similarity([f"W{i}" for i, _ in pairs], [f"w{j}" for _, j in pairs], scores)
    )
    assert found == Score(
        pytest.approx(spearmanr(cosines, scores[known]).statistic), known.sum(), 40
    )
    assert np.isnan(similarity_score(model, Similarity(["w1"], ["x"], np.ones(1))).score)


@pytest.mark.parametrize("among", [N, 25])
def test_analogies_are_answered_as_one_by_one(model: WordVectors, among: int) -> None:
    rng = np.random.default_rng(2)
    questions = [tuple(f"w{i}" for i in row) for row in rng.choice(N, (300, 3))]
    answers = [model.analogy(*question, k=1, among=among)[0][0] for question in questions]
    told = [word if rng.random() < 0.5 else "w9" for word in answers]
    section = rng.integers(0, 2, 300)
    words = [(*question, word) for question, word in zip(questions, told, strict=True)]
    right = np.array([a == b for a, b in zip(answers, told, strict=True)])
    found = analogy_scores(
        model,
        Analogies([*words, ("w1", "w2", "x", "w3")], ["family", "gram1"], np.append(section, 0)),
        among,
    )
    assert found.all == Score(pytest.approx(right.mean()), 300, 301)
    assert (
        found.semantic
        == found.sections["family"]
        == Score(
            pytest.approx(right[section == 0].mean()), sum(section == 0), sum(section == 0) + 1
        )
    )
    assert (
        found.syntactic
        == found.sections["gram1"]
        == Score(pytest.approx(right[section == 1].mean()), sum(section == 1), sum(section == 1))
    )


def test_completions() -> None:
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [2, 0]])
    model = WordVectors()._adopt(["sun", "moon", "cash", "bank", "star"], [5, 4, 3, 2, 1], vectors)
    assert completion_score(
        model,
        [
            Completion(["sun", "x"], [["cash"], ["moon"]], 1),
            Completion(["cash"], [["sun"], ["x"], ["bank"]], 2),
            Completion(["sun"], [["star", "x"], ["cash"]], 0),  # an unknown word loses
            Completion(["sun"], [["star", "moon"], ["moon"]], 0),  # of two words, the mean
            Completion(["x"], [["sun"], ["moon"]], 0),  # nothing to go by
        ],
    ) == Score(3 / 5, 3, 5)


def test_means_of_sentences(model: WordVectors) -> None:
    found = sentence_means(model, [["w1", "W3", "x"], ["x"], [], ["w1", "w1"]])
    expected = [
        (model.vector("w1") + model.vector("w3")) / 2,
        np.zeros(7),
        np.zeros(7),
        model.vector("w1"),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_sentiment_is_learned(model: WordVectors) -> None:
    rng = np.random.default_rng(3)
    sides = model.vectors()[:, 0] > 0
    words = np.array(model.words_)

    def part(n: int) -> tuple[list[list[str]], list[bool]]:
        labels = rng.random(n) > 0.5
        return [rng.choice(words[sides == label], 4).tolist() for label in labels], labels.tolist()

    found = sentiment_score(model, part(200), part(50), part(50), strengths=(0.1, 10.0))
    assert min(found.test, found.dev) > 0.9 and found.strength in (0.1, 10.0)
