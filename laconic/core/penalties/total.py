"""Sums of penalties, such as sentence groups + topics + a Brown tree + lasso."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.overlap import CopyTerm, OverlapGroupLasso, prox_by_copies
from laconic.core.penalties.separable import L1, ElasticNet


class PenaltySum(Penalty):
    """strength sum_t Omega_t(w): separable terms act on the weights, all others on copies.

    Parameters
    ----------
    terms : sequence of Penalty
        Convex penalties to add, each with its own strength.
    strength : float, default=1.0
        Factor of all terms.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1, Groups, OverlapGroupLasso, PenaltySum
    >>> groups = Groups.from_lists([[0, 1], [1, 2]], n_features=3, weight=[1.0, 1.0])
    >>> penalty = PenaltySum([OverlapGroupLasso(groups), L1(0.5)], strength=2.0)
    >>> penalty.value(np.array([3.0, 0.0, 4.0]))
    21.0
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

    def direct(self) -> ElasticNet:
        """Return the separable terms as one, with the sign constraint of every term."""
        total = add_separable([term for term in self.scaled() if isinstance(term, ElasticNet)])
        positive = any(getattr(term, "positive", False) for term in self.terms)
        return total.replace(positive=True) if positive else total

    def copied(self, n_weights: int) -> list[CopyTerm]:
        """Return the other terms on copies: overlapping ones on theirs, the rest on all weights."""
        whole = np.arange(n_weights)
        return [
            term.copied(n_weights) if isinstance(term, OverlapGroupLasso) else CopyTerm(whole, term)
            for term in self.scaled()
            if not isinstance(term, ElasticNet)
        ]

    @property
    def splits(self) -> bool:
        """Whether all terms are separable or overlapping groups, which solvers take apart."""
        return all(isinstance(term, ElasticNet | OverlapGroupLasso) for term in self.terms)

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty; the sums over all terms."""
        total, kept = np.sum([term.count_groups(w) for term in self.terms], axis=0).tolist()
        return total, kept

    def value(self, w: Array) -> float:
        """See Penalty."""
        return float(sum(term.value(w) for term in self.scaled()))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the prox, exact to 1e-10, by the dual."""
        direct = self.direct()
        return prox_by_copies(w, step, self.copied(len(w)), lambda v: direct.prox(v, step))

    def gauge(self, gradient: Array) -> float:
        """Return an upper bound of the dual norm, tight enough to start a path."""
        return min(term.gauge(gradient) for term in self.scaled())

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return PenaltySum([term.spread(n_outputs) for term in self.terms], self.strength)


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
