"""Penalties: value, prox and strength_max of what a model pays for its weights."""

from laconic.penalties.base import Blockwise, Penalty, Separable, Smooth, Terms
from laconic.penalties.discrete import Discrete, value_set
from laconic.penalties.fused import FusedLasso, OverTime, SmoothGroupLasso
from laconic.penalties.group import GroupLasso, SparseGroupLasso
from laconic.penalties.overlap import CopyTerm, LayeredGroupLasso, OverlapGroupLasso
from laconic.penalties.separable import L0, L1, ElasticNet, Ridge
from laconic.penalties.time import AdaptivePrior, SmoothRidge, Trajectories
from laconic.penalties.total import PenaltySum
from laconic.penalties.tree import TreeGroupLasso

__all__ = [
    "L0",
    "L1",
    "AdaptivePrior",
    "Blockwise",
    "CopyTerm",
    "Discrete",
    "ElasticNet",
    "FusedLasso",
    "GroupLasso",
    "LayeredGroupLasso",
    "OverTime",
    "OverlapGroupLasso",
    "Penalty",
    "PenaltySum",
    "Ridge",
    "Separable",
    "Smooth",
    "SmoothGroupLasso",
    "SmoothRidge",
    "SparseGroupLasso",
    "Terms",
    "Trajectories",
    "TreeGroupLasso",
    "value_set",
]
