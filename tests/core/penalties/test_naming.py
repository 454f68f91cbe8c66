"""Penalties in names of features become penalties over their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.core.groups import Groups
from laconic.core.penalties import L1, GroupLasso, OverlapGroupLasso, PenaltySum
from laconic.core.penalties.naming import FeatureNames, is_numbered, numbered

WORDS = ["ball", "bread", "goal", "the"]
HALVES = Groups.from_lists([[0, 1], [2, 3]], 4)
FEATURES = FeatureNames(
    4, lambda word: WORDS.index(word) if word in WORDS else -1, {"halves": lambda: HALVES}
)


def test_words_become_numbers_and_unknown_ones_are_left_out() -> None:
    given = GroupLasso({"sports": ["goal", "ball", "offside"], "food": ["bread"]}, 2.0)
    assert not is_numbered(given)
    found = numbered(given, FEATURES)
    assert found.groups == {"sports": [0, 2], "food": [1]} and found.strength == 2.0
    assert given.groups == {"sports": ["goal", "ball", "offside"], "food": ["bread"]}
    assert numbered(OverlapGroupLasso([["the", "goal"], []]), FEATURES).groups == [[2, 3], []]


def test_ready_groups_go_by_their_name() -> None:
    assert numbered(GroupLasso("halves"), FEATURES).groups is HALVES


def test_factors_by_word_are_1_elsewhere() -> None:
    found = numbered(L1(0.5, factors={"the": 3.0, "offside": 9.0}), FEATURES)
    assert np.array_equal(found.factors, [1, 1, 1, 3])


def test_terms_of_sums_are_numbered() -> None:
    given = PenaltySum([L1(0.5), OverlapGroupLasso("halves")], 3.0)
    found = numbered(given, FEATURES)
    assert found.terms[1].groups is HALVES and found.strength == 3.0


@pytest.mark.parametrize("penalty", [L1(0.5), GroupLasso(HALVES), L1(factors=np.ones(4))], ids=repr)
def test_penalties_of_numbers_stay_themselves(penalty: L1) -> None:
    assert is_numbered(penalty) and numbered(penalty, FEATURES) is penalty


@pytest.mark.parametrize(
    ("penalty", "sentence"),
    [
        (GroupLasso("thirds"), "no groups called 'thirds': expected one of 'halves', or lists"),
        (GroupLasso([["offside"]]), "none of the features in the groups .* in the training data"),
    ],
)
def test_what_names_nothing_is_refused(penalty: GroupLasso, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        numbered(penalty, FEATURES)
