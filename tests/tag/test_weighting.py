"""Weights of sentences and labels, sets of allowed labels, and probabilities."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tag.test_model import sentences, tagger

import laconic
from laconic import _core
from laconic.core.solvers.online import Mira, Perceptron, StochasticGradient
from laconic.tag.crf import Crf
from laconic.tag.model import Tagger
from laconic.tag.training import weighting_of

CLASH = ([["a", "b"], ["a", "b"]], [["X", "Y"], ["Y", "Y"]])


@pytest.mark.parametrize(
    "learner",
    [Crf(), Crf("lasso", 0.1), Crf(loss="hinge"), StochasticGradient("log", 20)],
    ids=repr,
)
def test_the_heavier_sentence_wins(learner: Any) -> None:
    X, y = CLASH
    first = Tagger(learner=learner).fit(X, y, sample_weight=[3.0, 1.0])
    second = Tagger(learner=learner).fit(X, y, sample_weight=[1.0, 3.0])
    assert first.predict(X[:1]) == [["X", "Y"]] and second.predict(X[:1]) == [["Y", "Y"]]


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Crf(), Crf("lasso", 0.1)], ids=repr)
def test_whole_weights_are_repeats(learner: Any) -> None:
    X, y = sentences()
    times = np.array([1, 3, 2, 1, 2])
    repeated = [k for k, n in enumerate(times) for _ in range(n)]
    learner.set_params(tol=1e-9, max_iter=500)
    weighted = tagger(learner).fit(X, y, sample_weight=times)
    whole = tagger(learner).fit([X[k] for k in repeated], [y[k] for k in repeated])
    assert weighted.objective_ == pytest.approx(whole.objective_, rel=2e-3)
    assert weighted.predict(X) == whole.predict(X)


def test_weights_of_one_change_nothing() -> None:
    X, y = sentences()
    for learner in (Mira(3), Perceptron(3), StochasticGradient("log", 3), Crf()):
        plain = tagger(learner).fit(X, y)
        ones = tagger(learner).fit(X, y, sample_weight=np.ones(len(X)))
        for a, b in zip(plain.weights_.weights, ones.weights_.weights, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)


def test_sentences_of_no_weight_teach_nothing() -> None:
    X, y = CLASH
    for learner in (Mira(3), Perceptron(3), StochasticGradient("hinge", 3), Crf()):
        model = Tagger(learner=learner).fit(X, y, sample_weight=[1, 0])
        assert model.predict(X[:1]) == [["X", "Y"]]


def test_labels_of_more_weight_are_found_more_often() -> None:
    random = np.random.default_rng(0)
    X = [[str(word) for word in random.choice(["a", "b", "c"], 5)] for _ in range(60)]
    y = [["N" if random.random() < 0.3 else "O" for _ in sentence] for sentence in X]
    shares = [
        np.mean(
            [
                label == "N"
                for s in Tagger(learner=Mira(3), class_weight=given).fit(X, y).predict(X)
                for label in s
            ]
        )
        for given in ({"N": 0.1}, None, {"N": 20.0}, "balanced")
    ]
    assert shares[0] <= shares[1] < shares[2] and shares[1] < shares[3]


def test_weights_that_are_refused(tmp_path: Path) -> None:
    X, y = sentences()
    for weight in ([1.0], [1.0] * 4 + [-1.0], [1.0] * 4 + [np.nan], np.ones((5, 1))):
        with pytest.raises(ValueError, match="one number of at least 0 for each of the 5"):
            tagger().fit(X, y, sample_weight=weight)
    for given, message in (
        ({"B-XX": 2.0}, "names the label 'B-XX', which no token has"),
        ({"B-NP": -2.0}, "numbers of at least 0"),
        ("heavy", "'balanced' or a weight per label"),
    ):
        with pytest.raises(ValueError, match=message):
            tagger(class_weight=given).fit(X, y)
    model = tagger(class_weight={"B-NP": 2}).fit(X, y)
    model.save(tmp_path / "m.laconic")
    assert laconic.load(tmp_path / "m.laconic").class_weight == {"B-NP": 2.0}


def test_kernels_check_weights() -> None:
    X, y = sentences()
    model = tagger(Perceptron(1)).fit(X, y)
    columns, ptr = model.encoder_.encode(X)
    kernel = _core.Tagger(
        _core.Expander(*model.templates_.arrays(model.encoder_.view_index)[:3]),
        np.zeros(len(model.templates_), np.uint8),
        len(model.classes_),
    )
    seen = kernel.number(columns, ptr)
    gold, order = np.zeros(columns.shape[1], np.int32), np.arange(len(X))
    rule = _core.OnlineRule(**Perceptron().rule(0))
    for weight, cost in (
        (np.ones(1, np.float32), None),
        (np.full(len(X), -1, np.float32), None),
        (None, np.ones(2, np.float32)),
        (None, np.full(columns.shape[1], np.nan, np.float32)),
    ):
        with pytest.raises(ValueError, match="from 0 on"):
            kernel.learn(seen, gold, order, rule, weight, cost)


def test_means_of_costs_by_sentence() -> None:
    X, y = sentences()
    flat = [label for labels in y for label in labels]
    tokens = tagger().fit(X, y)._tokens([*X, []])
    weighting = weighting_of(tokens, flat, [1, 2, 3, 4, 5, 6], {"B-NP": 3.0})
    assert weighting is not None
    expected = [
        (k + 1) * np.mean([3.0 if label == "B-NP" else 1.0 for label in labels])
        for k, labels in enumerate(y)
    ]
    np.testing.assert_allclose(weighting.of_sentences(tokens.ptr), [*expected, 0.0])


def test_sets_of_allowed_labels() -> None:
    X, y = sentences()
    model = tagger().fit(X, y)
    free = [[None] * len(labels) for labels in y]
    assert model.predict(X, free) == y
    every = set(model.classes_.tolist())
    assert model.predict(X, [[every] * len(labels) for labels in y]) == y
    some = [[{"O", "B-VP"} if t == 0 else None for t in range(len(labels))] for labels in y]
    assert all(labels[0] in {"O", "B-VP"} for labels in model.predict(X, some))
    one = [[(label,) for label in labels] for labels in y]
    assert model.predict(X, one) == y
    with pytest.raises(ValueError, match="B-XX"):
        model.predict(X, [[["O", "B-XX"], *[None] * (len(y[0]) - 1)], *free[1:]])
    with pytest.raises(ValueError, match="no sequence of labels"):
        model.predict(X, [[[], *[None] * (len(y[0]) - 1)], *free[1:]])


def test_probabilities_and_a_warning_where_they_are_none(tmp_path: Path) -> None:
    X, y = sentences()
    crf = tagger(Crf()).fit(X, y)
    refitted = tagger(Mira(2), refit=StochasticGradient("log", 5)).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (crf, refitted):
            for node, same in zip(model.predict_proba(X), model.predict_marginals(X), strict=True):
                assert np.array_equal(node, same)
    for learner in (Mira(2), Crf(loss="hinge"), StochasticGradient("perceptron", 2)):
        model = tagger(Crf(), refit=learner).fit(X, y)
        model.save(tmp_path / "m.laconic")
        for one in (model, laconic.load(tmp_path / "m.laconic")):
            with pytest.warns(
                UserWarning, match="but are no probabilities: for those refit by Crf"
            ):
                one.predict_proba(X)
