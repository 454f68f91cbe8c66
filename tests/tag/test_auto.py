"""The default learner: what it chooses on held-out sentences, and that it does no harm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from laconic.core.report import Event
from laconic.core.solvers.online import Mira
from laconic.tag.auto import AutoLearner
from laconic.tag.checks import check_tagger
from laconic.tag.conll import read_columns
from laconic.tag.model import Tagger
from laconic.tag.train import labelled

NOUNS, VERBS = ("dog", "cat", "bird", "fish"), ("saw", "met", "bit")


def sentences(n: int) -> tuple[list[list[str]], list[list[str]]]:
    random = np.random.default_rng(0)
    X = [
        ["the", str(random.choice(NOUNS)), str(random.choice(VERBS)), str(random.choice(NOUNS))]
        for _ in range(n)
    ]
    return X, [["D", "N", "V", "N"]] * n


def test_the_budget_of_fewest_mistakes_and_the_smallest_that_is_as_good() -> None:
    X, y = sentences(40)
    model = Tagger().fit(X, y)
    assert model.report_.learner.endswith("refitted by Mira()")
    assert len(model.templates_) <= 16 < len(model.templates_given_) == 31
    trials = [event for event in model.report_.trace if event.stage == "trial"]
    assert [event.done for event in trials] == list(range(1, 6))
    assert model.score(X, y) == 1
    small = Tagger(learner=AutoLearner("auto")).fit(X, y)
    assert small.report_.learner.startswith("Sparseptron(budget=7, every=5")
    assert len(small.templates_) <= 7 and small.score(X, y) == 1


def test_what_is_given_is_kept() -> None:
    X, y = sentences(30)
    model = Tagger(learner=AutoLearner(budget=4)).fit(X, y)
    assert len(model.templates_) <= 4 and "budget=4" in model.report_.learner
    model = Tagger(learner=AutoLearner(budget=4, group_weight="one", epochs=2)).fit(X, y)
    assert not any(event.stage == "trial" for event in model.report_.trace)
    assert model.report_.learner.endswith("refitted by Mira(epochs=2)")
    every = Tagger(learner=AutoLearner(budget=99, group_weight="one")).fit(X, y)
    assert every.report_.learner == "Mira()"
    for wrong, message in (
        (AutoLearner(budget=0), "budget must be at least 1, 'auto' or None, got 0"),
        (AutoLearner(budget="most"), "budget must be"),
        (AutoLearner(group_weight="square"), "group_weight must be one of"),
        (AutoLearner(epochs=0), "epochs must be at least 1"),
    ):
        with pytest.raises(ValueError, match=message):
            Tagger(learner=clone(wrong)).fit(X, y)


def test_few_sentences_and_laws() -> None:
    X, y = sentences(3)
    model = Tagger().fit(X, y)
    assert model.report_.learner == "Mira()" and model.predict(X) == y
    check_tagger(Tagger(), *sentences(12))
    check_tagger(Tagger(), [["a", "b"]] * 9, [["B-X", "I-X"], ["O", "B-X"], ["O", "O"]] * 3)


def test_a_callback_stops_the_search() -> None:
    X, y = sentences(30)
    seen: list[Event] = []

    def stop(event: Event) -> bool:
        seen.append(event)
        return len(seen) == 2

    model = Tagger().fit(X, y, stop)
    assert [event.stage for event in seen[:2]] == ["trial", "trial"]
    assert model.report_.groups_kept <= 31 and model.predict(X) == y


@pytest.mark.slow
def test_not_behind_all_templates_on_chunks(data: Path) -> None:
    whole = read_columns(data / "conll2000" / "train.txt.gz", None)
    tokens, labels = labelled(whole.some(np.arange(400)))
    test, gold = labelled(whole.some(np.arange(1000, 2000)))
    chosen = Tagger().fit(tokens, labels)
    every = Tagger(learner=Mira()).fit(tokens, labels)
    assert chosen.score(test, gold) > every.score(test, gold) - 0.005
