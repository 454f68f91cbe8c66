"""Groups: what is refused and in which words, the order of forests, joining and spreading."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from laconic.core.groups import Groups, parents_first, subtree_sums


def flat(**changed: object) -> Groups:
    """Two groups over five features, with some parts replaced."""
    parts = {
        "index": [0, 4, 4, 1],
        "ptr": [0, 2, 4],
        "weight": [1.0, 2.0],
        "n_features": 5,
        "parent": None,
    } | changed
    return Groups(**parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"index": [0, 5, 4, 1]}, "groups name feature 5, but the features are 0 to 4"),
        ({"index": [0, -2, 4, 1]}, "groups name feature -2, but the features are 0 to 4"),
        ({"index": [0, 1.5, 4, 1]}, "a vector of int64 expected"),
        ({"index": [[0, 1], [4, 1]]}, "a vector of int64 expected, got int64 of shape"),
        ({"ptr": [0, 3, 2, 4]}, "ptr must rise from 0 to 4"),
        ({"ptr": [1, 2, 4]}, "ptr must rise from 0 to 4"),
        ({"ptr": [0, 2, 3]}, "ptr must rise from 0 to 4"),
        ({"ptr": [0, 2, 5]}, "ptr must rise from 0 to 4"),
        ({"ptr": []}, "ptr must rise from 0 to 4"),
        ({"weight": [1.0, -2.0]}, "weight must hold 2 finite numbers that are not negative"),
        ({"weight": [1.0, np.nan]}, "weight must hold 2 finite numbers that are not negative"),
        ({"weight": [1.0, np.inf]}, "weight must hold 2 finite numbers that are not negative"),
        ({"weight": [1.0]}, "weight must hold 2 finite numbers that are not negative"),
        ({"parent": [1, -1]}, "an earlier group or -1"),
        ({"parent": [0, -1]}, "an earlier group or -1"),
        ({"parent": [-1, -2]}, "an earlier group or -1"),
        ({"parent": [-1]}, "an earlier group or -1"),
    ],
    ids=str,
)
def test_bad_groups_are_refused_in_one_sentence(changed: dict[str, object], words: str) -> None:
    assert len(flat()) == 2
    with pytest.raises(ValueError, match=words) as caught:
        flat(**changed)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parent", "words"),
    [
        ([1, 2, 0], "cycle at or above node 0"),
        ([-1, 1], "cycle at or above node 1"),
        ([-1, 0, 3, 4, 3], "cycle at or above node 2"),
        ([-1, 2], "parents from 0 to 1, or -1 for a root"),
        ([-1, -2], "parents from 0 to 1, or -1 for a root"),
    ],
)
def test_a_forest_with_a_cycle_or_a_strange_parent_is_refused(
    parent: list[int], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Groups.forest(parent, [[]] * len(parent), 3)


def test_a_forest_needs_a_list_and_a_weight_a_node() -> None:
    for own, weight in (
        ([[0]], None),
        ([[0], [1], [2]], None),
        ([[0], [1]], [1.0]),
        ([[0], [1]], [1.0, 1.0, 1.0]),
    ):
        with pytest.raises(ValueError, match="a forest of 2 parents needs as many"):
            Groups.forest([-1, 0], own, 3, weight)


def test_groups_do_not_change_after_they_are_made() -> None:
    index = np.array([0, 4, 4, 1])
    groups = flat(index=index)
    index[0] = 77
    assert groups.index[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        groups.index[0] = 3
    with pytest.raises(AttributeError):
        groups.n_features = 9  # type: ignore[misc]


def test_members_sizes_default_weights_and_repr() -> None:
    groups = Groups.from_lists([[3, 1, 2, 0], [], [4]], 6)
    assert [list(groups.members(g)) for g in range(3)] == [[3, 1, 2, 0], [], [4]]
    assert list(groups.sizes) == [4, 0, 1] and list(groups.weight) == [2.0, 0.0, 1.0]
    assert repr(groups) == "Groups(3 groups, 5 entries, 6 features)"
    assert len(Groups.from_lists([], 3)) == 0


def test_copies_of_groups() -> None:
    groups = flat()
    assert clone(groups) is groups and deepcopy(groups) is groups
    assert np.array_equal(pickle.loads(pickle.dumps(groups)).index, groups.index)


@st.composite
def forests(draw: st.DrawFn) -> tuple[np.ndarray, list[list[int]], int]:
    """Parents in any order, and which features each node owns."""
    n_nodes, n_features = draw(st.integers(1, 12)), draw(st.integers(1, 15))
    parent = np.array([draw(st.integers(-1, g - 1)) for g in range(n_nodes)])
    order = np.array(draw(st.permutations(range(n_nodes))))
    shuffled = np.empty(n_nodes, dtype=int)
    shuffled[order] = np.where(parent >= 0, order[np.maximum(parent, 0)], -1)
    owner = draw(st.lists(st.integers(-1, n_nodes - 1), min_size=n_features, max_size=n_features))
    return (
        shuffled,
        [[i for i, g in enumerate(owner) if g == node] for node in range(n_nodes)],
        n_features,
    )


def ancestors(parent: np.ndarray, node: int) -> list[int]:
    """The node and all above it."""
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(int(parent[path[-1]]))
    return path


@given(forests())
def test_a_forest_is_sorted_parents_first_and_keeps_its_groups(
    given_forest: tuple[np.ndarray, list[list[int]], int],
) -> None:
    parent, own, n_features = given_forest
    order = parents_first(parent)
    assert sorted(order) == list(range(len(parent)))
    groups = Groups.forest(parent, own, n_features, np.arange(len(parent)))
    assert groups.parent is not None and np.all(groups.parent < np.arange(len(parent)))
    assert np.array_equal(groups.weight, order)  # the weights tell which node went where
    for place, node in enumerate(order):
        assert list(groups.members(place)) == own[node]
        assert [int(order[k]) for k in ancestors(groups.parent, place)] == ancestors(
            parent, int(node)
        )


@given(forests())
def test_default_weights_of_a_forest_are_roots_of_whole_sizes(
    given_forest: tuple[np.ndarray, list[list[int]], int],
) -> None:
    parent, own, n_features = given_forest
    groups = Groups.forest(parent, own, n_features)
    order = parents_first(parent)
    whole = np.zeros(len(parent))
    for node in range(len(parent)):
        for above in ancestors(parent, node):
            whole[above] += len(own[node])
    assert np.allclose(groups.weight, np.sqrt(whole[order]))
    assert groups.parent is not None
    assert np.array_equal(subtree_sums(groups.parent, groups.sizes), whole[order])


def test_a_chain_of_many_nodes_is_sorted_at_once() -> None:
    n = 200_000
    assert np.array_equal(
        parents_first(np.arange(1, n + 1) % n - (np.arange(n) == n - 1)), np.arange(n)[::-1]
    )


@given(st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=6), st.integers(1, 4))
def test_spread_gives_a_group_the_weights_of_its_features_for_all_outputs(
    lists: list[list[int]], n_outputs: int
) -> None:
    groups = Groups.from_lists(lists, 7)
    wide = groups.spread(n_outputs)
    assert wide.n_features == 7 * n_outputs
    for g, members in enumerate(lists):
        assert list(wide.members(g)) == [
            i * n_outputs + k for i in members for k in range(n_outputs)
        ]
    assert np.allclose(wide.weight, groups.weight * np.sqrt(n_outputs))


@given(forests(), st.integers(2, 3))
def test_joined_forests_stand_side_by_side(
    given_forest: tuple[np.ndarray, list[list[int]], int], times: int
) -> None:
    groups = Groups.forest(*given_forest)
    both = Groups.join([groups] * times)
    n = len(groups)
    assert len(both) == times * n and both.parent is not None and groups.parent is not None
    for g in range(times * n):
        part, own = divmod(g, n)
        assert list(both.members(g)) == list(groups.members(own))
        assert both.parent[g] == (groups.parent[own] + part * n if groups.parent[own] >= 0 else -1)


def test_join_refuses_other_features_and_mixtures() -> None:
    for other in (flat(n_features=6), flat(parent=[-1, 0])):
        with pytest.raises(ValueError, match="over the same features, and all flat or all forests"):
            Groups.join([flat(), other])
    with pytest.raises(ValueError, match="groups that are joined"):
        Groups.join([])
    assert list(Groups.join([flat(), flat()]).ptr) == [0, 2, 4, 6, 8]
