"""Optima against cvxpy, proxes against cvxpy, spams and plain NumPy, solvers against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracles
import pytest
import scipy.sparse as sp

from laconic.core.designs.rows import Rows
from laconic.core.groups import Groups
from laconic.core.losses import Gold, Logistic, Loss, Multinomial, Squared, SquaredHinge
from laconic.core.penalties import (
    L0,
    L1,
    ElasticNet,
    GroupLasso,
    LayeredGroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
    SparseGroupLasso,
    TreeGroupLasso,
)
from laconic.core.problem import Problem
from laconic.core.solvers.admm import Admm
from laconic.core.solvers.base import Solver
from laconic.core.solvers.exchange import Exchange
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.core.solvers.reweighted import Reweighted
from laconic.core.solvers.working_set import WorkingSet

oracles.use_cvxpy(pytest.importorskip("cvxpy"))
pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")

P = 15
rng = np.random.default_rng(0)
DISJOINT = Groups.from_lists([[0, 5, 9], [1, 2], [3], [4, 6, 7, 8], [10, 11, 12, 13, 14]], P)
FOREST = Groups.forest(
    [-1, 0, 0, 1, -1, 4], [[0], [1, 2, 13], [3, 4], [5, 6], [7, 14], [8, 9, 10, 11, 12]], P
)
FLAT = Groups.from_lists(
    [rng.choice(P, size, replace=False) for size in (3, 4, 5, 4, 2, 6, 3, 5)]
    + [[i] for i in range(P)],
    P,
)
# Two parse trees over the same vocabulary: every entry is one copy.
TREES = Groups.forest(
    [-1, 0, 0, 2, -1, 4, 4],
    [[0], [1, 2, 13], [3, 4], [5, 6], [7, 14], [8, 9, 0, 11], [12, 1, 10, 5]],
    P,
)
FACTORS = np.linspace(0.2, 2.0, P)

DIRECT = [WorkingSet(tol=1e-8), Fista(tol=1e-8, max_iter=20000)]
SEPARABLE = [*DIRECT, Owlqn(tol=1e-8, max_iter=5000)]
PROXIMAL = [Fista(tol=1e-8, max_iter=20000)]
COPYING = [Reweighted(tol=3e-7, max_iter=20000), Admm(tol=3e-7, max_iter=50000)]

CASES: dict[str, tuple[Penalty, list[Any]]] = {
    "l1": (L1(0.8), SEPARABLE),
    "l1 factors": (L1(0.8, factors=FACTORS), SEPARABLE),
    "l1 positive": (L1(0.8, positive=True), DIRECT),
    "ridge": (Ridge(0.8), SEPARABLE),
    "ridge positive": (Ridge(0.8, positive=True), DIRECT),
    "elastic": (ElasticNet(0.8, l1_ratio=0.4), SEPARABLE),
    "group 2": (GroupLasso(DISJOINT, 0.5), DIRECT),
    "group 2 positive": (GroupLasso(DISJOINT, 0.5, positive=True), DIRECT),
    "group inf": (GroupLasso(DISJOINT, 0.5, norm="inf"), PROXIMAL),
    "sparse group 2": (SparseGroupLasso(DISJOINT, 0.6, l1_ratio=0.3, factors=FACTORS), DIRECT),
    "sparse group inf": (SparseGroupLasso(DISJOINT, 0.6, l1_ratio=0.3, norm="inf"), PROXIMAL),
    "tree 2": (TreeGroupLasso(FOREST, 0.2), PROXIMAL),
    "tree inf": (TreeGroupLasso(FOREST, 0.2, norm="inf"), PROXIMAL),
    "tree 2 l1 positive": (TreeGroupLasso(FOREST, 0.3, l1_ratio=0.4, positive=True), PROXIMAL),
    "overlap 2": (OverlapGroupLasso(FLAT, 0.2), COPYING),
    "overlap 2 positive": (OverlapGroupLasso(FLAT, 0.2, positive=True), COPYING),
    "overlap inf": (OverlapGroupLasso(FLAT, 0.2, norm="inf"), COPYING[1:]),
    "overlap trees": (OverlapGroupLasso(TREES, 0.15), COPYING),
    "overlap trees inf": (OverlapGroupLasso(TREES, 0.15, norm="inf"), COPYING[1:]),
    "sum": (PenaltySum([OverlapGroupLasso(FLAT, 0.1), L1(0.3), Ridge(0.2)]), COPYING),
    "sum of trees and lasso": (
        PenaltySum([OverlapGroupLasso(FLAT, 0.1), OverlapGroupLasso(TREES, 0.1), L1(0.3)], 0.7),
        COPYING,
    ),
}
LOSSES: list[Loss] = [Logistic(), Multinomial(), Squared(), SquaredHinge()]


def counts_problem(
    loss: Loss, penalty: Penalty, intercept: bool, n_classes: int, seed: int
) -> tuple[Problem, np.ndarray]:
    """Return 40 rows of sparse counts, labels by them, and sample weights with a few zeros."""
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, size=(40, P)).astype(float)
    signal = X @ random.normal(size=(P, n_classes)) + random.normal(size=(40, n_classes))
    target = signal.argmax(axis=1).astype(float) if loss.classifies else signal[:, 0] + 1.0
    weight = random.uniform(0.3, 2.0, 40)
    weight[:3] = 0.0
    K = loss.n_outputs(n_classes)
    return Problem(
        Rows(sp.csr_matrix(X), K, intercept), loss, Gold(target, weight, K), penalty.spread(K)
    ), X


def agree(problem: Problem, X: np.ndarray, solvers: list[Solver]) -> None:
    """All solvers reach cvxpy's optimum to 1e-6; no certificate promises more than is reached."""
    best = oracles.optimum(problem, X)
    for solver in solvers:
        for tol in (0.03, solver.tol):
            result = type(solver)(**{**solver.get_params(), "tol": tol}).run(problem)
            off = (problem.value(result.x) - best) / best
            assert off <= result.error + 1e-8, f"{solver}: off by {off}, certificate {result.error}"
        assert abs(off) <= 1e-6, (
            f"{solver}: off by {off} after {result.n_iter} steps, certificate {result.error}"
        )


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("name", CASES)
def test_every_penalty_and_loss_against_cvxpy(name: str, loss: Loss) -> None:
    penalty, solvers = CASES[name]
    seed = sum(map(ord, name))
    intercept = bool((seed + loss.kind.value) % 2)
    agree(
        *counts_problem(loss, penalty, intercept, 3 if isinstance(loss, Multinomial) else 2, seed),
        solvers,
    )


@pytest.mark.slow
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge(), Multinomial()], ids=repr)
def test_three_classes_one_against_the_rest(loss: Loss, intercept: bool) -> None:
    agree(*counts_problem(loss, L1(0.8), intercept, 3, 1), SEPARABLE)
    agree(*counts_problem(loss, GroupLasso(DISJOINT, 0.5), intercept, 3, 2), DIRECT)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize(
    "name",
    [name for name, (_, solvers) in CASES.items() if solvers in (SEPARABLE, DIRECT, PROXIMAL)],
)
def test_all_weights_are_zero_from_strength_max_on(name: str, loss: Loss) -> None:
    penalty, solvers = CASES[name]
    problem, _ = counts_problem(loss, penalty, True, 3 if isinstance(loss, Multinomial) else 2, 5)
    largest = problem.strength_max()
    if isinstance(penalty, Ridge):
        assert largest == np.inf
        return
    for solver in solvers:
        for factor, empty in ((1.0 + 1e-6, True), (0.99, False)):
            problem.penalty = problem.penalty.replace(strength=factor * largest)
            assert (not problem.parts(solver.run(problem).x)[0].any()) == empty, (
                f"{solver} at {factor} strength_max"
            )


@pytest.mark.parametrize("solver", [Fista(1e-8, 20000), Exchange(1e-8)], ids=str)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_l0_stops_at_a_local_minimum(loss: Loss, solver: Solver) -> None:
    n_classes = 3 if isinstance(loss, Multinomial) else 2
    random = np.random.default_rng(7)
    X = random.poisson(0.5, size=(120, 6)).astype(float)
    # Noisy labels: classes that no weights, however large, can separate.
    signal = X @ random.normal(size=(6, n_classes)) + 2 * random.normal(size=(120, n_classes))
    target = signal.argmax(axis=1).astype(float) if loss.classifies else signal[:, 0]
    K = loss.n_outputs(n_classes)
    problem = Problem(Rows(X, K), loss, Gold(target, np.ones(120), K), L0(1.0).spread(K))
    result = solver.run(problem)
    assert result.converged
    weights, gradient = problem.parts(result.x)[0], problem.parts(problem.smooth(result.x)[1])[0]
    assert 0 < np.count_nonzero(weights) < len(weights)
    assert np.max(np.abs(gradient[weights != 0])) < 1e-5
    value = problem.value(result.x)
    for i in range(problem.design.n_penalised):
        for shift in (-1e-3, 1e-3):
            moved = result.x.copy()
            moved[i] += shift
            assert problem.value(moved) >= value - 1e-9


# Proxes


PROXES = {name: penalty for name, (penalty, _) in CASES.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROXES)
def test_prox_against_cvxpy(name: str) -> None:
    w = 2 * np.random.default_rng(3).normal(size=P)
    for step in (0.5, 2.0):
        assert np.allclose(
            PROXES[name].prox(w, step), oracles.prox_in_cvxpy(PROXES[name], w, step), atol=2e-5
        )


def random_forest(random: np.random.Generator, n_nodes: int, n_features: int) -> Groups:
    """A random forest in random order; every feature is owned by one node or none."""
    parent = np.array([random.integers(-1, g) if g else -1 for g in range(n_nodes)])
    order = random.permutation(n_nodes)
    shuffled = np.empty(n_nodes, dtype=int)
    shuffled[order] = np.where(parent >= 0, order[np.maximum(parent, 0)], -1)
    owner = random.integers(-1, n_nodes, n_features)
    return Groups.forest(
        shuffled,
        [np.flatnonzero(owner == g) for g in range(n_nodes)],
        n_features,
        random.uniform(0, 2, n_nodes),
    )


@pytest.mark.parametrize("norm", [2, "inf"])
@pytest.mark.parametrize("seed", range(20))
def test_tree_prox_is_the_composition_of_group_proxes(seed: int, norm: Any) -> None:
    random = np.random.default_rng(seed)
    groups = random_forest(random, int(random.integers(1, 40)), int(random.integers(1, 80)))
    w = (
        random.normal(size=groups.n_features)
        * random.choice([1, 10])
        * random.integers(0, 2, groups.n_features)
    )
    if seed % 4 == 0:
        w = np.round(w)  # ties among the largest entries
    for step in (0.1, 0.7):
        expected = oracles.prox_by_composition(groups, w, step, norm)
        found = TreeGroupLasso(groups, norm=norm).prox(w, step)
        assert np.allclose(found, expected, atol=1e-12)
        assert (
            np.array_equal(found == 0, expected == 0)
            or np.max(np.abs(found[expected == 0]), initial=0) < 1e-14
        )


@pytest.mark.parametrize("norm", [2, "inf"])
@pytest.mark.parametrize("seed", range(5))
def test_layers_are_exact_on_nested_groups(seed: int, norm: Any) -> None:
    random = np.random.default_rng(seed)
    forest = random_forest(random, 12, 30)
    nested = Groups.from_lists(oracles.whole_groups(forest), forest.n_features, forest.weight)
    w = random.normal(size=30) * 3
    layered = LayeredGroupLasso(nested, 0.4, norm=norm)
    assert np.allclose(
        layered.prox(w, 0.5), TreeGroupLasso(forest, 0.4, norm=norm).prox(w, 0.5), atol=1e-12
    )
    assert np.isclose(layered.value(w), sum(layer.value(w) for layer in layered.layers(len(w))))


def spams_tree(groups: Groups) -> tuple[dict[str, Any], np.ndarray]:
    """Return a forest under one root of weight zero, depth first; nodes own slices of variables."""
    assert groups.parent is not None
    children: list[list[int]] = [[] for _ in range(len(groups) + 1)]
    for g, parent in enumerate(groups.parent):
        children[parent + 1].append(g + 1)
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(children[order[-1]])
    place = {node: k for k, node in enumerate(order)}
    own = [
        np.setdiff1d(np.arange(groups.n_features), groups.index)
        if node == 0
        else groups.members(node - 1)
        for node in order
    ]
    sizes = np.array([len(members) for members in own], dtype=np.int32)
    above = sp.lil_matrix((len(order), len(order)), dtype=bool)
    for node in order[1:]:
        above[place[node], place[int(groups.parent[node - 1]) + 1]] = True
    tree = {
        "eta_g": np.array([0.0 if node == 0 else groups.weight[node - 1] for node in order]),
        "groups": sp.csc_matrix(above, dtype=bool),
        "own_variables": np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32),
        "N_own_variables": sizes,
    }
    return tree, np.concatenate(own)


@pytest.mark.parametrize(("norm", "regul"), [(2, "tree-l2"), ("inf", "tree-linf")])
@pytest.mark.parametrize("seed", range(5))
def test_tree_prox_against_spams(seed: int, norm: Any, regul: str) -> None:
    spams = pytest.importorskip("spams")
    random = np.random.default_rng(seed)
    groups = random_forest(random, 15, 40)
    tree, order = spams_tree(groups)
    w = random.normal(size=40) * 3
    moved = spams.proximalTree(
        np.asfortranarray(w[order, None]), tree, lambda1=0.4, regul=regul, numThreads=1
    )
    expected = np.empty(40)
    expected[order] = np.asarray(moved).ravel()
    assert np.allclose(TreeGroupLasso(groups, norm=norm).prox(w, 0.4), expected, atol=1e-10)


@pytest.mark.parametrize(("norm", "regul"), [(2, "group-lasso-l2"), ("inf", "group-lasso-linf")])
@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_flat_prox_against_spams(norm: Any, regul: str, l1: float) -> None:
    spams = pytest.importorskip("spams")
    owner = np.random.default_rng(4).integers(1, 6, 30).astype(np.int32)
    groups = Groups.from_lists([np.flatnonzero(owner == g) for g in range(1, 6)], 30, np.ones(5))
    w = 3 * np.random.default_rng(5).normal(size=30)
    name, extra = (f"sparse-{regul}", {"lambda2": l1}) if l1 else (regul, {})
    expected = spams.proximalFlat(
        np.asfortranarray(w[:, None]), lambda1=0.9, regul=name, groups=owner, numThreads=1, **extra
    )
    ratio = l1 / (0.9 + l1)
    found = SparseGroupLasso(groups, 0.9 + l1, l1_ratio=ratio, norm=norm).prox(w)
    assert np.allclose(found, np.asarray(expected).ravel(), atol=1e-10)
