"""Explanations agree with the model they explain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit

from laconic.classify.explain import (
    group_tables,
    live_words,
    removed_phrases,
    sentence_effects,
    sentence_texts,
    top_words,
)
from laconic.classify.model import TextClassifier
from laconic.text.trees import leaves, parse_tree

TEXTS = [
    "The rocket left the launch pad. We cheered for the crew.",
    "An orbit decays slowly. The crew was calm.",
    "The launch was late. Nobody knew why the rocket shook.",
    "The doctor saw a patient. We waited for the result.",
    "A patient needs rest. The doctor was calm.",
    "The clinic was late. Nobody knew why the patient slept.",
]
LABELS = ["space"] * 3 + ["health"] * 3
THREE = [*TEXTS, "The goal came late. The keeper was calm.", "A keeper needs luck. The goal stood."]
THREE_LABELS = [*LABELS, "sport", "sport"]
TREES = [
    "(3 (2 (2 the) (2 film)) (3 (2 is) (4 (2 quite) (4 wonderful))))",
    "(1 (2 (2 the) (2 film)) (1 (2 is) (0 (2 quite) (0 dreadful))))",
    "(3 (2 (2 a) (2 story)) (3 (2 with) (4 (4 wonderful) (2 actors))))",
    "(1 (2 (2 a) (2 story)) (1 (2 with) (0 (0 dreadful) (2 actors))))",
]


@pytest.fixture(scope="module")
def sentence_model() -> TextClassifier:
    return TextClassifier("sentence", strength=0.05, lasso=0.05).fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def tree_model() -> TextClassifier:
    trees = [parse_tree(text) for text in TREES]
    return TextClassifier("tree", strength=0.02, lasso=0.02).fit(
        trees, ["good", "bad", "good", "bad"]
    )


@pytest.mark.parametrize("weighting", ["count", "binary", "log", "tfidf", "logtfidf"])
@pytest.mark.parametrize("labels", [2, 3])
def test_an_effect_is_what_leaving_the_sentence_out_changes(weighting: str, labels: int) -> None:
    documents, gold = (TEXTS, LABELS) if labels == 2 else (THREE, THREE_LABELS)
    model = TextClassifier(
        "lasso", strength=0.01, weighting=weighting, ngrams=2, prefixes=(3,)
    ).fit(documents, gold)
    units = [
        "The rocket and the patient.",
        "The goal of the rocket was calm.",
        "Zyx qwv.",
        "The rocket.",
    ]
    for label in model.classes_:
        effects = sentence_effects(model, units, label)
        k = list(model.classes_).index(label)
        whole = logit(model.predict_proba([units])[0, k])
        for s, effect in enumerate(effects):
            without = logit(model.predict_proba([units[:s] + units[s + 1 :]])[0, k])
            assert effect.log_odds == pytest.approx(whole - without, abs=1e-9)
    assert [effect.text for effect in effects] == units
    assert not effects[2].kept
    if weighting in ("count", "binary"):  # elsewhere unknown words count towards the length
        assert effects[2].log_odds == pytest.approx(0, abs=1e-12)


@settings(max_examples=30)
@given(
    st.lists(
        st.lists(st.sampled_from(["rocket", "patient", "calm", "the", "unknownword"]), max_size=4),
        max_size=6,
    )
)
def test_a_sentence_with_a_positive_score_speaks_for_the_class(
    sentence_model: TextClassifier, document: list[list[str]]
) -> None:
    effects = sentence_effects(sentence_model, document, "space")
    assert len(effects) == len(document)
    alone = (
        np.array([sentence_model.decision_function([[unit]])[0] for unit in document])
        - sentence_model.intercept_[0]
    )
    assert all(
        np.sign(round(e.log_odds, 12)) == np.sign(round(float(a), 12))
        for e, a in zip(effects, alone, strict=True)
    )
    assert all(e.kept or e.log_odds == pytest.approx(0, abs=1e-12) for e in effects)


def test_the_rows_may_be_built_in_blocks(
    sentence_model: TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = " ".join(TEXTS)
    at_once = sentence_effects(sentence_model, document)
    monkeypatch.setattr("laconic.classify.explain.MOST_CELLS", 1)
    in_blocks = sentence_effects(sentence_model, document)
    assert [e.text for e in in_blocks] == [e.text for e in at_once]
    assert [e.log_odds for e in in_blocks] == pytest.approx([e.log_odds for e in at_once])


def test_the_default_label_is_the_predicted_one(sentence_model: TextClassifier) -> None:
    for text, predicted in zip(TEXTS, sentence_model.predict(TEXTS), strict=True):
        assert sentence_effects(sentence_model, text) == sentence_effects(
            sentence_model, text, predicted
        )


def test_an_unknown_label_is_refused(sentence_model: TextClassifier) -> None:
    with pytest.raises(ValueError, match="labels health, space; got 'music'"):
        sentence_effects(sentence_model, TEXTS[0], "music")


def test_sentences_are_those_the_model_sees(sentence_model: TextClassifier) -> None:
    assert sentence_texts(sentence_model, TEXTS[0]) == [
        "The rocket left the launch pad.",
        "We cheered for the crew.",
    ]
    assert sentence_texts(sentence_model, [["a", "b"], ["c"]]) == ["a b", "c"]
    assert sentence_texts(sentence_model, parse_tree(TREES[0])) == ["the film is quite wonderful"]
    assert sentence_effects(sentence_model, "") == []


def test_top_words_are_the_largest_weights() -> None:
    model = TextClassifier("lasso", strength=0.05).fit(THREE, THREE_LABELS)
    words = list(model.get_feature_names_out())
    for label, rows in top_words(model, 3).items():
        weights = model.coef_[list(model.classes_).index(label)]
        assert [row.weight for row in rows] == sorted((w for w in weights if w > 0), reverse=True)[
            :3
        ]
        assert all(weights[words.index(row.word)] == row.weight for row in rows)


def test_top_words_of_two_classes_mirror_each_other(sentence_model: TextClassifier) -> None:
    top = top_words(sentence_model, 100)
    assert set(top) == {"space", "health"}
    assert not {row.word for row in top["space"]} & {row.word for row in top["health"]}
    assert sum(map(len, top.values())) == np.count_nonzero(sentence_model.coef_)
    assert all(row.weight > 0 for rows in top.values() for row in rows)


def test_sentence_tables_show_sentences_in_order(sentence_model: TextClassifier) -> None:
    kept, dropped = group_tables(sentence_model, "sentence", 100, TEXTS)
    assert any(
        row.words == ("the", "rocket", "left", "the", "launch", "pad") for row in kept + dropped
    )
    assert all(live_words(sentence_model, row.words).any() and row.norm > 0 for row in kept)
    assert not any(live_words(sentence_model, row.words).any() or row.norm for row in dropped)
    assert [row.norm for row in kept] == sorted((row.norm for row in kept), reverse=True)
    selected = sentence_model.selected_["sentence"]
    assert len(kept) + len(dropped) == len(selected) and len(kept) == selected.sum()
    unordered, _ = group_tables(sentence_model, "sentence", 100)
    assert {frozenset(row.words) for row in unordered} == {frozenset(row.words) for row in kept}


def test_other_documents_are_refused(
    sentence_model: TextClassifier, tree_model: TextClassifier
) -> None:
    for documents in (TEXTS[::-1], TEXTS[:1]):
        with pytest.raises(ValueError, match="the training documents"):
            group_tables(sentence_model, "sentence", 100, documents)
    with pytest.raises(ValueError, match="the training documents"):
        group_tables(tree_model, "tree", 10, TEXTS)


def test_a_model_without_such_groups_says_so(sentence_model: TextClassifier) -> None:
    with pytest.raises(ValueError, match="these penalties: sentence; got 'topics'"):
        group_tables(sentence_model, "topics")


def test_tree_tables_show_phrases(tree_model: TextClassifier) -> None:
    trees = [parse_tree(text) for text in TREES]
    kept, dropped = group_tables(tree_model, "tree", 100, trees)
    phrases = {tuple(leaves(tree, k)) for tree in trees for k in range(len(tree.label))}
    assert kept and dropped and {row.words for row in kept + dropped} <= phrases
    assert all(row.size == len(row.words) for row in kept + dropped)
    assert ("the", "film") in {row.words for row in dropped}
    parent, selected = tree_model.families_[0].groups.parent, tree_model.selected_["tree"]
    assert all(parent[row.number] < 0 or selected[parent[row.number]] for row in dropped)
    assert {frozenset(r.words) for r in group_tables(tree_model, "tree", 100)[0]} == {
        frozenset(r.words) for r in kept
    }


@pytest.mark.parametrize("name", ["topics", "brown"])
def test_topics_and_clusters(name: str) -> None:
    model = TextClassifier(name, strength=0.05, lasso=0.02, n_topics=4, n_top=5, n_clusters=8).fit(
        TEXTS, LABELS
    )
    kept, dropped = group_tables(model, name, 100)
    assert kept
    for row in kept:
        assert row.size == len(row.words) == len(set(row.words))
        ids = model.encoder_.vocab.ids(row.words)
        assert row.norm == pytest.approx(np.linalg.norm(model.coef_[:, ids]))
        assert live_words(model, row.words).any()
    assert not any(live_words(model, row.words).any() for row in dropped)
    if name == "brown":
        assert all(
            np.all(np.diff(np.abs(model.coef_[0, model.encoder_.vocab.ids(r.words)])) <= 0)
            for r in kept
        )


def test_words_live_by_their_prefixes() -> None:
    documents = [[["boring", "film"]], [["bored", "us"]], [["lovely", "film"]], [["lovely", "us"]]]
    # Without documents of neither kind the intercept can stand for one of the two.
    documents += [[["film", "us"]], [["film", "us"]]]
    model = TextClassifier("sentence", strength=0.01, lasso=0.01, prefixes=(3,)).fit(
        documents, ["bad", "bad", "good", "good", "bad", "good"]
    )
    assert "bor*" in {row.word for row in top_words(model)["bad"]}
    assert live_words(model, ["Bore", "boredom", "bo", "film", "unheard"]).tolist() == [
        True,
        True,
        False,
        False,
        False,
    ]
    kept, _ = group_tables(model, "sentence", documents=documents)
    assert ("bored", "us") in {row.words for row in kept}


def test_removed_phrases_are_those_without_weight(tree_model: TextClassifier) -> None:
    tree = parse_tree("(3 (2 (2 The) (2 gizmo)) (3 (2 is) (4 (2 quite) (4 Wonderful))))")
    zero, maximal = removed_phrases(tree_model, tree)
    expected = [not live_words(tree_model, leaves(tree, k)).any() for k in range(len(tree.label))]
    assert zero.tolist() == expected
    assert not zero[0] and zero[1]
    assert " ".join(leaves(tree, 1)) == "The gizmo" and 1 in maximal and 2 not in maximal
    assert [
        k for k in range(len(zero)) if zero[k] and (tree.parent[k] < 0 or not zero[tree.parent[k]])
    ] == maximal.tolist()
