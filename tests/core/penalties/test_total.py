"""Sums of any convex penalties: definitions, taken apart, solved, certified, refused."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import (
    L0,
    L1,
    MCP,
    ElasticNet,
    Fista,
    FusedLasso,
    GroupLasso,
    OverlapGroupLasso,
    PenaltySum,
    Reweighted,
    Ridge,
    Slope,
    SmoothGroupLasso,
    SparseGroupLasso,
    SparseRegressor,
    TreeGroupLasso,
)
from laconic.core.solvers.suitable import suitable_solver

P = 8
GROUPS = [[0, 1, 2], [3, 4], [5, 6, 7]]
SUMS = {
    "groups and trees": PenaltySum(
        [SparseGroupLasso(GROUPS, 2.0), TreeGroupLasso([[0, 1, 2, 3], [2, 3]]), Ridge(0.3)]
    ),
    "slope and groups": PenaltySum([Slope(2.0), GroupLasso(GROUPS, 1.0), L1(0.5)]),
    "two fusions": PenaltySum([FusedLasso(8, 1.0), Slope(1.0, positive=True)]),
    "overlaps and a sum": PenaltySum(
        [OverlapGroupLasso([[0, 1], [1, 2], [3, 7]]), PenaltySum([L1(1.0), Ridge(1.0)], 0.5)], 2.0
    ),
}


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, P))
    return X, X @ [2.0, 1.5, 1.0, 0, 0, 0, 0.5, 0] + 0.5 * rng.normal(size=50)


@pytest.mark.parametrize("name", SUMS)
def test_values_are_those_of_the_terms_also_when_taken_apart(name: str) -> None:
    penalty, w = SUMS[name], np.abs(np.random.default_rng(1).normal(size=P))
    total = sum(term.value(w) for term in penalty.terms)
    assert np.isclose(penalty.value(w), penalty.strength * total)
    assert np.isclose(sum(part.value(w) for part in penalty.simple()), penalty.value(w))


@pytest.mark.parametrize("name", SUMS)
def test_the_chosen_solver_reaches_the_optimum_with_a_certificate(name: str) -> None:
    X, y = data()
    model = SparseRegressor(SUMS[name], tol=1e-5).fit(X, y)
    problem = model.build_problem(X, y)
    lowest = problem.value(Fista(tol=1e-9, max_iter=300).run(problem).x)
    off = (model.objective_ - lowest) / lowest
    assert model.converged_ and -1e-6 <= off <= model.certificate_ + 1e-8


def test_sums_of_separable_terms_are_an_elastic_net() -> None:
    X, y = data()
    one = SparseRegressor(ElasticNet(2.0, l1_ratio=0.25), tol=1e-8).fit(X, y)
    two = SparseRegressor(PenaltySum([L1(0.5), Ridge(1.5)]), tol=1e-7).fit(X, y)
    assert np.allclose(one.coef_, two.coef_, atol=1e-3)


def test_solvers_by_terms() -> None:
    assert "Reweighted" in suitable_solver(SUMS["groups and trees"])
    assert "Admm" in suitable_solver(SUMS["slope and groups"])
    assert "Fista" in suitable_solver(PenaltySum([SmoothGroupLasso(8), L1()]))
    assert "Admm" in suitable_solver(PenaltySum([GroupLasso(GROUPS, norm="inf"), L1()]))
    with pytest.raises(ValueError, match=r"Reweighted does not take .* a Slope: use Admm"):
        SparseRegressor(SUMS["slope and groups"], solver=Reweighted()).fit(*data())


@pytest.mark.parametrize(
    ("term", "sentence"),
    [
        (L0(), "convex penalties, got L0: use it alone"),
        (MCP(), "convex penalties, got MCP: use it alone"),
        ("l1", "a sum takes penalties, got 'l1'"),
    ],
)
def test_what_cannot_be_added_is_refused(term: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        PenaltySum([L1(), term]).check()
