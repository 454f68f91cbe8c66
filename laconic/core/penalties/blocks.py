"""Penalties of the norms of blocks: whole blocks are kept or dropped, whatever the penalty.

    Omega(w) = inner(|w_1|_2, .., |w_M|_2)        w_m the weights of block m

With L1 this is the group lasso. Overlapping groups that are unions of blocks have
|w_G|_2 = |(|w_m|_2)_{m in G}|_2, so that millions of weights cost as much as their M norms.
"""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.group import group_sums


class BlockNorms(Penalty):
    """inner(|w_1|_2, .., |w_M|_2), for an inner penalty that grows with every size.

    The prox scales blocks, since among the vectors of given norms the nearest one keeps the
    directions: v_m = w_m n_m / |w_m| with n = prox of inner at the norms.

    Parameters
    ----------
    inner : Penalty
        Penalty of M numbers that are not negative.
    blocks : Groups
        The M disjoint blocks; weights in none are not penalised.
    strength : float, default=1.0
        Factor of the inner penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1, Groups
    >>> from laconic.core.penalties.blocks import BlockNorms
    >>> blocks = Groups.from_lists([[0, 1], [2, 3]], n_features=4)
    >>> BlockNorms(L1(2.5), blocks).prox(np.array([3.0, 4.0, 1.0, 1.0])).tolist()
    [1.5, 2.0, 0.0, 0.0]
    """

    def __init__(self, inner: Penalty, blocks: Groups, strength: float = 1.0):
        self.inner = inner
        self.blocks = blocks
        self.strength = strength

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """Whether the inner penalty is convex."""
        return self.inner.convex

    @property
    def homogeneous(self) -> bool:  # type: ignore[override]
        """Whether the inner penalty is homogeneous."""
        return self.inner.homogeneous

    def check(self) -> Penalty:
        """See Penalty."""
        self.inner.check()
        return super().check()

    def norms(self, w: Array) -> Array:
        """Return |w_m|_2 of every block."""
        if len(w) != self.blocks.n_features:
            raise ValueError(
                f"the blocks are over {self.blocks.n_features} features, "
                f"but there are {len(w)} weights"
            )
        return np.sqrt(group_sums(self.blocks, w * w))

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty; the groups of the inner penalty, or else the blocks."""
        norms = self.norms(w)
        inner = self.inner.count_groups(norms)
        return inner if inner[0] else (len(norms), int(np.count_nonzero(norms)))

    def value(self, w: Array) -> float:
        """See Penalty."""
        return self.strength * self.inner.value(self.norms(w))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the blocks scaled to the prox of their norms."""
        norms = self.norms(w)
        after = self.inner.prox(norms, step * self.strength)
        factors = np.divide(after, norms, out=np.zeros_like(norms), where=norms > 0)
        out = w.astype(np.float64)
        out[self.blocks.index] *= np.repeat(factors, self.blocks.sizes)
        return out

    def gauge(self, gradient: Array) -> float:
        """Return the gauge of the inner penalty at the norms; infinite outside of the blocks."""
        free = np.ones(len(gradient), dtype=bool)
        free[self.blocks.index] = False
        if np.any(gradient[free] != 0) or not self.strength:
            return np.inf
        return self.inner.gauge(-self.norms(gradient)) / self.strength

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty; a block holds the weights of its features for all outputs."""
        return self.replace(blocks=self.blocks.spread(n_outputs))
