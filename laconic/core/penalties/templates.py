"""Penalties of templates of features, by name: what learners of taggers and parsers share.

group, sparse-group   the weights of a template         GroupLasso("templates"), ..
label-group           the weights of a feature, for all labels        GroupLasso("rows")
tree                  both, a feature inside its template             TreeGroupLasso("tree")
coarse-to-fine        a template and all that refine it
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from laconic.core.penalties.base import Penalty
from laconic.core.penalties.elastic import simplest
from laconic.core.penalties.group import GroupLasso, SparseGroupLasso
from laconic.core.penalties.names import Strength, as_penalty
from laconic.core.penalties.overlap import OverlapGroupLasso
from laconic.core.penalties.tree import TreeGroupLasso

COARSE = "coarse to fine"
TEMPLATE_PENALTIES: dict[str, Callable[[], Penalty]] = {
    "group": partial(GroupLasso, "templates"),
    "sparse-group": partial(SparseGroupLasso, "templates"),
    "label-group": partial(GroupLasso, "rows"),
    "tree": partial(TreeGroupLasso, "tree"),
    "coarse-to-fine": partial(OverlapGroupLasso, COARSE),
}


def template_penalty(
    penalty: Penalty | str | None, strength: Strength | None, default: str
) -> Penalty:
    """Return the penalty that a learner states, over groups by name, as simple as it can be."""
    return simplest(as_penalty(penalty, strength, default, TEMPLATE_PENALTIES))
