"""Parser: scikit-learn manners, all models and learners, refits, labels, crossing arcs."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from laconic import (
    Fobos,
    KBestMira,
    Mira,
    OnlineDiscrete,
    Parser,
    Perceptron,
    Rda,
    Sparseptron,
    StochasticGradient,
    quantize,
    value_set,
)
from laconic.core.inference.tree import MODELS
from laconic.core.ragged import cut
from laconic.parse.checks import check_parser
from laconic.parse.explain import (
    dropped_templates,
    families,
    feature_names,
    kept_templates,
    parts,
    top_features,
)
from laconic.parse.labels import RelationLabeler
from laconic.parse.templates import PartTemplates, parse_part_templates
from laconic.parse.trees import DependencyTree
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS, Treebank, first_on_cycle, read_treebank

NOUNS, VERBS, ADJECTIVES = (
    ("dog", "cat", "bird", "fish"),
    ("saw", "chased", "met"),
    ("big", "old", "red"),
)
LINES = """
bias
h.coarse|m.coarse|dir
h.word|m.word
m.coarse|m.coarse[+1]|dist
h.coarse|between.coarse|m.coarse
h.fine|m.fine|dist
h.coarse|s.coarse|m.coarse
g.coarse|h.coarse|m.coarse
g.coarse|h.coarse|s.coarse|m.coarse
h.coarse|t.coarse|s.coarse|m.coarse
"""
TEMPLATES = parse_part_templates(LINES.split("\n"))


def bank(n: int = 25, seed: int = 0) -> tuple[list[list[tuple[str, ...]]], list[DependencyTree]]:
    """Sentences "the (big) dog saw the cat .", and their trees."""
    random = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        tokens: list[tuple[str, ...]] = []
        heads: list[int] = []
        labels: list[str] = []
        for relation in ("nsubj", "obj"):
            n_adjectives = int(random.integers(3))
            noun = len(tokens) + n_adjectives + 2
            tokens.append(("the", "the", "DET", "DT", "_"))
            tokens += [
                (word, word, "ADJ", "JJ", "_")
                for word in random.choice(ADJECTIVES, n_adjectives).tolist()
            ]
            tokens.append((word := str(random.choice(NOUNS)), word, "NOUN", "NN", "Number=Sing"))
            heads += [noun] * (n_adjectives + 1) + [-1]
            labels += ["det", *["amod"] * n_adjectives, relation]
            if relation == "nsubj":
                tokens.append((word := str(random.choice(VERBS)), word, "VERB", "VBD", "_"))
                heads.append(0)
                labels.append("root")
                verb = len(tokens)
        tokens.append((".", ".", "PUNCT", ".", "_"))
        heads.append(verb)
        labels.append("punct")
        X.append(tokens)
        y.append(DependencyTree([verb if head < 0 else head for head in heads], labels))
    return X, y


def parser(**parameters: Any) -> Parser:
    return Parser(**{"templates": TEMPLATES, "learner": Mira(3), **parameters})


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        *(parser(model=model) for model in MODELS),
        parser(crossing=True),
        parser(learner=Sparseptron(2, every=5), refit=Perceptron(2)),
        parser(labels=False, single_root=False),
    ],
    ids=lambda given: f"{given.model} {given.crossing} {given.labels}",
)
def test_laws(given: Parser) -> None:
    check_parser(given, *bank(8))


@pytest.mark.parametrize("model", MODELS)
def test_every_model_learns(model: str) -> None:
    X, y = bank()
    fitted = parser(model=model).fit(X, y)
    other, gold = bank(10, 1)
    assert fitted.predict(other) == gold and fitted.score(other, gold) == 1.0
    counted = sum(np.count_nonzero(part) for part in fitted.weights_.weights)
    assert fitted.n_features_selected_ == counted <= fitted.n_features_total_
    assert {template.kind for template in fitted.scorer_.templates} <= set(fitted.shape_.kinds)


LEARNERS = [
    Mira(3, averaged=False),
    KBestMira(5, 3),
    Perceptron(3),
    StochasticGradient("log", 5),
    StochasticGradient("hinge", 5, strength=1e-4, averaged=True),
    Rda(1e-4, 5),
    Fobos(1e-5, epochs=5),
    Sparseptron(3, every=10, epochs=3),
    Sparseptron(4, every=10, epochs=3, penalty="coarse-to-fine"),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:60])
@pytest.mark.parametrize("model", ["arcs", "carreras"])
def test_every_learner_learns(learner: Any, model: str) -> None:
    X, y = bank()
    assert parser(model=model, learner=learner, labels=False).fit(X, y).score(*bank(10, 1)) > 0.8


def test_parameters_and_pickles() -> None:
    model = parser(
        learner=Sparseptron(budget=7), refit=Mira(3), labeler=RelationLabeler(learner=Mira(2))
    )
    copy = clone(model).set_params(
        learner__epochs=2, refit__C=0.5, labeler__learner__epochs=4, model="siblings"
    )
    assert (
        copy.learner.epochs,
        copy.refit.C,
        copy.labeler.learner.epochs,
        copy.learner.budget,
    ) == (2, 0.5, 4, 7)
    assert model.learner.epochs != 2 and model.labeler.learner.epochs == 2
    assert "Sparseptron(budget=7)" in repr(model).replace("\n", "")
    X, y = bank(8)
    fitted = copy.fit(X, y)
    assert not hasattr(copy.labeler, "tagger_"), (
        "the labeller that was given is a parameter, and not fitted"
    )
    assert pickle.loads(pickle.dumps(fitted)).predict(X) == fitted.predict(X)
    assert pickle.loads(pickle.dumps(parser())).fit(X, y).predict(X) == parser().fit(X, y).predict(
        X
    )


def test_sentences_and_treebanks_are_the_same() -> None:
    X, y = bank()
    heads = np.array([head for tree in y for head in tree.heads], dtype=np.int32)
    labels = [label for tree in y for label in tree.labels or []]
    treebank = Treebank(TokenColumns.from_sentences(X, COLUMNS), heads, labels)
    by_lists, by_bank = parser().fit(X, y), parser().fit(treebank)
    assert by_lists.predict(X) == by_bank.predict(treebank) == by_bank.predict(treebank.tokens)
    assert by_bank.score(treebank) == by_lists.score(X, y)
    flat, names = by_bank.parse(treebank)
    assert list(cut(flat.tolist(), treebank.ptr)) == [tree.heads for tree in by_lists.predict(X)]
    assert names is not None and len(names) == len(flat)
    bare = parser().fit(X, [tree.heads for tree in y])
    assert bare.labeler_ is None and bare.predict(X) == [
        DependencyTree(tree.heads, None) for tree in by_lists.predict(X)
    ]


def test_seeds_and_threads() -> None:
    X, y = bank(40)
    one, again, other = (
        parser(learner=Perceptron(1, random_state=seed), model="carreras").fit(X, y)
        for seed in (1, 1, 2)
    )
    weights = [
        np.concatenate([part.ravel() for part in model.weights_.weights])
        for model in (one, again, other)
    ]
    assert np.array_equal(weights[0], weights[1]) and not np.array_equal(weights[0], weights[2])
    threads = parser(learner=Perceptron(1, random_state=1), model="carreras", n_jobs=2).fit(X, y)
    assert threads.predict(X * 5) == one.predict(X * 5)


@pytest.mark.parametrize("model", ["arcs", "siblings"])
def test_budgets_and_refits(model: str) -> None:
    X, y = bank()
    first = parser(model=model, learner=Sparseptron(3, every=10, epochs=2)).fit(X, y)
    wide = parser(model=model, learner=Sparseptron(3, every=10, epochs=2), refit=Mira(3)).fit(X, y)
    assert len(first.scorer_.templates) <= 3 and set(wide.scorer_.templates) <= set(
        first.scorer_.templates
    )
    assert wide.score(X, y) > 0.9 and [epoch.done for epoch in wide.trace_] == [1, 2, 1, 2, 3]
    lasso = Rda(0.01, 2)
    narrow = parser(model=model, learner=lasso, refit=Mira(3), refit_features="features").fit(X, y)
    sparse = parser(model=model, learner=lasso).fit(X, y)
    assert 0 < narrow.n_features_selected_ <= sparse.n_features_selected_
    assert names_of(narrow) <= names_of(sparse)
    with pytest.raises(ValueError, match="refit_features must be"):
        parser(refit_features="some").fit(X, y)


def names_of(model: Parser) -> set[str]:
    return {name for m in range(len(model.scorer_.templates)) for name in feature_names(model, m)}


def test_few_values() -> None:
    X, y = bank()
    model = parser(model="carreras").fit(X, y)
    size = float(np.abs(np.concatenate([part.ravel() for part in model.weights_.weights])).mean())
    rounded = quantize(model, value_set(size / 2, 2))
    assert (
        0 < rounded.weights_.n_distinct <= 4
        and rounded.n_features_selected_ < model.n_features_selected_
    )
    values = value_set(size / 2, 2)
    learned = model.relearned(OnlineDiscrete(values, epochs=5), X, y)
    found = {round(float(w), 5) for part in learned.weights_.weights for w in part.ravel()}
    assert found <= {round(float(value), 5) for value in values} and learned.score(X, y) > 0.8
    assert names_of(learned) <= names_of(model), "only features that the model has"
    assert model.score(X, y) == 1.0, "the model itself stays as it was"
    again = model.relearned(Mira(3), X, y)
    assert again.score(X, y) == 1.0 and again.labeler_ is model.labeler_


CROSSING = [[3, 4, 0, 3, 4], [2, 0, 5, 2, 2], [0, 4, 1, 1, 3]]


def crossing() -> tuple[list[list[tuple[str, ...]]], list[DependencyTree]]:
    words = [[(f"w{s}{t}", "_", f"T{t}", f"T{t}{s}", "_") for t in range(5)] for s in range(3)]
    return words * 5, [DependencyTree(heads, [f"r{t}" for t in range(5)]) for heads in CROSSING] * 5


def test_crossing_arcs_are_predicted_or_lifted() -> None:
    X, y = crossing()
    assert parser(crossing=True, learner=Mira(10)).fit(X, y).predict(X) == y
    lifted = parser(learner=Mira(10), labeler=RelationLabeler(learner=Mira(10))).fit(X, y)
    assert lifted.predict(X) == y, "marks of labels say how arcs cross"
    no_labels = parser(
        learner=Mira(10), labels=False, labeler=RelationLabeler(learner=Mira(10))
    ).fit(X, y)
    assert no_labels.predict(X) == [DependencyTree(tree.heads, None) for tree in y], (
        "marks are learned without labels"
    )
    with pytest.raises(ValueError, match="scored by arcs alone"):
        parser(crossing=True, model="siblings").fit(X, y)


@pytest.mark.parametrize("model", MODELS)
def test_roots(model: str) -> None:
    X, y = bank()
    assert parser(model=model).fit(X, y).shape_.single_root
    several = [[0] * len(sentence) for sentence in X]
    one = parser(model=model, single_root=True, labels=False).fit(X, y)
    strange = [[("the", "the", "DET", "DT", "_")] * n for n in (1, 2, 7)]
    assert all(tree.heads.count(0) == 1 for tree in one.predict(strange))
    many = parser(model=model).fit(X, several)
    assert not many.shape_.single_root and [tree.heads for tree in many.predict(X)] == several


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_long_and_empty_sentences_and_unseen_tokens(model: str) -> None:
    X, y = bank()
    fitted = parser(model=model).fit([*X, []], [*y, DependencyTree([], [])])
    odd = [[], [("x", "y", "Z", "Q", "!")], [], [("", "", "", "", "")] * 3]
    found = fitted.predict(odd)
    assert found[0] == found[2] == DependencyTree([], []) and found[1].heads == [0]
    assert all(first_on_cycle(tree.heads) is None for tree in found)
    words = [token for sentence in bank(40, 3)[0] for token in sentence][:250]
    (tree,) = fitted.predict([words])
    assert (
        len(tree.heads) == 250 and first_on_cycle(tree.heads) is None and tree.heads.count(0) == 1
    )
    assert fitted.predict([]) == [] and fitted.predict_k_best([[]], 3)[0][0][0].heads == []


@pytest.mark.parametrize("prune", [0.0, 1e-3])
@pytest.mark.parametrize("model", ["arcs", "carreras", "tri siblings"])
def test_pruning_changes_little(model: str, prune: float) -> None:
    X, y = bank()
    fitted = parser(model=model, prune=prune, most_heads=4).fit(X, y)
    assert (fitted.pruner_ is None) == (prune == 0) and fitted.score(*bank(10, 1)) > 0.95


@pytest.mark.parametrize(
    ("parameters", "heads", "words"),
    [
        ({"model": "cousins"}, None, "model must be one of 'arcs'"),
        ({"learner": "mira"}, None, "learns by an online learner"),
        ({"prune": 2.0}, None, "prune must be from 0 to 1"),
        ({"most_heads": 0, "prune": 0.1}, None, "most_heads above 0"),
        ({}, [[1], [2]], "there are 1 sentences, but 2 trees"),
        ({}, [[0]], "sentence 0 has 2 tokens, but 1 heads"),
        ({}, [[0, 3]], "sentence 0: the head of token 2 is 3, but there are 2 tokens"),
        ({}, [[-1, 0]], "sentence 0: the head of token 1 is -1"),
        ({}, [[2, 1]], "sentence 0: the heads form a cycle"),
        ({}, [DependencyTree([0, 1], ["a"])], "there are 2 tokens, but 1 labels"),
    ],
)
def test_what_does_not_fit_is_refused(parameters: dict[str, Any], heads: Any, words: str) -> None:
    X = [[("a", "a", "N", "N", "_"), ("b", "b", "V", "V", "_")]]
    with pytest.raises(ValueError, match=words):
        parser(**parameters).fit(X, [[2, 0]] if heads is None else heads)
    with pytest.raises(ValueError, match="no tokens to learn from"):
        parser().fit([[]], [[]])


def test_what_was_learned() -> None:
    X, y = bank()
    model = parser(
        model="grand siblings", learner=Sparseptron(4, every=10, epochs=2), refit=Mira(2)
    ).fit(X, y)
    kept, dropped = [row.template for row in kept_templates(model)], dropped_templates(model)
    assert len(kept) <= 4 and sorted([*kept, *dropped]) == sorted(model.templates_given_.names)
    assert sum(row.weights for row in parts(model)) == model.n_features_selected_
    assert [row.part for row in parts(model)] == ["arc", "sibling", "grandchild", "grand_sibling"]
    assert all(row.kept <= row.given for row in families(model)) and families(model)[0].given > 1
    for rows in top_features(model, 3).values():
        sizes = [abs(row.weight) for row in rows]
        assert len(rows) <= 3 and sizes == sorted(sizes, reverse=True)


def test_names_of_features_tell_sides_and_distances() -> None:
    lines = [
        "h.coarse|m.coarse|dist",
        "h.coarse|between.coarse|m.coarse",
        "g.coarse|h.coarse|m.coarse",
        "h.coarse|s.coarse|m.coarse",
    ]
    model = Parser(
        "carreras", PartTemplates(parse_part_templates(lines)), Perceptron(3), prune=0.0
    ).fit(*bank())
    names = names_of(model)
    assert (
        "h.coarse=VERB|m.coarse=PUNCT|right 3" in names
        or "h.coarse=VERB|m.coarse=PUNCT|right 4" in names
    )
    assert any(name.startswith("h.coarse=(root)|m.coarse=VERB|right ") for name in names)
    assert any("between.coarse=" in name for name in names) and any(
        "s.coarse=(nobody)" in name for name in names
    )
    grand = {name for name in names if name.startswith("g.coarse=VERB|h.coarse=NOUN|m.coarse=DET")}
    assert grand == {
        f"g.coarse=VERB|h.coarse=NOUN|m.coarse=DET|left, g {side} of h"
        for side in ("left", "right")
    }


@pytest.mark.slow
def test_on_english(data: Path) -> None:
    dev = read_treebank(data / "ud" / "English-EWT" / "dev.conllu.gz")
    ptr = dev.ptr[:201]
    part = Treebank(
        TokenColumns(COLUMNS, [c[: ptr[-1]] for c in dev.tokens.values], ptr),
        dev.heads[: ptr[-1]],
        [],
    )
    assert Parser("carreras", "second", Mira(2)).fit(part).score(part) > 0.9
