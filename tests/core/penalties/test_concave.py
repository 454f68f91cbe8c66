"""MCP, SCAD and LogSum: proxes against a grid, local optima, descent by coordinates, paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import (
    L0,
    L1,
    MCP,
    SCAD,
    Fista,
    LogSum,
    Majorized,
    SparseClassifier,
    SparseRegressor,
    regularization_path,
)
from laconic.core.penalties.concave import ConcaveLasso

KINDS: list[ConcaveLasso] = [
    MCP(0.8),
    MCP(0.8, gamma=1.3),
    MCP(0.8, gamma=0.4),
    SCAD(0.8),
    SCAD(0.8, a=2.1),
    LogSum(0.8, eps=0.5),
    LogSum(0.8, eps=3.0),
]


def sparse_data(
    seed: int, n: int = 100, p: int = 40, correlation: float = 0.6
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return X with columns of mean square 1, y, and the five true weights among zeros."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + correlation * rng.normal(size=(n, 1))
    X /= np.sqrt(np.mean(X**2, axis=0))
    w = np.zeros(p)
    w[:5] = [3.0, -2.0, 1.5, 2.5, -1.0]
    return X, X @ w + rng.normal(size=n), w


@pytest.mark.parametrize("penalty", KINDS, ids=repr)
@pytest.mark.parametrize("step", [0.05, 0.5, 1.0, 1.2, 3.0])
def test_proxes_are_the_best_points_of_a_fine_grid(penalty: ConcaveLasso, step: float) -> None:
    grid = np.linspace(-6, 6, 48_001)
    costs = penalty.cost(np.abs(grid), np.array([0.8]))
    for w in np.linspace(-5, 5, 41):
        p = penalty.prox(np.array([w]), step)
        reached = 0.5 * (p[0] - w) ** 2 + step * penalty.value(p)
        assert reached <= np.min(0.5 * (grid - w) ** 2 + step * costs) + 1e-12


@pytest.mark.parametrize("penalty", [MCP(0.8), SCAD(0.8), LogSum(0.8)], ids=repr)
def test_slopes_are_derivatives(penalty: ConcaveLasso) -> None:
    size, rate, width = np.linspace(0.011, 5, 200), np.array([0.8]), 1e-6
    change = penalty.cost(size + width, rate) - penalty.cost(size - width, rate)
    assert np.allclose(change / (2 * width), penalty.slope(size, rate), atol=1e-5)


@pytest.mark.parametrize("penalty", KINDS, ids=repr)
@pytest.mark.parametrize("kind", [SparseRegressor, SparseClassifier])
def test_what_is_reached_is_a_local_optimum(penalty: ConcaveLasso, kind: Any) -> None:
    X, y, _ = sparse_data(0)
    target = y if kind is SparseRegressor else (y > 0).astype(int)
    model = kind(penalty.replace(strength=8.0), tol=1e-7).fit(X, target)
    assert model.converged_ and model.result_.extra["optimum"] == "local"
    problem = model.build_problem(X, target)
    x, reached = model.result_.x, model.report_.objective
    assert np.isclose(reached, problem.value(x))
    rng = np.random.default_rng(1)
    for _ in range(300):
        near = x + 1e-4 * rng.normal(size=len(x)) * (rng.random(len(x)) < 0.2)
        assert problem.value(near) >= reached - 1e-7 * (1 + reached)
    values = [event.value for event in model.result_.trace]
    assert np.all(np.diff(values) <= 1e-9 * np.abs(values[:-1]))


def test_no_better_than_the_lasso_to_start_from_and_never_worse() -> None:
    for seed in range(10):
        X, y, _ = sparse_data(seed, 60, 100)
        lasso = SparseRegressor(L1(20.0), tol=1e-8).fit(X, y)
        for penalty in (MCP(20.0 / 60), SCAD(20.0 / 60)):
            weight = np.full(60, 1 / 60)
            model = SparseRegressor(penalty, tol=1e-6).fit(X, y, sample_weight=weight)
            problem = model.build_problem(X, y, weight)
            assert model.report_.objective <= problem.value(lasso.result_.x) + 1e-9


def test_large_weights_are_not_shrunk() -> None:
    X, y, w = sparse_data(3, 400)
    weight = np.full(400, 1 / 400)
    fitted = {
        kind: SparseRegressor(kind(0.3), tol=1e-7).fit(X, y, sample_weight=weight).coef_
        for kind in (L1, MCP, SCAD)
    }
    plain = np.linalg.lstsq(np.c_[X[:, :5], np.ones(400)], y, rcond=None)[0][:5]
    for kind in (MCP, SCAD):
        assert np.array_equal(fitted[kind] != 0, w != 0)
        assert np.abs(fitted[kind][:4] - plain[:4]).max() < 0.1
    assert np.abs(fitted[L1][:4] - plain[:4]).min() > 0.1


def shrunken(kind: type[ConcaveLasso], z: float, strength: float, shape: float) -> float:
    """argmin_w (w - z)^2 / 2 + penalty(w): Breheny & Huang (2011), equations 2.3 and 2.6."""
    size = abs(z)
    if kind is SCAD and 2 * strength < size <= shape * strength:
        kept = (size - shape * strength / (shape - 1)) / (1 - 1 / (shape - 1))
    elif kind is MCP and size <= shape * strength:
        kept = (size - strength) / (1 - 1 / shape)
    elif size > shape * strength:
        return z
    else:
        kept = size - strength
    return float(np.copysign(max(kept, 0.0), z))


def descended(
    kind: type[ConcaveLasso], X: np.ndarray, y: np.ndarray, strength: float, shape: float
) -> np.ndarray:
    """Return the weights of coordinate descent from zero; columns have mean square 1."""
    w, rest = np.zeros(X.shape[1]), y.copy()
    for _ in range(1000):
        before = w.copy()
        for j, column in enumerate(X.T):
            new = shrunken(kind, w[j] + column @ rest / len(y), strength, shape)
            rest -= (new - w[j]) * column
            w[j] = new
        if np.abs(w - before).max() < 1e-9:
            break
    return w


@pytest.mark.parametrize("kind", [MCP, SCAD])
@pytest.mark.parametrize("shape", [3.0, 5.0])
def test_objectives_are_as_low_as_those_of_coordinate_descent(kind: Any, shape: float) -> None:
    """As ncvreg and skglm have it: descent by coordinates in the objective itself."""
    theirs, ours = [], []
    for seed in range(8):
        X, y, _ = sparse_data(seed, 80, 60, 0.3)
        strength = 0.15 * np.abs(X.T @ y).max() / len(y)
        penalty = kind(strength, shape)
        model = SparseRegressor(penalty, fit_intercept=False, tol=1e-7)
        model.fit(X, y, sample_weight=np.full(len(y), 1 / len(y)))
        for coef, objectives in (
            (descended(kind, X, y, strength, shape), theirs),
            (model.coef_, ours),
        ):
            objectives.append(0.5 * np.mean((y - X @ coef) ** 2) + penalty.value(coef))
    assert np.mean(ours) <= np.mean(theirs) * (1 + 1e-3)


@pytest.mark.parametrize("penalty", [MCP(), SCAD(), LogSum()], ids=repr)
def test_paths_begin_empty_and_grow(penalty: ConcaveLasso) -> None:
    X, y, _ = sparse_data(5)
    path = regularization_path(SparseRegressor(penalty, tol=1e-5), X, y, n_strengths=8)
    assert path.selected[-1] >= 5 and (path.selected[0] == 0 or isinstance(penalty, LogSum))
    assert np.all(path.certificates <= 1e-5)


@pytest.mark.parametrize("penalty", [MCP(0.5), SCAD(0.5), LogSum(0.1)], ids=repr)
def test_three_classes_and_sparse_counts(penalty: ConcaveLasso) -> None:
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.5, size=(150, 80)).astype(float))
    y = (X[:, :3].toarray() + 0.5 * rng.normal(size=(150, 3))).argmax(axis=1)
    model = SparseClassifier(penalty, tol=1e-5).fit(X, y)
    assert model.converged_ and 3 <= model.n_selected_ < 80
    positive = SparseClassifier(penalty.replace(positive=True), tol=1e-5).fit(X, y)
    assert positive.converged_ and np.all(positive.coef_ >= 0)


def test_other_solvers_that_need_a_prox_alone_reach_local_optima_too() -> None:
    X, y, _ = sparse_data(7)
    model = SparseRegressor(MCP(10.0), solver=Fista(tol=1e-6)).fit(X, y)
    assert model.converged_
    again = SparseRegressor(MCP(10.0), solver=Majorized(tol=1e-5), warm_start=True)
    again._x = model.result_.x
    assert again.fit(X, y).n_iter_ == 0


@pytest.mark.parametrize(
    ("penalty", "sentence"),
    [
        (MCP(gamma=0.0), "gamma must be positive"),
        (SCAD(a=2.0), "a must be more than 2"),
        (LogSum(eps=-1.0), "eps must be positive"),
    ],
)
def test_parameters_are_checked(penalty: ConcaveLasso, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SparseRegressor(penalty).fit(np.eye(3), np.arange(3.0))


def test_solvers_that_do_not_take_them_say_so() -> None:
    with pytest.raises(ValueError, match="Majorized needs a penalty that is concave"):
        SparseRegressor(L0(), solver=Majorized()).fit(np.eye(3), np.arange(3.0))
