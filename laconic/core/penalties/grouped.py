"""What flat groups and forests share: a lasso on entries beside norms of groups, and a kernel."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.groups_like import GroupsLike, as_groups, spread_groups
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


class OverGroups(Penalty):
    """A penalty whose `groups` may be given in any form (see `as_groups`)."""

    groups: GroupsLike
    nested: ClassVar[bool] = False  # whether lists are nested sets, which become a forest

    def over(self, n_weights: int) -> Groups:
        """Return the groups over n_weights weights, made once from lists or labels."""
        given = self.groups
        if isinstance(given, Groups):
            return as_groups(given, n_weights)
        cached: tuple[GroupsLike, Groups] | None = self.__dict__.get("_over")
        if cached is None or cached[0] is not given or cached[1].n_features != n_weights:
            cached = (given, as_groups(given, n_weights, self.nested))
            self.__dict__["_over"] = cached
        return cached[1]

    def __getstate__(self) -> dict[str, object]:
        cached = ("_over", "_kernel", "_layers")
        return {name: value for name, value in super().__getstate__().items() if name not in cached}


class Grouped(OverGroups, Generic[NormKernelT]):
    """strength (l1_ratio sum_i f_i |w_i| + (1 - l1_ratio) sum_g d_g |w_g|).

    d_g are the weights of the groups; over w >= 0 if positive.
    """

    def __init__(
        self,
        groups: GroupsLike,
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
    def _make_kernel(self, groups: Groups) -> NormKernelT:
        """Return a checked kernel of groups."""

    def check(self) -> Penalty:
        """See Penalty."""
        norm_code(self.norm)
        if not 0 <= self._ratio() <= 1:
            raise ValueError(f"l1_ratio must be from 0 to 1, got {self._ratio()!r}")
        return super().check()

    def _ratio(self) -> float:
        return self.l1_ratio

    def _rates(self, n_weights: int) -> tuple[Array, Array]:
        lasso = self.strength * self._ratio() * factor_vector(self.factors, n_weights)
        return lasso, self.strength * (1 - self._ratio()) * self.over(n_weights).weight

    def kernel(self, n_weights: int) -> NormKernelT:
        """Return the kernel, made once for the groups it belongs to."""
        groups = self.over(n_weights)
        cached: tuple[Groups, NormKernelT] | None = self.__dict__.get("_kernel")
        if cached is None or cached[0] is not groups:
            cached = (groups, self._make_kernel(groups))
            self.__dict__["_kernel"] = cached
        return cached[1]

    def norms(self, w: Array) -> Array:
        """Return |w_g| of every group (in a forest: of every node's whole group)."""
        kernel, out = self.kernel(len(w)), np.empty(len(self.over(len(w))))
        kernel.norms(np.ascontiguousarray(w, dtype=np.float64), norm_code(self.norm), out)
        return out

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty."""
        norms = self.norms(w)
        return len(norms), int(np.count_nonzero(norms))

    def value(self, w: Array) -> float:
        """See Penalty."""
        lasso, mass = self._rates(len(w))
        if self.positive and np.any(w < 0):
            return np.inf
        return float(np.sum(lasso * np.abs(w)) + np.sum(mass * self.norms(w)))

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(
            groups=spread_groups(self.groups, n_outputs),
            factors=spread_factors(self.factors, n_outputs),
        )
