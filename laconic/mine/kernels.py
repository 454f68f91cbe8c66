"""K(a, b): what two structures have in common, counted in a space that is never written down.

(Qian and Liu 2015, 5.2.1 and 6.1.1.) The spaces are those that `GradientMining` searches; a kernel
machine works in all of such a space, at the price of one evaluation per pair of structures.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.arrays import Array, Ints

StructuresT = TypeVar("StructuresT", "_core.SetStructures", "_core.TreeStructures")


class Comparable(NamedTuple):
    """Structures, and log K(s, s) of each if the kernel is normalized."""

    structures: Any
    log_lengths: Array | None


class StructureKernel(BaseEstimator, Generic[StructuresT]):
    """K(a, b), or K(a, b) / sqrt(K(a, a) K(b, b)) if `normalized`."""

    normalized: bool

    def prepare(self, structures: StructuresT) -> Comparable:
        """Return what is known of structures before any two are compared."""
        self._check()
        if not self.normalized:
            return Comparable(structures, None)
        lengths = self._log_lengths(structures)
        return Comparable(
            structures, np.where(np.isneginf(lengths), 0.0, lengths)
        )  # nothing in common with anything: K stays 0

    def between(self, a: Comparable, rows_a: Ints, b: Comparable, rows_b: Ints) -> Array:
        """Return K of all pairs, (len(rows_a), len(rows_b)); rows are numbers of structures."""
        if a.log_lengths is None or b.log_lengths is None:
            values = self._values(a.structures, rows_a, b.structures, rows_b)
        else:
            logarithms = self._logarithms(a.structures, rows_a, b.structures, rows_b).reshape(
                len(rows_a), len(rows_b)
            )
            values = np.exp(
                logarithms - (a.log_lengths[rows_a][:, None] + b.log_lengths[rows_b]) / 2
            )
        return values.reshape(len(rows_a), len(rows_b))

    @abstractmethod
    def _check(self) -> None: ...

    @abstractmethod
    def _values(self, a: StructuresT, rows_a: Ints, b: StructuresT, rows_b: Ints) -> Array: ...

    @abstractmethod
    def _logarithms(self, a: StructuresT, rows_a: Ints, b: StructuresT, rows_b: Ints) -> Array: ...

    @abstractmethod
    def _log_lengths(self, structures: StructuresT) -> Array: ...


class TreeKernel(StructureKernel[_core.TreeStructures]):
    """sum over pairs of equal sub feature trees of two dependency trees of decay^arcs.

    Parameters
    ----------
    decay : float, default=1.0
        Factor per arc, above 0 and at most 1. 1 counts as the paper does: the number of shared
        sub-trees then grows exponentially with the trees, and a tree is most similar to itself.
    normalized : bool, default=False
        Whether K is divided by sqrt(K(a, a) K(b, b)).
    log_scale : float, default=0.0
        Number s such that K is divided by e^s, which changes no ranking: long sentences share more
        sub-trees than a float can hold.
    """

    def __init__(self, decay: float = 1.0, normalized: bool = False, log_scale: float = 0.0):
        self.decay = decay
        self.normalized = normalized
        self.log_scale = log_scale

    def _check(self) -> None:
        if not 0 < self.decay <= 1:
            raise ValueError(f"decay must be above 0 and at most 1, not {self.decay!r}")
        if not np.isfinite(self.log_scale):
            raise ValueError(f"log_scale must be a finite number, not {self.log_scale!r}")

    def _values(
        self, a: _core.TreeStructures, rows_a: Ints, b: _core.TreeStructures, rows_b: Ints
    ) -> Array:
        values: Array
        if self.log_scale:
            with np.errstate(over="ignore"):
                values = np.exp(self._logarithms(a, rows_a, b, rows_b) - self.log_scale)
        else:
            values = _core.tree_kernel(a, rows_a, b, rows_b, self.decay, False)
        if not np.isfinite(values).all():
            raise OverflowError(
                "two trees share more sub-trees than a number can hold: "
                "use a log_scale, a smaller decay, or normalized=True"
            )
        return values

    def _logarithms(
        self, a: _core.TreeStructures, rows_a: Ints, b: _core.TreeStructures, rows_b: Ints
    ) -> Array:
        return np.asarray(_core.tree_kernel(a, rows_a, b, rows_b, self.decay, True))

    def _log_lengths(self, structures: _core.TreeStructures) -> Array:
        return np.asarray(_core.tree_kernel_diagonal(structures, self.decay))


class PolynomialKernel(StructureKernel[_core.SetStructures]):
    """(|a and b| + 1)^degree of two sets: common combinations of up to `degree` members, ordered.

    Parameters
    ----------
    degree : int, default=2
        Largest number of members of a combination.
    normalized : bool, default=False
        Whether K is divided by sqrt(K(a, a) K(b, b)).
    """

    def __init__(self, degree: int = 2, normalized: bool = False):
        self.degree = degree
        self.normalized = normalized

    def _check(self) -> None:
        if self.degree < 1 or self.degree != int(self.degree):
            raise ValueError(f"degree must be a whole number of 1 or more, not {self.degree!r}")

    def _values(
        self, a: _core.SetStructures, rows_a: Ints, b: _core.SetStructures, rows_b: Ints
    ) -> Array:
        return np.asarray((_core.set_kernel(a, rows_a, b, rows_b) + 1.0) ** self.degree)

    def _logarithms(
        self, a: _core.SetStructures, rows_a: Ints, b: _core.SetStructures, rows_b: Ints
    ) -> Array:
        return np.asarray(self.degree * np.log1p(_core.set_kernel(a, rows_a, b, rows_b)))

    def _log_lengths(self, structures: _core.SetStructures) -> Array:
        return np.asarray(self.degree * np.log1p(_core.set_kernel_diagonal(structures)))
