"""Mixtures of words and classes: exact sums, states, weights, files, pruning, defaults."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from hostile import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from made_sentences import sentences

import laconic
from laconic import _core
from laconic.lm import default
from laconic.lm.class_mixture import ClassMixture, halves
from laconic.lm.contexts import Text
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.log_linear import LogLinear
from laconic.lm.mixture import all_parts, em_weights
from laconic.lm.model import LanguageModel
from laconic.lm.running import SentenceEncoder
from laconic.models import file as files


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    learner = ClassMixture(KneserNey(), n_classes=(4, 8))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*discount_fallback")
        return LanguageModel(3, learner).fit(sentences(300))


def test_a_mixture_is_the_weighted_sum_of_its_parts(model: LanguageModel) -> None:
    text = model.encoder_.encode(["the n1 v2", "a n3 v3 a7", "unheard", ""])
    parts = all_parts(model.model_, model.others_)
    assert len(parts) == 3
    assert sum(part.weight for part in parts) == pytest.approx(1)
    expected = sum(part.weight * np.exp(part.log_probs(text)) for part in parts)
    np.testing.assert_allclose(np.exp(np.concatenate(model.log_probs(text))), expected, rtol=1e-5)
    model.set_params(n_jobs=2)
    np.testing.assert_array_equal(
        np.concatenate(model.log_probs(text)),
        np.concatenate(model.set_params(n_jobs=None).log_probs(text)),
    )


def test_every_state_sums_to_one_and_agrees_with_scoring(model: LanguageModel) -> None:
    state = model.start()
    for word in ["the", "n4", "v1", "never", "a2", "</s>"]:
        all_words = np.exp(model._kernel.distribution(state))
        assert all_words.sum() == pytest.approx(1, abs=1e-5)
        following, log_prob = model.score(state, word)
        assert np.exp(log_prob) == pytest.approx(all_words[model.encoder_.id(word)], rel=1e-5)
        state = following
    best = model.complete("the", k=3)
    assert [log_prob for _, log_prob in best] == sorted((p for _, p in best), reverse=True)
    assert best[0][0].startswith("n")
    for wrong in (-1, 2**200, state + 2**96):
        with pytest.raises(ValueError, match="no such state"):
            model.score(wrong, "the")


def test_sampled_sentences_follow_the_model(model: LanguageModel) -> None:
    drawn = model.sample(2000, seed=1)
    assert drawn == model.sample(2000, seed=1)
    first = np.mean([words[:1] == ["the"] for words in drawn])
    assert first == pytest.approx(np.exp(model.score(model.start(), "the")[1]), abs=0.04)


def test_classes_help_on_words_after_contexts_never_seen(model: LanguageModel) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*discount_fallback")
        words = LanguageModel(3, KneserNey()).fit(sentences(300))
    assert model.perplexity(sentences(200, seed=1)) < 0.99 * words.perplexity(
        sentences(200, seed=1)
    )


@settings(max_examples=50)
@given(st.integers(0, 2**31), st.integers(2, 4))
def test_weights_make_held_out_text_most_likely(seed: int, n_parts: int) -> None:
    random = np.random.default_rng(seed)
    log_probs = np.log(random.random((n_parts, 60)))
    prior = np.full(n_parts, 0.5)
    weights = em_weights(log_probs, prior)
    assert weights.sum() == pytest.approx(1)

    def score(w: np.ndarray) -> float:
        return float(np.log(w @ np.exp(log_probs)).sum() + prior @ np.log(w))

    for _ in range(10):
        other = 0.9 * weights + 0.1 * random.dirichlet(np.ones(n_parts))
        assert score(weights) >= score(other) - 1e-2


def test_halves_are_the_whole_text() -> None:
    encoder, text = SentenceEncoder.learn(sentences(57))
    learned, held_out = halves(text)
    assert 0 < len(held_out.ptr) - 1 <= 57 // 10
    assert len(learned.tokens) + len(held_out.tokens) == len(text.tokens)
    assert np.bincount(
        np.concatenate([learned.tokens, held_out.tokens]), minlength=len(encoder)
    ).tolist() == (np.bincount(text.tokens, minlength=len(encoder)).tolist())


def test_short_texts_and_small_vocabularies_have_no_classes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text, n_classes in ((sentences(20), (4,)), (sentences(300), (20, 1000))):
            fitted = LanguageModel(2, ClassMixture(KneserNey(), n_classes)).fit(text)
            assert fitted.others_ == ()
            alone = LanguageModel(2, KneserNey()).fit(text)
            assert fitted.perplexity(text) == pytest.approx(alone.perplexity(text))
    for wrong in ((0,), 5, (2.5,)):
        with pytest.raises(ValueError, match="n_classes must be"):
            LanguageModel(2, ClassMixture(KneserNey(), wrong)).fit(["a b"])  # type: ignore[arg-type]


def test_files_and_pickles_keep_the_mixture(model: LanguageModel, tmp_path: Path) -> None:
    text = sentences(50, seed=2)
    model.save(tmp_path / "model")
    for again in (laconic.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert again.perplexity(text) == pytest.approx(model.perplexity(text), rel=1e-5)
        assert again.report_ == model.report_ or again.report_.learner == model.report_.learner
    file = files.load(tmp_path / "model")
    arrays = file.arrays
    assert {"1.classes", "2.log_share"} <= arrays.keys()
    for name, array, says in (
        ("1.classes", arrays["1.classes"] + 200, "classes holds"),
        ("2.log_share", -arrays["2.log_share"], "shares must"),
        ("2.log_share", arrays["2.log_share"][1:], "expected float32"),
        ("3.gain", arrays["gain"], "do not agree"),
        ("1.more", arrays["gain"], ""),
    ):
        assert says in refused(tmp_path, file._replace(arrays={**arrays, name: array}))
    for weights in ([0.1], [0.6, 0.6], [0, 0.1], ["x", 0.1], 3):
        assert "weights" in refused(tmp_path, file._replace(meta={**file.meta, "weights": weights}))


def test_pruning_takes_from_all_parts(model: LanguageModel) -> None:
    text = sentences(300)
    total = model.report_.features_kept
    smaller = model.prune(total // 2, text)
    assert sum(len(part.model.target) for part in all_parts(smaller.model_, smaller.others_)) == (
        total // 2
    )
    assert len(smaller.others_) == 2
    for state in (smaller.start(), smaller.score(smaller.start(), "the")[0]):
        assert np.exp(smaller._kernel.distribution(state)).sum() == pytest.approx(1, abs=1e-4)
    assert model.prune(len(model.encoder_) + 3, text).others_ == ()
    assert model.prune(total // 2).report_.features_kept == total // 2


def test_arpa_files_hold_the_words_alone_and_say_so(model: LanguageModel, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="of classes that are mixed with them are left out"):
        model.to_arpa(tmp_path / "words.arpa")
    assert LanguageModel.from_arpa(tmp_path / "words.arpa").others_ == ()


def test_the_default_is_log_linear_where_it_fits_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = Text(np.ones(1000, np.int32), np.arange(0, 1001, 10), 2)
    assert isinstance(default.default_words(text, 5), LogLinear)
    assert "the best" in default.reason(text, 5)
    monkeypatch.setattr(default, "free_bytes", lambda: 1000.0)
    assert isinstance(default.default_words(text, 5), KneserNey)
    assert default.reason(text, 5).startswith("Kneser-Ney n-grams and classes of words")
    monkeypatch.undo()
    assert default.free_bytes() > 1e6
    fitted = LanguageModel(2).fit(["a b a", "b a"])
    assert fitted.report_.learner == "ClassMixture(words=LogLinear())"


def test_kernels_check_what_comes_in(model: LanguageModel) -> None:
    part, n = model.others_[0], len(model.encoder_)
    automaton = part.model.automaton()
    for classes, share, weight, says in (
        (part.classes[1:], part.log_share, 0.5, "one entry per word"),
        (part.classes + 100, part.log_share, 0.5, "classes holds"),
        (part.classes, part.log_share + 9, 0.5, "shares must"),
        (part.classes, np.full(n, np.nan), 0.5, "shares must"),
        (part.classes, part.log_share, 0.0, "weights must"),
        (part.classes, part.log_share, np.nan, "weights must"),
    ):
        with pytest.raises(ValueError, match=says):
            _core.MixtureAutomaton(n).add(automaton, classes, share, weight)
    empty = _core.MixtureAutomaton(3)
    with pytest.raises(ValueError, match="must have a part"):
        empty.start()
    with pytest.raises(ValueError, match="there must be a word"):
        _core.MixtureAutomaton(0)
    state = model.start()
    for call in (
        lambda: model._kernel.score(np.array([n], np.int32), np.array([0, 1]), state),
        lambda: model._kernel.advance(state, np.array([-1], np.int32)),
        lambda: model._kernel.best(state, 0),
        lambda: model._kernel.sample(1, 0, state, n, 5),
    ):
        with pytest.raises(ValueError, match=r"tokens holds|at least 1|no such word"):
            call()
