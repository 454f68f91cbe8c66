"""Which solver suits a penalty: the one table that maps types to algorithms, by import strings."""

from __future__ import annotations

from laconic import _core
from laconic.core.penalties import (
    L0,
    Blockwise,
    Concave,
    Discrete,
    LabelTree,
    OverlapGroupLasso,
    Partwise,
    Penalty,
    PenaltySum,
    Ridge,
    SparseGroupLasso,
)
from laconic.core.penalties.grouped import norm_code

BY_FEATURE = "laconic.core.solvers.by_feature:ByFeature"
ADMM = "laconic.core.solvers.admm:Admm"
DISCRETE = "laconic.core.solvers.discrete:DiscreteAdmm"
FISTA = "laconic.core.solvers.fista:Fista"
GROWING = "laconic.core.solvers.growing:Growing"
MAJORIZED = "laconic.core.solvers.majorized:Majorized"
NEWTON = "laconic.core.solvers.newton:Newton"
REWEIGHTED = "laconic.core.solvers.reweighted:Reweighted"
EXCHANGE = "laconic.core.solvers.exchange:Exchange"
WORKING_SET = "laconic.core.solvers.working_set:WorkingSet"


def suitable_solver(penalty: Penalty) -> str:
    """Return the solver that suits a penalty as `module:Class`."""
    if penalty.solver is not None:
        return penalty.solver
    if isinstance(penalty, Discrete):
        return DISCRETE
    if isinstance(penalty, LabelTree) and penalty.plain:
        return BY_FEATURE
    if isinstance(penalty, Partwise):
        return GROWING
    if isinstance(penalty, Concave):
        return MAJORIZED
    if isinstance(penalty, L0):
        return EXCHANGE
    if isinstance(penalty, PenaltySum) and not penalty.splits:
        return FISTA
    if isinstance(penalty, (OverlapGroupLasso, PenaltySum)):
        terms = penalty.simple() if isinstance(penalty, PenaltySum) else [penalty]
        overlaps = [term for term in terms if isinstance(term, OverlapGroupLasso)]
        euclidean = all(norm_code(term.norm) == _core.Norm.two for term in overlaps)
        copied = isinstance(penalty, PenaltySum) and penalty.others()
        return REWEIGHTED if euclidean and not copied else ADMM
    if isinstance(penalty, Ridge):
        return WORKING_SET if penalty.positive else NEWTON
    if isinstance(penalty, SparseGroupLasso) and norm_code(penalty.norm) != _core.Norm.two:
        return FISTA
    return WORKING_SET if isinstance(penalty, Blockwise) else FISTA
