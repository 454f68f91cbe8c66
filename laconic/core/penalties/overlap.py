"""Overlapping groups: by copies of the weights (for ADMM, and an exact prox), and by layers of disjoint groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.group import GroupLasso
from laconic.core.penalties.grouped import check_size, norm_code
from laconic.core.penalties.tree import TreeGroupLasso
from laconic.core.ragged import pointers


class CopyTerm(NamedTuple):
    """Omega(w) = inner(w[index]): a penalty with an exact prox on copies of the weights."""

    index: NDArray[np.int64]  # type: ignore[assignment]  # shadows tuple.index, which nobody calls
    inner: GroupLasso | TreeGroupLasso


class OverlapGroupLasso(Penalty):
    """strength sum_g d_g |w_g|, groups that may overlap in any way; w >= 0 if positive.

    Flat groups get a copy of each weight for every group it is in. In a forest each entry of `groups.index` is one copy and the
    nodes group the copies (a parse tree: one copy a token), so that a whole tree costs one copy a leaf.
    """

    def __init__(
        self, groups: Groups, strength: float = 1.0, norm: Any = 2, positive: bool = False
    ):
        self.groups = groups
        self.strength = strength
        self.norm = norm
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty.check."""
        norm_code(self.norm)
        return super().check()

    def copied(self) -> CopyTerm:
        """The penalty on copies, where its groups are disjoint or a forest."""
        g = self.groups
        n_copies = len(g.index)
        whole = Groups(np.arange(n_copies), g.ptr, g.weight, n_copies, g.parent)
        kind = GroupLasso if g.parent is None else TreeGroupLasso
        return CopyTerm(
            g.index, kind(whole, strength=self.strength, norm=self.norm, positive=self.positive)
        )

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty."""
        index, inner = self.copied()
        return inner.count_groups(w[index])

    def value(self, w: Array) -> float:
        """See the class."""
        check_size(self.groups, w)
        index, inner = self.copied()
        return inner.value(w[index])

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Exact to 1e-10, by accelerated projected gradient on the dual."""
        return prox_by_copies(
            w, step, [self.copied()], lambda v: np.maximum(v, 0.0) if self.positive else v
        )

    def gauge(self, gradient: Array) -> float:
        """An upper bound of the dual norm: each gradient entry is shared equally by its groups."""
        index, inner = self.copied()
        counts = np.bincount(index, minlength=len(gradient))
        if np.any(gradient[counts == 0] != 0):
            return np.inf
        return inner.gauge(gradient[index] / counts[index])

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty.spread."""
        return self.replace(groups=self.groups.spread(n_outputs))


class LayeredGroupLasso(OverlapGroupLasso):
    """The same penalty, with the proxes of layers of disjoint groups applied in turn (Martins et al. 2011).

    Groups are taken from the smallest to the largest and put into the first layer that holds none of their features and comes
    after every layer that does. Where the groups are nested this order is exact; elsewhere the result is close to the prox.
    """

    def check(self) -> Penalty:
        """See Penalty.check."""
        if self.groups.parent is not None:
            raise ValueError(
                "layers are made from flat groups, got a forest: use TreeGroupLasso, whose prox is exact"
            )
        return super().check()

    def layers(self) -> list[GroupLasso]:
        """Disjoint group lassos whose sum is the penalty."""
        g = self.groups
        level_of_feature = np.zeros(g.n_features, dtype=np.int64)
        level = np.zeros(len(g), dtype=np.int64)
        for k in np.argsort(g.sizes, kind="stable"):
            members = g.members(k)
            level[k] = level_of_feature[members].max(initial=0)
            level_of_feature[members] = level[k] + 1
        return [self._layer(np.flatnonzero(level == k)) for k in range(level.max(initial=-1) + 1)]

    def _layer(self, chosen: NDArray) -> GroupLasso:
        g = self.groups
        index = np.concatenate([g.members(k) for k in chosen])
        groups = Groups(index, pointers(g.sizes[chosen]), g.weight[chosen], g.n_features)
        return GroupLasso(groups, strength=self.strength, norm=self.norm, positive=self.positive)

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """The layers' proxes in turn, inner groups first."""
        for layer in self._cached_layers():
            w = layer.prox(w, step)
        return w

    def _cached_layers(self) -> list[GroupLasso]:
        key = (self.groups, self.strength, self.norm, self.positive)
        cached = self.__dict__.get("_layers")
        if cached is None or cached[0] != key:
            cached = (key, self.layers())
            self.__dict__["_layers"] = cached
        return cached[1]

    def __getstate__(self) -> dict:
        return {name: value for name, value in super().__getstate__().items() if name != "_layers"}

    def __sklearn_clone__(self) -> LayeredGroupLasso:
        return LayeredGroupLasso(**self.get_params(deep=False))


def prox_by_copies(
    w: Array,
    step: float,
    terms: Sequence[CopyTerm],
    direct: Callable[[Array], Array],
    tol: float = 1e-10,
    max_iter: int = 20000,
) -> Array:
    """argmin_v |v - w|^2 / 2 + direct part + step sum_b inner_b(v[index_b]).

    The dual maximises over u_b in the dual ball of inner_b; for given u the best v is direct(w - M'u). Its gradient is Lipschitz
    with the largest number of copies, and by Moreau's identity a projection is what the inner prox leaves over.
    """
    counts = sum(np.bincount(index, minlength=len(w)) for index, _ in terms)
    pace = 1.0 / max(1.0, float(np.max(counts, initial=1)))
    dual = [np.zeros(len(index)) for index, _ in terms]
    ahead, momentum = [u.copy() for u in dual], 1.0
    for _ in range(max_iter):
        pulled = sum(
            np.bincount(index, weights=u, minlength=len(w))
            for (index, _), u in zip(terms, ahead, strict=True)
        )
        v_next = direct(w - pulled)
        new = []
        for (index, inner), u in zip(terms, ahead, strict=True):
            z = u + pace * v_next[index]
            new.append(z - pace * inner.prox(z / pace, step / pace))
        turn = sum(float(np.dot(a - b, b - c)) for a, b, c in zip(ahead, new, dual, strict=True))
        following = 1.0 if turn > 0 else 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        weight = (momentum - 1) / following if turn <= 0 else 0.0
        shift = max(
            float(np.max(np.abs(b - a), initial=0.0)) for a, b in zip(ahead, new, strict=True)
        )
        ahead = [b + weight * (b - c) for b, c in zip(new, dual, strict=True)]
        dual, momentum = new, following
        if shift <= tol * pace * max(1.0, float(np.max(np.abs(w), initial=0.0))):
            break
    pulled = sum(
        np.bincount(index, weights=u, minlength=len(w))
        for (index, _), u in zip(terms, dual, strict=True)
    )
    return _exact_zeros(direct(w - pulled), terms, dual, step)


def _exact_zeros(v: Array, terms: Sequence[CopyTerm], dual: list[Array], step: float) -> Array:
    """Weights with a copy that the inner prox sets to zero are zero."""
    out = v.copy()
    for (index, inner), u in zip(terms, dual, strict=True):
        copies = inner.prox(v[index] + u, step)
        out[index[copies == 0]] = 0.0
    return out
