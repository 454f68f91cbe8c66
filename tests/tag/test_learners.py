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
                "penalty": "sparse-group",
                "budget": 9,
                "lasso": 0.1,
                "every": 5,
                "group_weight": "log",
            },
            Sparseptron(9, every=5, group_weight="log", lasso=0.1),
        ),
        ("sparseptron", {"penalty": "coarse-to-fine"}, Sparseptron(30, groups="coarse to fine")),
        ("crf", {}, Crf()),
        (
            "crf",
            {"penalty": "lasso", "strength": 2.0, "epochs": 9},
            Crf(ridge=0.0, lasso=2.0, max_iter=9),
        ),
        ("crf", {"penalty": "elastic", "strength": 2.0, "lasso": 0.5}, Crf(ridge=2.0, lasso=0.5)),
        (
            "crf",
            {"penalty": "group", "strength": 3.0, "group_weight": "log"},
            Crf(ridge=0.0, group=3.0, group_weight="log"),
        ),
        (
            "crf",
            {"penalty": "sparse-group", "strength": 3.0, "lasso": 0.5},
            Crf(ridge=0.0, group=3.0, lasso=0.5),
        ),
        (
            "crf",
            {"penalty": "label-group", "strength": 3.0},
            Crf(ridge=0.0, group=3.0, groups="rows"),
        ),
        (
            "crf",
            {"penalty": "tree", "strength": 3.0, "lasso": 0.5},
            Crf(ridge=0.0, group=3.0, groups="tree", lasso=0.5),
        ),
        ("svm", {"epochs": 4}, StochasticGradient("hinge", 4)),
        ("sgd", {"penalty": "ridge", "strength": 0.5}, StochasticGradient("log", ridge=0.5)),
        ("rda", {"strength": 0.01}, Rda(0.01)),
        ("fobos", {"strength": 0.01, "every": 10}, Fobos(0.01, every=10)),
        ("fobos", {"penalty": "label-group", "strength": 0.01}, Fobos(0.01, groups="rows")),
        ("fobos", {"penalty": "elastic", "strength": 0.3, "lasso": 0.01}, Fobos(0.01, ridge=0.3)),
    ],
)
def test_options_make_learners(name: str, options: dict[str, Any], learner: Any) -> None:
    made = make_learner(LEARNERS, name, LearnerOptions(**options))
    assert type(made) is type(learner) and made.get_params() == learner.get_params()


@pytest.mark.parametrize("name", LEARNERS)
def test_what_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="--penalty of the learner"):
        make_learner(LEARNERS, name, LearnerOptions(penalty="magic"))
    for penalty in LEARNERS[name].penalties:
        for option in ("strength", "lasso"):
            try:
                made = make_learner(
                    LEARNERS, name, LearnerOptions(penalty=penalty, **{option: 0.123})
                )
            except InputError as error:
                assert f"--{option} does not go with" in str(error)
            else:
                assert 0.123 in made.get_params().values(), (
                    "an option that changes nothing must be refused"
                )
