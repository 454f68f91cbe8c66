"""Every law of laconic.core.checks on every penalty, loss, design and solver."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from penalties import DISJOINT, FACTORS, FLAT, FOREST, PENALTIES, SOME, N

from laconic.core.checks import check_design, check_loss, check_penalty, check_solver, make_gold
from laconic.core.designs.rows import Rows
from laconic.core.groups import Groups
from laconic.core.losses import (
    Huber,
    Logistic,
    Loss,
    Multinomial,
    Poisson,
    Quantile,
    Squared,
    SquaredHinge,
    Tweedie,
)
from laconic.core.penalties import (
    L0,
    L1,
    ElasticNet,
    GroupLasso,
    LayeredGroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    SparseGroupLasso,
    TreeGroupLasso,
)
from laconic.core.problem import Problem, pose
from laconic.core.solvers.admm import Admm
from laconic.core.solvers.base import Solver
from laconic.core.solvers.exchange import Exchange
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.growing import Growing
from laconic.core.solvers.majorized import Majorized
from laconic.core.solvers.newton import Newton
from laconic.core.solvers.owlqn import Owlqn
from laconic.core.solvers.reweighted import Reweighted
from laconic.core.solvers.working_set import WorkingSet

LOSSES: list[Loss] = [
    Logistic(),
    Multinomial(),
    Squared(),
    SquaredHinge(),
    Poisson(),
    Huber(0.7),
    Tweedie(1.4),
    Tweedie(2),
]


@pytest.mark.parametrize("name", PENALTIES)
def test_laws_of_penalties(name: str) -> None:
    check_penalty(PENALTIES[name], N, np.random.default_rng(len(name)))


@pytest.mark.parametrize("name", PENALTIES)
def test_penalties_travel_between_processes(name: str) -> None:
    w = np.linspace(-1, 2, N)
    penalty = PENALTIES[name]
    expected = penalty.prox(w, 0.3)
    assert np.array_equal(pickle.loads(pickle.dumps(penalty)).prox(w, 0.3), expected)


@pytest.mark.parametrize("loss", [*LOSSES, Quantile(0.5), Quantile(0.9)], ids=repr)
def test_laws_of_losses(loss: Loss) -> None:
    check_loss(loss, np.random.default_rng(1))


@pytest.mark.parametrize("shape", [(20, 7), (1, 4), (5, 1), (2000, 60)], ids=str)
def test_laws_of_the_rows_design(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    check_design(Rows, sp.random(*shape, density=0.8, random_state=rng), rng)


def problem(loss: Loss, penalty: Penalty, n_classes: int = 2, intercept: bool = True) -> Problem:
    """Return a problem of 80 rows of sparse counts and noisy labels that no weights separate."""
    rng = np.random.default_rng(3)
    X = rng.poisson(0.6, size=(80, N)).astype(float)
    gold = make_gold(loss, 80, n_classes, rng)
    signal = X @ rng.normal(size=(N, n_classes)) + 3 * rng.normal(size=(80, n_classes))
    target = signal.argmax(axis=1).astype(float) if loss.classifies else signal[:, 0]
    if isinstance(loss, (Poisson, Tweedie)):
        target = np.floor(np.abs(target)) + (loss.parameter == 2)
    K = gold.n_outputs
    return pose(
        Rows(sp.csr_matrix(X), K, intercept), loss, gold._replace(target=target), penalty.spread(K)
    )


TAKEN: list[tuple[Solver, list[str], dict[str, Any]]] = [
    (
        WorkingSet(tol=1e-7),
        [
            "l1",
            "group",
            "l1 factors",
            "l1 positive",
            "ridge",
            "elastic",
            "elastic factors positive",
            "group positive",
            "sparse group",
        ],
        {"monotone": True},
    ),
    (Newton(tol=1e-7), ["ridge", "smooth ridge"], {"monotone": True}),
    (Owlqn(tol=1e-7), ["l1", "l1 factors", "ridge", "elastic"], {"monotone": True}),
    (
        Fista(tol=1e-7),
        [
            "l0",
            "tree",
            "l1",
            "elastic factors positive",
            "group inf",
            "sparse group inf positive",
            "tree inf",
            "tree l1 factors",
            "fused sparse group",
            "smooth group",
        ],
        {},
    ),
    (Majorized(tol=1e-6), ["mcp", "scad", "log sum", "mcp positive"], {"monotone": True}),
    (Exchange(tol=1e-6), ["l0", "l0 factors positive"], {"monotone": True}),
    (Growing(tol=1e-7), ["latent"], {}),
    (
        Admm(tol=1e-5, max_iter=20000),
        ["overlap", "overlap inf", "overlap forest", "overlap positive", "sum", "sum with slope"],
        {"warm": False},
    ),
    (
        Reweighted(tol=1e-5, max_iter=5000),
        ["overlap", "overlap forest", "overlap positive", "sum"],
        {},
    ),
]
# Every solver is tested on every loss with the first two of its penalties, and on the logistic loss
# with the others.
RUNS = [
    pytest.param(solver, name, loss, options, id=f"{type(solver).__name__} {name} {loss}")
    for solver, names, options in TAKEN
    for place, name in enumerate(names)
    for loss in (LOSSES if place < 2 else LOSSES[:1])
]


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "name", "loss", "options"), RUNS)
def test_laws_of_solvers(solver: Solver, name: str, loss: Loss, options: dict[str, Any]) -> None:
    check_solver(
        solver,
        problem(loss, PENALTIES[name], n_classes=3 if isinstance(loss, Multinomial) else 2),
        **options,
    )


EMPTY = Groups.from_lists([[0, 1], [], [2, 3, 4, 5, 6], [7, 8], []], N)
UNPENALISED = np.where(np.arange(N) < 3, 0.0, FACTORS)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize(
    "penalty",
    [
        GroupLasso(EMPTY, 0.7),
        SparseGroupLasso(SOME, 0.7),
        GroupLasso(SOME, 0.7),
        L1(0.7, factors=UNPENALISED),
    ],
    ids=[
        "empty groups",
        "weights in no group but the lasso",
        "weights in no group",
        "factors of zero",
    ],
)
def test_working_sets_with_empty_groups_and_weights_that_are_free(
    penalty: Penalty, loss: Loss
) -> None:
    check_solver(
        WorkingSet(tol=1e-6),
        problem(loss, penalty, n_classes=3 if isinstance(loss, Multinomial) else 2),
    )


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (
            lambda: WorkingSet().run(problem(Logistic(), PENALTIES["group inf"])),
            "does not take GroupLasso with the infinity norm inside groups: use Fista",
        ),
        (
            lambda: WorkingSet().run(problem(Logistic(), PENALTIES["tree"])),
            "group lasso over disjoint groups, got TreeGroupLasso: use Fista",
        ),
        (
            lambda: Owlqn().run(problem(Logistic(), PENALTIES["group"])),
            "Owlqn needs an L1, Ridge or ElasticNet",
        ),
        (
            lambda: Owlqn().run(problem(Logistic(), PENALTIES["l1 positive"])),
            "Owlqn does not take L1 with positive=True: use WorkingSet",
        ),
        (
            lambda: Newton().run(problem(Logistic(), PENALTIES["l1"])),
            "Newton needs a squared penalty such as Ridge, got L1: use WorkingSet",
        ),
        (
            lambda: Newton().run(problem(Logistic(), PENALTIES["ridge factors positive"])),
            "Newton does not take Ridge with positive=True: use WorkingSet",
        ),
        (lambda: Admm().run(problem(Logistic(), PENALTIES["l1"])), "Admm needs OverlapGroupLasso"),
        (
            lambda: Reweighted().run(problem(Logistic(), PENALTIES["overlap inf"])),
            "Reweighted does not take OverlapGroupLasso with the infinity norm .* use Admm",
        ),
        (lambda: Fista(tol=np.nan).run(problem(Logistic(), L1())), "tol must be positive"),
        (lambda: Fista().run(problem(Logistic(), L1()), np.zeros(3)), "a start has 10 entries"),
        (lambda: problem(Logistic(), GroupLasso(FOREST)), "use TreeGroupLasso"),
        (lambda: problem(Logistic(), TreeGroupLasso(DISJOINT)), "a forest expected"),
        (
            lambda: problem(Logistic(), LayeredGroupLasso(FOREST)),
            "layers are made from flat groups",
        ),
        (
            lambda: problem(Logistic(), OverlapGroupLasso(FLAT, norm=3)),
            "norm must be 2 or 'inf', got 3",
        ),
        (
            lambda: problem(Logistic(), ElasticNet(l1_ratio=1.2)),
            "l1_ratio must be from 0 to 1, got 1.2",
        ),
        (lambda: problem(Logistic(), L1(strength="much")), "strength must be a number"),
        (lambda: problem(Logistic(), PenaltySum([])), "at least one term"),
        (
            lambda: problem(Logistic(), PenaltySum([L0()])),
            "a sum takes convex penalties, got L0: use it alone",
        ),
        (
            lambda: problem(Logistic(), L1(factors=[1.0, 2.0])).value(np.zeros(N + 1)),
            f"factors must hold {N} finite",
        ),
        (lambda: GroupLasso(FLAT).value(np.ones(N)), "coordinate 2 is in two"),
        (
            lambda: GroupLasso(DISJOINT).value(np.ones(4)),
            f"the groups are over {N} features, but there are 4 weights",
        ),
        (
            lambda: TreeGroupLasso(FOREST).value(np.ones(4)),
            f"the groups are over {N} features, but there are 4 weights",
        ),
        (
            lambda: OverlapGroupLasso(FLAT).value(np.ones(20)),
            f"the groups are over {N} features, but there are 20 weights",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    refused: Callable[[], Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        refused()
    assert "\n" not in str(caught.value)
