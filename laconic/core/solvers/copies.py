"""Overlapping penalties as solvers take them apart: a part on the weights, and parts on copies."""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Bools, Ints
from laconic.core.penalties import (
    CopyTerm,
    ElasticNet,
    GroupLasso,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    TreeGroupLasso,
)
from laconic.core.problem import GapProblem

NOT_SPLIT = "terms that are neither norms nor L1, Ridge or ElasticNet"


def split_penalty(problem: GapProblem) -> tuple[ElasticNet, list[CopyTerm]]:
    """Return the part of the penalty on the weights themselves, and the parts on copies."""
    penalty = problem.penalty
    if isinstance(penalty, OverlapGroupLasso):
        penalty = PenaltySum([penalty])
    assert isinstance(penalty, PenaltySum)  # needs_penalty
    return penalty.direct(), penalty.copied(problem.design.n_penalised)


def all_copies(problem: GapProblem) -> list[tuple[Ints, Penalty]]:
    """Return the parts on copies, and each term that needs a copy of all weights."""
    whole = np.arange(problem.design.n_penalised)
    penalty = problem.penalty
    others = penalty.others() if isinstance(penalty, PenaltySum) else []
    return [*split_penalty(problem)[1], *((whole, term) for term in others)]


class Block:
    """One overlapping term: v and u on its copies, and the sweep that updates them."""

    def __init__(self, term: tuple[Ints, Penalty], n_weights: int, threads: int):
        self.index, self.inner = term
        self.v = np.zeros(len(self.index))
        self.u = np.zeros(len(self.index))
        self.threads = threads
        self.n_weights = n_weights
        self.counts = np.bincount(self.index, minlength=n_weights).astype(np.float64)
        fused = (
            isinstance(self.inner, GroupLasso)
            and self.inner.norm in (2, "2")
            and not self.inner.positive
        )
        self.mass = np.full(len(self.index), self.inner.strength)
        self.copies = None
        if isinstance(self.inner, (GroupLasso, TreeGroupLasso)):
            groups = self.inner.over(len(self.index))
            self.copies = _core.Copies(groups.ptr, self.index, n_weights) if fused else None
            self.mass = self.inner.strength * groups.weight

    def split(
        self, weights: Array, rho: float, relax: float
    ) -> tuple[Array, Array, Array, float, float, float]:
        """Take the v- and u-steps.

        Return M'(v - u), M'(v - v_old), M'u, |Mw - v|^2, |Mw|^2 and |v|^2.
        """
        if self.copies is not None:
            towards, change, force = (np.empty(self.n_weights) for _ in range(3))
            sums = self.copies.split(
                weights,
                self.mass / rho,
                relax,
                _core.CopyState(v=self.v, u=self.u, towards=towards, change=change, force=force),
                self.threads,
            )
            return towards, change, force, *sums
        here = weights[self.index]
        z = relax * here + (1 - relax) * self.v + self.u
        v = self.inner.prox(z, 1.0 / rho)
        change = self.sum_copies(v - self.v)
        self.u = z - v
        self.v = v
        off = here - v
        return (
            self.sum_copies(v - self.u),
            change,
            self.sum_copies(self.u),
            float(off @ off),
            float(here @ here),
            float(v @ v),
        )

    def sum_copies(self, copies: Array) -> Array:
        """Return M' copies: for each weight, the sum over its copies."""
        return np.bincount(self.index, weights=copies, minlength=self.n_weights).astype(
            np.float64, copy=False
        )

    def selected(self) -> Bools:
        """Return which groups (of other terms: which weights) have copies that are not zero."""
        if isinstance(self.inner, (GroupLasso, TreeGroupLasso)):
            return self.inner.norms(self.v) > 0
        return np.asarray(self.v != 0)
