"""Penalties of many parts, each over few weights: solved on the parts that matter alone."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

from laconic.core.arrays import Array, Ints
from laconic.core.penalties.base import Penalty


class PartPenalty(NamedTuple):
    """inner(v) for w = sum of copies: every entry of v adds to the weight that `index` names."""

    index: Ints  # type: ignore[assignment]  # shadows tuple.index, which nobody calls
    inner: Penalty


class Partwise(Penalty):
    """Omega(w) = min sum_g Omega_g(v_g) over v_g on the weights of part g, with sum_g v_g = w.

    Parts may overlap. A solver can leave out those that violate no condition at v_g = 0.
    """

    @abstractmethod
    def violations(self, gradient: Array) -> Array:
        """Return, for each part, how far v_g = 0 is from optimal: 0 if it is."""

    @abstractmethod
    def restricted(self, parts: Ints, n_weights: int) -> PartPenalty:
        """Return the penalty of some parts alone, over v_g one after the other."""

    @abstractmethod
    def part_sizes(self, parts: Ints, n_weights: int) -> Ints:
        """Return the number of weights of every one of some parts."""

    @abstractmethod
    def part_norms(self, parts: Ints, v: Array, n_weights: int) -> Array:
        """Return the 2-norm of v_g of every one of some parts."""

    @abstractmethod
    def decompose(self, w: Array, precision: float = 1e-12) -> tuple[Ints, Array]:
        """Return the parts that make up w at the least cost, and their v_g one after the other.

        They sum to w up to `precision`, relative to its largest entry, and cost as little as that.
        """
