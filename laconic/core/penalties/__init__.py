"""Penalties: value, prox and strength_max of what a model pays for its weights."""

from typing import TYPE_CHECKING

from laconic.core.lazy import lazily

if TYPE_CHECKING:
    from laconic.core.penalties.adapted import adaptive
    from laconic.core.penalties.base import Blockwise, Penalty, Quadratic, Separable, Smooth, Terms
    from laconic.core.penalties.concave import Concave
    from laconic.core.penalties.discrete import Discrete
    from laconic.core.penalties.group import GroupLasso, SparseGroupLasso
    from laconic.core.penalties.label_tree import LabelTree
    from laconic.core.penalties.latent import LatentGroupLasso
    from laconic.core.penalties.log_sum import LogSum
    from laconic.core.penalties.mcp import MCP
    from laconic.core.penalties.overlap import CopyTerm, LayeredGroupLasso, OverlapGroupLasso
    from laconic.core.penalties.partwise import Partwise
    from laconic.core.penalties.scad import SCAD
    from laconic.core.penalties.separable import L0, L1, ElasticNet, Ridge
    from laconic.core.penalties.slope import Oscar, Slope, SortedLasso
    from laconic.core.penalties.total import PenaltySum
    from laconic.core.penalties.tree import TreeGroupLasso
    from laconic.core.penalties.value_sets import learned_values, value_set

__all__ = [
    "L0",
    "L1",
    "MCP",
    "SCAD",
    "Blockwise",
    "Concave",
    "CopyTerm",
    "Discrete",
    "ElasticNet",
    "GroupLasso",
    "LabelTree",
    "LatentGroupLasso",
    "LayeredGroupLasso",
    "LogSum",
    "Oscar",
    "OverlapGroupLasso",
    "Partwise",
    "Penalty",
    "PenaltySum",
    "Quadratic",
    "Ridge",
    "Separable",
    "Slope",
    "Smooth",
    "SortedLasso",
    "SparseGroupLasso",
    "Terms",
    "TreeGroupLasso",
    "adaptive",
    "learned_values",
    "value_set",
]

HOMES = {
    "adapted": ("adaptive",),
    "base": (
        "Blockwise",
        "Penalty",
        "Quadratic",
        "Separable",
        "Smooth",
        "Terms",
    ),
    "concave": ("Concave",),
    "discrete": ("Discrete",),
    "group": (
        "GroupLasso",
        "SparseGroupLasso",
    ),
    "label_tree": ("LabelTree",),
    "latent": ("LatentGroupLasso",),
    "log_sum": ("LogSum",),
    "mcp": ("MCP",),
    "overlap": (
        "CopyTerm",
        "LayeredGroupLasso",
        "OverlapGroupLasso",
    ),
    "partwise": ("Partwise",),
    "scad": ("SCAD",),
    "separable": (
        "L0",
        "L1",
        "ElasticNet",
        "Ridge",
    ),
    "slope": (
        "Oscar",
        "Slope",
        "SortedLasso",
    ),
    "total": ("PenaltySum",),
    "tree": ("TreeGroupLasso",),
    "value_sets": ("learned_values", "value_set"),
}
__getattr__ = lazily(__name__, HOMES)
