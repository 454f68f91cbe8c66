"""Structures that are chosen by themselves, and topics and clusters of unlabelled text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import result_of, run

import laconic
from laconic import TextClassifier
from laconic.classify.automatic import Space, propose
from laconic.classify.lexicon import WordText
from laconic.classify.preparation import encode_training
from laconic.text.documents import DocumentEncoder

SIGNS = {
    "space": ["orbit", "moon", "rocket", "launch", "mars", "lander"],
    "med": ["doctor", "drug", "cough", "patient", "fever", "clinic"],
}
COMMON = ["the", "of", "and", "a", "in", "is", "that", "it", "for", "on", "are", "with"]


def corpus(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Documents of two sentences of common words and signs of their label."""
    rng = np.random.default_rng(seed)
    labels = ["space" if i % 2 else "med" for i in range(n)]

    def sentence(label: str) -> str:
        words = [*rng.choice(COMMON, 4), *rng.choice(SIGNS[label], 2)]
        return " ".join(rng.permutation(words)).capitalize() + "."

    return [f"{sentence(label)} {sentence(label)}" for label in labels], labels


TRAIN, TEST = corpus(60, 0), corpus(40, 1)
UNLABELLED = corpus(300, 2)[0]


@pytest.fixture(scope="module")
def automatic() -> TextClassifier:
    return TextClassifier(structure="auto", folds=3, seconds=12).fit(*TRAIN)


@pytest.mark.slow
def test_structures_are_tried_beside_the_plain_penalty(automatic: TextClassifier) -> None:
    tried = [row.penalty for row in automatic.tried_]
    for name in ("elastic + sentence", "elastic + topics of", "elastic + brown of"):
        assert any(row.startswith(name) for row in tried), tried
    assert automatic.score(*TEST) >= 0.95
    # One without structures is compared on all folds, and the choice is as good.
    plain = [r for r in automatic.tried_ if r.penalty == "elastic" and r.folds == 3]
    assert plain and automatic.tried_[-1].chosen
    rivals = [row for row in automatic.tried_ if row.folds == 3]
    assert automatic.tried_[-1].log_loss <= min(row.log_loss for row in rivals) + 0.05
    settings = automatic.settings_
    if settings["penalty"] != "elastic":
        assert set(settings["strength"]) == set(settings["penalty"].split("+"))


@pytest.mark.slow
def test_the_choice_is_the_same_again_and_in_a_file(
    automatic: TextClassifier, tmp_path: Path
) -> None:
    automatic.save(tmp_path / "m.laconic")
    again = laconic.load(tmp_path / "m.laconic")
    assert again.settings_ == automatic.settings_ and len(again.tried_) == len(automatic.tried_)
    assert again.structure == "auto"
    stated = TextClassifier(**automatic.settings_).fit(*TRAIN)
    assert np.mean(stated.predict(TEST[0]) == automatic.predict(TEST[0])) > 0.95


def test_points_and_settings_belong_together() -> None:
    base = {"penalty": "elastic", "strength": 1.0, "contrast": 0.5, "frequency": 0.0}
    space = Space(("sentence", "topics", "brown"), {"topics": 20, "brown": 50}, base, ())
    assert space.settings(space.base_point())["strength"] == {"elastic": 1.0}
    points = space.tidy(space.first_points())
    alone = [space.settings(point) for point in points]
    assert [one["penalty"] for one in alone] == [
        "elastic+sentence",
        "elastic+topics",
        "elastic+brown",
        "elastic+sentence+topics+brown",
    ]
    assert alone[1]["n_topics"] == 20 and "n_topics" not in alone[0] and alone[0]["contrast"] == 0.5
    stated = space._replace(fixed=("contrast", "brown"))
    random = stated.tidy(np.random.default_rng(0).random((50, space.size)))
    assert {stated.settings(point)["contrast"] for point in random} == {0.5}
    assert {stated.settings(point).get("n_clusters") for point in random} <= {None, 50}


def test_the_search_finds_the_valley_of_a_known_loss() -> None:
    base = {"penalty": "elastic", "strength": 1.0, "contrast": 0.5, "frequency": 0.0}
    space = Space(("sentence", "topics"), {"topics": 20}, base, ("contrast", "frequency"))

    def loss(point: np.ndarray) -> float:
        return float(1 - 0.5 * point[2] + (point[3] - 0.8) ** 2 * point[2] + 0.3 * point[0])

    rng = np.random.default_rng(0)
    points = np.vstack([space.base_point(), space.tidy(space.first_points())])
    losses = np.array([loss(point) for point in points])
    for _ in range(12):
        points = np.vstack([points, propose(points, losses, space, rng)])
        losses = np.append(losses, loss(points[-1]))
    best = points[losses.argmin()]
    assert best[2] == 1 and best[0] == 0 and abs(best[3] - 0.8) < 0.15
    assert len(np.unique(points, axis=0)) == len(points)


def test_unlabelled_text_tells_which_words_go_together() -> None:
    few = TRAIN[0][:6], TRAIN[1][:6]
    options = {"features": ("brown",), "weighting": "binary", "n_clusters": 6}
    model = TextClassifier("ridge", **options).fit(*few, unlabelled=UNLABELLED)
    words = dict(zip(model.get_feature_names_out().tolist(), model.coef_[0], strict=True))
    new = [w for label in SIGNS for w in SIGNS[label] if w not in " ".join(few[0]).lower()]
    assert new and all(words[word] != 0 for word in new)  # words that no labelled document has
    alone = TextClassifier("ridge", weighting="binary").fit(*few)
    assert model.score(*TEST) > alone.score(*TEST)


def test_groups_of_unlabelled_text_leave_the_vocabulary_alone() -> None:
    few = TRAIN[0][:10], TRAIN[1][:10]
    model = TextClassifier("topics", strength=0.01, n_topics=4).fit(*few, unlabelled=UNLABELLED)
    plain = TextClassifier("topics", strength=0.01, n_topics=4).fit(*few)
    assert model.encoder_.vocab.words == plain.encoder_.vocab.words
    assert not np.array_equal(model.families_[0].groups.index, plain.families_[0].groups.index)


def test_numbers_of_topics_and_clusters_grow_with_the_text() -> None:
    def scaled(texts: list[str]) -> tuple[int, int]:
        training = encode_training(texts, ["a"] * len(texts), DocumentEncoder(), 1)
        text = WordText(training.encoded, training.vocab)
        return text.scaled("topics"), text.scaled("brown")

    assert scaled(TRAIN[0]) == (10, 26)  # 660 words
    assert scaled(UNLABELLED * 30) == (20, 319)


def test_bad_options_get_one_sentence() -> None:
    with pytest.raises(ValueError, match="topics and clusters are learned from unlabelled"):
        TextClassifier().fit(*TRAIN, unlabelled=UNLABELLED)
    with pytest.raises(ValueError, match="structure is 'auto' or None"):
        TextClassifier(structure="best").fit(*TRAIN)
    with pytest.raises(ValueError, match="chooses penalty and strengths"):
        TextClassifier("sentence", structure="auto").fit(*TRAIN)


@pytest.mark.slow
def test_the_command_line_has_both(tmp_path: Path) -> None:
    rows = [json.dumps({"text": t, "label": y}) for t, y in zip(*TRAIN, strict=True)]
    (tmp_path / "train.jsonl").write_text("\n".join(rows), "utf-8")
    (tmp_path / "more.txt").write_text("\n".join(UNLABELLED), "utf-8")
    command = ["train", "classify", str(tmp_path / "train.jsonl"), "--folds", "2"]
    command += ["--unlabelled", str(tmp_path / "more.txt"), "-o", str(tmp_path / "m.laconic")]
    found = result_of(*command, "--structure", "auto", "--seconds", "8")
    assert any("brown of" in row["penalty"] for row in found["tried"])
    outcome = run(*command)
    assert outcome.exit_code == 2 and "give penalty='topics'" in outcome.stderr
