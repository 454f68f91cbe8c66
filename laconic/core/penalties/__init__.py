"""Penalties: value, prox and strength_max of what a model pays for its weights."""

from laconic.core.penalties.base import Blockwise, Penalty, Separable, Smooth, Terms
from laconic.core.penalties.discrete import Discrete, value_set
from laconic.core.penalties.group import GroupLasso, SparseGroupLasso
from laconic.core.penalties.overlap import CopyTerm, LayeredGroupLasso, OverlapGroupLasso
from laconic.core.penalties.separable import L0, L1, ElasticNet, Ridge
from laconic.core.penalties.total import PenaltySum
from laconic.core.penalties.tree import TreeGroupLasso

__all__ = [
    "L0",
    "L1",
    "Blockwise",
    "CopyTerm",
    "Discrete",
    "ElasticNet",
    "GroupLasso",
    "LayeredGroupLasso",
    "OverlapGroupLasso",
    "Penalty",
    "PenaltySum",
    "Ridge",
    "Separable",
    "Smooth",
    "SparseGroupLasso",
    "Terms",
    "TreeGroupLasso",
    "value_set",
]
