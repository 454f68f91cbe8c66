"""Penalties: value, prox and strength_max of what a model pays for its weights."""

from typing import TYPE_CHECKING

from laconic.core.lazy import lazily

if TYPE_CHECKING:
    from laconic.core.penalties.adapted import adaptive
    from laconic.core.penalties.base import Blockwise, Penalty, Quadratic, Separable, Smooth, Terms
    from laconic.core.penalties.concave import Concave
    from laconic.core.penalties.discrete import Discrete, value_set
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
    "discrete": (
        "Discrete",
        "value_set",
    ),
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
}
__getattr__ = lazily(__name__, HOMES)
