"""Which solver suits a penalty: the one table that maps types to algorithms."""

from __future__ import annotations

from laconic.penalties import (
    Blockwise,
    Discrete,
    LayeredGroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
    SparseGroupLasso,
    Trajectories,
)
from laconic.penalties.grouped import norm_code
from laconic.solvers.admm import Admm
from laconic.solvers.base import Solver
from laconic.solvers.discrete import DiscreteAdmm
from laconic.solvers.fista import Fista
from laconic.solvers.owlqn import Owlqn
from laconic.solvers.reweighted import Reweighted
from laconic.solvers.variational import Variational
from laconic.solvers.working_set import WorkingSet


def choose_solver(penalty: Penalty, tol: float, max_iter: int | None = None) -> Solver:
    """Working sets for lasso and disjoint groups, quasi-Newton for ridge and trajectories, reweighting or ADMM for overlaps, ADMM for sets of values, FISTA otherwise."""
    if isinstance(penalty, Discrete):  # its residuals are of another scale than gaps
        return DiscreteAdmm() if max_iter is None else DiscreteAdmm(max_iter=max_iter)
    kind = _kind(penalty)
    return kind(tol=tol) if max_iter is None else kind(tol=tol, max_iter=max_iter)


def _kind(penalty: Penalty) -> type:
    if isinstance(penalty, LayeredGroupLasso):
        return Fista
    if isinstance(penalty, Trajectories):
        return Variational
    if isinstance(penalty, (OverlapGroupLasso, PenaltySum)):
        terms = penalty.terms if isinstance(penalty, PenaltySum) else [penalty]
        overlaps = [term for term in terms if isinstance(term, OverlapGroupLasso)]
        return Reweighted if all(norm_code(term.norm) == 2 for term in overlaps) else Admm
    if isinstance(penalty, Ridge):
        return WorkingSet if penalty.positive else Owlqn
    if isinstance(penalty, SparseGroupLasso) and norm_code(penalty.norm) != 2:
        return Fista
    return WorkingSet if isinstance(penalty, Blockwise) else Fista
