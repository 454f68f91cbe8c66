"""Penalties that are a lasso and a ridge on all weights alike, however they are stated."""

from __future__ import annotations

from typing import NamedTuple

from laconic.core.penalties.base import Penalty
from laconic.core.penalties.separable import L1, ElasticNet, Ridge
from laconic.core.penalties.total import PenaltySum


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
    """Return L1, Ridge or ElasticNet for a sum that is one; other penalties as they are."""
    rates = elastic_rates(penalty) if isinstance(penalty, PenaltySum) else None
    if rates is None:
        return penalty
    if not rates.ridge:
        return L1(rates.lasso)
    if not rates.lasso:
        return Ridge(rates.ridge)
    total = rates.lasso + rates.ridge
    return ElasticNet(total, rates.lasso / total)
