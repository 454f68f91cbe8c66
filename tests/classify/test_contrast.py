"""Contrast between classes, phrases of trees as examples (constituents), and refits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from pytest import approx

from laconic import SparseClassifier, load
from laconic.classify.model import TextClassifier
from laconic.classify.preparation import constituent_examples
from laconic.classify.weighting import PRIOR_DOCUMENTS, scale_of
from laconic.core.penalties import Ridge
from laconic.text.trees import parse_tree

DOCUMENTS = [
    "rain and rain and snow",
    "sun and more sun. sun again",
    "snow again",
    "no rain, more sun",
]
LABELS = ["wet", "dry", "wet", "dry"]
TREES = [
    parse_tree("(4 (2 a) (3 (3 lovely) (2 film)))"),
    parse_tree("(1 (2 a) (1 (1 dull) (2 film)))"),
    parse_tree("(3 (3 lovely) (2 (2 and) (3 warm)))"),
]
OPINIONS = ["good", "bad", "good"]


def test_contrast_is_a_power_of_the_log_ratio_and_keeps_the_sum_of_squares() -> None:
    counts = sp.csr_matrix(np.array([[2.0, 1, 0], [1, 0, 1], [0, 1, 0], [0, 0, 1]]))
    labels = np.array(["a", "a", "b", "b"])
    scale = scale_of(counts, counts, labels, 0.5)
    assert scale is not None
    one_sided = np.log((2 + PRIOR_DOCUMENTS) / PRIOR_DOCUMENTS)
    assert scale[0] > 0 and scale[1] == scale[2] == 0
    assert np.sum((counts.toarray() * scale) ** 2) == approx(np.sum(counts.toarray() ** 2))
    uneven = sp.csr_matrix(np.array([[1.0, 1], [1, 1], [1, 0], [0, 0]]))
    found = scale_of(uneven, uneven, labels, 1.0)
    assert found is not None
    between = np.log((2 + PRIOR_DOCUMENTS) / (1 + PRIOR_DOCUMENTS))
    assert found[1] / found[0] == approx(one_sided / between)


def test_contrast_of_many_classes_is_the_largest_and_of_power_zero_is_none() -> None:
    counts = sp.csr_matrix(np.array([[1.0, 1, 0], [0, 1, 1], [0, 1, 1]]))
    labels = np.array([0, 1, 2])
    scale = scale_of(counts, counts, labels, 1.0)
    assert scale is not None
    prior = PRIOR_DOCUMENTS
    of_one_class = np.log((1 + prior) / (1 + 2 * prior)) - np.log(prior / (2 + 2 * prior))
    lacked_by_one = np.log((2 + prior) / (2 + 2 * prior)) - np.log(prior / (1 + 2 * prior))
    assert scale[0] / scale[2] == approx(of_one_class / lacked_by_one)
    assert scale_of(counts, counts, labels, 0.0) is None


def test_words_that_no_class_prefers_leave_an_empty_model() -> None:
    model = TextClassifier("lasso", strength=0.1, contrast=0.5).fit(
        ["same words", "same words"], ["a", "b"]
    )
    assert model.n_features_selected_ == 0


def test_weights_are_of_the_words_themselves() -> None:
    """With contrast words are scaled before the fit, and their weights are scaled back."""
    model = TextClassifier(
        "sentence", strength=0.01, lasso=0.01, ridge=0.01, contrast=0.5, tol=1e-8
    )
    prepared = model.prepare(DOCUMENTS, LABELS)
    model.fit_prepared(prepared)
    assert prepared.contrast is not None
    scaled = prepared.X @ sp.diags(prepared.contrast)
    by_hand = scaled @ model.solution_[: scaled.shape[1]] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(DOCUMENTS), by_hand)
    plain = TextClassifier("sentence", strength=0.01, lasso=0.01, ridge=0.01, tol=1e-8).fit(
        DOCUMENTS, LABELS
    )
    assert not np.allclose(plain.coef_, model.coef_)


def test_one_preparation_serves_models_with_and_without_contrast() -> None:
    plain = TextClassifier("lasso", strength=0.1, weighting="logtfidf")
    prepared = plain.prepare(DOCUMENTS, LABELS)
    contrasted = TextClassifier("lasso", strength=0.1, weighting="logtfidf", contrast=0.5)
    adapted = contrasted.fit_prepared(contrasted.adapt(prepared))
    np.testing.assert_allclose(adapted.coef_, contrasted.fit(DOCUMENTS, LABELS).coef_)
    again = plain.adapt(contrasted.adapt(prepared))
    assert again.contrast is None


@pytest.mark.parametrize("name", ["contrast", "constituents"])
@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_impossible_numbers_are_named(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        TextClassifier(**{name: value}).fit(DOCUMENTS, LABELS)


def test_phrases_take_the_class_of_roots_with_their_label() -> None:
    model = TextClassifier("lasso", strength=0.1, constituents=0.5)
    prepared = model.prepare(TREES, OPINIONS)
    assert prepared.examples is not None
    words = prepared.encoder.vocab.words
    found = {
        (tuple(words[j] for j in np.flatnonzero(row)), label)
        for row, label in zip(
            prepared.examples.counts.toarray(), prepared.examples.labels, strict=True
        )
    }
    # "lovely" occurs twice and counts once; 2 is no root's label; "dull film" and "dull" have the
    # label of a bad root.
    assert found == {
        (("lovely", "film"), "good"),
        (("lovely",), "good"),
        (("warm",), "good"),
        (("film", "dull"), "bad"),
        (("dull",), "bad"),
    }
    assert prepared.examples.counts.shape[0] == 5


def test_phrases_have_the_weight_of_the_parameter() -> None:
    """Examples of weight 1 give the same fit as the same phrases among the documents."""
    settings = {"penalty": "ridge", "strength": 0.5, "tol": 1e-9}
    by_weight = TextClassifier(**settings, constituents=1.0).fit(TREES, OPINIONS)
    phrases = [[["lovely", "film"]], [["lovely"]], [["warm"]], [["dull", "film"]], [["dull"]]]
    by_hand = TextClassifier(**settings).fit(
        [*TREES, *phrases], [*OPINIONS, "good", "good", "good", "bad", "bad"]
    )
    np.testing.assert_allclose(by_weight.coef_, by_hand.coef_, atol=1e-6)
    np.testing.assert_allclose(by_weight.intercept_, by_hand.intercept_, atol=1e-6)


def test_contrast_counts_phrases_as_documents() -> None:
    phrases = [[["lovely", "film"]], [["lovely"]], [["warm"]], [["dull", "film"]], [["dull"]]]
    labels = [*OPINIONS, "good", "good", "good", "bad", "bad"]
    found = TextClassifier(constituents=0.1, contrast=1.0).prepare(TREES, OPINIONS)
    by_hand = TextClassifier(contrast=1.0).prepare([*TREES, *phrases], labels)
    assert found.contrast is not None and by_hand.contrast is not None
    # Up to the one number that keeps the sum of squares of the documents' rows.
    ratio = found.contrast / by_hand.contrast
    np.testing.assert_allclose(ratio, ratio[0])


def test_phrases_need_trees() -> None:
    with pytest.raises(ValueError, match="trees"):
        TextClassifier(constituents=0.5).fit(DOCUMENTS, LABELS)
    ambiguous = [parse_tree("(1 (1 dull) (1 film))"), parse_tree("(1 (1 lovely) (1 film))")]
    training = TextClassifier().prepare(ambiguous, ["bad", "good"])
    with pytest.raises(ValueError, match="one class"):
        constituent_examples(training.training, np.array(["bad", "good"]), training.encoder)


def test_a_saved_model_predicts_the_same(tmp_path: object) -> None:
    path = f"{tmp_path}/model.laconic"
    model = TextClassifier("lasso", strength=0.05, contrast=0.5, constituents=0.3).fit(
        TREES, OPINIONS
    )
    model.save(path)
    loaded = load(path)
    assert loaded.contrast == 0.5 and loaded.constituents == 0.3
    np.testing.assert_allclose(loaded.decision_function(TREES), model.decision_function(TREES))


@pytest.mark.parametrize("contrast", [0.0, 0.5])
def test_a_refit_is_the_ridge_on_the_kept_words(contrast: float) -> None:
    settings = {"strength": 0.3, "contrast": contrast, "tol": 1e-9}
    chosen = TextClassifier("lasso", **settings).fit(DOCUMENTS, LABELS)
    model = TextClassifier("lasso", **settings, refit=0.2)
    prepared = model.prepare(DOCUMENTS, LABELS)
    model.fit_prepared(prepared)
    kept = np.flatnonzero(chosen.coef_[0])
    assert 0 < len(kept) < chosen.n_features_total_
    np.testing.assert_array_equal(np.flatnonzero(model.coef_[0]), kept)
    np.testing.assert_allclose(model.solution_, chosen.solution_)
    scale = np.ones(len(kept)) if prepared.contrast is None else prepared.contrast[kept]
    by_hand = SparseClassifier(Ridge(0.2), tol=1e-9).fit(
        prepared.X[:, kept] @ sp.diags(scale), LABELS
    )
    np.testing.assert_allclose(model.coef_[0, kept], by_hand.coef_[0] * scale, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, by_hand.intercept_, atol=1e-6)


def test_a_refit_of_nothing_is_the_empty_model_and_of_three_classes_keeps_rows() -> None:
    empty = TextClassifier("lasso", strength=100.0, refit=0.1).fit(DOCUMENTS, LABELS)
    assert empty.n_features_selected_ == 0 and not empty.coef_.any()
    three = TextClassifier("lasso", strength=0.2, refit=0.1).fit(DOCUMENTS, ["a", "b", "c", "b"])
    assert three.coef_.shape[0] == 3 and 0 < three.alive().sum() < three.n_features_total_


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_an_impossible_refit_is_named(value: float) -> None:
    with pytest.raises(ValueError, match="refit"):
        TextClassifier(refit=value).fit(DOCUMENTS, LABELS)


def test_a_refit_is_saved_with_the_model(tmp_path: object) -> None:
    model = TextClassifier("lasso", strength=0.1, refit=0.2).fit(DOCUMENTS, LABELS)
    model.save(f"{tmp_path}/model.laconic")
    loaded = load(f"{tmp_path}/model.laconic")
    assert loaded.refit == 0.2
    np.testing.assert_allclose(
        loaded.decision_function(DOCUMENTS), model.decision_function(DOCUMENTS)
    )
