"""Latent groups of the text: the words kept are those of few sentences, phrases or topics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic import TextClassifier
from laconic.classify.explain import group_tables
from laconic.classify.page import write_report
from laconic.classify.selection import selection
from laconic.classify.structure import Family, latent_family
from laconic.core.groups import Groups
from laconic.text.trees import parse_tree

FILLER = ["It was there.", "We saw it then.", "They went on.", "That is all.", "So it goes."]
SPACE, MED = "The rocket reached orbit.", "The doctor saw the patient."


def corpus(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Documents of filler, one sentence of which tells the label."""
    rng = np.random.default_rng(seed)
    labels = ["space" if i % 2 else "med" for i in range(n)]
    texts = [
        " ".join(rng.permutation([*rng.choice(FILLER, 3), SPACE if label == "space" else MED]))
        for label in labels
    ]
    return texts, labels


TRAIN = corpus(40, 0)


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier("latent sentence", strength=0.2).fit(*TRAIN)


def test_few_sentences_are_chosen_and_their_words_alone_have_weights(model: TextClassifier) -> None:
    assert model.converged_ and model.score(*TRAIN) == 1.0
    summary = model.groups_["latent sentence"]
    assert summary.total == 7 and 1 <= summary.selected <= 2
    assert summary.selected == model.report_.groups_kept == model.selected_["latent sentence"].sum()
    assert set(summary.kept) <= {SPACE, MED, *FILLER} and {SPACE, MED} & set(summary.kept)
    # The support is the union of the chosen sentences.
    groups = model.families_[0].groups
    chosen = np.flatnonzero(model.selected_["latent sentence"])
    covered = np.unique(np.concatenate([groups.members(g) for g in chosen]))
    assert np.array_equal(covered, np.flatnonzero(np.any(model.coef_ != 0, axis=0)))


def test_both_spellings_and_the_same_model_from_a_file(
    model: TextClassifier, tmp_path: Path
) -> None:
    other = TextClassifier("latent-sentence", strength=0.2).fit(*TRAIN)
    assert np.array_equal(other.coef_, model.coef_) and other.parts() == ["latent sentence"]
    other.save(tmp_path / "m.laconic")
    again = laconic.load(tmp_path / "m.laconic")
    assert again.groups_ == other.groups_
    assert np.array_equal(again.predict(TRAIN[0]), other.predict(TRAIN[0]))


def test_chosen_sentences_are_what_is_shown(model: TextClassifier, tmp_path: Path) -> None:
    kept, _ = group_tables(model, "latent sentence", 3, TRAIN[0])
    assert {"rocket", "orbit"} <= set(kept[0].words) or {"doctor"} <= set(kept[0].words)
    norms = [row.norm for row in kept]
    assert norms == sorted(norms, reverse=True) and norms[-1] > 0
    shown = selection(model, 5, as_json=False)
    assert shown["latent sentence groups"].endswith("of 7 are chosen")
    assert shown["latent sentence groups kept, for example"]
    write_report(model, tmp_path / "page.html", training=TRAIN[0])
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Sentences kept and dropped" in page and "are chosen" in page


def test_an_open_strength_is_chosen_on_folds() -> None:
    model = TextClassifier("latent sentence", folds=3).fit(*corpus(60, 1))
    assert model.settings_["strength"] > 0 and model.settings_["lasso"] is None
    assert model.score(*TRAIN) == 1.0
    assert 1 <= model.report_.groups_kept <= 2 < model.report_.groups_total
    assert {row.prefixes for row in model.tried_} == {(), (5,)}


@pytest.mark.parametrize("name", ["topics", "brown"])
def test_topics_and_clusters_may_be_latent(name: str) -> None:
    model = TextClassifier(f"latent {name}", strength=0.05, n_topics=4, n_clusters=6).fit(*TRAIN)
    summary = model.groups_[f"latent {name}"]
    assert 0 < summary.selected <= summary.total and summary.kept and model.converged_


def test_phrases_may_be_latent() -> None:
    trees = [
        parse_tree("(S (NP the film) (VP is (ADJP quite wonderful)))"),
        parse_tree("(S (NP the film) (VP is (ADJP quite dreadful)))"),
    ]
    model = TextClassifier("latent tree", strength=0.01).fit(trees * 3, ["good", "bad"] * 3)
    summary = model.groups_["latent tree"]
    assert summary.selected >= 1 and any("wonderful" in phrase for phrase in summary.kept)


def test_a_forest_becomes_the_distinct_features_below_each_node() -> None:
    forest = Groups.forest([-1, 0, 0], [[], [2, 1], [1, 3]], 4)
    flat = latent_family(Family("tree", forest, np.arange(3))).groups
    assert flat.parent is None
    assert [sorted(flat.members(g).tolist()) for g in range(3)] == [[1, 2, 3], [1, 2], [1, 3]]
    np.testing.assert_allclose(flat.weight, np.array([3, 2, 2]) ** 0.25)


def test_a_latent_penalty_stands_alone() -> None:
    with pytest.raises(ValueError, match="a latent penalty stands alone"):
        TextClassifier("latent sentence+lasso", strength=0.1).fit(*TRAIN)
