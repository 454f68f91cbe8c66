"""Budgets of templates: shrinking by norms is a proximal step, and no more groups stay than may."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.groups import Groups
from laconic.penalties import GroupLasso
from laconic.solvers.gravity import (
    Layer,
    coarse_to_fine_layers,
    group_weights,
    share_out,
    shrink_layer,
    shrink_layers,
    template_layer,
)
from laconic.text.template_sets import ready_templates

SIZES = st.lists(st.integers(1, 1000), min_size=1, max_size=12)


def kept(factors: np.ndarray, layer: Layer, norms: np.ndarray) -> int:
    return sum(bool((norms[group] * factors[group]).any()) for group in layer.groups)


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]), min_size=1, max_size=12), st.integers(0, 12))
def test_no_more_groups_stay_than_the_budget_allows(given_norms: list[float], budget: int) -> None:
    norms = np.array(given_norms)
    layer = template_layer(np.ones(len(norms)), budget, "one")
    factors = shrink_layer(norms, layer)
    assert np.all((factors >= 0) & (factors <= 1))
    alive = np.count_nonzero(norms)
    assert kept(factors, layer, norms) == min(alive, budget), "ties at the edge do not make it fewer"
    if alive <= budget:
        assert np.all(factors == 1), "a layer within its budget is left alone"
    stay = (factors > 0) & (norms > 0)
    assert max(norms[~stay], default=0.0) <= min(norms[stay], default=np.inf), "the longest stay"


@pytest.mark.parametrize("rule", ["one", "sqrt log", "log"])
@pytest.mark.parametrize("budget", [1, 2, 4])
def test_a_budget_is_a_proximal_step_of_the_group_lasso(rule: str, budget: int) -> None:
    rng = np.random.default_rng(budget)
    members = [np.arange(0, 3), np.arange(3, 4), np.arange(4, 10), np.arange(10, 12), np.arange(12, 20)]
    sizes = np.array([len(part) for part in members])
    weights = rng.normal(size=20)
    norms = np.array([np.linalg.norm(weights[part]) for part in members])
    layer = template_layer(sizes, budget, rule)
    shrunk = weights * np.repeat(shrink_layer(norms, layer), sizes)
    ratio = np.sort(norms / layer.weight)[::-1]
    sigma = 0.5 * (ratio[budget - 1] + ratio[budget])
    penalty = GroupLasso(Groups.from_lists([part.tolist() for part in members], 20, layer.weight), strength=sigma)
    np.testing.assert_allclose(shrunk, penalty.prox(weights), rtol=1e-12, atol=1e-12)


def test_groups_of_several_templates_shrink_as_one() -> None:
    norms = np.array([3.0, 4.0, 1.0, 7.0])
    layer = Layer([np.array([0, 1]), np.array([2])], np.array([1.0, 1.0]), 1)
    np.testing.assert_allclose(shrink_layer(norms, layer), [1 - 3 / 5, 1 - 3 / 5, 0, 1])


def test_layers_shrink_one_after_the_other() -> None:
    norms = np.array([3.0, 4.0, 1.0])
    first = Layer([np.array([0, 1]), np.array([2])], np.ones(2), 1)
    second = Layer([np.array([0]), np.array([1])], np.ones(2), 1)
    one = shrink_layer(norms, first)
    np.testing.assert_allclose(shrink_layers(norms, [first, second]), one * shrink_layer(norms * one, second))
    assert np.count_nonzero(shrink_layers(norms, [first, second])) == 1


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**31), st.integers(1, 14))
def test_layers_of_groups_that_do_not_overlap_cover_all_groups(n: int, seed: int, budget: int) -> None:
    rng = np.random.default_rng(seed)
    finer = np.triu(rng.random((n, n)) < 0.3, 1) | np.eye(n, dtype=bool)
    sizes = rng.integers(1, 100, n)
    layers = coarse_to_fine_layers(sizes, finer, budget, "log")
    dealt = sorted(tuple(group.tolist()) for layer in layers for group in layer.groups)
    assert dealt == sorted(tuple(np.flatnonzero(row).tolist()) for row in finer)
    for layer in layers:
        members = np.concatenate(layer.groups)
        assert len(np.unique(members)) == len(members) and len(layer.weight) == len(layer.groups)
        np.testing.assert_allclose(layer.weight, [np.log2(max(2, sizes[group].sum())) for group in layer.groups])
    norms = rng.random(n)
    factors = shrink_layers(norms, layers)
    for layer in layers:
        assert kept(factors, layer, norms) <= layer.budget


def test_a_template_goes_with_what_it_refines() -> None:
    templates = ready_templates("chunking72")
    finer = templates.order()
    rng = np.random.default_rng(0)
    norms = rng.random(len(templates))
    factors = shrink_layers(norms, coarse_to_fine_layers(np.ones(len(templates)), finer, 200, "one"))
    for coarse, fine in zip(*np.nonzero(finer), strict=True):
        assert factors[fine] == 0 or factors[coarse] > 0


@settings(deadline=None)
@given(st.integers(0, 5000), SIZES)
def test_shares_sum_to_the_total_or_to_all_there_is(total: int, sizes: list[int]) -> None:
    shares = share_out(total, sizes)
    assert sum(shares) == min(total, sum(sizes))
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
    assert min(shares) >= (total >= len(sizes))
    # Larger layers get no less, but for the rounding of one.
    assert all(a <= b + 1 for (_, a), (_, b) in pairwise(sorted(zip(sizes, shares, strict=True))))


def test_group_weights() -> None:
    sizes = np.array([0, 1, 2, 1024])
    assert group_weights(sizes, "log").tolist() == [1, 1, 1, 10]
    assert group_weights(sizes, "one").tolist() == [1, 1, 1, 1]
    np.testing.assert_allclose(group_weights(sizes, "sqrt log"), np.sqrt([1, 1, 1, 10]))
    with pytest.raises(ValueError, match="group_weight"):
        group_weights(sizes, "two")
