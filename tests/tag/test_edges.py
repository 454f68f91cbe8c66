"""`Tagger` at the edges: partial_fit, empty and long sentences, bad input, laws of taggers."""

from __future__ import annotations

import pickle
from itertools import chain, cycle, islice
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tag.test_model import LEARNERS, NAMES, TEMPLATES, sentences, tagger

import laconic
from laconic.core.inference.chain import best as best_paths
from laconic.core.solvers.online import Mira, Perceptron, Sentences
from laconic.core.solvers.online_sparse import Fobos, Rda, Sparseptron
from laconic.tag.checks import check_tagger
from laconic.tag.crf import Crf
from laconic.tag.learn import TrainingData
from laconic.tag.model import Tagger
from laconic.text.patterns import parse_templates
from laconic.text.token_columns import TokenColumns

BATCH = [
    Crf(),
    Crf("lasso", 0.1),
    Crf("group", 0.3),
    Crf("label-group", 0.1),
    Crf("tree+lasso", {"tree": 0.1, "lasso": 0.01}),
    Crf(loss="hinge"),
]
CHUNKS = ["B-NP", "B-PP", "B-VP", "I-NP", "I-VP", "O"]
BIOES = ["B-NP", "B-VP", "E-NP", "E-VP", "I-NP", "O", "S-NP", "S-PP", "S-VP"]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:50])
def test_learning_in_parts(learner: Any) -> None:
    X, y = sentences()
    model = tagger(learner)
    model.partial_fit(X[:2], y[:2], labels=CHUNKS)
    halfway = model.predict(X)
    assert [len(labels) for labels in halfway] == [len(labels) for labels in y]
    for _ in range(10):
        model.partial_fit(X[2:], y[2:]).partial_fit(X[:2], y[:2])
    assert model.score(X, y) > (0.2 if isinstance(learner, Sparseptron) else 0.6)
    if isinstance(learner, Sparseptron):
        assert len(model.templates_) <= learner.budget


def test_parts_of_a_perceptron_are_rounds_of_one() -> None:
    X, y = sentences()
    model = tagger(Perceptron(2, averaged=True))
    for _ in range(2):
        model.partial_fit(X, y, labels=CHUNKS)
    whole = tagger(Perceptron(2, averaged=True)).fit(X, y)
    assert model.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    for a, b in zip(model.weights_.weights, whole.weights_.weights, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    assert model.n_features_total_ > 0


@pytest.mark.parametrize("groups", ["group", "coarse-to-fine"])
@pytest.mark.parametrize("weight", ["one", "log"])
def test_parts_of_a_sparseptron_are_rounds_of_one(groups: str, weight: str) -> None:
    X, y = sentences()
    learner = Sparseptron(
        4, epochs=3, every=7, group_weight=weight, penalty=groups
    )  # shrinks inside of passes, too
    model = tagger(learner)
    for _ in range(3):
        model.partial_fit(X, y, labels=CHUNKS)
    whole = tagger(learner).fit(X, y)
    assert model.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    for a, b in zip(model.weights_.weights, whole.weights_.weights, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_group_weights_and_order_choose_in_parts() -> None:
    X, y = sentences()
    kept = {}
    for groups, weight in (("group", "one"), ("group", "log"), ("coarse-to-fine", "one")):
        model = tagger(Sparseptron(3, every=4, group_weight=weight, penalty=groups))
        for part in (slice(0, 2), slice(2, 5), slice(0, 2)):
            model.partial_fit(X[part], y[part], labels=CHUNKS)
        kept[groups, weight] = set(model.templates_.names)
    assert kept["group", "one"] != kept["group", "log"]
    assert "bias" in kept["coarse-to-fine", "one"], "all others refine it"


def test_parts_keep_the_scheme_of_the_first() -> None:
    X, y = sentences()
    model = tagger(Perceptron(), scheme="BIOES").partial_fit(X, y, labels=BIOES)
    for _ in range(4):
        model.partial_fit(X, y)
    model.partial_fit([[(".", ".")]], [["O"]])
    assert model.given_scheme_ == "IOB2" and model.predict(X) == y


def test_refused_parts() -> None:
    X, y = sentences()
    with pytest.raises(ValueError, match="labels"):
        tagger().partial_fit(X, y)
    with pytest.raises(ValueError, match="two"):
        tagger().partial_fit(X, y, labels=["O"])
    with pytest.raises(ValueError, match="epochs"):
        tagger(Perceptron(0)).partial_fit(X, y, labels=CHUNKS)
    model = tagger().partial_fit(X[:2], y[:2], labels=CHUNKS)
    before = model.predict(X)
    with pytest.raises(ValueError, match="B-XX"):
        model.partial_fit([[("new", "NN")]], [["B-XX"]])
    assert model.predict(X) == before


@pytest.mark.parametrize("learner", [Mira(5), Perceptron(5), Crf()])
def test_learning_goes_on_from_a_fit_a_file_and_a_pickle(tmp_path: Any, learner: Any) -> None:
    X, y = sentences()
    refit = Mira(3) if isinstance(learner, Crf) else None
    model = tagger(learner, refit=refit).fit(X, y)
    before = model.predict(X)
    model.save(tmp_path / "m.laconic")
    strange = [("quux", "XX"), ("dog", "NN")]
    for going_on in (
        laconic.load(tmp_path / "m.laconic"),
        pickle.loads(pickle.dumps(model)),
        model,
    ):
        for _ in range(8):
            going_on.partial_fit([strange], [["B-VP", "I-VP"]]).partial_fit(X, y)
        found = going_on.predict([*X, strange])
        assert found[:-1] == before == y
        assert found[-1] == ["B-VP", "I-VP"]


def test_without_mistakes_learning_on_changes_nothing() -> None:
    X, y = sentences()
    model = tagger(Perceptron(20)).fit(X, y)
    before = [part.copy() for part in model.weights_.weights]
    names = model.get_feature_names_out().tolist()
    model.partial_fit(X, y)
    assert model.get_feature_names_out().tolist() == names
    for a, b in zip(model.weights_.weights, before, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_columns_are_those_of_the_tokens() -> None:
    X = [["the", "cat"], ["a", "dog"]]
    y = [["D", "N"], ["D", "N"]]
    model = Tagger().fit(X, y)
    assert model.columns_ == ("word",) and model.predict([["the", "dog"]]) == [["D", "N"]]
    tagged = [[("the", "DT", "x"), ("cat", "NN", "y")]]
    model = Tagger().fit(tagged, [["B", "I"]])
    assert model.columns_ == ("word", "pos", "column3")
    assert {"pos[0]", "column3[0]"} <= set(model.templates_given_.names)
    lists = [[list(token) for token in sentence] for sentence in tagged]
    with pytest.raises(ValueError, match="name their columns"):
        Tagger().fit(lists, [["B", "I"]])
    named = Tagger(columns=("form", "tag", "mark")).fit(lists, [["B", "I"]])
    assert named.predict(lists) == [["B", "I"]]
    assert not any(name.startswith(("word", "pos")) for name in named.templates_given_.names)
    with pytest.raises(ValueError, match=r"needs 3 strings \(form, tag, mark\)"):
        named.predict([["the", "cat"]])


def test_empty_sentences_and_no_sentences() -> None:
    X, y = sentences()
    model = tagger().fit([[], *X, []], [[], *y, []])
    assert model.predict([[], *X, []]) == [[], *y, []]
    assert [part.shape for part in model.predict_marginals([[], X[0]])] == [(0, 6), (7, 6)]
    assert model.predict_k_best([[]], 3)[0][0].labels == []
    assert (
        model.predict([]) == []
        and model.predict_marginals([]) == []
        and model.predict_k_best([], 2) == []
    )
    assert model.predict([[]], [[]]) == [[]]


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Mira(2), Perceptron(2)], ids=repr)
def test_a_sentence_of_10000_tokens(learner: Any) -> None:
    X, y = sentences()
    long, labels = ([list(islice(cycle(chain(*part)), 10_000))] for part in (X, y))
    model = tagger(learner).fit(long, labels)
    assert len(model.predict(long)[0]) == 10_000
    assert [len(part) for part in model.predict_marginals(long)] == [10_000]
    known = tagger().fit(X, y)
    assert known.score(long, labels) > 0.95


def test_bad_input_is_refused_in_a_sentence() -> None:
    X, y = sentences()
    cases: list[tuple[Any, Any, str]] = [
        (X, y[:-1], "5 sentences, but labels for 4"),
        (X, [y[0][:-1], *y[1:]], "sentence 0 has 7 tokens, but 6 labels"),
        (["the old dog"], [["O"] * 11], "string"),
        ([["the", "dog"]], [["O", "B-NP"]], "no view 'pos'"),
        ([[["the", "DT"]]], [["O"]], "name their columns"),
        ([[("the", "DT"), ("dog",)]], [["O", "O"]], "word, pos"),
        (X, ["OOOOOOO", *y[1:]], "list of labels"),
        (X, [["O"] * len(labels) for labels in y], "two different labels"),
        ([], [], "no tokens"),
        ([[], []], [[], []], "no tokens"),
    ]
    for sentences_, labels, message in cases:
        with pytest.raises(ValueError, match=message):
            tagger().fit(sentences_, labels)
    model = tagger().fit(X, y)
    with pytest.raises(ValueError, match="string"):
        model.predict(["the old dog"])
    with pytest.raises(ValueError, match="labels for 4"):
        model.score(X, y[:-1])
    with pytest.raises(ValueError, match="scheme"):
        tagger(scheme="IOB3").fit(X, y)
    with pytest.raises(ValueError, match="learner"):
        tagger("mira").fit(X, y)
    for call in (
        Tagger().predict,
        Tagger().predict_marginals,
        lambda X: Tagger().predict_k_best(X, 2),
    ):
        with pytest.raises(NotFittedError):
            call(X)


@pytest.mark.parametrize("learner", [Rda(100.0, 2), Fobos(100.0, epochs=2)], ids=repr)
def test_a_tagger_without_features_has_transitions(learner: Any) -> None:
    X, y = sentences()
    model = tagger(learner).fit(X, y)
    assert len(model.templates_) == 0 and model.n_features_selected_ > 0
    assert len(model.get_feature_names_out()) == 0
    assert [len(labels) for labels in model.predict(X)] == [len(labels) for labels in y]
    assert pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(20),
        Crf(strength=0.01),
        Crf("lasso", 0.01, support="all"),
        Crf(strength=0.1, loss="hinge"),
    ],
    ids=repr,
)
def test_templates_of_label_pairs(learner: Any) -> None:
    X, y = sentences()
    templates = parse_templates("pairs: pos[0]\nword[0]\npairs: bias\npos[0]", NAMES)
    model = Tagger(templates, learner).fit(X, y)
    assert model.predict(X) == y
    assert any(name.startswith("pairs:") for name in model.get_feature_names_out())
    assert pickle.loads(pickle.dumps(model)).predict(X) == y
    assert [ranked[0].labels for ranked in model.predict_k_best(X, 3)] == y
    for probabilities, labels in zip(model.predict_marginals(X), y, strict=True):
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        assert model.classes_[probabilities.argmax(axis=1)].tolist() == labels
    assert model.set_params(constrained=True).predict(X) == y
    fixed: list[list[str | None]] = [[None] * len(labels) for labels in y]
    fixed[0][0] = "O"
    assert model.predict(X, fixed)[0][0] == "O"


def test_a_crf_starts_where_another_ended() -> None:
    """A refit of a model's features begins there: with the same penalty nothing is left to do."""
    X, y = sentences()
    templates = parse_templates("pairs: pos[0]\nword[0]\npairs: pos[-1]|pos[0]\npos[0]", NAMES)
    crf = Crf(
        "ridge+lasso",
        {"ridge": 0.5, "lasso": 0.3},
        tol=1e-7,
        max_iter=3000,
        penalise_transitions=True,
    )
    once = Tagger(templates, crf).fit(X, y)
    twice = Tagger(templates, crf, refit=crf, refit_features="features").fit(X, y)
    assert once.certificate_ < 1e-6 and 0 < once.n_features_selected_ < 0.9 * once.n_features_total_
    assert twice.objective_ == pytest.approx(once.objective_, rel=1e-6)
    data = Sentences(
        *once.encoder_.encode(TokenColumns.from_sentences(X, NAMES)),
        np.concatenate([once.classes_.searchsorted(t) for t in y]).astype(np.int32),
    )
    posed = crf.pose(
        TrainingData(once.templates_, once.encoder_, data, len(once.classes_), start=once.weights_)
    )
    assert posed.x is not None and posed.problem.value(posed.x) == pytest.approx(
        once.objective_, rel=1e-6
    )
    for found, expected in zip(posed.weights(posed.x).weights, once.weights_.weights, strict=True):
        np.testing.assert_allclose(
            np.sort(found, axis=None), np.sort(expected, axis=None), atol=1e-6
        )


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:50])
def test_laws(learner: Any) -> None:
    check_tagger(tagger(learner), *sentences())


@pytest.mark.parametrize("learner", BATCH, ids=repr)
def test_laws_of_batch_learners(learner: Any) -> None:
    check_tagger(tagger(learner), *sentences())
    X, y = sentences()
    kept = tagger(Perceptron(1)).fit(X, y)
    refitted = tagger(Perceptron(1), refit=learner, refit_features="features").fit(X, y)
    assert set(refitted.get_feature_names_out()) <= set(kept.get_feature_names_out())


def test_laws_of_refits_and_schemes() -> None:
    check_tagger(
        tagger(Sparseptron(3, every=2), refit=Mira(2), refit_features="features"), *sentences()
    )
    check_tagger(tagger(Mira(2), scheme="BIOES", constrained=True, n_jobs=2), *sentences())


def test_a_broken_tagger_is_found() -> None:
    class Restless(Tagger):
        def predict(self, X: Any, fixed: Any = None) -> list[list[str]]:
            X.append(X[0])
            return super().predict(X, fixed)

    with pytest.raises(AssertionError, match="change"):
        check_tagger(Restless(TEMPLATES, Perceptron(2)), *sentences())


@pytest.mark.parametrize("scale", [0.0, 0.3, 3.0])
def test_paths_among_many_labels_are_the_best_ones(scale):
    """Labels far behind are passed over; the paths are those of all, found by another kernel."""
    random = np.random.default_rng(0)
    labels, words = [f"L{k}" for k in range(60)], [f"w{k}" for k in range(40)]
    drawn = [random.choice(words, 12).tolist() for _ in range(30)]
    y = [[labels[hash_of(word, k)] for k, word in enumerate(sentence)] for sentence in drawn]
    model = Tagger(parse_templates("word[0]", ("word",)), Mira(2), columns=("word",))
    model.fit(drawn, y)
    size = len(model.classes_)
    edge = (scale * random.standard_normal((size, size))).astype(np.float32)
    model.weights_ = model.weights_._replace(edge=edge)
    model.__setstate__(model.__dict__)
    tokens = TokenColumns.from_sentences(drawn, ("word",))
    ids, _ = best_paths(model._chains(*model.encoder_.encode(tokens)))
    assert model.predict_flat(tokens) == model.classes_[ids].tolist()


def hash_of(word: str, place: int) -> int:
    """Return a label for a word at a place, the same in every process."""
    return (7 * int(word[1:]) + 11 * place) % 60
