"""TextClassifier and tune, on small text and on real corpora."""

from __future__ import annotations

import gzip
import json
from itertools import islice

import numpy as np
import pytest
from sklearn.base import clone

from laconic import GroupLasso, TextClassifier
from laconic.text.trees import parse_tree, read_trees

GOOD = [
    "A fine film. The actors are fine.",
    "Great story and great acting!",
    "I liked it. Fine work.",
]
BAD = ["A poor film. The actors are poor.", "Dull story and dull acting!", "I hated it. Poor work."]
DOCUMENTS, LABELS = GOOD + BAD, ["good"] * 3 + ["bad"] * 3


@pytest.fixture(scope="module")
def science(data):
    """Every second message of two newsgroups, train and test."""
    parts = []
    for part in ("train", "test"):
        with gzip.open(data / "20news_bydate" / f"{part}.jsonl.gz", "rt") as stream:
            rows = [
                row for row in map(json.loads, stream) if row["label"] in ("sci.med", "sci.space")
            ][::2]
        parts.append(([row["text"] for row in rows], [row["label"] for row in rows]))
    return parts


@pytest.mark.parametrize(
    "penalty",
    ["lasso", "ridge", "elastic", "sentence", "topics", "brown", "sentence+topics+brown"],
)
def test_every_penalty_learns(penalty):
    model = TextClassifier(
        penalty, strength=0.01, lasso=0.01, n_topics=5, n_clusters=4, tol=1e-2
    ).fit(DOCUMENTS, LABELS)
    assert model.score(DOCUMENTS, LABELS) == 1.0
    np.testing.assert_allclose(model.predict_proba(DOCUMENTS).sum(axis=1), 1.0)
    assert (
        set(model.selected_) == set()
        if penalty in ("lasso", "ridge", "elastic")
        else set(penalty.split("+"))
    )


def test_documents_may_be_strings_sentences_words_or_trees():
    text = TextClassifier("lasso", strength=0.01).fit(DOCUMENTS, LABELS)
    words = TextClassifier("lasso", strength=0.01).fit(
        [text.encoder_.sentence_words(d) for d in DOCUMENTS], LABELS
    )
    np.testing.assert_allclose(words.coef_, text.coef_, atol=1e-6)
    trees = [
        parse_tree(f"(3 (2 the) (3 (2 film) ({k} {w})))") for k, w in ((4, "fine"), (0, "poor"))
    ]
    model = TextClassifier("tree", strength=0.01, lasso=0.01).fit(trees, ["good", "bad"])
    assert model.score(trees, ["good", "bad"]) == 1.0 and len(model.selected_["tree"]) == 4


def test_added_features_are_folded_into_words():
    model = TextClassifier(
        "lasso", strength=0.05, features=("topics", "brown"), n_topics=4, n_clusters=4
    ).fit(DOCUMENTS, LABELS)
    assert model.n_features_total_ > model.coef_.shape[1] == len(model.get_feature_names_out())
    assert model.score(DOCUMENTS, LABELS) == 1.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": "magic"}, "magic"),
        ({"penalty": "lasso+words"}, "words"),
        ({"penalty": GroupLasso("words")}, "no groups called 'words'"),
        ({"penalty": GroupLasso([["zyzzyva"]])}, "none of the features"),
        ({"penalty": GroupLasso([["film"]]), "strength": {"film": 1.0}}, "strength per name"),
        ({"penalty": 3}, "penalty"),
        ({"strength": -1.0}, "strength"),
        ({"strength": {"topics": 1.0}, "penalty": "sentence"}, "sentence"),
        ({"penalty": "tree"}, "trees"),
        ({"ngrams": 0}, "ngrams"),
        ({"prefixes": (0,)}, "prefixes"),
        ({"features": ("verbs",)}, "verbs"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier(**parameters).fit(DOCUMENTS, LABELS)


def test_bad_data_get_one_sentence():
    with pytest.raises(ValueError, match="only one class"):
        TextClassifier().fit(DOCUMENTS, ["same"] * 6)
    with pytest.raises(ValueError, match="labels"):
        TextClassifier().fit(DOCUMENTS, LABELS[:-1])
    with pytest.raises(ValueError, match="no words"):
        TextClassifier().fit(["?", "!"], ["a", "b"])
    with pytest.raises(ValueError, match="unseen"):
        TextClassifier().fit(DOCUMENTS, LABELS, dev=(DOCUMENTS, [*LABELS[:-1], "unseen"]))


@pytest.mark.slow
def test_the_sentence_penalty_on_real_messages(science):
    (train, train_labels), (test, test_labels) = science
    model = TextClassifier("sentence", strength=0.01, lasso=1.0).fit(train, train_labels)
    again = clone(model).fit(train, train_labels)
    assert model.certificate_ <= 1e-3 and np.array_equal(model.coef_, again.coef_)
    assert model.score(test, test_labels) > 0.85
    assert model.n_features_selected_ < 0.1 * model.n_features_total_
    assert 10_000 < len(model.selected_["sentence"]) < 40_000


@pytest.mark.slow
def test_neutral_constituents_of_real_trees(data):
    trees = [
        tree
        for tree in islice(read_trees(data / "sst" / "train.txt.gz"), 1500)
        if tree.label[0] != "2"
    ]
    labels = ["positive" if tree.label[0] > "2" else "negative" for tree in trees]
    everything = TextClassifier("tree", strength=0.001, lasso=0.5).fit(trees, labels)
    neutral = TextClassifier("tree", strength=0.001, lasso=0.5, neutral_label="2").fit(
        trees, labels
    )
    assert len(neutral.selected_["tree"]) < len(everything.selected_["tree"])
    assert everything.score(trees, labels) > 0.75 and neutral.score(trees, labels) > 0.75


def test_a_fit_leaves_one_report():
    model = TextClassifier("sentence", strength=0.01, lasso=0.01).fit(DOCUMENTS, LABELS)
    report = model.report_
    assert report.learner.startswith("TextClassifier(") and "penalty='sentence'" in report.learner
    assert report.features_kept == np.count_nonzero(np.any(model.coef_ != 0, axis=0))
    assert report.features_total == model.n_features_total_ == len(model.encoder_.vocab)
    summary = model.groups_["sentence"]
    assert (report.groups_total, report.groups_kept) == (summary.total, summary.selected)
    assert [event.done for event in report.trace] == list(range(1, report.n_iter + 1))
    assert report.seconds > 0 and not report.interrupted
    again = model.refitted(model.prepare(DOCUMENTS, LABELS), 0.1).report_
    assert again.n_iter == len(again.trace) > report.n_iter
    assert (again.objective, again.features_kept) == (report.objective, report.features_kept)
