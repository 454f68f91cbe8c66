"""No scale of columns, weights of rows or targets changes a solution or its certificate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from penalties import PENALTIES as EVERY_PENALTY
from sklearn.feature_extraction.text import CountVectorizer

from laconic import SparseRegressor, _core
from laconic.core.designs.rows import Rows
from laconic.core.groups import Groups
from laconic.core.losses import Gold, Logistic, Loss, Multinomial, Poisson, Squared, SquaredHinge
from laconic.core.penalties import (
    L1,
    Discrete,
    ElasticNet,
    GroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
    SparseGroupLasso,
)
from laconic.core.problem import Problem
from laconic.core.solvers.base import Result
from laconic.core.solvers.choose import choose_solver
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.working_set import WorkingSet

P = 15
SCALES = (1e-12, 1e-8, 1e8, 1e12)
DISJOINT = Groups.from_lists([[0, 5, 9], [1, 2], [3], [4, 6, 7, 8], [10, 11, 12, 13, 14]], P)
LOSSES: list[Loss] = [Logistic(), Multinomial(), Squared(), SquaredHinge(), Poisson()]


# l1_ratio cannot say a lasso of 1e-12 beside a ridge of 1e-24.
MIXED = ("elastic",)


class Data(NamedTuple):
    X: np.ndarray
    target: np.ndarray
    weight: np.ndarray


def elastic(lasso: float, ridge: float) -> Penalty:
    total = 0.4 * lasso + 0.3 * ridge
    return ElasticNet(total, l1_ratio=0.4 * lasso / total)


# By the factors of all that is linear in the weights, and of all that is quadratic.
PENALTIES: dict[str, Callable[[float, float], Penalty]] = {
    "l1": lambda a, b: L1(0.8 * a),
    "l1 positive": lambda a, b: L1(0.8 * a, positive=True),
    "ridge": lambda a, b: Ridge(0.8 * b),
    "elastic": elastic,
    "group": lambda a, b: GroupLasso(DISJOINT, 0.5 * a),
    "sparse group": lambda a, b: SparseGroupLasso(DISJOINT, 0.6 * a, l1_ratio=0.3),
}


def draw(loss: Loss, seed: int) -> Data:
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, size=(40, P)).astype(float)
    n_classes = 3 if isinstance(loss, Multinomial) else 2
    signal = X @ random.normal(size=(P, n_classes)) + random.normal(size=(40, n_classes))
    target = signal[:, 0] + 1.0
    if loss.classifies:
        target = signal.argmax(axis=1).astype(float)
    elif isinstance(loss, Poisson):
        target = random.poisson(np.exp(0.3 * signal[:, 0])).astype(float)
    weight = random.uniform(0.3, 2.0, 40)
    weight[:3] = 0.0
    return Data(X, target, weight)


def pose(loss: Loss, penalty: Penalty, data: Data) -> Problem:
    K = loss.n_outputs(3 if isinstance(loss, Multinomial) else 2)
    design = Rows(sp.csr_matrix(data.X), K, True)
    return Problem(design, loss, Gold(data.target, data.weight, K), penalty.spread(K))


def solve(problem: Problem) -> Result:
    return choose_solver(problem.penalty, 1e-6, None).run(problem)


def matching(loss: Loss, name: str, data: Data, scale: float) -> list[tuple[Problem, float, float]]:
    """Return problems that are the given one on other scales, each with the factor of its weights
    and of its objective.
    """
    make = PENALTIES[name]
    posed = [(data._replace(weight=data.weight * scale), make(scale, scale), 1.0, scale)]
    if name in MIXED:
        return [(pose(loss, penalty, given), w, value) for given, penalty, w, value in posed]
    posed.append((data._replace(X=data.X * scale), make(scale, scale**2), 1 / scale, 1.0))
    if isinstance(loss, Squared):
        targets = data._replace(target=data.target * scale)
        posed.append((targets, make(scale, 1.0), scale, scale**2))
    return [(pose(loss, penalty, given), w, value) for given, penalty, w, value in posed]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("name", PENALTIES)
def test_scales_change_neither_weights_nor_certificates(
    name: str, loss: Loss, scale: float
) -> None:
    data = draw(loss, len(name))
    plain = pose(loss, PENALTIES[name](1.0, 1.0), data)
    expected = solve(plain)
    assert expected.converged
    optimum, weights = plain.value(expected.x), plain.parts(expected.x)[0]
    for problem, of_weights, of_value in matching(loss, name, data, scale):
        found = solve(problem)
        value = problem.value(found.x) / of_value
        assert found.converged, f"certificate {found.error} after {found.n_iter} steps"
        assert value - optimum <= (found.error + 1e-9) * value
        assert optimum - value <= (expected.error + 1e-9) * optimum
        apart = problem.parts(found.x)[0] / of_weights - weights
        assert np.max(np.abs(apart)) <= 0.02 * np.max(np.abs(weights))


@pytest.mark.parametrize("width", [1e4, 1e-4, 1e8])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_columns_of_mixed_scales(loss: Loss, width: float) -> None:
    data = draw(loss, 5)
    mixed = data._replace(X=data.X * width ** np.linspace(0, 1, P))
    problem = pose(loss, L1(0.8), mixed)
    found = choose_solver(problem.penalty, 1e-4, None).run(problem)
    assert found.converged, f"certificate {found.error} after {found.n_iter} steps"
    value = problem.value(found.x)
    further = WorkingSet(tol=1e-12, max_iter=50).run(problem, found.x)
    assert value - problem.value(further.x) <= (found.error + 1e-9) * value


def test_a_tiny_penalty_of_tiny_columns_is_no_empty_model() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 5)) * 1e-12, random.normal(size=60)
    y += X[:, 0] * 1e12
    problem = Problem(Rows(X), Squared(), Gold(y, np.ones(60)), L1(1e-12))
    empty = problem.start()
    assert problem.certificate(empty) > 0.1
    assert np.count_nonzero(problem.parts(solve(problem).x)[0]) == 5


def documents(n_documents: int, n_classes: int, seed: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return counts of words of Zipf's law, a few of them told by the class: rows soon saturate."""
    random = np.random.default_rng(seed)
    labels = random.integers(n_classes, size=n_documents)
    texts = []
    for label in labels:
        words = random.zipf(1.3, size=int(random.integers(50, 400))) % 3000
        told = random.choice(words, 6) + 3000 * (1 + label)
        texts.append(" ".join(f"w{word}" for word in [*words, *told]))
    return CountVectorizer().fit_transform(texts).astype(float), labels.astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_saturated_rows_do_not_freeze_the_working_set(seed: int) -> None:
    X, labels = documents(60, 6, seed)
    problem = Problem(
        Rows(X, 6), Multinomial(), Gold(labels, np.ones(len(labels)), 6), L1(0.01).spread(6)
    )
    found = WorkingSet(tol=1e-3).run(problem)
    values = [event.value for event in found.trace]
    assert found.converged, f"certificate {found.error}, values {values[-3:]}"
    beside = Fista(tol=1e-3, max_iter=100).run(problem)
    assert problem.value(found.x) <= problem.value(beside.x) * (1 + 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_working_set_gains_from_scores_without_curvature(seed: int) -> None:
    X, labels = documents(40, 5, seed)
    problem = Problem(
        Rows(X, 5), Multinomial(), Gold(labels, np.ones(len(labels)), 5), L1(0.01).spread(5)
    )
    far = 30 * np.random.default_rng(seed).normal(size=len(problem.start()))
    spread = np.ptp(problem.scores(far).reshape(len(labels), -1), axis=1)
    assert np.median(spread) > 300  # where a probability is 1, the Hessian is 0
    found = WorkingSet(tol=1e-3).run(problem, far)
    values = [problem.value(far), *(event.value for event in found.trace)]
    assert found.converged, f"certificate {found.error}, values {values[-3:]}"
    assert np.all(np.diff(values[:-1]) < 0)


@pytest.mark.slow
@pytest.mark.parametrize("damped", [True, False])
def test_damping_is_what_keeps_the_working_set_from_freezing(
    damped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = documents(40, 5, 2)
    words = Groups.from_lists([[j] for j in range(X.shape[1])], X.shape[1])
    penalty = GroupLasso(words, 0.01).spread(5)
    problem = Problem(Rows(X, 5), Multinomial(), Gold(labels, np.ones(len(labels)), 5), penalty)
    far = 30 * np.random.default_rng(2).normal(size=len(problem.start()))
    monkeypatch.setattr(_core, "DescentLimits", partial(_core.DescentLimits, damped=damped))
    found = WorkingSet(tol=1e-3, max_iter=4 if damped else 8).run(problem, far)
    values = [event.value for event in found.trace]
    if damped:
        assert np.all(np.diff(values) < 0)
    else:  # the same steps are tried and undone until the solver gives up
        assert found.n_iter < 8
        assert values[-1] == values[-2]
        assert values[-1] > 100 * problem.value(WorkingSet(tol=1e-3).run(problem).x)


def test_a_solver_that_can_do_no_more_says_so() -> None:
    data = draw(Logistic(), 3)
    problem = pose(Logistic(), L1(0.8), data)
    found = WorkingSet(tol=1e-30, max_iter=1000).run(problem)
    assert found.n_iter < 100
    assert found.converged == (found.error <= 1e-30)


PROBE = np.arange(9.0)
HOMOGENEOUS = [
    name
    for name, penalty in EVERY_PENALTY.items()
    if penalty.convex
    and not isinstance(penalty, Discrete)
    and np.isclose(penalty.value(2 * PROBE), 2 * penalty.value(PROBE))
]


@pytest.mark.parametrize("name", HOMOGENEOUS)
def test_a_prox_scales_with_what_it_is_applied_to(name: str) -> None:
    penalty = EVERY_PENALTY[name]
    w = np.random.default_rng(5).normal(size=9)
    expected = penalty.prox(w, 0.7)
    for scale in SCALES:
        found = penalty.prox(scale * w, 0.7 * scale) / scale
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_sum_of_separable_terms_has_their_prox() -> None:
    w = np.random.default_rng(5).normal(size=9)
    both = PenaltySum([L1(0.2), Ridge(0.5)], 2.0)
    np.testing.assert_allclose(both.prox(w, 0.7), L1(0.4).prox(w, 0.7) / (1 + 0.7))
    model = SparseRegressor(both).fit(np.eye(9), w)
    assert model.converged_
