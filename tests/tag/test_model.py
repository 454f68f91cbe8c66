"""`Tagger`: scikit-learn manners, all kinds of predictions, budgets, refits, sentence sizes."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from laconic.core.solvers.online import Mira, Perceptron, StochasticGradient
from laconic.core.solvers.online_sparse import Fobos, Rda, Sparseptron
from laconic.tag.conll import read_columns
from laconic.tag.model import Tagger
from laconic.text.labels import allowed_ends, allowed_transitions
from laconic.text.patterns import parse_templates

NAMES = ("word", "pos")
TEMPLATES = parse_templates(
    "word[0]\npos[0]\npos[-1] pos[0]\npos[0] pos[1]\nword[-1] word[0]\n"
    "suffix2[0]\nword[1]\nshape[0]\npos[-1]\nbias",
    NAMES,
)
TEXT = """
the/DT/B-NP old/JJ/I-NP dog/NN/I-NP barked/VBD/B-VP at/IN/B-PP Ann/NNP/B-NP ././O
Ann/NNP/B-NP gave/VBD/B-VP Bob/NNP/B-NP a/DT/B-NP red/JJ/I-NP ball/NN/I-NP ././O
Bob/NNP/B-NP has/VBZ/B-VP gone/VBN/I-VP to/IN/B-PP the/DT/B-NP park/NN/I-NP ././O
the/DT/B-NP ball/NN/I-NP was/VBD/B-VP found/VBN/I-VP in/IN/B-PP the/DT/B-NP old/JJ/I-NP park/NN/I-NP
dogs/NNS/B-NP bark/VBP/B-VP ././O
"""


def sentences(text: str = TEXT) -> tuple[list[list[tuple[str, ...]]], list[list[str]]]:
    rows = [[token.rsplit("/", 2) for token in line.split()] for line in text.strip().splitlines()]
    return [[(word, pos) for word, pos, _ in row] for row in rows], [
        [label for _, _, label in row] for row in rows
    ]


@pytest.fixture(scope="module")
def conll(data: Path) -> tuple[list[list[tuple[str, ...]]], list[list[str]]]:
    """The first 300 sentences of the chunking corpus."""
    whole = read_columns(data / "conll2000" / "train.txt.gz", (*NAMES, "label"))
    first = list(whole.sentences())[:300]
    return [[token[:2] for token in sentence] for sentence in first], [
        [token[2] for token in sentence] for sentence in first
    ]


def tagger(learner: Any = None, **options: Any) -> Tagger:
    return Tagger(TEMPLATES, learner or Perceptron(5), **options)


def test_what_was_learned_is_said_again() -> None:
    X, y = sentences()
    model = tagger().fit(X, y)
    assert model.predict(X) == y and model.score(X, y) == 1
    assert model.classes_.tolist() == sorted({label for labels in y for label in labels})
    assert model.predict([[("Ann", "NNP"), ("barked", "VBD")]]) == [["B-NP", "B-VP"]]
    assert [epoch.done for epoch in model.trace_] == [1, 2, 3, 4, 5]


LEARNERS = [
    Mira(5),
    Mira(5, averaged=False),
    Perceptron(5),
    StochasticGradient("log", 20),
    StochasticGradient("hinge", 10, strength=1e-3, averaged=True),
    Rda(1e-3, 10),
    Fobos(1e-4, epochs=10),
    Fobos(1e-4, "label-group", epochs=10),
    Sparseptron(4, every=10),
    Sparseptron(5, every=10, penalty="coarse-to-fine"),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:50])
def test_every_learner_learns(learner: Any) -> None:
    X, y = sentences()
    model = tagger(learner).fit(X, y)
    assert model.score(X, y) > (
        0.2 if isinstance(learner, Sparseptron) else 0.6
    )  # shrunk weights of few templates
    counted = [
        np.count_nonzero(part)
        for part in (*model.weights_.weights, model.weights_.edge, model.weights_.start)
    ]
    assert model.n_features_selected_ == sum(counted)
    assert len(model.get_feature_names_out()) == sum(map(len, model.weights_.weights))


def test_parts_of_speech_are_labels_as_well() -> None:
    X = [[("dog",), ("barks",)], [("cat",), ("runs",), ("fast",)]]
    y = [["N", "V"], ["N", "V", "ADV"]]
    model = Tagger(
        parse_templates("word[0]\nsuffix1[0]", ("word",)), Perceptron(5), columns=("word",)
    ).fit(X, y)
    assert model.predict(X) == y and model.score(X, y) == 1 and model.given_scheme_ == "plain"
    words = [[token[0] for token in sentence] for sentence in X]
    assert model.predict(words) == y


def test_parameters() -> None:
    model = tagger(Sparseptron(budget=7), refit=Mira(3))
    copy = clone(model).set_params(learner__epochs=2, refit__C=0.5, scheme="BIOES")
    assert (copy.learner.epochs, copy.refit.C, copy.scheme, copy.learner.budget) == (
        2,
        0.5,
        "BIOES",
        7,
    )
    assert model.learner.epochs != 2 and model.get_params()["learner__budget"] == 7
    assert "Sparseptron(budget=7)" in repr(model).replace("\n", "")


def test_pickles() -> None:
    X, y = sentences()
    model = tagger().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    fresh = [*X, [("Ann", "NNP"), ("unseen", "NN")]]
    assert again.predict(fresh) == model.predict(fresh)
    for a, b in zip(again.predict_marginals(fresh), model.predict_marginals(fresh), strict=True):
        np.testing.assert_array_equal(a, b)
    pickle.loads(pickle.dumps(tagger())).fit(X, y)


def test_grids_and_folds(conll: Any) -> None:
    X, y = conll
    search = GridSearchCV(
        tagger(Sparseptron(epochs=2, every=50)), {"learner__budget": [1, 6]}, cv=2
    ).fit(X, y)
    assert search.best_params_ == {"learner__budget": 6}
    assert len(search.best_estimator_.templates_) <= 6
    assert np.all(cross_val_score(tagger(Mira(2)), X, y, cv=2) > 0.6)


@pytest.mark.parametrize("budget", [1, 3, 5])
@pytest.mark.parametrize("groups", ["group", "coarse-to-fine"])
@pytest.mark.parametrize("refit", [None, Perceptron(2)])
def test_budgets(conll: Any, budget: int, groups: str, refit: Any) -> None:
    X, y = conll
    model = tagger(Sparseptron(budget, epochs=2, every=70, penalty=groups), refit=refit).fit(X, y)
    assert len(model.templates_) == budget and set(model.templates_) <= set(TEMPLATES)
    if groups == "coarse-to-fine":
        kept, finer = (
            {TEMPLATES.names.index(name) for name in model.templates_.names},
            TEMPLATES.order(),
        )
        assert all(set(np.flatnonzero(finer[:, m])) <= kept for m in kept), (
            "a template stays with all that it refines"
        )
    if (
        refit is not None or groups == "templates"
    ):  # templates of many groups are shrunk to little: without a refit they say little
        assert model.score(X, y) > (
            0.3 if budget > 1 or groups == "templates" else 0.1
        )  # the coarsest of all is the bias


def test_refits_learn_on_what_was_kept(conll: Any) -> None:
    X, y = conll
    first = tagger(Sparseptron(3, epochs=2, every=70)).fit(X, y)
    wide = tagger(Sparseptron(3, epochs=2, every=70), refit=Mira(3)).fit(X, y)
    narrow = tagger(
        Sparseptron(3, epochs=2, every=70), refit=Mira(3), refit_features="features"
    ).fit(X, y)
    assert set(wide.templates_) <= set(first.templates_) and set(narrow.templates_) <= set(
        first.templates_
    )
    kept = set(first.get_feature_names_out())
    assert (
        set(narrow.get_feature_names_out()) <= kept
        and not set(wide.get_feature_names_out()) <= kept
    )
    assert wide.score(X, y) > first.score(X, y) and len(wide.trace_) == 5
    with pytest.raises(ValueError, match="refit_features"):
        tagger(refit=Mira(3), refit_features="words").fit(X, y)


def test_threads_change_nothing(conll: Any) -> None:
    X, y = conll
    one, two = (tagger(Mira(2), n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert one.get_feature_names_out().tolist() == two.get_feature_names_out().tolist()
    for a, b in zip(one.weights_.weights, two.weights_.weights, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.predict(X) == two.predict(X) and one.predict_k_best(X[:70], 3) == two.predict_k_best(
        X[:70], 3
    )


def broken(labels: list[str], scheme: Any) -> int:
    """How many rules of a scheme a sequence breaks."""
    names = sorted(set(labels))
    moves, number = allowed_transitions(names, scheme), {name: k for k, name in enumerate(names)}
    ids = [len(names), *(number[label] for label in labels)]
    count = sum(not moves[a, b] for a, b in pairwise(ids))
    return count + (bool(labels) and not allowed_ends(names, scheme)[ids[-1]])


@pytest.mark.parametrize("scheme", [None, "IOB1", "IOB2", "BIOES"])
def test_labels_come_back_in_the_scheme_they_were_given_in(conll: Any, scheme: str | None) -> None:
    X, y = conll
    model = tagger(Mira(3), scheme=scheme).fit(X, y)
    assert {label[0] for label in model.classes_} == {None: set("BIO"), "BIOES": set("BIOES")}.get(
        scheme, set("BIO")
    )
    assert model.score(X, y) > 0.9
    assert {label[0] for labels in model.predict(X) for label in labels} == set("BIO")


@pytest.mark.parametrize("scheme", ["IOB2", "BIOES"])
def test_constrained_decoding_never_breaks_the_scheme(conll: Any, scheme: str) -> None:
    X, y = conll
    free = tagger(StochasticGradient("log", 1, step=1e-3), scheme=scheme).fit(X, y)
    rng = np.random.default_rng(0)
    weak = pickle.loads(pickle.dumps(free))
    for part in (*weak.weights_.weights, weak.weights_.edge, weak.weights_.start):
        part[:] = rng.normal(size=part.shape)
    weak = pickle.loads(pickle.dumps(weak))  # the kernel with these weights
    weak.given_scheme_ = weak.scheme_  # labels as they were decoded
    assert sum(broken(labels, scheme) for labels in weak.predict(X)) > 100
    weak.set_params(constrained=True)
    assert sum(broken(labels, scheme) for labels in weak.predict(X)) == 0
    for sentence in weak.predict_k_best(X[:20], 4):
        assert sum(broken(ranked.labels, scheme) for ranked in sentence) == 0
    impossible = ~allowed_transitions(weak.classes_.tolist(), scheme)[-1]
    for node in weak.predict_marginals(X[:20]):
        np.testing.assert_allclose(node.sum(axis=1), 1)
        assert not node[0, impossible].any()


@pytest.mark.parametrize("scheme", [None, "BIOES"])
def test_fixed_labels_stay(conll: Any, scheme: str | None) -> None:
    X, y = conll
    model = tagger(Perceptron(1), scheme=scheme).fit(X, y)
    rng = np.random.default_rng(0)
    fixed = [[label if rng.random() < 0.3 else None for label in labels] for labels in y]
    found = model.predict(X, fixed)
    assert all(
        f is None or f == label
        for a, b in zip(fixed, found, strict=True)
        for f, label in zip(a, b, strict=True)
    )
    assert (
        model.predict(X, [[None] * len(sentence) for sentence in X]) == model.predict(X) or scheme
    )
    wrong = sum(a != b for s, t in zip(found, y, strict=True) for a, b in zip(s, t, strict=True))
    assert wrong < sum(
        a != b for s, t in zip(model.predict(X), y, strict=True) for a, b in zip(s, t, strict=True)
    )


def test_bad_fixed_labels_are_refused() -> None:
    X, y = sentences()
    model = tagger().fit(X, y)
    with pytest.raises(ValueError, match="B-XX"):
        model.predict(X[:1], [["B-XX", *[None] * 6]])
    for bad in ([[None]], [], [[None] * 8], [[None] * 7] * 2):
        with pytest.raises(ValueError, match="fixed"):
            model.predict(X[:1], bad)
    with pytest.raises(ValueError, match="fixed"):
        model.predict([X[0][:2], X[0][:1]], [[None], [None, None]])
    strict = clone(model).set_params(constrained=True).fit(X, y)
    with pytest.raises(ValueError, match="no sequence"):
        strict.predict(X[:1], [["O", "I-NP", *[None] * 5]])


@pytest.mark.parametrize("scheme", [None, "BIOES"])
@pytest.mark.parametrize("constrained", [False, True])
def test_several_best(conll: Any, scheme: str | None, constrained: bool) -> None:
    X, y = conll
    model = tagger(Perceptron(1), scheme=scheme, constrained=constrained).fit(X, y)
    answers, best = model.predict_k_best(X[:60], 8), model.predict(X[:60])
    assert [ranked[0].labels for ranked in answers] == best
    for ranked in answers:
        scores = [one.score for one in ranked]
        assert scores == sorted(scores, reverse=True) and 1 <= len(ranked) <= 8
        assert len({tuple(one.labels) for one in ranked}) == len(ranked)


def test_marginals(conll: Any) -> None:
    X, y = conll
    model = tagger(StochasticGradient("log", 3)).fit(X, y)
    found = model.predict_marginals(X)
    assert [part.shape for part in found] == [
        (len(sentence), len(model.classes_)) for sentence in X
    ]
    np.testing.assert_allclose(np.concatenate(found).sum(axis=1), 1)
    likely = [model.classes_[part.argmax(axis=1)].tolist() for part in found]
    same = [
        a == b
        for s, t in zip(likely, model.predict(X), strict=True)
        for a, b in zip(s, t, strict=True)
    ]
    assert np.mean(same) > 0.98
