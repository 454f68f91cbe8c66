"""Compact files: the same predictions as from the plain model, with names and without."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic import Crf, Mira, Perceptron, Tagger, TextClassifier
from laconic.classify.explain import top_words
from laconic.models.discrete.values import quantize
from laconic.models.save import save_compact
from laconic.tag.compact import FEATURE_ERROR_BITS, CompactTagger
from laconic.tag.explain import kept_templates, label_bigrams, top_features
from laconic.text.patterns import parse_templates
from laconic.text.views import WordClusters

COLUMNS = ("word", "pos")
TEMPLATES = """word[0]
pos[-1]|pos[0]
word[-2]|word[1]|shape[0]
suffix2[0]
cluster[0]
cluster2[-1]|word[0]
bias
pairs:pos[0]
word[-3]|word[-2]|word[-1]|word[0]|word[1]|word[2]|word[3]|lower[-3]|lower[-2]|lower[-1]|lower[0]|lower[1]|lower[2]"""
WORDS = [f"{a}{b}{c}" for a in "bdKtRn" for b in "aeiou" for c in ("", "s", "ng", "Lo", "1")]


def sentences(n: int, seed: int = 0) -> tuple[list[list[tuple[str, str]]], list[list[str]]]:
    """Names are capitalised words and what follows a word in -ng; some labels are noise."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        words = rng.choice(WORDS, int(rng.integers(1, 12))).tolist()
        tags = [("NN", "JJ", "VB")[len(word) % 3] for word in words]
        inside = [
            word[0].isupper() or (t > 0 and words[t - 1].endswith("ng"))
            for t, word in enumerate(words)
        ]
        labels = [
            ("I-X" if t and inside[t - 1] else "B-X") if name else "O"
            for t, name in enumerate(inside)
        ]
        X.append(list(zip(words, tags, strict=True)))
        y.append([label if rng.random() < 0.95 else "O" for label in labels])
    return X, y


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    clusters = WordClusters({word: f"{hash_of(word):04b}"[-4:] for word in WORDS[::2]})
    templates = parse_templates(TEMPLATES, COLUMNS)
    return Tagger(templates, Perceptron(3), columns=COLUMNS, clusters=clusters, scheme="BIOES").fit(
        *sentences(150)
    )


def hash_of(word: str) -> int:
    return sum(map(ord, word)) % 16


def reloaded(model: Any, path: Path, names: bool = True) -> Any:
    save_compact(model, path / "m.compact", names)
    return laconic.load(path / "m.compact")


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("values", [None, 2, 8])
def test_a_compact_tagger_predicts_what_the_plain_one_does(
    tagger: Tagger, tmp_path: Path, names: bool, values: int | None
) -> None:
    if values is not None:
        steps = np.array([0.5, 1, 2, 4])[: values // 2]
        tagger = quantize(tagger, np.concatenate([-steps, steps]))
    compact = reloaded(tagger, tmp_path, names)
    X, _ = sentences(80, seed=1)
    X += [[], [("never", "seen"), ("Na", "NN")]]
    assert compact.predict(X) == tagger.predict(X)
    for ours, plain in zip(compact.predict_marginals(X), tagger.predict_marginals(X), strict=True):
        assert np.array_equal(ours, plain)
    assert compact.predict_k_best(X, 3) == tagger.predict_k_best(X, 3)
    fixed = [[None] * len(sentence) for sentence in X]
    fixed[0][0] = "B-X"
    assert compact.predict(X, fixed) == tagger.predict(X, fixed)
    assert compact.set_params(constrained=True).predict(X) == tagger.set_params(
        constrained=True
    ).predict(X)
    tagger.set_params(constrained=False)


def test_the_same_scores_to_the_last_bit(tagger: Tagger, tmp_path: Path) -> None:
    compact = reloaded(tagger, tmp_path)
    X, _ = sentences(60, seed=2)
    kernels = ((model._kernel, *model.encoder_.encode(X)) for model in (tagger, compact))
    (a, columns, ptr), (b, others, _) = kernels
    assert np.array_equal(a.scores(columns, ptr), b.scores(others, ptr, 2))
    assert np.array_equal(a.edges(columns, ptr), b.edges(others, ptr))


@pytest.mark.parametrize("n_labels", [2, 3, 22, 45])
def test_rows_of_any_length_are_added_alike(n_labels: int, tmp_path: Path) -> None:
    """Rows have from 1 to n_labels weights, and are one block, several or dense."""
    rng = np.random.default_rng(n_labels)
    X, _ = sentences(60)
    of_word = {
        word: rng.integers(0, n_labels, size=1 + k % n_labels) for k, word in enumerate(WORDS)
    }
    y = [[f"L{rng.choice(of_word[word])}" for word, _ in sentence] for sentence in X]
    templates = parse_templates(
        "word[0]\nword[-1]|pos[0]\npos[0]\nbias\npairs:bias\npairs:word[0]", COLUMNS
    )
    model = Tagger(templates, Perceptron(3), columns=COLUMNS).fit(X, y)
    compact = reloaded(model, tmp_path, names=False)
    for ours, plain in zip(compact.predict_marginals(X), model.predict_marginals(X), strict=True):
        assert np.array_equal(ours, plain)
    assert compact.predict(X) == model.predict(X)


def test_names_make_a_compact_tagger_readable(tagger: Tagger, tmp_path: Path) -> None:
    compact = reloaded(tagger, tmp_path)
    for ours, theirs in zip(
        sorted(kept_templates(compact)), sorted(kept_templates(tagger)), strict=True
    ):
        assert ours[:3] == theirs[:3] and ours.norm == pytest.approx(theirs.norm)
    assert label_bigrams(compact, 5) == label_bigrams(tagger, 5)
    for label, rows in top_features(tagger, 10**6).items():
        assert sorted(rows) == sorted(top_features(compact, 10**6)[label])
    plain = compact.plain()
    X, y = sentences(40, seed=3)
    assert plain.predict(X) == tagger.predict(X) and plain.score(X, y) == tagger.score(X, y)
    plain.save(tmp_path / "plain")
    assert laconic.load(tmp_path / "plain").predict(X) == tagger.predict(X)


def test_without_names_no_string_is_left_and_nothing_to_read(
    tagger: Tagger, tmp_path: Path
) -> None:
    compact = reloaded(tagger, tmp_path, names=False)
    content = (tmp_path / "m.compact").read_bytes()
    assert not any(word.encode() in content for word in WORDS if len(word) > 3)
    for ask in (
        lambda: top_features(compact, 3),
        compact.plain,
        lambda: kept_templates(compact) and compact.weights_.atoms,
    ):
        with pytest.raises(ValueError, match="without names"):
            ask()
    with pytest.raises(ValueError, match="without names"):
        save_compact(compact, tmp_path / "again")
    assert compact.weights_.n_nonzero == tagger.weights_.n_nonzero
    assert compact.weights_.n_distinct == tagger.weights_.n_distinct


def test_compact_models_do_not_learn_and_can_be_copied(tagger: Tagger, tmp_path: Path) -> None:
    compact = reloaded(tagger, tmp_path, names=False)
    X, y = sentences(10)
    for learn in (compact.fit, compact.partial_fit):
        with pytest.raises(ValueError, match="does not learn"):
            learn(X, y)
    assert pickle.loads(pickle.dumps(compact)).predict(X) == tagger.predict(X)
    compact.save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "m.compact").read_bytes()
    with pytest.raises(ValueError, match="SparseClassifier"):
        save_compact(laconic.SparseClassifier().fit(np.eye(2), [0, 1]), tmp_path / "x")


def test_memory_of_strings_is_bounded(
    tagger: Tagger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.models.compact.encoder.MOST_REMEMBERED", 10)
    compact = reloaded(tagger, tmp_path)
    X, _ = sentences(80, seed=4)
    assert [compact.predict([sentence])[0] for sentence in X] == tagger.predict(X)
    assert all(len(known.index) <= 10 + 12 for known in compact.encoder_._recent.values())


def test_weights_of_any_values_can_be_stored(tmp_path: Path) -> None:
    X, y = sentences(100)
    model = Tagger("chunking", Crf(max_iter=5)).fit(X, y)
    assert reloaded(model, tmp_path).predict(X) == model.predict(X)


def test_a_file_with_few_values_is_small(tmp_path: Path) -> None:
    X, y = sentences(400)
    model = quantize(Tagger("chunking72", Mira(2)).fit(X, y), [-0.02, -0.01, 0.01, 0.02])
    model.save(tmp_path / "plain")
    sizes = {}
    for names in (True, False):
        save_compact(model, tmp_path / "compact", names)
        sizes[names] = (tmp_path / "compact").stat().st_size
    assert sizes[False] < (tmp_path / "plain").stat().st_size / 5
    assert sizes[False] < sizes[True]


def test_rare_mistakes_come_with_nameless_maps_only(tagger: Tagger, tmp_path: Path) -> None:
    exact = [reloaded(tagger, tmp_path, names)._kernel for names in (True, False)]
    wide = len(tagger.templates_) - 1  # the only one with more than 2^62 possible features
    assert [exact[0].exact(m) for m in range(len(tagger.templates_))] == [
        m != wide for m in range(len(tagger.templates_))
    ]
    assert not exact[1].exact(wide)
    assert FEATURE_ERROR_BITS >= 20


def documents(n: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(WORDS, 15)) for _ in range(n)]
    return texts, [("x", "y", "z")[(text.count("ng") + text.count("K")) % 3] for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize(("ngrams", "prefixes"), [(1, ()), (2, (3,))])
@pytest.mark.parametrize("weighting", ["count", "binary", "tfidf", "logtfidf"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_compact_classifier_predicts_what_the_plain_one_does(
    tmp_path: Path,
    n_classes: int,
    weighting: str,
    ngrams: int,
    prefixes: tuple[int, ...],
    names: bool,
) -> None:
    X, labels = documents(120)
    y = [label if n_classes == 3 else min(label, "y") for label in labels]
    strength = 0.05 if "tfidf" in weighting else 1.0
    model = TextClassifier(
        strength=strength, weighting=weighting, ngrams=ngrams, prefixes=prefixes
    ).fit(X, y)
    compact = reloaded(model, tmp_path, names)
    unseen = [*X, "", "nothing known here", ["one sentence.", "another."]]
    assert np.allclose(
        compact.decision_function(unseen), model.decision_function(unseen), rtol=1e-12, atol=1e-12
    )
    assert compact.predict(unseen).tolist() == model.predict(unseen).tolist()
    assert np.allclose(compact.predict_proba(unseen), model.predict_proba(unseen))
    assert compact.score(X, y) == model.score(X, y)
    if not names:
        with pytest.raises(ValueError, match="without names"):
            top_words(compact, 3)
        return
    ours, plain = top_words(compact, 10**6), top_words(model, 10**6)
    assert {label: sorted(rows) for label, rows in ours.items()} == {
        label: sorted(rows) for label, rows in plain.items()
    }
    assert np.allclose(compact.plain().decision_function(unseen), model.decision_function(unseen))


@pytest.mark.slow
def test_compact_classifiers_keep_their_account_and_do_not_learn(tmp_path: Path) -> None:
    X, y = documents(60)
    model = TextClassifier(lowercase=False).fit(X, y)
    compact = reloaded(model, tmp_path)
    assert compact.lowercase is False and compact.n_features_selected_ == model.n_features_selected_
    assert pickle.loads(pickle.dumps(compact)).predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match="does not learn"):
        compact.fit(X, y)
    with pytest.raises(AttributeError):
        compact.no_such_thing  # noqa: B018


def test_a_model_survives_its_file_being_rewritten_in_place(tagger: Tagger, tmp_path: Path) -> None:
    """`cp new model` truncates the file first, which kills a process that maps it."""
    X, _ = sentences(5)
    compact = reloaded(tagger, tmp_path)
    expected = compact.predict(X)
    with open(tmp_path / "m.compact", "r+b") as stream:
        stream.truncate(0)
    assert compact.predict(X) == expected


def test_compact_files_are_mapped_if_asked_for(tagger: Tagger, tmp_path: Path) -> None:
    X, _ = sentences(5)
    expected = reloaded(tagger, tmp_path).predict(X)
    mapped = laconic.load(tmp_path / "m.compact", mmap=True)
    assert isinstance(mapped, CompactTagger)
    arrays = mapped._contents[0]
    assert not any(array.flags.owndata or array.flags.writeable for array in arrays.values())
    assert mapped.predict(X) == expected
