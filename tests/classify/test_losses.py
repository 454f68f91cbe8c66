"""TextClassifier with a loss of its own: names, objects, files, choices, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from commands import JsonFiles, refused, result_of

import laconic
from laconic import Logistic, Loss, Multinomial, Quantile, SparseClassifier, TextClassifier
from laconic.models.foreign import ForeignLoss

DOCUMENTS = [
    "sun and sand",
    "snow and ice",
    "rain and wind",
    "sun and heat",
    "ice and frost",
    "rain and mud",
] * 4
LABELS = ["warm", "cold", "wet"] * 8
TWO = [label if label != "wet" else "cold" for label in LABELS]
SEVERAL = [[label, "cold"] if label == "wet" else [label] for label in LABELS]
ASKED = ["sun and ice", "mud", "nothing"]


class Exponential(Loss):
    """exp(-t s) for t = -1 or 1."""

    def value_residual(self, scores, gold):
        sign = 2 * gold.target - 1
        value = gold.weight * np.exp(-sign * scores)
        return value.sum(), -sign * value

    def curvature(self, scores, gold):
        return gold.weight * np.exp(-(2 * gold.target - 1) * scores)


class ExponentialOdds(Exponential):
    """The same with probabilities: the best score is half of the log-odds."""

    def log_probabilities(self, scores):
        return -np.logaddexp(0.0, -2 * scores)


def fitted(loss, labels=LABELS, **parameters):
    return TextClassifier("lasso", strength=0.1, tol=1e-6, loss=loss, **parameters).fit(
        DOCUMENTS, labels
    )


@pytest.mark.parametrize("labels", [LABELS, TWO, SEVERAL], ids=["three", "two", "several"])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", ExponentialOdds()], ids=str)
def test_weights_are_those_of_the_same_loss_on_the_matrix(loss, labels):
    model = fitted(loss, labels)
    given = [tuple(row) for row in labels] if labels is SEVERAL else labels
    inner = SparseClassifier("l1", loss, strength=0.1, tol=1e-6).fit(
        model.vectorize(DOCUMENTS), given
    )
    np.testing.assert_allclose(model.coef_, inner.coef_, atol=1e-3)
    assert type(model.loss_) is type(inner.loss_)
    chances = inner.predict_proba(model.vectorize(ASKED))
    np.testing.assert_allclose(model.predict_proba(ASKED), chances, atol=1e-3)
    if labels is not SEVERAL:
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
        assert model.predict(["sun and sand"]).tolist() == ["warm"]


def test_the_default_is_the_log_loss_and_multinomial_of_two_labels_is_logistic():
    for loss, labels, expected in (
        (None, LABELS, Multinomial),
        ("multinomial", LABELS, Multinomial),
        (None, TWO, Logistic),
        (Multinomial(), TWO, Logistic),
    ):
        model = fitted(loss, labels)
        assert type(model.loss_) is expected
        np.testing.assert_array_equal(model.coef_, fitted(None, labels).coef_)


@pytest.mark.parametrize("loss", ["logistic", laconic.SquaredHinge()], ids=str)
@pytest.mark.parametrize("labels", [LABELS, SEVERAL], ids=["three", "several"])
def test_choices_are_made_with_the_loss_and_files_keep_it(loss, labels, tmp_path):
    model = TextClassifier(loss=loss, seconds=1.0, folds=2).fit(DOCUMENTS, labels)
    assert model.tried_ and np.isfinite(model.tried_[-1].log_loss)
    model.save(tmp_path / "plain")
    laconic.save_compact(model, tmp_path / "compact")
    for name in ("plain", "compact"):
        loaded = laconic.load(tmp_path / name)
        assert str(loaded.loss) == str(loss) and str(loaded.loss_) == str(model.loss_)
        np.testing.assert_allclose(
            loaded.predict_proba(ASKED), model.predict_proba(ASKED), atol=1e-6
        )
    explanation = model.explain("sun and ice")
    np.testing.assert_allclose(
        explanation.probabilities, model.predict_proba(["sun and ice"])[0], atol=1e-12
    )


def test_a_file_names_a_loss_of_another_package_and_predicts_without_it(tmp_path):
    model = fitted(ExponentialOdds())
    model.save(tmp_path / "model")
    loaded = laconic.load(tmp_path / "model")
    assert isinstance(loaded.loss, ForeignLoss) and "ExponentialOdds" in loaded.loss.path
    assert loaded.predict(ASKED).tolist() == model.predict(ASKED).tolist()
    with pytest.raises(ValueError, match="ExponentialOdds, which is not imported from files"):
        loaded.predict_proba(ASKED)


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ("squared", "Squared is a loss of real targets: .* such as logistic"),
        (Quantile(0.2), "Quantile is a loss of real targets"),
        ("hinge", "there is no loss called 'hinge'"),
        (3, "loss must be a Loss or the name of one"),
        (Exponential(), r"Exponential must define log_probabilities\(scores\)"),
    ],
    ids=str,
)
def test_other_losses_are_refused_with_a_sentence(loss, words):
    with pytest.raises(ValueError, match=words):
        TextClassifier(loss=loss).fit(DOCUMENTS, LABELS)


def test_the_multinomial_loss_is_for_one_label_per_document():
    with pytest.raises(ValueError, match="use Logistic for several labels"):
        fitted("multinomial", SEVERAL)


def test_the_command_takes_the_name_of_a_loss(tmp_path):
    rows = [{"text": text, "label": label} for text, label in zip(DOCUMENTS, LABELS, strict=True)]
    files = JsonFiles(tmp_path, rows)
    command = ("train", "classify", files.train, "--strength", "0.1", "-o", files.model)
    refused(files, "Huber is a loss of real targets", *command, "--loss", "huber")
    result_of(*command, "--loss", "squared_hinge")
    assert laconic.load(files.model).loss == "squared_hinge"
