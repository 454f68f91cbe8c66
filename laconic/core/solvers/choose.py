"""The solver that suits a penalty, made when it is needed.

Solvers are named by import strings: a model that only predicts imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from laconic.core.penalties import Discrete, Penalty
from laconic.core.problem import RowSum
from laconic.core.solvers.base import Solver
from laconic.core.solvers.suitable import suitable_solver

SMOOTHING = "laconic.core.solvers.smoothing:Smoothing"


def choose_solver(
    penalty: Penalty,
    tol: float,
    max_iter: int | None = None,
    smooth: bool = True,
) -> Solver:
    """Return the solver that suits a penalty, and a loss that is smooth or has kinks.

    Working sets for lasso and disjoint groups, Newton for ridge, reweighting or ADMM for overlaps,
    ADMM for sets of values, what a penalty of a task names itself, FISTA otherwise. Losses with
    kinks are smoothed.
    """
    if not smooth:
        inner = None if max_iter is None else choose_solver(penalty, tol, max_iter)
        return _named(SMOOTHING)(tol=tol, inner=inner)
    solver = _named(suitable_solver(penalty))
    # The residuals of sets of values are of another scale than gaps.
    options: dict[str, float] = {} if isinstance(penalty, Discrete) else {"tol": tol}
    return solver(**options) if max_iter is None else solver(**options, max_iter=max_iter)


def solver_for(problem: RowSum, tol: float, max_iter: int | None = None) -> Solver:
    """Return the solver that a problem names, or one that suits its penalty and its loss."""
    if problem.solver is None:
        return choose_solver(problem.penalty, tol, max_iter, problem.smooth_loss)
    named = _named(problem.solver)
    return named(tol=tol) if max_iter is None else named(tol=tol, max_iter=max_iter)


def _named(path: str) -> Callable[..., Solver]:
    module, _, name = path.partition(":")
    solver: type[Solver] = getattr(import_module(module), name)
    return solver
