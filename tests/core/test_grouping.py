"""Builders of groups from ids."""

from __future__ import annotations

import numpy as np

from laconic.core import grouping
from laconic.core.penalties import OverlapGroupLasso


def test_sentences_are_sets_and_empty_ones_are_left_out():
    feature, ptr = np.array([3, 1, 3, -1, 0, 2]), np.array([0, 3, 4, 6])
    groups = grouping.by_sentence(feature, ptr, 5)
    assert [groups.members(g).tolist() for g in range(len(groups))] == [[1, 3], [0, 2]]
    assert grouping.nonempty_sentences(feature, ptr).tolist() == [0, 2]
    np.testing.assert_allclose(groups.weight, np.sqrt([2, 2]))


def test_templates_partition_the_features():
    groups = grouping.by_template(np.array([1, 0, 1, 3]), 4)
    assert [groups.members(g).tolist() for g in range(len(groups))] == [[1], [0, 2], [3]]


def test_clusters_that_repeat_their_child_are_passed_over():
    # 0 -> 1 -> (2, 3); words 0 and 1 at 2, word 2 at 3, word 3 nowhere: 0 and 1 hold the same words
    groups, nodes = grouping.by_cluster(np.array([-1, 0, 1, 1]), np.array([2, 2, 3, -1]), 4)
    assert nodes.tolist() == [1, 2] and groups.parent.tolist() == [-1, 0]
    np.testing.assert_allclose(groups.weight, np.sqrt([3, 2]))


def test_constituents_have_one_copy_a_token():
    parent, owner = np.array([-1, 0, 0, 2]), np.array([1, 2, 3])
    groups, source = grouping.by_constituent([(parent, owner, np.array([5, 7, 5]))] * 2, 8)
    assert source.tolist() == [[0, 0], [0, 2], [1, 0], [1, 2]]
    w = np.zeros(8)
    w[[5, 7]] = [3.0, 4.0]
    # each tree: sqrt(3) |(3, 4, 3)| + sqrt(2) |(4, 3)|
    assert np.isclose(OverlapGroupLasso(groups).value(w), 2 * (np.sqrt(3 * 34) + np.sqrt(2 * 25)))


def test_kept_constituents_take_over_what_hangs_below_others():
    parent, owner = np.array([-1, 0, 1]), np.array([0, 1, 2])
    keep = [np.array([True, False, False])]
    groups, source = grouping.by_constituent([(parent, owner, np.array([0, 1, 2]))], 3, keep)
    assert source.tolist() == [[0, 0]] and sorted(groups.index.tolist()) == [0, 1, 2]
