"""Options of `train tag` become the learners that people would write in Python."""

from __future__ import annotations

from typing import Any

import pytest

from laconic import Crf, Fobos, Mira, Perceptron, Rda, Sparseptron, StochasticGradient
from laconic.errors import InputError
from laconic.tag.learners import LEARNERS, LearnerOptions, make_learner


@pytest.mark.parametrize(
    ("name", "options", "learner"),
    [
        ("mira", {}, Mira()),
        ("mira", {"epochs": 3, "seed": 7}, Mira(3, random_state=7)),
        ("perceptron", {"epochs": 2}, Perceptron(2)),
        ("sparseptron", {}, Sparseptron(30)),
        (
            "sparseptron",
            {
                "penalty": "group+lasso",
                "budget": 9,
                "strength": {"lasso": 0.1},
                "every": 5,
                "group_weight": "log",
            },
            Sparseptron(9, 5, 5, "log", "group+lasso", {"lasso": 0.1}),
        ),
        ("sparseptron", {"penalty": "coarse-to-fine"}, Sparseptron(30, penalty="coarse-to-fine")),
        ("crf", {}, Crf()),
        (
            "crf",
            {"penalty": "lasso", "strength": 2.0, "epochs": 9},
            Crf("lasso", 2.0, max_iter=9),
        ),
        ("crf", {"penalty": "elastic", "strength": 2.0}, Crf("elastic", 2.0)),
        (
            "crf",
            {"penalty": "ridge+lasso", "strength": {"ridge": 2.0, "lasso": 0.5}},
            Crf("ridge+lasso", {"ridge": 2.0, "lasso": 0.5}),
        ),
        (
            "crf",
            {"penalty": "group", "strength": 3.0, "group_weight": "log"},
            Crf("group", 3.0, "log"),
        ),
        ("crf", {"penalty": "l0", "strength": 3.0}, Crf("l0", 3.0)),
        ("svm", {"epochs": 4}, StochasticGradient("hinge", 4)),
        ("sgd", {"penalty": "ridge", "strength": 0.5}, StochasticGradient("log", strength=0.5)),
        ("rda", {"strength": 0.01}, Rda(0.01, penalty="lasso")),
        ("fobos", {"strength": 0.01, "every": 10}, Fobos(0.01, "lasso", every=10)),
        ("fobos", {"penalty": "label-group", "strength": 0.01}, Fobos(0.01, "label-group")),
        ("fobos", {"penalty": "elastic", "strength": 0.3}, Fobos(0.3, "elastic")),
    ],
)
def test_options_make_learners(name: str, options: dict[str, Any], learner: Any) -> None:
    made = make_learner(LEARNERS, name, LearnerOptions(**options))
    assert repr(made) == repr(learner)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="--penalty"):
        make_learner(LEARNERS, name, LearnerOptions(penalty="magic"))
    for penalty in LEARNERS[name].penalties:
        if not LEARNERS[name].strong or penalty == "none":
            with pytest.raises(InputError, match="--strength does not go with"):
                make_learner(LEARNERS, name, LearnerOptions(penalty=penalty, strength=0.123))
            continue
        strength = {"lasso": 0.123} if penalty == "group+lasso" else 0.123
        made = make_learner(LEARNERS, name, LearnerOptions(penalty=penalty, strength=strength))
        assert made.strength == strength and made.penalty == penalty
