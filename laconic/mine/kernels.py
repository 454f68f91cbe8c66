"""K(a, b): what two structures have in common, counted in a space that is never written down (Qian and Liu 2015, 5.2.1 and 6.1.1).

The spaces are those that `GradientMining` searches; a kernel machine works in all of such a space, at the price of an evaluation for every
pair of structures.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic import _core


class Comparable(NamedTuple):
    """Structures, and where a kernel is normalized log K(s, s) of each."""

    structures: Any
    log_lengths: NDArray[np.float64] | None


class StructureKernel(BaseEstimator):
    """K(a, b), or where `normalized` K(a, b) / sqrt(K(a, a) K(b, b))."""

    normalized: bool

    def prepare(self, structures: Any) -> Comparable:
        """What is known of structures before any two are compared."""
        self._check()
        if not self.normalized:
            return Comparable(structures, None)
        lengths = self._log_lengths(structures)
        return Comparable(
            structures, np.where(np.isneginf(lengths), 0.0, lengths)
        )  # nothing in common with anything: K stays 0

    def between(
        self, a: Comparable, rows_a: NDArray[np.int64], b: Comparable, rows_b: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """K of all pairs, (len(rows_a), len(rows_b)); rows are numbers of structures."""
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
    def _values(
        self, a: Any, rows_a: NDArray[np.int64], b: Any, rows_b: NDArray[np.int64]
    ) -> NDArray[np.float64]: ...

    @abstractmethod
    def _logarithms(
        self, a: Any, rows_a: NDArray[np.int64], b: Any, rows_b: NDArray[np.int64]
    ) -> NDArray[np.float64]: ...

    @abstractmethod
    def _log_lengths(self, structures: Any) -> NDArray[np.float64]: ...


class TreeKernel(StructureKernel):
    """The number of pairs of equal sub feature trees of two dependency trees (`TreeStructures`), those of r arcs times decay^r.

    decay: 1 counts as the paper does. Trees then share more the larger they are, exponentially, and a tree is like itself above all.
    log_scale: K is divided by e^log_scale, which no ranking notices: long sentences share more sub-trees than a float can hold
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
        self, a: Any, rows_a: NDArray[np.int64], b: Any, rows_b: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        values: NDArray[np.float64]
        if self.log_scale:
            with np.errstate(over="ignore"):
                values = np.exp(self._logarithms(a, rows_a, b, rows_b) - self.log_scale)
        else:
            values = _core.tree_kernel(a, rows_a, b, rows_b, self.decay, False)
        if not np.isfinite(values).all():
            raise OverflowError(
                "two trees share more sub-trees than a number can tell: take a log_scale, a smaller decay, or normalized=True"
            )
        return values

    def _logarithms(
        self, a: Any, rows_a: NDArray[np.int64], b: Any, rows_b: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return np.asarray(_core.tree_kernel(a, rows_a, b, rows_b, self.decay, True))

    def _log_lengths(self, structures: Any) -> NDArray[np.float64]:
        return np.asarray(_core.tree_kernel_diagonal(structures, self.decay))


class PolynomialKernel(StructureKernel):
    """(|a and b| + 1)^degree of two sets (`SetStructures`): their common combinations of up to `degree` members, in every order."""

    def __init__(self, degree: int = 2, normalized: bool = False):
        self.degree = degree
        self.normalized = normalized

    def _check(self) -> None:
        if self.degree < 1 or self.degree != int(self.degree):
            raise ValueError(f"degree must be a whole number of 1 or more, not {self.degree!r}")

    def _values(
        self, a: Any, rows_a: NDArray[np.int64], b: Any, rows_b: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return np.asarray((_core.set_kernel(a, rows_a, b, rows_b) + 1.0) ** self.degree)

    def _logarithms(
        self, a: Any, rows_a: NDArray[np.int64], b: Any, rows_b: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return np.asarray(self.degree * np.log1p(_core.set_kernel(a, rows_a, b, rows_b)))

    def _log_lengths(self, structures: Any) -> NDArray[np.float64]:
        return np.asarray(self.degree * np.log1p(_core.set_kernel_diagonal(structures)))
