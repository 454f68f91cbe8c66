"""What an online learner can take of a penalty: parts that cost nothing until a feature fires.

lasso |w|_1 + ridge |w|^2 / 2     deferred until a feature fires, or scaled
sum over features of |row|_2      likewise, row by row: GroupLasso("rows")
inner(|w_1|_2, .., |w_M|_2)       of the norms of M templates: they are scaled as a whole
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties import (
    GroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    SparseGroupLasso,
)
from laconic.core.penalties.elastic import elastic_rates
from laconic.core.penalties.grouped import OverGroups
from laconic.core.penalties.names import Strength
from laconic.core.penalties.templates import COARSE, template_penalty
from laconic.core.solvers.budget import Order, Sizes, group_weights


class OnlinePenalty(NamedTuple):
    """A penalty in parts that online learners can apply.

    Parameters
    ----------
    lasso : float
        Strength of the lasso of single weights.
    ridge : float
        Strength of the ridge of all weights.
    rows : float
        Strength of the norms of rows, all weights of a feature.
    norms : list of Penalty
        Penalties of the norms of templates, over groups by name or of numbers of templates.
    """

    lasso: float
    ridge: float
    rows: float
    norms: list[Penalty]


def online_penalty(
    learner: object, penalty: Penalty | str | None, strength: Strength | None, default: str = "l1"
) -> OnlinePenalty:
    """Return the parts of a penalty; a ValueError names a term that cannot be deferred."""
    stated = template_penalty(penalty, strength, default)
    terms = stated.scaled() if isinstance(stated, PenaltySum) else [stated]
    lasso = ridge = rows = 0.0
    norms: list[Penalty] = []
    for term in terms:
        rates = elastic_rates(term)
        if rates is not None:
            lasso, ridge = lasso + rates.lasso, ridge + rates.ridge
        elif isinstance(term, GroupLasso) and term.groups == "rows" and _is_plain(term):
            rows += term.strength
        elif type(term) is SparseGroupLasso and term.groups == "templates" and term.factors is None:
            lasso += term.strength * term.l1_ratio
            norms.append(GroupLasso("templates", term.strength * (1 - term.l1_ratio)))
        elif isinstance(term, GroupLasso | OverlapGroupLasso) and _of_templates(term):
            norms.append(term)
        else:
            raise ValueError(
                f"{type(learner).__name__} takes lasso and ridge, label-group and groups of "
                f"templates, which wait until a feature fires; {_said(term)} cannot wait: use Crf"
            )
    if rows and lasso:
        raise ValueError(
            f"{type(learner).__name__} takes a lasso of weights or norms of rows, not both: use Crf"
        )
    return OnlinePenalty(lasso, ridge, rows, norms)


def _said(term: Penalty) -> str:
    name = type(term).__name__
    return f"{name} with positive=True" if getattr(term, "positive", False) else name


def _is_plain(term: GroupLasso | OverlapGroupLasso) -> bool:
    return term.norm in (2, "2") and not term.positive


def _of_templates(term: GroupLasso | OverlapGroupLasso) -> bool:
    """Return whether groups are of templates and their norms those of 2-norms."""
    return _is_plain(term) and (not isinstance(term.groups, str) or term.groups in NAMED_GROUPS)


NAMED_GROUPS = ("templates", COARSE)


def over_norms(penalty: Penalty, sizes: Sizes, order: Order | None, rule: str) -> Penalty:
    """Return a penalty of templates as one of the M norms of templates with these sizes."""
    assert isinstance(penalty, OverGroups)  # see online_penalty
    if not isinstance(penalty.groups, str):
        return penalty
    n = len(sizes)
    finer = np.eye(n, dtype=bool) if order is None else order
    whole = finer.astype(np.float64) @ np.asarray(sizes, np.float64)
    lists = [np.flatnonzero(row) for row in finer]
    return penalty.replace(groups=Groups.from_lists(lists, n, group_weights(whole, rule)))


def template_factors(penalties: list[Penalty], norms: Array, step: float) -> Array:
    """Return the factor of every template after the proxes of its norms, one after the other."""
    after = norms.astype(np.float64)
    for penalty in penalties:
        after = penalty.prox(after, step)
    return np.divide(after, norms, out=np.zeros_like(after), where=norms > 0)
