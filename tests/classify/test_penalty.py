"""Penalties of TextClassifier: names, sums, structures of the text, and objects over words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from penalties import same_penalty
from sklearn.base import clone

import laconic
from laconic import (
    L1,
    ElasticNet,
    GroupLasso,
    OverlapGroupLasso,
    PenaltySum,
    Ridge,
    TextClassifier,
    TreeGroupLasso,
)

TEXTS = [
    "The ball went in. A late goal decided the match.",
    "Bread and soup for lunch. The soup was hot.",
    "No goal today. The ball was lost.",
    "We ate bread. Lunch was late.",
] * 4
LABELS = ["sports", "food"] * 8
GROUPS = {"sports": ["ball", "Goal", "offside"], "food": ["bread", "soup"], "time": ["late"]}


def fitted(*args: object, **parameters: object) -> TextClassifier:
    return TextClassifier(*args, tol=1e-6, **parameters).fit(TEXTS, LABELS)  # type: ignore[arg-type]


def same_weights(left: TextClassifier, right: TextClassifier) -> bool:
    return np.allclose(left.coef_, right.coef_, atol=1e-4)


def test_groups_of_words_are_kept_or_dropped_whole_and_shown_by_name() -> None:
    model = fitted(PenaltySum([OverlapGroupLasso(GROUPS, 1.0), L1(0.05)]))
    summary = model.groups_["OverlapGroupLasso"]
    assert (summary.total, summary.selected) == (3, 2)
    assert sorted(summary.kept) == ["food: bread soup", "sports: ball goal"]
    weights = dict(zip(model.get_feature_names_out(), model.coef_[0], strict=True))
    assert weights["ball"] and weights["goal"] and not weights["late"]
    tree = fitted(TreeGroupLasso([["ball", "goal", "bread"], ["ball", "goal"]], 0.5))
    assert tree.groups_["TreeGroupLasso"].total == 2


def test_words_without_a_group_are_free_under_a_group_lasso() -> None:
    alone = fitted(GroupLasso({"sports": ["ball", "goal"]}, 100.0), strength=None)
    weights = dict(zip(alone.get_feature_names_out(), alone.coef_[0], strict=True))
    assert weights["ball"] == weights["goal"] == 0 and weights["bread"]


def test_a_structure_is_the_object_of_its_groups_and_the_extra_lasso() -> None:
    by_name = fitted("sentence", strength=0.3, lasso=0.1)
    for penalty, parameters in (
        (PenaltySum([OverlapGroupLasso("sentence", 0.3), L1(0.1)]), {}),
        (PenaltySum([OverlapGroupLasso("sentence"), L1(1 / 3)]), {"strength": 0.3}),
        ("sentence+l1", {"strength": {"sentence": 0.3, "l1": 0.1}}),
        ("sentence+lasso", {"strength": 0.3, "lasso": 0.1}),
    ):
        model = fitted(penalty, **parameters)
        assert same_weights(model, by_name)
        assert model.groups_["sentence"] == by_name.groups_["sentence"]


def test_plain_names_and_sums_mean_what_they_mean_elsewhere() -> None:
    assert same_weights(fitted("elastic", strength=0.4), fitted(ElasticNet(0.4)))
    total = fitted("l1+ridge", strength={"l1": 0.1, "ridge": 0.3})
    assert same_weights(total, fitted(ElasticNet(0.4, l1_ratio=0.25)))
    assert same_weights(fitted("ridge+lasso", strength=0.3, lasso=0.1), total)
    assert same_weights(fitted(L1(), strength=0.2), fitted(None, strength=0.2))
    assert same_weights(fitted("ridge", strength=1.0), fitted(Ridge(1.0)))


def test_factors_by_word() -> None:
    model = fitted(L1(0.2, factors={"goal": 0.0, "ball": 1e6, "offside": 3.0}))
    weights = dict(zip(model.get_feature_names_out(), model.coef_[0], strict=True))
    assert weights["goal"] and not weights["ball"]


def test_groups_of_words_beside_features_of_clusters() -> None:
    model = fitted(
        PenaltySum([OverlapGroupLasso(GROUPS), L1(0.1)]), features=("brown",), n_clusters=4
    )
    assert model.score(TEXTS, LABELS) == 1


def test_parameters_are_scikit_learns() -> None:
    model = TextClassifier(OverlapGroupLasso("sentence"))
    assert clone(model).set_params(penalty__strength=3.0).penalty.strength == 3.0
    assert TextClassifier().get_params()["penalty__strength"] == 1.0


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(
    "penalty",
    [
        "sentence+l1",
        None,
        PenaltySum([OverlapGroupLasso(GROUPS), L1(0.1)]),
        L1(0.2, factors={"goal": 0.5}),
        OverlapGroupLasso("sentence", 0.3, norm="inf"),
    ],
    ids=str,
)
def test_files_keep_the_penalty(penalty: object, compact: bool, tmp_path: Path) -> None:
    model = fitted(penalty)
    save = laconic.save_compact if compact else TextClassifier.save
    save(model, tmp_path / "m")
    found = laconic.load(tmp_path / "m")
    assert found.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()
    kept = found.plain() if compact else found
    assert same_penalty(kept.get_params(deep=False)["penalty"], penalty)
    if compact:  # what was read is what is written again
        laconic.save_compact(found, tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_the_strength_of_no_term_is_refused() -> None:
    with pytest.raises(ValueError, match="an entry for 'topics', but the penalty is sentence"):
        fitted("sentence", strength={"topics": 1.0})
