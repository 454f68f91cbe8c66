"""Slope and Oscar: definitions, cvxpy, the dual norm, ties, speed."""

from __future__ import annotations

import time
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import norm

from laconic import L1, Oscar, Slope, SparseClassifier, SparseRegressor, regularization_path
from laconic.core.penalties.slope import SortedLasso

CASES: list[SortedLasso] = [
    Slope(0.7),
    Slope(0.7, q=0.5, positive=True),
    Slope(0.7, costs=[3.0, 2.0, 2.0, 0.5, 0.0, 0.0]),
    Oscar(0.7, pairs=0.3),
]


def test_values_are_those_of_the_definitions() -> None:
    w = np.array([0.5, -3.0, 0.0, 2.0, -2.0])
    pairs = sum(max(abs(a), abs(b)) for a, b in combinations(w, 2))
    assert np.isclose(Oscar(1.3, pairs=0.2).value(w), 1.3 * (np.abs(w).sum() + 0.2 * pairs))
    costs = norm.ppf(1 - 0.1 * np.arange(1, 6) / 10)
    expected = np.sort(np.abs(w))[::-1] @ costs / costs[0]
    assert np.isclose(Slope(1.3, q=0.1).value(w), 1.3 * expected)
    assert np.isclose(Slope(costs=np.ones(5)).value(w), L1().value(w))


@pytest.mark.parametrize("penalty", CASES, ids=repr)
def test_the_dual_norm_is_the_largest_over_all_orders(penalty: SortedLasso) -> None:
    c = np.random.default_rng(0).normal(size=6)
    size = np.maximum(c, 0) if penalty.positive else np.abs(c)
    sums = 0.7 * np.cumsum(penalty.rank_costs(6))
    best = max(np.max(np.cumsum(size[list(order)]) / sums) for order in permutations(range(6)))
    assert np.isclose(penalty.gauge(-c), best)


@pytest.mark.parametrize("penalty", CASES, ids=repr)
@pytest.mark.parametrize("step", [0.1, 1.0])
def test_proxes_are_those_of_cvxpy(penalty: SortedLasso, step: float) -> None:
    cp = pytest.importorskip("cvxpy")
    w = np.array([1.0, -1.1, 0.9, 3.0, -0.2, 2.95])
    v = cp.Variable(6)
    costs = penalty.rank_costs(6)
    drops = costs - np.append(costs[1:], 0.0)
    value = sum(drops[k] * cp.sum_largest(cp.abs(v), k + 1) for k in range(6))
    objective = 0.5 * cp.sum_squares(v - w) + step * 0.7 * value
    cp.Problem(cp.Minimize(objective), [v >= 0] if penalty.positive else []).solve(
        solver="CLARABEL"
    )
    assert np.allclose(penalty.prox(w, step), v.value, atol=1e-5)


@pytest.mark.parametrize("penalty", [*CASES[:2], Oscar(0.3, pairs=0.05)], ids=repr)
def test_optima_are_certified_and_those_of_cvxpy(penalty: SortedLasso) -> None:
    cp = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 6)) + rng.normal(size=(40, 1))
    y = X @ [2.0, 1.9, 0, 0, 0, -1.0] + rng.normal(size=40)
    penalty = penalty.replace(strength=10.0)
    model = SparseRegressor(penalty, tol=1e-9, fit_intercept=False).fit(X, y)
    v, costs = cp.Variable(6), penalty.rank_costs(6)
    drops = costs - np.append(costs[1:], 0.0)
    value = sum(drops[k] * cp.sum_largest(cp.abs(v), k + 1) for k in range(6))
    objective = cp.Minimize(0.5 * cp.sum_squares(X @ v - y) + 10.0 * value)
    best = cp.Problem(objective, [v >= 0] if penalty.positive else []).solve(solver="CLARABEL")
    assert model.converged_ and model.certificate_ <= 1e-9
    assert abs(model.objective_ - best) <= 1e-6 * best


def test_equal_features_get_equal_weights() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(100, 1))
    X = np.hstack([x, x + 0.01 * rng.normal(size=(100, 1)), rng.normal(size=(100, 4))])
    y = 3 * x.ravel() + 0.1 * rng.normal(size=100)
    weights = SparseRegressor(Oscar(2.0, pairs=1.0), tol=1e-9).fit(X, y).coef_
    assert weights[0] == pytest.approx(weights[1], rel=1e-6) and weights[0] > 0
    lasso = SparseRegressor(L1(2.0), tol=1e-9).fit(X, y).coef_
    assert abs(lasso[0] - lasso[1]) > 0.1


@pytest.mark.parametrize("penalty", [Slope(), Oscar()], ids=repr)
def test_paths_and_several_classes(penalty: SortedLasso) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 12))
    y = (X[:, :3] + 0.3 * rng.normal(size=(90, 3))).argmax(axis=1)
    path = regularization_path(SparseClassifier(penalty), X, y, n_strengths=5, ratio=0.05)
    assert path.selected[0] == 0 and path.selected[-1] >= 3
    assert np.all(path.certificates <= 1e-4)


def test_a_million_weights_take_less_than_a_second() -> None:
    rng = np.random.default_rng(4)
    w, penalty = rng.normal(size=1_000_000), Slope(0.5)
    penalty.prox(w[:10])
    began = time.process_time()
    found = penalty.prox(w)
    assert time.process_time() - began < 1.0
    assert 0 < np.count_nonzero(found) < len(w)


@pytest.mark.parametrize(
    ("penalty", "sentence"),
    [
        (Slope(q=0.0), "q must lie between 0 and 1"),
        (Slope(costs=[1.0, 2.0]), "falling sequence"),
        (Slope(costs=[2.0, 1.0]), "costs of 2 ranks, but 3 weights"),
        (Oscar(pairs=-1.0), "pairs must be"),
    ],
)
def test_parameters_are_checked(penalty: SortedLasso, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SparseRegressor(penalty).fit(np.eye(3), np.arange(3.0))
