"""Which solver suits a penalty: the one table that maps types to algorithms.

Solvers are named by import strings: a model that only predicts imports none of them.
"""

from __future__ import annotations

from importlib import import_module

from laconic import _core
from laconic.core.penalties import (
    Blockwise,
    Discrete,
    LayeredGroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
    SparseGroupLasso,
)
from laconic.core.penalties.grouped import norm_code
from laconic.core.solvers.base import Solver

ADMM = "laconic.core.solvers.admm:Admm"
DISCRETE = "laconic.core.solvers.discrete:DiscreteAdmm"
FISTA = "laconic.core.solvers.fista:Fista"
OWLQN = "laconic.core.solvers.owlqn:Owlqn"
REWEIGHTED = "laconic.core.solvers.reweighted:Reweighted"
WORKING_SET = "laconic.core.solvers.working_set:WorkingSet"


def choose_solver(penalty: Penalty, tol: float, max_iter: int | None = None) -> Solver:
    """Return the solver that suits a penalty.

    Working sets for lasso and disjoint groups, quasi-Newton for ridge, reweighting or ADMM for
    overlaps, ADMM for sets of values, what a penalty of a task names itself, FISTA otherwise.
    """
    module, _, name = path_of(penalty).partition(":")
    solver: type[Solver] = getattr(import_module(module), name)
    # The residuals of sets of values are of another scale than gaps.
    options = {} if isinstance(penalty, Discrete) else {"tol": tol}
    return solver(**options) if max_iter is None else solver(**options, max_iter=max_iter)


def path_of(penalty: Penalty) -> str:
    """Return the solver that suits a penalty as `module:Class`."""
    if penalty.solver is not None:
        return penalty.solver
    if isinstance(penalty, Discrete):
        return DISCRETE
    if isinstance(penalty, LayeredGroupLasso):
        return FISTA
    if isinstance(penalty, (OverlapGroupLasso, PenaltySum)):
        terms = penalty.terms if isinstance(penalty, PenaltySum) else [penalty]
        overlaps = [term for term in terms if isinstance(term, OverlapGroupLasso)]
        return (
            REWEIGHTED if all(norm_code(term.norm) == _core.Norm.two for term in overlaps) else ADMM
        )
    if isinstance(penalty, Ridge):
        return WORKING_SET if penalty.positive else OWLQN
    if isinstance(penalty, SparseGroupLasso) and norm_code(penalty.norm) != _core.Norm.two:
        return FISTA
    return WORKING_SET if isinstance(penalty, Blockwise) else FISTA
