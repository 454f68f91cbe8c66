"""`LanguageModel`: learning, scoring, perplexities, sampling, pruning, and its files."""

from __future__ import annotations

import gzip
import math
import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import refused
from sklearn.base import clone

import laconic
from laconic.core.report import Event
from laconic.errors import InputError
from laconic.lm.arpa import read_arpa
from laconic.lm.log_linear import LogLinear
from laconic.lm.model import LanguageModel
from laconic.lm.nested import NestedRidge
from laconic.lm.predict import TextScore
from laconic.lm.running import SentenceEncoder
from laconic.models import file as files

SENTENCES = [
    "the cat sat on the mat",
    "the dog sat on the cat",
    ["a", "dog", "and", "a", "cat"],
    "the mat",
    "",
] * 3


@pytest.fixture(autouse=True)
def few_counts() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*discount_fallback")
        yield


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LanguageModel(3, laconic.KneserNey()).fit(SENTENCES)


def test_scoring_word_by_word_and_at_once(model: LanguageModel) -> None:
    for sentence, at_once in zip(
        ["the cat sat", "unheard words", ""],
        model.log_probs(["the cat sat", "unheard words", ""]),
        strict=True,
    ):
        state, found = model.start(), []
        for word in [*sentence.split(), "</s>"]:
            state, log_prob = model.score(state, word)
            found.append(log_prob)
        assert found == at_once.tolist()
    assert [x.tolist() for x in model.ngram_lengths(["the cat sat", ["zebra"]])] == [
        [2, 3, 3, 1],
        [1, 1],
    ]


def test_perplexities(model: LanguageModel) -> None:
    text = ["the cat sat", "a zebra"]
    scores = np.concatenate(model.log_probs(text))
    found = model.evaluate(text)
    assert found == TextScore(2, 5, 1, pytest.approx(scores.sum()), pytest.approx(scores[5]))
    assert model.perplexity(text) == pytest.approx(math.exp(-scores.mean()))
    known = np.delete(scores, 5)
    assert model.perplexity(text, unknown=False) == pytest.approx(math.exp(-known.mean()))
    assert model.perplexity(text, unknown=False, ends=False) == pytest.approx(
        math.exp(-known.sum() / 4)
    )
    assert model.perplexity(text, ends=False) == pytest.approx(math.exp(-scores.sum() / 5))
    assert math.isnan(model.perplexity([]))


def test_completing_and_sampling(model: LanguageModel) -> None:
    best = model.complete("the cat sat", 3)
    assert best[0][0] == "on" and [p for _, p in best] == sorted((p for _, p in best), reverse=True)
    assert model.complete(["the", "cat", "sat"], 3) == best
    assert len(model.complete([], 100)) == len(model.encoder_)
    drawn = model.sample(200, seed=3)
    assert drawn == model.sample(200, seed=3) != model.sample(200, seed=4)
    assert {word for sentence in drawn for word in sentence} <= set(model.encoder_.words)
    assert max(map(len, model.sample(50, most=2))) <= 2


def test_rare_words_are_examples_of_unknown_ones() -> None:
    text = ["a b c d e", "a b f g", "a b a"]
    plain, with_rare = LanguageModel(2).fit(text), LanguageModel(2, min_count=2).fit(text)
    assert with_rare.encoder_.words == ["<unk>", "</s>", "a", "b"]
    assert with_rare.log_probs(["zebra"])[0][0] > plain.log_probs(["zebra"])[0][0]
    given = LanguageModel(2, vocabulary=["a", "z"]).fit(text)
    assert given.encoder_.words == ["<unk>", "</s>", "a", "z"]


def test_encoded_data_gives_the_same_model(model: LanguageModel) -> None:
    encoder, text = SentenceEncoder.learn(SENTENCES)
    again = LanguageModel(3, laconic.KneserNey()).fit_text(encoder, text)
    assert again.evaluate(text) == model.evaluate(SENTENCES)
    with pytest.raises(ValueError, match="predicts 10 words, but there are 2"):
        LanguageModel(order=3).fit_text(SentenceEncoder(["<unk>", "</s>"]), text)


def test_any_learner(tmp_path: Path) -> None:
    """A log-linear model is a back-off model too: its ARPA file has the same probabilities."""
    found = LanguageModel(3, LogLinear(NestedRidge(0.1), max_iter=20)).fit(SENTENCES)
    found.to_arpa(tmp_path / "model.arpa")
    again = LanguageModel.from_arpa(tmp_path / "model.arpa")
    text = [*SENTENCES, "zebra and the mat sat"]
    assert np.concatenate(again.log_probs(text)) == pytest.approx(
        np.concatenate(found.log_probs(text)), abs=5e-6
    )
    small = found.prune(20)
    assert sum(small.n_ngrams_) == 20
    for tried in (found, small):
        assert np.exp(
            [log_prob for _, log_prob in tried.complete("the cat", 100)]
        ).sum() == pytest.approx(1, abs=1e-5)


def test_pruning(model: LanguageModel) -> None:
    small = model.prune(20)
    assert sum(small.n_ngrams_) == 20 < sum(model.n_ngrams_)
    assert (
        model.perplexity(SENTENCES)
        < model.prune(20, SENTENCES).perplexity(SENTENCES)
        < small.perplexity(SENTENCES)
    )
    assert model.n_ngrams_ == LanguageModel(order=3).fit(SENTENCES).n_ngrams_


def test_fit_reports(model: LanguageModel, tmp_path: Path) -> None:
    report = model.report_
    assert report.learner == "KneserNey()" and report.converged and report.seconds > 0
    assert 40 < report.features_kept <= sum(model.n_ngrams_) == report.features_total
    assert 0 < report.groups_kept <= report.groups_total == model.model_.n_contexts
    small = model.prune(20).report_
    assert small.features_kept <= 20 and small.features_total == report.features_total
    events: list[Event] = []
    learner = laconic.LogLinear(laconic.NestedLasso(0.5, growth=2.0), tol=1e-6)
    sparse = LanguageModel(3, learner).fit(SENTENCES, callback=events.append)
    assert sparse.trace_ == tuple(events) and sparse.n_iter_ == len(events)
    assert sparse.converged_ and sparse.certificate_ <= 1e-6
    assert sparse.n_features_selected_ < sparse.n_features_total_ == report.features_total
    sparse.save(tmp_path / "model")
    loaded = laconic.load(tmp_path / "model").report_.as_dict()
    assert {**loaded, "seconds": 0} == {**sparse.report_.as_dict(), "seconds": 0}
    stopped = LanguageModel(3, learner).fit(SENTENCES, callback=lambda event: event.done == 2)
    assert stopped.interrupted_ and not stopped.converged_ and stopped.n_iter_ == 2


def test_conventions_of_estimators(model: LanguageModel) -> None:
    fresh = LanguageModel(4, laconic.KneserNey(modified=False), min_count=2)
    assert repr(fresh) == "LanguageModel(learner=KneserNey(modified=False), min_count=2, order=4)"
    assert clone(fresh).get_params()["learner__modified"] is False
    again = pickle.loads(pickle.dumps(model))
    assert again.evaluate(SENTENCES) == model.evaluate(SENTENCES)
    with pytest.raises(ValueError, match="not fitted"):
        LanguageModel().start()
    for sentences, order, says in (
        ([], 3, "at least one sentence"),
        (["a"], 0, "order must"),
        (["a"], 2.5, "order must"),
    ):
        with pytest.raises(ValueError, match=says):
            LanguageModel(order).fit(sentences)


@pytest.mark.parametrize("order", [1, 50])
def test_orders_and_short_sentences(order: int) -> None:
    found = LanguageModel(order).fit(["a", "b", "", "a b c d e f g"])
    assert np.exp([log_prob for _, log_prob in found.complete("a b", 100)]).sum() == pytest.approx(
        1, abs=1e-5
    )


def test_the_file_of_a_model(model: LanguageModel, tmp_path: Path) -> None:
    for saved in (model, model.prune(25), LanguageModel(1).fit(SENTENCES)):
        saved.save(tmp_path / "model")
        loaded = laconic.load(tmp_path / "model")
        assert loaded.n_ngrams_ == saved.n_ngrams_ and loaded.order == saved.order
        assert np.concatenate(loaded.log_probs(SENTENCES)) == pytest.approx(
            np.concatenate(saved.log_probs(SENTENCES)), abs=1e-6
        )
        loaded.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes()[-100:] == (tmp_path / "model").read_bytes()[-100:]


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("children", lambda a: a + 1, "do not agree"),
        ("children", lambda a: a[:0], "do not agree"),
        ("children", lambda a: a.astype(np.int64), "row of whole numbers"),
        ("pairs", lambda a: a[::-1].copy(), "."),
        ("oldest", lambda a: a[:-1], "do not agree"),
        ("oldest", lambda a: a * 0, "."),
        ("target", lambda a: a + 1, "a pair for every word"),
        ("target", lambda a: a[:-1], "do not agree"),
        ("gain", lambda a: a * np.nan, "not finite"),
        ("gain", lambda a: a.astype(np.float64), "float32"),
        ("base", lambda a: a[:-1], "shape"),
        ("word_data", lambda a: a * 0 + 255, "UTF-8"),
        ("word_ptr", lambda a: a[:-1], "."),
        ("borrowed", lambda a: a, "1 for every borrowed pair"),
        ("other", lambda a: a, "expected the arrays"),
    ],
)
def test_forged_files_are_refused(
    model: LanguageModel, tmp_path: Path, name: str, change: Any, says: str
) -> None:
    model.save(tmp_path / "good")
    file = files.load(tmp_path / "good")
    changed = change(file.arrays.get(name, np.ones(3, np.uint8)))
    assert says in refused(tmp_path, file._replace(arrays={**file.arrays, name: changed}))


@pytest.mark.parametrize(
    ("meta", "says"),
    [
        ({"order": 0}, "order"),
        ({"order": "3"}, "order"),
        ({"min_count": None}, "min_count"),
        ({"account": 3}, "account"),
        ({"account": {"learner": "KneserNey()"}}, "n_ngrams"),
    ],
)
def test_forged_parameters_are_refused(
    model: LanguageModel, tmp_path: Path, meta: dict[str, Any], says: str
) -> None:
    model.save(tmp_path / "good")
    file = files.load(tmp_path / "good")
    assert says in refused(tmp_path, file._replace(meta={**file.meta, **meta}))


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_arpa_files_of_models(model: LanguageModel, tmp_path: Path, name: str) -> None:
    for written in (model, model.prune(25)):
        written.to_arpa(tmp_path / name)
        again = LanguageModel.from_arpa(tmp_path / name)
        # The file of a pruned model also holds suffixes of its n-grams.
        assert np.all(np.subtract(again.n_ngrams_, written.n_ngrams_) >= 0)
        assert written is not model or again.n_ngrams_ == written.n_ngrams_
        text = [*SENTENCES, "zebra crossing the mat"]
        assert np.concatenate(again.log_probs(text)) == pytest.approx(
            np.concatenate(written.log_probs(text)), abs=2e-6
        )
        again.save(tmp_path / "model")
        assert laconic.load(tmp_path / "model").perplexity(text) == pytest.approx(
            written.perplexity(text), rel=1e-6
        )
    assert read_arpa(tmp_path / name).vocabulary[-1] == "<s>"


def test_arpa_files_of_others(data: Path, tmp_path: Path) -> None:
    folder = data / "lm_reference"
    found = LanguageModel.from_arpa(folder / "kenlm/test_nounk.arpa")
    assert found.score(found.start(), "never seen")[1] == pytest.approx(
        -100.4149733 * math.log(10), rel=1e-6
    )
    with gzip.open(folder / "opengrm/earnest.txt.gz", "rt") as stream:
        sentences = list(stream)
    found = LanguageModel.from_arpa(folder / "opengrm/earnest-witten_bell.arpa.gz")
    assert found.order == 5 and sum(found.n_ngrams_) == 2304 + 2 + 10319 + 14796 + 15218 + 14170
    score = found.evaluate(sentences)
    assert (score.sentences, score.words, score.unknown) == (1688, 17897, 0)
    assert score.log_prob / math.log(10) == pytest.approx(-7104.39, abs=0.01)
    assert score.perplexity() == pytest.approx(2.3054, abs=1e-4)


def test_an_arpa_file_with_an_ngram_twice(tmp_path: Path) -> None:
    path = tmp_path / "twice.arpa"
    path.write_text(
        "\\data\\\nngram 1=1\nngram 2=2\n\n\\1-grams:\n-1 a\n\n"
        "\\2-grams:\n-1 a a\n-1 a a\n\n\\end\\\n"
    )
    with pytest.raises(InputError, match=r"twice.arpa: the n-gram 'a a' occurs twice\."):
        LanguageModel.from_arpa(path)


@pytest.fixture(scope="module", params=["words", "mixture"])
def any_model(request: pytest.FixtureRequest) -> LanguageModel:
    """A model of words alone, and one mixed with classes: their kernels differ."""
    learner = laconic.KneserNey()
    if request.param == "mixture":
        learner = laconic.ClassMixture(learner, n_classes=(2,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = LanguageModel(3, learner).fit(SENTENCES * 10)
    assert bool(found.others_) == (request.param == "mixture")
    return found


def test_many_words_from_one_state(any_model: LanguageModel) -> None:
    model = any_model
    state = model.state("the cat")
    words = [*model.encoder_.words, "zebra"]
    states, log_probs = model.score(state, words)
    assert list(zip(states, log_probs.tolist(), strict=True)) == [
        model.score(state, word) for word in words
    ]
    assert np.exp(log_probs[:-1]).sum() == pytest.approx(1, abs=1e-5)
    for bad in (3, [3], ["a", None]):
        with pytest.raises(ValueError, match="expected a word or a list of words"):
            model.score(state, bad)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="expected a state, a number"):
        model.score("the", "the")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="no such state"):
        model.score(10**6, words)


def test_whole_sentences(any_model: LanguageModel) -> None:
    model = any_model
    for sentence in ["the cat sat on the mat", "", "zebra \u00a0the\u3000cat\t", "a\x00b"]:
        expected = float(model.log_probs([sentence])[0].sum())
        assert model.log_prob(sentence) == pytest.approx(expected, rel=1e-12)
        assert model.log_prob(sentence.split()) == pytest.approx(expected, rel=1e-12)
    for mark in ("<s>", "</s>"):
        with pytest.raises(ValueError, match="starts and ends"):
            model.log_prob(f"the {mark} cat")


def test_constraints_of_completions_and_samples(any_model: LanguageModel) -> None:
    model = any_model
    every = model.complete("the", 1000)
    for given in ("the", ["the"], model.state("the")):
        assert model.complete(given, 3) == every[:3]
        begun = [row for row in every if row[0].startswith("m")]
        found = model.complete(given, 2, prefix="m")
        assert found == begun[:2] and begun
    assert model.complete("the", 9, allowed=["zebra", "cat", "mat"]) == [
        row for row in every if row[0] in ("cat", "mat")
    ]
    with pytest.raises(ValueError, match="no word that is allowed and begins with 'zz'"):
        model.complete("the", prefix="zz")
    drawn = model.sample(50, seed=1, after="the", prefix="m", allowed=["mat", "sat", "cat", "on"])
    assert drawn == model.sample(
        50, seed=1, after=model.state("the"), prefix="m", allowed=["mat", "sat", "cat", "on"]
    )
    assert all(words[0] == "mat" and set(words) <= {"mat", "sat", "cat", "on"} for words in drawn)
    # How often words are drawn is how likely they are.
    first = [words[0] if words else "</s>" for words in model.sample(4000, 2, 1, "the")]
    for word, log_prob in every[:3]:
        assert first.count(word) / 4000 == pytest.approx(np.exp(log_prob), abs=0.03)
