"""Models of a given number of bytes: files no larger than that, and hardly smaller."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from made_sentences import sentences

import laconic
from laconic import ClassMixture, KneserNey, LanguageModel, LogLinear
from laconic.lm.sizing import sized

TEXT = [f"{sentence} {i % 40}" for i, sentence in enumerate(sentences(600))]
LEARNERS = {
    "words": KneserNey(),
    "mixture": ClassMixture(KneserNey(), n_classes=(3, 10)),
    "log-linear": LogLinear(max_iter=30, tol=1e-2),
}


@pytest.fixture(scope="module", params=LEARNERS)
def model(request: pytest.FixtureRequest) -> LanguageModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LanguageModel(4, LEARNERS[request.param]).fit(TEXT)


def test_files_have_the_size_that_was_asked_for(model: LanguageModel, tmp_path: Path) -> None:
    laconic.save_compact(model, tmp_path / "whole")
    whole = (tmp_path / "whole").stat().st_size
    losses = []
    for share in (2.0, 0.95, 0.85):
        small = sized(model, int(share * whole), TEXT)
        small.save(tmp_path / "small")
        n_bytes = (tmp_path / "small").stat().st_size
        assert 0.9 * min(share, 1) * whole <= n_bytes <= share * whole
        losses.append(laconic.load(tmp_path / "small").perplexity(TEXT))
        assert losses[-1] == pytest.approx(small.perplexity(TEXT))
    assert losses == sorted(losses)
    with pytest.raises(ValueError, match="the words alone take"):
        sized(model, 100, TEXT)


def test_weights_are_learned_anew(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LanguageModel(4, LEARNERS["log-linear"]).fit(TEXT)
        laconic.save_compact(model, tmp_path / "whole")
        size = int(0.85 * (tmp_path / "whole").stat().st_size)
        again = sized(model, size, TEXT, LogLinear(max_iter=30, tol=1e-2))
    again.save(tmp_path / "small")
    assert (tmp_path / "small").stat().st_size <= size
    assert again.perplexity(TEXT) < sized(model, size, TEXT).perplexity(TEXT)


def test_classes_are_left_out_where_they_take_too_much(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LanguageModel(4, LEARNERS["mixture"]).fit(TEXT)
    laconic.save_compact(model, tmp_path / "whole")
    whole = (tmp_path / "whole").stat().st_size
    assert len(sized(model, whole, TEXT).others_) == 2
    few = sum(part.model.n_words for part in model.others_) + len(model.encoder_)
    assert not model.prune(few, TEXT).others_
    assert len(model.prune(2 * few, TEXT).others_) == 2
