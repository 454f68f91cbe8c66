"""The solver that suits a penalty, made when it is needed.

Solvers are named by import strings: a model that only predicts imports none of them.
"""

from __future__ import annotations

from importlib import import_module

from laconic.core.penalties import Discrete, Penalty
from laconic.core.solvers.base import Solver
from laconic.core.solvers.suitable import suitable_solver


def choose_solver(penalty: Penalty, tol: float, max_iter: int | None = None) -> Solver:
    """Return the solver that suits a penalty.

    Working sets for lasso and disjoint groups, quasi-Newton for ridge, reweighting or ADMM for
    overlaps, ADMM for sets of values, what a penalty of a task names itself, FISTA otherwise.
    """
    module, _, name = suitable_solver(penalty).partition(":")
    solver: type[Solver] = getattr(import_module(module), name)
    # The residuals of sets of values are of another scale than gaps.
    options: dict[str, float] = {} if isinstance(penalty, Discrete) else {"tol": tol}
    return solver(**options) if max_iter is None else solver(**options, max_iter=max_iter)
