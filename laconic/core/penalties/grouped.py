"""What flat groups and forests share: a lasso on entries beside norms of groups, and a kernel."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties.base import Penalty, factor_vector, spread_factors

NormName: TypeAlias = int | float | str  # 2, "2", "inf" or infinity

NORMS: dict[NormName, _core.Norm] = {
    2: _core.Norm.two,
    "2": _core.Norm.two,
    "inf": _core.Norm.infinity,
    np.inf: _core.Norm.infinity,
}


class NormKernel(Protocol):
    """A kernel that knows its groups."""

    def norms(self, weights: Array, norm: _core.Norm, result: Array) -> None:
        """Write the norm of every group into `result`."""


NormKernelT = TypeVar("NormKernelT", bound=NormKernel)


def norm_code(norm: NormName) -> _core.Norm:
    """Return the kernels' code of a norm: 2 or "inf"."""
    if norm not in NORMS:
        raise ValueError(f"norm must be 2 or 'inf', got {norm!r}")
    return NORMS[norm]


def check_size(groups: Groups, w: Array) -> None:
    """Raise a ValueError unless the groups are over all weights.

    `Groups.spread` makes them so where a feature has several weights.
    """
    if len(w) != groups.n_features:
        raise ValueError(
            f"the groups are over {groups.n_features} features, but there are {len(w)} weights"
        )


class Grouped(Penalty, Generic[NormKernelT]):
    """strength (l1_ratio sum_i f_i |w_i| + (1 - l1_ratio) sum_g d_g |w_g|).

    d_g are the weights of the groups; over w >= 0 if positive.
    """

    def __init__(
        self,
        groups: Groups,
        strength: float = 1.0,
        l1_ratio: float = 0.5,
        norm: NormName = 2,
        factors: ArrayLike | None = None,
        positive: bool = False,
    ):
        self.groups = groups
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.norm = norm
        self.factors = factors
        self.positive = positive

    @abstractmethod
    def _make_kernel(self) -> NormKernelT:
        """Return a checked kernel of the present groups."""

    def check(self) -> Penalty:
        """See Penalty."""
        norm_code(self.norm)
        if not 0 <= self._ratio() <= 1:
            raise ValueError(f"l1_ratio must be from 0 to 1, got {self._ratio()!r}")
        return super().check()

    def _ratio(self) -> float:
        return self.l1_ratio

    def _rates(self) -> tuple[Array, Array]:
        lasso = self.strength * self._ratio() * factor_vector(self.factors, self.groups.n_features)
        return lasso, self.strength * (1 - self._ratio()) * self.groups.weight

    def kernel(self) -> NormKernelT:
        """Return the kernel, made once for the groups it belongs to."""
        cached: tuple[Groups, NormKernelT] | None = self.__dict__.get("_kernel")
        if cached is None or cached[0] is not self.groups:
            cached = (self.groups, self._make_kernel())
            self.__dict__["_kernel"] = cached
        return cached[1]

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in super().__getstate__().items() if name != "_kernel"}

    def norms(self, w: Array) -> Array:
        """Return |w_g| of every group (in a forest: of every node's whole group)."""
        out = np.empty(len(self.groups))
        self.kernel().norms(np.ascontiguousarray(w, dtype=np.float64), norm_code(self.norm), out)
        return out

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty."""
        return len(self.groups), int(np.count_nonzero(self.norms(w)))

    def value(self, w: Array) -> float:
        """See Penalty."""
        check_size(self.groups, w)
        if self.positive and np.any(w < 0):
            return np.inf
        lasso, mass = self._rates()
        return float(np.sum(lasso * np.abs(w)) + np.sum(mass * self.norms(w)))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(
            groups=self.groups.spread(n_outputs), factors=spread_factors(self.factors, n_outputs)
        )
