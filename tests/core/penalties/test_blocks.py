"""Penalties of the norms of blocks agree with the same penalties stated over the weights."""

from __future__ import annotations

import numpy as np
import pytest
from penalties import DISJOINT, N

from laconic.core.groups import Groups
from laconic.core.penalties import L0, L1, GroupLasso, OverlapGroupLasso
from laconic.core.penalties.blocks import BlockNorms

WEIGHT = np.array([0.5, 1.0, 2.0])
OF_BLOCKS = Groups.from_lists([[0, 1], [1, 2, 3], [3]], 4, WEIGHT)
OF_WEIGHTS = Groups.from_lists(
    [np.concatenate([DISJOINT.members(m) for m in OF_BLOCKS.members(g)]) for g in range(3)],
    N,
    WEIGHT,
)


@pytest.mark.parametrize("step", [0.1, 1.0, 3.0])
def test_overlapping_groups_of_blocks_are_those_of_their_weights(step: float) -> None:
    w = np.random.default_rng(0).normal(size=N)
    ours = BlockNorms(OverlapGroupLasso(OF_BLOCKS, 0.4), DISJOINT, 1.5)
    wanted = OverlapGroupLasso(OF_WEIGHTS, 0.6)
    assert ours.value(w) == pytest.approx(wanted.value(w))
    assert np.allclose(ours.prox(w, step), wanted.prox(w, step), atol=1e-7)
    assert ours.count_groups(w) == wanted.count_groups(w) == (3, 3)


def test_a_lasso_of_norms_is_the_group_lasso() -> None:
    ones = Groups(DISJOINT.index, DISJOINT.ptr, np.ones(4), N)
    w = np.random.default_rng(1).normal(size=N)
    ours, wanted = BlockNorms(L1(0.7), DISJOINT), GroupLasso(ones, 0.7)
    assert np.allclose(ours.prox(w, 2.0), wanted.prox(w, 2.0))
    assert ours.gauge(w) == pytest.approx(wanted.gauge(w))


def test_blocks_may_be_counted() -> None:
    ours = BlockNorms(L0(0.5), DISJOINT)
    kept = ours.prox(np.array([3.0, 0.1, 0.2, 0, 0, 0, 0, 0.3, 0]))
    assert not ours.convex and ours.count_groups(kept) == (4, 1)
