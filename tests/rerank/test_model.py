"""Reranker: what it learns that its parser cannot, its lists, scikit-learn manners, bad input."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from parsers import COARSE, PAIRS, attachments, reranker
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from laconic import Mira, Parser, Polynomial, Reranker, SubTrees
from laconic.core.ragged import cut
from laconic.core.report import Event
from laconic.mine.ranking import orders
from laconic.parse import lists as tree_lists
from laconic.parse.lists import TreeLists, crossed, k_best
from laconic.rerank.explain import Arc, order_rows, top_features
from laconic.rerank.gold_lists import GoldLists

TRAIN, TEST = attachments(60, 0), attachments(60, 1)
WEAK = Parser("arcs", COARSE, Mira(2))


@pytest.fixture(scope="module")
def model() -> Reranker:
    return reranker().fit(*TRAIN)


@pytest.mark.parametrize("kernel", [SubTrees(2), SubTrees(3), Polynomial(2)])
def test_features_of_two_arcs_tell_what_the_parser_cannot(kernel: Any) -> None:
    model = reranker(kernel=kernel).fit(*TRAIN)
    assert model.score(*TEST) == 1.0 > model.parser_.score(*TEST)
    assert [tree.labels for tree in model.predict(TEST[0])] == [tree.labels for tree in TEST[1]]
    single = reranker(kernel=SubTrees(1)).fit(*TRAIN)
    assert single.score(*TEST) < 1.0, "no arc by itself tells where the next one belongs"


def test_the_features_that_tell_are_shown_as_trees(model: Reranker) -> None:
    found = top_features(model, 1000)
    assert (
        sum(len(top.best) + len(top.worst) for top in found.values()) == model.n_features_selected_
    )
    best, worst = found[2]
    told = [[arc.feature for arc in row.arcs] for row in best]
    row = best[told.index(["h.fine=VERB|m.fine=ADP", "h.word=with|m.word=lens"])]
    assert row.arcs == [Arc(0, "h.fine=VERB|m.fine=ADP"), Arc(1, "h.word=with|m.word=lens")]
    assert row.lines() == ["h.fine=VERB|m.fine=ADP", "    h.word=with|m.word=lens"]
    assert ["h.fine=NOUN|m.fine=ADP", "h.word=with|m.word=lens"] in [
        [arc.feature for arc in row.arcs] for row in worst
    ]
    for best, worst in found.values():
        weights = [row.weight for row in best], [row.weight for row in worst]
        assert weights[0] == sorted(weights[0], reverse=True) and min(weights[0]) > 0
        assert weights[1] == sorted(weights[1]) and max(weights[1]) < 0
    assert top_features(model, 0) == {1: ([], []), 2: ([], [])}
    assert top_features(model, 3) == {
        order: (top.best[:3], top.worst[:3]) for order, top in found.items()
    }


def test_orders_add_up(model: Reranker) -> None:
    rows = order_rows(model)
    assert [row.order for row in rows] == [1, 2]
    assert sum(row.weights for row in rows) == model.n_features_selected_ <= model.n_features_total_
    assert all(
        row.candidates == row.pruned + row.kept and row.counted >= row.candidates for row in rows
    )  # type: ignore[operator]


def test_a_fitted_model_holds_nothing_that_no_weight_needs(model: Reranker) -> None:
    part, extension = model.miner_.features()
    leaves = np.setdiff1d(np.arange(1, len(part)), part)
    assert np.all(model.weights_[leaves] != 0), (
        "what extends nothing further has a weight of its own"
    )
    assert np.array_equal(
        np.unique(extension[1:] % len(model.space_)), np.arange(len(model.space_))
    )
    assert np.array_equal(
        np.unique(model.space_.features.template), np.arange(len(model.space_.templates))
    )
    assert orders(model.miner_).max() <= 2


def test_a_large_beta_leaves_the_trees_of_the_parser() -> None:
    model = reranker(beta=1e12).fit(*TRAIN)
    assert model.beta_ == 1e12
    assert model.predict(TEST[0]) == model.parser_.predict(TEST[0])


def test_several_trees_are_those_of_the_parser_in_another_order(model: Reranker) -> None:
    X = [*TEST[0], []]
    found, base = model.predict_k_best(X, 99), model.parser_.predict_k_best(X, model.k)
    lists = k_best(model.parser_, model.parser_._tokens(X), model.k)
    scores = cut((model.beta_ * lists.scores + model.rank_scores(lists)).tolist(), lists.ptr)
    for ours, theirs, new in zip(found, base, scores, strict=True):
        assert ours == sorted(
            ((tree, score) for (tree, _), score in zip(theirs, new, strict=True)),
            key=lambda each: -each[1],
        )
    assert [trees[0][0].heads for trees in found] == [tree.heads for tree in model.predict(X)]
    assert any(ours[0][0] != theirs[0][0] for ours, theirs in zip(found, base, strict=True))
    assert (
        model.predict_k_best(X, 2) == [trees[:2] for trees in found]
        and model.predict_k_best([], 2) == []
    )
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        model.predict_k_best(X, 0)


def test_the_same_seed_gives_the_same_model(model: Reranker) -> None:
    again = reranker().fit(*TRAIN)
    assert (
        np.array_equal(again.weights_, model.weights_)
        and again.beta_ == model.beta_
        and again.wrong_ == model.wrong_
    )
    assert np.array_equal(again.miner_.features(), model.miner_.features())
    assert not np.array_equal(reranker(random_state=1).fit(*TRAIN).weights_, model.weights_)


def test_development_trees_choose_beta() -> None:
    bank = WEAK._bank(*TEST)
    model = reranker().fit(*TRAIN, dev=bank)
    lists = GoldLists(k_best(model.parser_, bank.tokens, model.k), bank.heads)
    scores = model.rank_scores(lists.lists)
    best = lists.uas(model.beta_ * lists.lists.scores + scores)
    assert (
        best
        == 1.0
        >= max(
            lists.uas(beta * lists.lists.scores + scores)
            for beta in (0.0, 1e9, *np.logspace(-4, 4, 30))
        )
    )
    assert lists.uas(lists.lists.scores) == pytest.approx(model.parser_.score(*TEST))


class Remembering(Parser):
    """A parser that knows which sentences it has learned from."""

    def fit(self, X: Any, y: Any = None, callback: Any = None) -> Parser:
        self.numbers_ = set(
            X.tokens.column("morph")
        )  # every sentence has a number of its own there
        return super().fit(X, y, callback)


def test_lists_come_from_parsers_that_have_not_seen_the_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[str] = []

    def watched(parser: Any, tokens: Any, k: int) -> TreeLists:
        numbers = set(tokens.column("morph"))
        assert numbers and not numbers & parser.numbers_ and len(numbers | parser.numbers_) == 60
        parsed.extend(sorted(numbers, key=int))
        return k_best(parser, tokens, k)

    monkeypatch.setattr(tree_lists, "k_best", watched)
    bank = WEAK._bank(*TRAIN)
    seen: list[Event] = []
    lists = crossed(Remembering("arcs", COARSE, Mira(1)), bank, 7, 3, seen.append)
    assert seen == [Event("fold", number) for number in range(1, 8)]
    assert sorted(parsed, key=int) == [str(n) for n in range(60)]
    assert list(lists.tokens.sentences()) == list(bank.tokens.sentences())


def test_a_callback_may_end_it() -> None:
    with pytest.raises(KeyboardInterrupt):
        reranker().fit(*TRAIN, callback=lambda event: True)
    events: list[Any] = []
    reranker().fit(*TRAIN, callback=events.append)
    assert events[:4] == [Event("fold", 1), Event("fold", 2), Event("fold", 3), Event("parser", 1)]
    *orders, last = events[4:]
    assert list(last.orders) == orders and len(orders) == 2
    assert all(isinstance(event, Event) for event in events)


@pytest.mark.parametrize("fits", [1, 3, 4])
def test_a_parser_that_was_interrupted_is_not_used(
    fits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C keeps what was learned so far, but lists by such a parser would be half a model."""
    seen: list[int] = []

    def cut_short(self: Parser, *arguments: Any) -> Parser:
        seen.append(1)
        fit(self, *arguments)
        self.report_ = replace(self.report_, interrupted=len(seen) == fits)
        return self

    fit = Parser.fit
    monkeypatch.setattr(Parser, "fit", cut_short)
    with pytest.raises(KeyboardInterrupt):
        reranker().fit(*TRAIN)
    assert len(seen) == fits


def test_scikit_learn_manners(model: Reranker) -> None:
    assert Reranker().set_params(kernel=SubTrees(), kernel__arcs=4).kernel.arcs == 4
    other = clone(model)
    assert other.get_params()["threshold"] == 1 and repr(other) == repr(model)
    for verb in (other.predict, other.parse, lambda X: other.predict_k_best(X, 2)):
        with pytest.raises(NotFittedError):
            verb(TEST[0])
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.predict(TEST[0]) == model.predict(TEST[0]) and np.array_equal(
        loaded.weights_, model.weights_
    )
    pickle.loads(pickle.dumps(Reranker()))


def test_sentences_without_words_and_unknown_ones(model: Reranker) -> None:
    assert model.predict([]) == []
    unknown = [("zzz", "zzz", "X", "XX", "_")]
    trees = model.predict([[], unknown, [], TEST[0][0]])
    assert [tree.heads for tree in trees] == [[], [0], [], TEST[1][0].heads]


def test_no_sentence_changes_the_scores_of_another(model: Reranker) -> None:
    lists = k_best(
        model.parser_, model.parser_._tokens(attachments(300, 2)[0]), 3
    )  # more than are looked at together
    alone = [model.rank_scores(lists.some(np.array([s]))) for s in range(300)]
    assert np.array_equal(model.rank_scores(lists), np.concatenate(alone))


def test_nothing_to_learn() -> None:
    """Lists of one tree each: no features have weights, and the parser's trees stay."""
    model = reranker(k=1, templates=PAIRS).fit([TRAIN[0][0]] * 6, [TRAIN[1][0]] * 6)
    assert model.n_features_selected_ == 0 == len(model.space_)
    assert model.predict(TEST[0]) == model.parser_.predict(TEST[0])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"k": 0}, "k must be from 1 to"),
        ({"folds": 1}, "folds must be from 2 to the number of sentences, 60, got 1"),
        ({"folds": 61}, "folds must be from 2 to the number of sentences"),
        ({"threshold": -1}, "threshold must be"),
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"pretrain_epochs": -1}, "pretrain_epochs 0, got 10 and -1"),
        ({"decay": 0.0}, "decay must be above 0"),
        ({"memory": float("inf")}, "memory must be from 1024"),
        ({"kernel": SubTrees(0)}, "most_order must be from 1 to 255"),
        ({"parser": "arcs"}, "parser must be a Parser or None"),
    ],
)
def test_bad_parameters(
    parameters: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_lists, "k_best", None)  # all is said before any parser has learned
    with pytest.raises(ValueError, match=sentence):
        reranker(**parameters).fit(*TRAIN)


def test_templates_of_larger_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="basic features are those of arcs"):
        reranker(templates="second").fit(*TRAIN)
