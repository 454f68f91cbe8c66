"""Solvers say which problems and penalties they take, and what to use instead."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.core.designs.effects import Effects
from laconic.core.designs.rows import Rows
from laconic.core.groups import Groups
from laconic.core.losses import Gold, Squared
from laconic.core.penalties import (
    L0,
    L1,
    Discrete,
    ElasticNet,
    GroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
    TreeGroupLasso,
)
from laconic.core.problem import Problem
from laconic.core.solvers.admm import Admm
from laconic.core.solvers.base import Solver
from laconic.core.solvers.choose import choose_solver
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.core.solvers.reweighted import Reweighted
from laconic.core.solvers.working_set import WorkingSet
from laconic.time.problem import CountProblem
from laconic.time.trajectories import SmoothRidge
from laconic.time.variational import Variational

FLAT = Groups.from_lists([[0, 1], [1, 2]], 3)
DISJOINT = Groups.from_lists([[0, 1], [2]], 3)
FOREST = Groups.forest([-1, 0], [[0], [1, 2]], 3)
PENALTIES: list[Penalty] = [
    L0(0.1),
    L1(0.1),
    L1(0.1, positive=True),
    Ridge(0.1),
    Ridge(0.1, positive=True),
    ElasticNet(0.1),
    Discrete((-1.0, 1.0), 0.1),
    GroupLasso(DISJOINT, 0.1),
    GroupLasso(DISJOINT, 0.1, norm="inf"),
    TreeGroupLasso(FOREST, 0.1),
    OverlapGroupLasso(FLAT, 0.1),
    OverlapGroupLasso(FLAT, 0.1, norm="inf"),
    PenaltySum([OverlapGroupLasso(FLAT, 0.1), L1(0.1)]),
    SmoothRidge(3, 0.1),
]
SOLVERS: list[Solver] = [
    Admm(max_iter=1),
    DiscreteAdmm(max_iter=1),
    Fista(max_iter=1),
    Owlqn(max_iter=1),
    Reweighted(max_iter=1),
    Variational(max_iter=1),
    WorkingSet(max_iter=1),
]


def rows_problem(penalty: Penalty) -> Problem:
    X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.0], [2.0, 0.0, 0.5]])
    return Problem(Rows(X), Squared(), Gold(np.arange(4.0), np.ones(4)), penalty)


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_the_chosen_solver_takes_the_penalty(penalty: Penalty) -> None:
    choose_solver(penalty, 1e-3).check_problem(rows_problem(penalty))


@pytest.mark.parametrize(
    ("solver", "penalty"), [*itertools.product(SOLVERS, PENALTIES)], ids=lambda each: str(each)
)
def test_a_solver_takes_a_penalty_or_says_what_does(solver: Solver, penalty: Penalty) -> None:
    """No third way: what `check_problem` lets through is solved, what it refuses is named."""
    problem = rows_problem(penalty)
    try:
        solver.check_problem(problem)
    except ValueError as error:
        words = str(error)
        assert words.startswith(type(solver).__name__) and type(penalty).__name__ in words
        assert f"use {type(choose_solver(penalty, 1e-3)).__name__}" in words
        assert "\n" not in words and not words.endswith(".")
        with pytest.raises(ValueError, match=f"^{type(solver).__name__} "):
            solver.run(problem)
    else:
        if not isinstance(solver, Variational):  # which needs a design over time to take steps
            assert solver.run(problem).n_iter <= 1


@pytest.mark.parametrize("solver", [WorkingSet(), Admm(), Reweighted()], ids=str)
def test_a_solver_of_rows_names_the_problem_that_has_none(solver: Solver) -> None:
    design = Effects(sp.csr_matrix(np.ones((2, 1))), np.array([0, 0]), np.zeros((1, 3)))
    counts = sp.csr_matrix(np.ones((2, 3)))
    for penalty, other in ((L1(0.1), "Owlqn"), (L0(0.1), "Fista")):
        problem = CountProblem(design, counts, penalty)
        words = f"solves a Problem, got a CountProblem: use {other}"
        with pytest.raises(ValueError, match=words):
            solver.run(problem)


def test_a_solver_of_other_models_is_refused_without_a_way_out() -> None:
    from laconic.lm.scaled import ScaledFista

    with pytest.raises(ValueError, match="ScaledFista solves a NestedProblem, got a Problem"):
        ScaledFista().run(rows_problem(L1(0.1)))
