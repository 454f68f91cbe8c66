"""Models mixed with models: exact sums over the union of their words, weights, and the command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_sentences import sentences

import laconic
from laconic.lm.class_mixture import ClassMixture
from laconic.lm.interpolation import interpolated
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.log_linear import LogLinear
from laconic.lm.model import LanguageModel

pytestmark = pytest.mark.filterwarnings("ignore:.*discount_fallback")
OTHER = [f"b{i % 7} n{i % 5} c{i % 3}" for i in range(60)]


@pytest.fixture(scope="module")
def models() -> list[LanguageModel]:
    return [
        LanguageModel(3, ClassMixture(KneserNey(), n_classes=(4,))).fit(sentences(300)),
        LanguageModel(2, LogLinear()).fit(OTHER),
    ]


def test_every_word_has_its_share_of_each_model(models: list[LanguageModel]) -> None:
    mixed = interpolated(models, weights=(3, 1))
    assert len(mixed.others_) == 2
    for words in (["the", "n1"], ["b1", "n2"], []):
        states = [model.start() for model in (*models, mixed)]
        for word in words:
            for at, model in enumerate((*models, mixed)):
                states[at] = model.score(states[at], word)[0]
        for word in ("n3", "</s>", "c2", "the", "never"):
            known = [word in model.encoder_.numbers or word == "never" for model in models]
            expected = sum(
                weight * np.exp(model.score(state, word)[1]) * knows
                for weight, model, state, knows in zip(
                    (0.75, 0.25), models, states, known, strict=False
                )
            )
            assert np.exp(mixed.score(states[2], word)[1]) == pytest.approx(expected, rel=1e-4)
        assert np.exp(mixed._kernel.distribution(states[2])).sum() == pytest.approx(1, abs=1e-4)


def test_weights_follow_the_text(models: list[LanguageModel], tmp_path: Path) -> None:
    news, other = sentences(80, seed=3), OTHER[:30]
    for text, heavier in ((news, 0), (other, 1), (news[:40] + other, None)):
        mixed = interpolated(models, text)
        parts = [1 - sum(part.weight for part in mixed.others_) + mixed.others_[0].weight]
        parts.append(mixed.others_[1].weight)
        best = mixed.perplexity(text)
        for share in (0.02, 0.5, 0.98):
            fixed = interpolated(models, weights=(share, 1 - share))
            assert best <= fixed.perplexity(text) * (1 + 1e-4)
        if heavier is not None:
            assert parts[heavier] > 0.8
    mixed.save(tmp_path / "mixed")
    again = laconic.load(tmp_path / "mixed")
    assert again.perplexity(OTHER) == pytest.approx(mixed.perplexity(OTHER), rel=1e-5)
    assert again.report_.learner.startswith("interpolated(")


def test_what_cannot_be_mixed_is_refused(models: list[LanguageModel]) -> None:
    for given, options, says in (
        (models[:1], {"weights": (1,)}, "two models or more"),
        (models, {}, "either text or weights"),
        (models, {"X": ["a"], "weights": (1, 1)}, "either text or weights"),
        (models, {"X": []}, "at least one sentence"),
        (models, {"weights": (1, -1)}, "a positive weight for each"),
        (models, {"weights": (1,)}, "a positive weight for each"),
    ):
        with pytest.raises(ValueError, match=says):
            interpolated(given, **options)  # type: ignore[arg-type]
