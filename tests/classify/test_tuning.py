"""What TextClassifier chooses by itself: on folds, along paths, and then fitted on everything."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import laconic
from laconic import SparseClassifier, TextClassifier
from laconic.classify.derived import derive
from laconic.classify.held_out import split
from laconic.classify.preparation import encode_training
from laconic.core.penalties import Ridge
from laconic.text.documents import DocumentEncoder

SIGNS = {"space": ["orbit", "moon", "rocket"], "med": ["doctor", "drug", "cough"], "art": ["oil"]}
COMMON = ["the", "of", "and", "a", "in", "is", "that", "it", "for", "on", "are", "with"]


def corpus(n: int, seed: int, labels: tuple[str, ...] = ("space", "med")) -> tuple[list[str], list]:
    """Documents of common words with two signs of their label, one in ten with a wrong one."""
    rng = np.random.default_rng(seed)
    gold = [labels[i % len(labels)] for i in range(n)]
    meant = [label if rng.random() > 0.1 else labels[rng.integers(len(labels))] for label in gold]
    texts = [
        " ".join(rng.permutation([*rng.choice(COMMON, 6), *rng.choice(SIGNS[label], 2)]))
        for label in meant
    ]
    return texts, gold


TRAIN, TEST = corpus(80, 0), corpus(60, 1)


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier(folds=3).fit(*TRAIN)


def test_the_default_finds_the_words_that_matter(model: TextClassifier) -> None:
    words = set(model.get_feature_names_out()[np.any(model.coef_ != 0, axis=0)])
    assert {*SIGNS["space"], *SIGNS["med"]} & words and model.score(*TEST) >= 0.8
    assert model.settings_["strength"] > 0 and model.penalty is None
    chosen = model.tried_[-1]
    assert chosen.chosen and chosen.folds == 3 and chosen.refit == model.settings_["refit"]
    assert chosen.weighting == model.settings_["weighting"]
    # No candidate of as many folds is better by more than the tolerance allows.
    rivals = [row for row in model.tried_ if row.folds == 3]
    assert min(row.log_loss for row in rivals) >= 0.8 * chosen.log_loss


def test_the_choice_is_the_same_again_and_fits_as_stated(model: TextClassifier) -> None:
    again = clone(model).fit(*TRAIN)
    assert again.settings_ == model.settings_ and np.array_equal(again.coef_, model.coef_)
    stated = TextClassifier(**model.settings_).fit(*TRAIN)
    names = {name: k for k, name in enumerate(stated.get_feature_names_out())}
    order = [names[name] for name in model.get_feature_names_out()]
    np.testing.assert_allclose(stated.coef_[:, order], model.coef_, atol=0.05)
    assert not stated.tried_


def test_scores_on_folds_are_those_of_models_without_the_fold() -> None:
    texts, labels = np.array(TRAIN[0], dtype=object), np.array(TRAIN[1])
    fixed = {"penalty": "lasso", "weighting": "log", "ngrams": 1, "prefixes": (), "refit": 0.1}
    model = TextClassifier(**fixed, contrast=0.5, frequency=0.0, folds=3).fit(texts, labels)
    losses = []
    for train, held in split(labels, 3, 0):
        part = TextClassifier(**fixed, contrast=0.5, strength=1.0).stated()
        prepared = part.prepare(texts[train], labels[train])
        rows = sp.csr_matrix(prepared.X @ sp.diags(prepared.contrast))
        problem = SparseClassifier("lasso").build_problem(rows, labels[train])
        highest = laconic.L1().strength_max(problem.parts(problem.smooth(problem.start())[1])[0])
        part.set_params(strength=highest * model.tried_[-1].share, tol=1e-2)
        chances = part.fit_prepared(prepared).predict_log_proba(texts[held])
        losses += [
            -row[list(part.classes_).index(label)]
            for row, label in zip(chances, labels[held], strict=True)
        ]
    assert np.mean(losses) == pytest.approx(model.tried_[-1].log_loss, rel=0.05)


@pytest.mark.parametrize("most", [1, 3])
def test_at_most_so_many_words(most: int) -> None:
    model = TextClassifier(max_features=most, folds=3).fit(*TRAIN)
    assert 1 <= model.n_features_selected_ <= most


@pytest.mark.parametrize("penalty", ["lasso", "ridge", "sentence", "lasso+ridge"])
def test_every_penalty_gets_its_strengths(penalty: str) -> None:
    model = TextClassifier(penalty, folds=2).fit(*TRAIN)
    assert model.settings_["penalty"] == penalty and model.n_features_selected_ > 0
    assert model.score(*TEST) >= 0.8


def test_what_is_stated_is_fixed() -> None:
    model = TextClassifier(weighting="binary", ngrams=2, contrast=0.0, folds=2).fit(*TRAIN)
    assert {(r.weighting, r.ngrams, r.contrast) for r in model.tried_} == {("binary", 2, 0.0)}
    plain = TextClassifier(strength=0.5).fit(*TRAIN)
    assert plain.settings_["weighting"] == "count" and not plain.tried_


def test_dev_replaces_the_folds_and_is_learned_from() -> None:
    dev = (["zeppelin orbit moon"] * 4 + ["lancet doctor drug"] * 4, ["space"] * 4 + ["med"] * 4)
    model = TextClassifier(folds=3).fit(*TRAIN, dev=dev)
    assert {row.folds for row in model.tried_} == {1}
    assert "zeppelin" in set(model.get_feature_names_out())


def test_several_classes_and_one_document_per_class() -> None:
    texts, labels = corpus(90, 2, ("space", "med", "art"))
    model = TextClassifier(folds=2).fit(texts, labels)
    assert model.score(texts, labels) > 0.8
    with pytest.warns(UserWarning, match="too few documents"):
        TextClassifier().fit(["orbit moon", "doctor drug"], ["space", "med"])


def test_time_ends_the_race() -> None:
    model = TextClassifier(seconds=1e-6, folds=3).fit(*TRAIN)
    assert {row.folds for row in model.tried_} == {1} and model.n_features_selected_ > 0


def test_an_empty_model_says_what_to_do() -> None:
    with pytest.warns(UserWarning, match="leave out the strength"):
        TextClassifier(strength=1e6).fit(*TRAIN)


def test_derived_counts_are_those_of_an_encoder() -> None:
    texts = ["Bored people bore. The bored dog!", "A bore, a bored dog. Dog", "The bored dog bore"]
    words = DocumentEncoder()
    training = encode_training(texts, [0, 1, 0], words, 1)
    richer = DocumentEncoder(ngrams=3, prefixes=(3, 2))
    derived, found = derive(training, richer)
    expected = DocumentEncoder(ngrams=3, prefixes=(3, 2))
    counts = expected.grow(texts).counts(len(expected.vocab)).toarray()
    # All of it, but the n-grams of one document.
    in_documents = dict(zip(expected.vocab.words, (counts > 0).sum(axis=0), strict=True))
    assert {"bored dog", "the bored dog"} <= set(found.vocab.words)
    assert sorted(found.vocab.words) == sorted(
        word for word, n in in_documents.items() if n > 1 or " " not in word
    )
    order = expected.vocab.ids(found.vocab.words)
    np.testing.assert_array_equal(derived.counts.toarray(), counts[:, order])


def test_more_words_are_kept_where_they_are_better() -> None:
    """A word of each document's class among 60 per class: a tenth of the words is too few."""
    generator = np.random.default_rng(0)
    labels = np.arange(1200) % 2
    telling = [
        f"{'ab'[y]}{k}" for y, k in zip(labels, generator.integers(0, 300, 1200), strict=True)
    ]
    noise = generator.integers(0, 4000, (1200, 4))
    texts = [
        " ".join([word, *(f"n{k}" for k in row)]) for word, row in zip(telling, noise, strict=True)
    ]
    wide = TextClassifier(penalty="lasso", weighting="log").fit(texts, labels)
    narrow = TextClassifier(penalty="lasso", weighting="log", max_features=443).fit(texts, labels)
    assert narrow.report_.features_kept <= 443 < wide.report_.features_kept <= 4 * 443 + 40
    assert max(row.accuracy for row in wide.tried_) > max(row.accuracy for row in narrow.tried_)


def test_a_ridge_on_more_words_than_a_share_gets_its_strength() -> None:
    """No setting keeps few words, so that the number of words decides nothing."""
    generator = np.random.default_rng(0)
    labels = np.arange(120) % 2
    texts = [
        f"{('cold', 'warm')[y]} " + " ".join(f"n{k}" for k in generator.integers(0, 900, 8))
        for y in labels
    ]
    model = TextClassifier("ridge", weighting="log", contrast=0.0, folds=2).fit(texts, labels)
    assert model.report_.features_total > 500 and model.report_.features_kept > 400
    chosen = model.tried_[-1]
    assert chosen.chosen and chosen.accuracy > 0.9 and chosen.words > 200
    assert chosen.log_loss < 1.2 * min(row.log_loss for row in model.tried_)


def test_large_data_race_on_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates race on a part of the documents; the winner alone is scored on all of them."""
    monkeypatch.setattr("laconic.classify.tuning.LARGE", 300)
    model = TextClassifier(folds=3).fit(*TRAIN)
    kinds = {(r.weighting, r.ngrams, r.prefixes, r.contrast, r.frequency) for r in model.tried_}
    on_all = {
        (r.weighting, r.ngrams, r.prefixes, r.contrast, r.frequency)
        for r in model.tried_
        if r.folds > 1
    }
    assert len(kinds) > 3 and len(on_all) == 1 and model.tried_[-1].chosen


def test_frequency_multiplies_a_ridge_by_the_number_of_documents() -> None:
    model = TextClassifier("ridge", strength=0.3, frequency=1.0, tol=1e-8).fit(*TRAIN)
    rows = model.vectorize(TRAIN[0])
    documents = np.asarray((rows > 0).sum(axis=0)).ravel()
    squares = np.asarray(rows.multiply(rows).sum(axis=0)).ravel()
    unit = (squares / documents).sum() / squares.sum()  # keeps the sum of squares
    by_hand = SparseClassifier(Ridge(0.3, factors=documents * unit), tol=1e-8).fit(rows, TRAIN[1])
    np.testing.assert_allclose(model.coef_, by_hand.coef_, atol=1e-5)


def test_log_rows_need_no_words_without_weights(tmp_path) -> None:
    model = TextClassifier("lasso", strength=0.1, weighting="log").fit(*TRAIN)
    rows = model.vectorize(["orbit orbit zyzzyva"]).toarray()[0]
    place = list(model.get_feature_names_out()).index("orbit")
    assert rows[place] == pytest.approx((1 + np.log(2)) / np.sqrt(3))
    model.save(tmp_path / "m")
    loaded = laconic.load(tmp_path / "m")
    assert len(loaded.encoder_.vocab) == model.n_features_selected_
    np.testing.assert_allclose(loaded.decision_function(TEST[0]), model.decision_function(TEST[0]))


def test_files_keep_what_was_tried(model: TextClassifier, tmp_path) -> None:
    model.save(tmp_path / "plain")
    laconic.save_compact(model, tmp_path / "compact")
    for name in ("plain", "compact"):
        loaded = laconic.load(tmp_path / name)
        assert loaded.settings_ == model.settings_ and len(loaded.tried_) == len(model.tried_)
        assert loaded.tried_[-1].prefixes == model.tried_[-1].prefixes
        np.testing.assert_allclose(
            loaded.decision_function(TEST[0]), model.decision_function(TEST[0]), rtol=1e-6
        )


def test_a_path_cut_short_on_all_documents_leaves_the_choice_of_the_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("laconic.classify.tuning.LARGE", 300)
    monkeypatch.setattr("laconic.classify.tuning.FIRST_SHARE", 0.0)
    model = TextClassifier(folds=3).fit(*TRAIN)
    chosen = model.tried_[-1]  # a cut path ends where it begins, at 3 words
    assert chosen.chosen and chosen.folds == 1 and chosen.words > 8 and chosen.share < 0.1
    assert model.score(*TEST) >= 0.8
