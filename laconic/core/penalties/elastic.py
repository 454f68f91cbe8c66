"""Penalties that are a lasso and a ridge on all weights alike, however they are stated."""

from __future__ import annotations

from typing import NamedTuple

from laconic.core.penalties.base import Penalty
from laconic.core.penalties.group import GroupLasso, SparseGroupLasso
from laconic.core.penalties.separable import L1, ElasticNet, Ridge
from laconic.core.penalties.total import PenaltySum
from laconic.core.penalties.tree import TreeGroupLasso


class ElasticRates(NamedTuple):
    """lasso |w|_1 + ridge |w|^2 / 2."""

    lasso: float
    ridge: float


def elastic_rates(penalty: Penalty) -> ElasticRates | None:
    """Return the lasso and ridge that L1, Ridge, ElasticNet or a sum of them is.

    None if the penalty has other terms, factors of single features or a sign.

    Examples
    --------
    >>> from laconic import L1, PenaltySum, Ridge
    >>> from laconic.core.penalties.elastic import elastic_rates
    >>> elastic_rates(PenaltySum([L1(0.5), Ridge(0.1)], strength=2.0))
    ElasticRates(lasso=1.0, ridge=0.2)
    """
    if isinstance(penalty, PenaltySum):
        found = [elastic_rates(term) for term in penalty.scaled()]
        known = [rates for rates in found if rates is not None]
        if len(known) < len(found):
            return None
        return ElasticRates(sum(one.lasso for one in known), sum(one.ridge for one in known))
    if type(penalty) not in (L1, Ridge, ElasticNet):
        return None
    assert isinstance(penalty, ElasticNet)
    if penalty.factors is not None or penalty.positive:
        return None
    ratio, strength = penalty._ratio(), penalty.strength
    return ElasticRates(strength * ratio, strength * (1 - ratio))


def simplest(penalty: Penalty) -> Penalty:
    """Return one penalty for a sum that is one; other penalties as they are.

    L1, Ridge and ElasticNet add up to one of them, a group lasso and a lasso to SparseGroupLasso or
    TreeGroupLasso, which have exact proxes.
    """
    if not isinstance(penalty, PenaltySum):
        return penalty
    rates = elastic_rates(penalty)
    if rates is not None:
        return of_rates(rates)
    terms = penalty.scaled()
    groups = [term for term in terms if type(term) is GroupLasso or _is_pure_tree(term)]
    lassos = [elastic_rates(term) for term in terms if term not in groups]
    if len(groups) != 1 or any(one is None or one.ridge for one in lassos):
        return penalty
    group, lasso = groups[0], sum(one.lasso for one in lassos if one is not None)
    total = group.strength + lasso
    if not total or not isinstance(group, GroupLasso | TreeGroupLasso):
        return group
    kind = SparseGroupLasso if isinstance(group, GroupLasso) else TreeGroupLasso
    return kind(group.groups, total, lasso / total, norm=group.norm, positive=group.positive)


def of_rates(rates: ElasticRates) -> ElasticNet:
    """Return the L1, Ridge or ElasticNet of a lasso and a ridge."""
    if not rates.ridge:
        return L1(rates.lasso)
    if not rates.lasso:
        return Ridge(rates.ridge)
    total = rates.lasso + rates.ridge
    return ElasticNet(total, rates.lasso / total)


def _is_pure_tree(term: Penalty) -> bool:
    return type(term) is TreeGroupLasso and not term.l1_ratio
