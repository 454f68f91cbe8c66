"""Groups as they may be given: lists, names, labels of features; and nested lists as forests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.core.groups import Groups
from laconic.core.groups_like import GroupsLike, as_forest, as_groups, group_names, spread_groups
from laconic.core.penalties import (
    GroupLasso,
    OverlapGroupLasso,
    SparseGroupLasso,
    TreeGroupLasso,
)
from laconic.linear.model import SparseClassifier

LISTS = [[0, 2], [1, 3]]
FORMS: list[GroupsLike] = [
    LISTS,
    tuple(map(tuple, LISTS)),
    np.array(LISTS),
    {"even": [0, 2], "odd": [1, 3]},
    ["even", "odd", "even", "odd", None],
    [4, 7, 4, 7, -1],
    np.array([4, 7, 4, 7, -1]),
    np.array(["even", "odd", "even", "odd", None], dtype=object),
    [4.0, 7.0, 4.0, 7.0, np.nan],
]


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_every_form_means_the_same_groups(form: GroupsLike) -> None:
    expected = Groups.from_lists(LISTS, 5)
    for n_outputs, found in (
        (1, as_groups(form, 5)),
        (6, as_groups(spread_groups(spread_groups(form, 2), 3), 30)),
    ):
        wanted = expected.spread(n_outputs)
        assert np.array_equal(found.index, wanted.index)
        assert np.array_equal(found.ptr, wanted.ptr) and found.n_features == wanted.n_features
        assert np.allclose(found.weight, wanted.weight)


def test_names_are_kept_in_order() -> None:
    assert group_names({"b": [0], "a": [1]}, 2) == ["b", "a"]
    assert group_names(["b", "a", None], 2) == ["a", "b"]
    assert group_names(LISTS, 2) == [0, 1]
    assert group_names(spread_groups({"b": [0]}, 3), 1) == ["b"]


@st.composite
def nested_sets(draw: st.DrawFn) -> list[list[int]]:
    """Return sets made by splitting sets of features, in any order."""
    sets, open_sets = [], [list(range(draw(st.integers(1, 12))))]
    while open_sets:
        features = open_sets.pop()
        if draw(st.booleans()):
            sets.append(features)
        if len(features) > 1:
            cut = draw(st.integers(1, len(features) - 1))
            open_sets += [features[:cut], features[cut:]]
    return draw(st.permutations(sets))


@given(nested_sets())
def test_nested_lists_are_the_same_penalty_as_a_tree_and_as_overlaps(sets: list[list[int]]) -> None:
    w = np.random.default_rng(0).normal(size=13)
    tree, flat = TreeGroupLasso(sets), OverlapGroupLasso(sets)
    assert np.isclose(tree.value(w), flat.value(w))
    assert np.allclose(tree.prox(w, 0.3), flat.prox(w, 0.3), atol=1e-6)


def test_forests_take_equal_and_empty_sets() -> None:
    forest = as_forest(Groups.from_lists([[1, 2], [1, 2], [], [0, 1, 2]], 4))
    assert len(forest) == 4 and sorted(np.diff(forest.ptr).tolist()) == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ([[0, 9]], "groups name feature 9, but the features are 0 to 4"),
        (["a", "b"], "labels of groups for 2 features, but there are 5 weights"),
        (Groups.from_lists(LISTS, 4), "groups are over 4 features, but there are 5 weights"),
    ],
)
def test_what_is_no_grouping_is_refused(form: GroupsLike, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        as_groups(form, 5)


def test_lists_that_overlap_are_no_forest() -> None:
    with pytest.raises(ValueError, match=r"groups 0 and 1 overlap, .* use OverlapGroupLasso"):
        TreeGroupLasso([[0, 1], [1, 2]]).value(np.ones(3))


@pytest.mark.parametrize("kind", [GroupLasso, SparseGroupLasso, TreeGroupLasso, OverlapGroupLasso])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_estimators_take_lists(kind: type, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, n_classes, 60)
    sets = [[0, 2], [1, 3, 4]]
    forest = Groups.forest([-1, -1], sets, 5)
    groups = forest if kind is TreeGroupLasso else Groups.from_lists(sets, 5)
    lists, objects = (
        SparseClassifier(kind(given), strength=0.5).fit(X, y) for given in (sets, groups)
    )
    assert np.array_equal(lists.coef_, objects.coef_)
