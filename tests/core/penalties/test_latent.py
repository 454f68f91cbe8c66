"""Latent overlapping groups: definition, cvxpy, unions of groups, names, several outputs, scale."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import (
    Fista,
    GroupLasso,
    Groups,
    Growing,
    LatentGroupLasso,
    SparseClassifier,
    SparseRegressor,
    regularization_path,
)

LISTS = [[0, 1, 2], [2, 3, 4], [4, 5], [5, 6, 7], [0, 7], [3]]
P = 9  # feature 8 is in no group


def best_by_cvxpy(w: np.ndarray, weight: np.ndarray) -> float:
    """Return the least cost of a decomposition of w."""
    cp = pytest.importorskip("cvxpy")
    parts = [cp.Variable(len(members)) for members in LISTS]
    spread = [np.eye(P)[:, members] for members in LISTS]
    cost = sum(d * cp.norm(v) for d, v in zip(weight, parts, strict=True))
    total = sum(one @ v for one, v in zip(spread, parts, strict=True))
    return float(cp.Problem(cp.Minimize(cost), [total == w]).solve(solver="CLARABEL"))


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_the_best_decomposition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w = rng.normal(size=P) * (rng.random(P) < 0.7)
    w[8] = 0.0
    penalty = LatentGroupLasso(LISTS, strength=0.7)
    weight = 0.7 * np.sqrt([len(members) for members in LISTS])
    assert np.isclose(penalty.value(w), best_by_cvxpy(w, weight), rtol=1e-6)
    parts, v = penalty.decompose(w)
    index = penalty.restricted(parts, P).index
    assert np.allclose(np.bincount(index, v, P), w, atol=1e-10)


def test_disjoint_groups_are_a_group_lasso() -> None:
    w, lists = np.linspace(-1, 2, 6), [[0, 3], [1, 2, 5], [4]]
    for step in (0.1, 1.0):
        expected = GroupLasso(lists, 0.7).prox(w, step)
        assert np.allclose(LatentGroupLasso(lists, 0.7).prox(w, step), expected, atol=1e-9)
    assert np.isclose(LatentGroupLasso(lists).value(w), GroupLasso(lists).value(w))


def test_weights_in_no_group_are_zero() -> None:
    penalty = LatentGroupLasso(LISTS)
    assert penalty.value(np.eye(P)[8]) == np.inf
    assert penalty.prox(np.full(P, 5.0))[8] == 0 < penalty.prox(np.full(P, 5.0))[0]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, P))
    model = SparseRegressor(penalty, strength=0.1).fit(X, X[:, 8] * 3)
    assert model.converged_ and model.coef_[8] == 0


@pytest.mark.parametrize("kind", [SparseRegressor, SparseClassifier])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_two_solvers_agree_and_the_gap_bounds_the_distance(kind: type, form: type) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, P))
    y = X[:, 2:5].sum(axis=1) + 0.5 * rng.normal(size=60)
    y = y if kind is SparseRegressor else (y > 0).astype(int)
    penalty = LatentGroupLasso(LISTS, strength=2.0)
    best = kind(penalty, solver=Fista(tol=1e-9)).fit(X, y)
    for tol in (1e-1, 1e-3, 1e-8):
        model = kind(penalty, tol=tol).fit(form(X), y)
        assert isinstance(model.result_.extra["parts"], np.ndarray) and model.converged_
        off = (model.objective_ - best.objective_) / best.objective_
        assert -1e-8 <= off <= model.certificate_ + 1e-8
    assert np.allclose(model.coef_, best.coef_, atol=1e-4)


def test_the_support_is_a_union_of_chosen_groups() -> None:
    rng = np.random.default_rng(2)
    names = {name: LISTS[k] for k, name in enumerate("abcdef")}
    X = rng.normal(size=(200, P))
    w = np.zeros(P)
    w[[2, 3, 4]] = [2.0, -2.0, 2.0]
    w[[5, 6, 7]] = 1.5
    y = X @ w + 0.1 * rng.normal(size=200)
    penalty = LatentGroupLasso(names, strength=20.0)
    model = SparseRegressor(penalty, tol=1e-8).fit(X, y)
    chosen = penalty.chosen_groups(model.coef_)
    assert set(chosen) == {"b", "d"} and model.report_.groups_kept == 2
    assert np.flatnonzero(model.coef_).tolist() == [2, 3, 4, 5, 6, 7]
    assert model.result_.extra["parts"].tolist() == [1, 3]
    assert np.allclose(sorted(model.result_.extra["norms"]), sorted(chosen.values()), atol=1e-4)


def test_several_outputs_share_their_groups() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, P))
    y = (X[:, 2:5] + 0.3 * rng.normal(size=(120, 3))).argmax(axis=1)
    model = SparseClassifier(LatentGroupLasso(LISTS), strength=3.0, tol=1e-6).fit(X, y)
    kept = np.flatnonzero(np.any(model.coef_ != 0, axis=0))
    chosen = [LISTS[k] for k in model.result_.extra["parts"]]
    assert model.converged_ and 1 in model.result_.extra["parts"]
    assert kept.tolist() == sorted({feature for members in chosen for feature in members})


def test_paths_begin_empty_and_warm_starts_end_at_once() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, P))
    y = X[:, 2:5].sum(axis=1) + 0.5 * rng.normal(size=60)
    path = regularization_path(SparseRegressor(LatentGroupLasso(LISTS)), X, y, n_strengths=6)
    assert path.selected[0] == 0 and path.selected[-1] >= 3
    assert np.all(path.certificates <= 1e-4)
    model = SparseRegressor(LatentGroupLasso(LISTS), tol=1e-6, warm_start=True).fit(X, y)
    assert model.set_params(tol=1e-4).fit(X, y).n_iter_ == 0


def test_thousands_of_groups_cost_what_the_chosen_ones_cost() -> None:
    rng = np.random.default_rng(5)
    X = sp.random(500, 5000, density=0.02, format="csr", random_state=rng)
    lists = [rng.choice(5000, 8, replace=False) for _ in range(20_000)]
    truth = np.zeros(5000)
    truth[lists[7]] = 3.0
    y = X @ truth + 0.1 * rng.normal(size=500)
    groups = Groups.from_lists(lists, 5000)
    problem = SparseRegressor(LatentGroupLasso(groups)).build_problem(X, y)
    strength = 0.2 * problem.strength_max()
    began = time.process_time()
    model = SparseRegressor(LatentGroupLasso(groups), strength=strength).fit(X, y)
    assert time.process_time() - began < 10
    assert model.converged_ and 7 in model.result_.extra["parts"]


def test_what_does_not_fit_is_refused() -> None:
    forest = Groups.forest([-1, 0], [[0], [1, 2]], 3)
    with pytest.raises(ValueError, match="flat groups expected, got a forest"):
        SparseRegressor(LatentGroupLasso(forest)).fit(np.eye(3), np.arange(3.0))
    with pytest.raises(ValueError, match="Growing needs a penalty of parts"):
        SparseRegressor(GroupLasso([[0, 1]]), solver=Growing()).fit(np.eye(3), np.arange(3.0))
