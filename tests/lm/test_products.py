"""Products of models beside the product of their distributions, word for word."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from made_sentences import sentences

from laconic import ClassMixture, KneserNey, LanguageModel, LogLinear, interpolated

LEFT, DEV = sentences(150), sentences(30, 2)
RIGHT = [*sentences(40, 1), *["ye whale v1"] * 3]
WORDS = sorted({word for each in (*LEFT, *RIGHT) for word in each.split()})


@pytest.fixture(scope="module")
def models() -> list[LanguageModel]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            LanguageModel(4, KneserNey(), vocabulary=WORDS).fit(LEFT),
            LanguageModel(3, LogLinear("nested-lasso"), vocabulary=WORDS[::-1]).fit(RIGHT),
        ]


def test_the_distribution_is_the_product_of_distributions(models: list[LanguageModel]) -> None:
    weights = np.array([0.8, 0.5])
    both = interpolated(models, weights=weights.tolist(), log_linear=True)
    assert both.order == 4 and not both.others_
    for words in ("", "the", "the n3", "ye whale", "unseen the n3 v1", "n3 the the"):
        log_p = [
            np.array(
                [model.score(model.state(words), [word])[1][0] for word in both.encoder_.words]
            )
            for model in models
        ]
        expected = weights @ np.array(log_p)
        expected -= np.log(np.exp(expected).sum())
        found = both._kernel.distribution(both.state(words))
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_exponents_are_the_likeliest(models: list[LanguageModel]) -> None:
    best = interpolated(models, DEV, log_linear=True)
    assert best.report_.learner.startswith("multiplied(")
    weights = np.array([float(w) for w in best.report_.learner[11:-1].split(",")])
    likelihood = best.evaluate(DEV).log_prob
    for change in ([0.1, 0], [-0.1, 0], [0, 0.1], [0, -0.1]):
        other = np.maximum(weights + change, 0).tolist()
        worse = interpolated(models, weights=other, log_linear=True)
        assert worse.evaluate(DEV).log_prob < likelihood + 1e-3


def test_an_arpa_file_holds_the_product(models: list[LanguageModel], tmp_path: Path) -> None:
    both = interpolated(models, DEV, log_linear=True)
    both.to_arpa(tmp_path / "both.arpa")
    again = LanguageModel.from_arpa(tmp_path / "both.arpa")
    assert again.perplexity(DEV) == pytest.approx(both.perplexity(DEV), rel=1e-6)


def test_other_words_share_what_unknown_words_have() -> None:
    one = LanguageModel(2, KneserNey(), min_count=2).fit(LEFT)
    two = LanguageModel(2, KneserNey()).fit(["ye whale sleeps", "ye queue sleeps"] * 5)
    both = interpolated([one, two], weights=[1.0, 0.0], log_linear=True)
    new = [both.score(both.start(), word)[1] for word in ("whale", "queue", "never")]
    assert new[0] == pytest.approx(new[1]) and new[0] == pytest.approx(new[2])
    for words in ("", "the", "ye whale"):
        state = both.state(words)
        assert np.exp(both._kernel.distribution(state)).sum() == pytest.approx(1, abs=1e-5)


def test_classes_are_mixed_with_the_product() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = ClassMixture(KneserNey(), n_classes=(2,))
        models = [
            LanguageModel(3, learner).fit(text) for text in (sentences(200, 3), sentences(200, 4))
        ]
        both = interpolated(models, DEV, log_linear=True)
    assert len(both.others_) == 2
    state = both.state("the")
    assert np.exp(both._kernel.distribution(state)).sum() == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match="weights of classes follow from X"):
        interpolated(models, weights=[1.0, 1.0], log_linear=True)


def test_wrong_weights_are_refused(models: list[LanguageModel]) -> None:
    for weights in ([1.0], [-1.0, 1.0], [float("nan"), 1.0], [1e6, 1.0]):
        with pytest.raises(ValueError, match="expected a weight from 0"):
            interpolated(models, weights=weights, log_linear=True)
    with pytest.raises(ValueError, match="at least one sentence"):
        interpolated(models, [], log_linear=True)
