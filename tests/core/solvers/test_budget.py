"""Budgets of templates: shrinking by norms is a proximal step, and no more groups stay than may."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.core.groups import Groups
from laconic.core.penalties import GroupLasso
from laconic.core.solvers.budget import TemplateBudget, group_weights, layers_of
from laconic.text.template_sets import ready_templates

NORMS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]), min_size=1, max_size=12)


def random_order(n: int, rng: np.random.Generator) -> np.ndarray:
    """[a, b]: b is a or refines it; transitive."""
    finer = np.triu(rng.random((n, n)) < 0.3, 1) | np.eye(n, dtype=bool)
    for middle in range(n):
        finer |= np.outer(finer[:, middle], finer[middle])
    return finer


@given(NORMS, st.integers(0, 12))
def test_as_many_templates_stay_as_the_budget_allows(given_norms: list[float], budget: int) -> None:
    norms = np.array(given_norms)
    factors = TemplateBudget(np.ones(len(norms))).shrink(norms, budget)
    assert np.all((factors >= 0) & (factors <= 1))
    alive = np.count_nonzero(norms)
    assert np.count_nonzero(norms * factors) == min(alive, budget), (
        "ties at the edge do not make it fewer"
    )
    if alive <= budget:
        assert np.all(factors == 1), "what is within the budget is left alone"
    stay = (factors > 0) & (norms > 0)
    assert max(norms[~stay], default=0.0) <= min(norms[stay], default=np.inf), "the longest stay"


@pytest.mark.parametrize("rule", ["one", "sqrt log", "log"])
@pytest.mark.parametrize("budget", [1, 2, 4])
def test_a_budget_is_a_proximal_step_of_the_group_lasso(rule: str, budget: int) -> None:
    rng = np.random.default_rng(budget)
    members = [
        np.arange(0, 3),
        np.arange(3, 4),
        np.arange(4, 10),
        np.arange(10, 12),
        np.arange(12, 20),
    ]
    sizes = np.array([len(part) for part in members])
    weights = rng.normal(size=20)
    norms = np.array([np.linalg.norm(weights[part]) for part in members])
    groups = TemplateBudget(sizes, rule)
    shrunk = weights * np.repeat(groups.shrink(norms, budget), sizes)
    ratio = np.sort(norms / groups.weight)[::-1]
    sigma = 0.5 * (ratio[budget - 1] + ratio[budget])
    penalty = GroupLasso(
        Groups.from_lists([part.tolist() for part in members], 20, groups.weight), strength=sigma
    )
    np.testing.assert_allclose(shrunk, penalty.prox(weights), rtol=1e-12, atol=1e-12)


def test_groups_inside_each_other_are_shrunk_from_the_finest_on() -> None:
    norms = np.array([3.0, 4.0, 1.0])
    finer = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=bool)  # the second refines the first
    groups = TemplateBudget(np.ones(3), "one", finer)
    np.testing.assert_allclose(groups.weight, [1, np.sqrt(0.5), 1])
    second = 4 - 0.8 * np.sqrt(0.5)
    both = 1 - 0.8 / np.hypot(3, second)
    np.testing.assert_allclose(groups.prox(norms, 0.8), [both, both * second / 4, 0.2])


@given(st.integers(1, 12), st.integers(0, 2**31))
def test_groups_of_a_layer_do_not_overlap_and_inner_ones_come_first(n: int, seed: int) -> None:
    finer = random_order(n, np.random.default_rng(seed))
    layers = layers_of(finer)
    assert sorted(np.concatenate(layers).tolist()) == list(range(n))
    level = np.empty(n, dtype=int)
    for j, layer in enumerate(layers):
        assert finer[layer].sum(axis=0).max() == 1
        level[layer] = j
    for coarse, fine in zip(*np.nonzero(finer), strict=True):
        assert coarse == fine or level[coarse] > level[fine]


@settings(max_examples=50)
@given(st.integers(1, 12), st.integers(0, 2**31), st.integers(0, 14), st.booleans())
def test_a_template_is_kept_with_all_that_it_refines(
    n: int, seed: int, budget: int, ties: bool
) -> None:
    rng = np.random.default_rng(seed)
    finer = random_order(n, rng)
    norms = np.ones(n) if ties else rng.random(n)
    factors = TemplateBudget(rng.integers(1, 100, n), "log", finer).shrink(norms, budget)
    kept = factors > 0
    assert kept.sum() == min(n, budget)
    for coarse, fine in zip(*np.nonzero(finer), strict=True):
        assert kept[coarse] or not kept[fine]


@pytest.mark.parametrize("budget", [1, 10, 30, 71])
def test_budgets_of_the_ready_templates(budget: int) -> None:
    templates = ready_templates("chunking72")
    finer = templates.order()
    norms = np.random.default_rng(0).random(len(templates))
    kept = TemplateBudget(np.ones(len(templates)), "one", finer).shrink(norms, budget) > 0
    assert kept.sum() == budget
    for coarse, fine in zip(*np.nonzero(finer), strict=True):
        assert kept[coarse] or not kept[fine]


def test_group_weights() -> None:
    sizes = np.array([0, 1, 2, 1024])
    assert group_weights(sizes, "log").tolist() == [1, 1, 1, 10]
    assert group_weights(sizes, "one").tolist() == [1, 1, 1, 1]
    np.testing.assert_allclose(group_weights(sizes, "sqrt log"), np.sqrt([1, 1, 1, 10]))
    with pytest.raises(ValueError, match="group_weight"):
        group_weights(sizes, "two")
