"""Sums of penalties, such as sentence groups + topics + a Brown tree + lasso."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty, Quadratic
from laconic.core.penalties.group import GroupLasso, SparseGroupLasso
from laconic.core.penalties.overlap import CopyTerm, OverlapGroupLasso, prox_by_copies
from laconic.core.penalties.separable import L1, ElasticNet
from laconic.core.penalties.tree import TreeGroupLasso


class PenaltySum(Penalty):
    """strength sum_t Omega_t(w): separable terms act on the weights, all others on copies of them.

    Lassos inside of groups join the separable terms, disjoint groups and trees the overlapping
    ones. Sums of these with the 2-norm are solved by reweighting, sums with other norms by ADMM,
    and those with terms that do not scale with the weights by FISTA.

    Parameters
    ----------
    terms : sequence of Penalty
        Convex penalties to add, each with its own strength; a term may be a sum itself.
    strength : float, default=1.0
        Factor of all terms.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1, OverlapGroupLasso, PenaltySum, Slope
    >>> groups = OverlapGroupLasso([[0, 1], [1, 2]])
    >>> penalty = PenaltySum([groups, L1(0.5), Slope(0.1, costs=[1.0, 1.0, 0.0])], strength=2.0)
    >>> penalty.value(np.array([3.0, 0.0, 4.0])).__round__(2)
    28.2
    """

    def __init__(self, terms: Sequence[Penalty], strength: float = 1.0):
        self.terms = terms
        self.strength = strength

    def check(self) -> Penalty:
        """See Penalty."""
        if not self.terms:
            raise ValueError("a sum of penalties needs at least one term")
        for term in self.terms:
            if not isinstance(term, Penalty):
                raise ValueError(f"a sum takes penalties, got {term!r:.80}")
            if not term.convex:
                raise ValueError(
                    f"a sum takes convex penalties, got {type(term).__name__}: use it alone"
                )
            term.check()
        return super().check()

    def scaled(self) -> list[Penalty]:
        """Return the terms with the common strength multiplied in."""
        return [term.replace(strength=self.strength * term.strength) for term in self.terms]

    def simple(self) -> list[Penalty]:
        """Return the scaled terms, those that are sums themselves taken apart."""
        return [part for term in self.scaled() for part in _taken_apart(term)]

    def direct(self) -> ElasticNet:
        """Return the separable terms as one, with the sign constraint of every term."""
        terms = self.simple()
        total = add_separable([term for term in terms if isinstance(term, ElasticNet)])
        positive = any(getattr(term, "positive", False) for term in terms)
        return total.replace(positive=True) if positive else total

    def copied(self, n_weights: int) -> list[CopyTerm]:
        """Return the groups and trees on their copies."""
        overlaps = (term for term in self.simple() if isinstance(term, OverlapGroupLasso))
        return [term.copied(n_weights) for term in overlaps]

    def others(self) -> list[Penalty]:
        """Return the terms that are neither separable nor groups: each needs a copy of w."""
        known = (ElasticNet, OverlapGroupLasso)
        return [term for term in self.simple() if not isinstance(term, known)]

    def parted(self) -> tuple[list[Quadratic], Penalty]:
        """Return the quadratic terms that are not separable, and the sum of all others."""
        bent: list[Quadratic] = []
        others: list[Penalty] = []
        for one in self.simple():
            if isinstance(one, Quadratic) and not isinstance(one, ElasticNet):
                bent.append(one)
            else:
                others.append(one)
        others = others or [L1(0.0)]
        return bent, others[0] if len(others) == 1 else PenaltySum(others)

    @property
    def splits(self) -> bool:
        """Whether all terms are separable or norms, whose duals solvers on copies know."""
        return all(term.homogeneous for term in self.others())

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty; the sums over all terms."""
        total, kept = np.sum([term.count_groups(w) for term in self.terms], axis=0).tolist()
        return total, kept

    def value(self, w: Array) -> float:
        """See Penalty."""
        return float(sum(term.value(w) for term in self.scaled()))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the prox, exact to 1e-10, by the dual."""
        direct, whole = self.direct(), np.arange(len(w))
        terms = [*self.copied(len(w)), *((whole, term) for term in self.others())]
        if not terms:  # all of it is separable
            return direct.prox(w, step)
        return prox_by_copies(w, step, terms, lambda v: direct.prox(v, step))

    def gauge(self, gradient: Array) -> float:
        """Return an upper bound of the dual norm, tight enough to start a path."""
        return min(term.gauge(gradient) for term in self.scaled())

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return PenaltySum([term.spread(n_outputs) for term in self.terms], self.strength)


def _taken_apart(term: Penalty) -> list[Penalty]:
    """Return the terms of a sum, or a lasso and overlapping groups for groups and trees."""
    if isinstance(term, PenaltySum):
        return term.simple()
    kinds = (SparseGroupLasso, GroupLasso, TreeGroupLasso)
    if not isinstance(term, kinds) or type(term) not in kinds:  # a label tree is none of them
        return [term]
    ratio = 0.0 if isinstance(term, GroupLasso) else term.l1_ratio
    lasso = L1(term.strength * ratio, factors=term.factors, positive=term.positive)
    groups = OverlapGroupLasso(
        term.groups, term.strength * (1 - ratio), norm=term.norm, positive=term.positive
    )
    return [lasso, groups] if ratio > 0 else [groups]


def add_separable(terms: Sequence[ElasticNet]) -> ElasticNet:
    """Return one elastic net equal to the sum of several; of none, one of strength zero."""
    if not terms:
        return L1(0.0)
    if len(terms) == 1:
        return terms[0]
    positive = any(term.positive for term in terms)
    size = max(1 if term.factors is None else len(np.ravel(term.factors)) for term in terms)
    lasso = sum(np.broadcast_to(term.rates(size)[0], size) for term in terms)
    ridge = sum(np.broadcast_to(term.rates(size)[1], size) for term in terms)
    return RatedElasticNet(np.asarray(lasso), np.asarray(ridge), positive)


class RatedElasticNet(ElasticNet):
    """sum_i lasso_i |w_i| + ridge_i w_i^2 / 2 with given rates."""

    def __init__(self, lasso: Array, ridge: Array, positive: bool = False):
        self.lasso = lasso
        self.ridge = ridge
        self.positive = positive

    strength = 1.0

    def _ratio(self) -> float:
        return 1.0

    def rates(self, n_weights: int) -> tuple[Array, Array]:
        """See Separable."""
        return self.lasso, self.ridge
