"""Certificates of overlapping groups bound the distance from the optimum, whatever the scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.core.designs.rows import Rows
from laconic.core.groups import Groups
from laconic.core.losses import Gold, Logistic, Squared
from laconic.core.penalties import L1, LayeredGroupLasso, OverlapGroupLasso, PenaltySum, Ridge
from laconic.core.problem import Problem
from laconic.core.solvers.choose import choose_solver
from laconic.core.solvers.reweighted import Reweighted
from laconic.core.solvers.suitable import REWEIGHTED, suitable_solver

N, P = 30, 12


def drawn(seed: int, kind: str, scale: float) -> Problem:
    """A random problem: overlapping, nested or summed groups, columns of very different scales."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, P)) * (random.random((N, P)) < 0.5)
    X *= scale * 10.0 ** random.integers(-2, 3, P)
    y = (X @ random.normal(size=P) + scale * random.normal(size=N) > 0).astype(float)
    lists = [random.choice(P, random.integers(1, 6), replace=False) for _ in range(10)]
    groups = Groups.from_lists([*lists, np.arange(P)], P)
    strength = scale * 10.0 ** random.uniform(-1.5, 1)
    penalties = {
        "flat": OverlapGroupLasso(groups, strength),
        "layers": LayeredGroupLasso(groups, strength),
        "forest": OverlapGroupLasso(
            Groups.forest([-1, 0, 0, 1, -1], [[0, 1], [2, 3, 0], [4, 5], [6, 7], range(8, P)], P),
            strength,
        ),
        "sum": PenaltySum([OverlapGroupLasso(groups), L1(0.3), Ridge(0.1 * scale)], strength),
    }
    loss = Squared() if seed % 2 else Logistic()
    gold = Gold(y, random.choice([0.5, 1.0, 2.0], N), 1)
    return Problem(Rows(X, 1), loss, gold, penalties[kind])


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["flat", "layers", "forest", "sum"]),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_no_certificate_is_below_the_distance(seed: int, kind: str, scale: float) -> None:
    best = Reweighted(tol=1e-9, max_iter=400).run(drawn(seed, kind, scale))
    problem = drawn(seed, kind, scale)
    lowest = problem.value(best.x)
    for max_iter in (1, 6, 10, 14, 40):
        result = Reweighted(tol=1e-8, max_iter=max_iter).run(problem)
        off = (problem.value(result.x) - lowest) / problem.value(result.x)
        assert off <= result.error + 1e-10
    assert best.error < 1e-3


@pytest.mark.parametrize("seed", range(6))
def test_layers_converge_on_groups_that_are_not_nested(seed: int) -> None:
    problem = drawn(seed, "layers", 1.0)
    assert suitable_solver(problem.penalty) == REWEIGHTED
    result = choose_solver(problem.penalty, 1e-4).run(problem)
    assert result.converged
    plain = Problem(problem.design, problem.loss, problem.gold, drawn(seed, "flat", 1.0).penalty)
    same = Reweighted(tol=1e-4).run(plain)
    assert problem.value(result.x) == pytest.approx(plain.value(same.x), rel=2e-4)
