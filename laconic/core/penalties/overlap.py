"""Overlapping groups: by copies of the weights (an exact prox), and by disjoint layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array, Ints
from laconic.core.groups import Groups
from laconic.core.groups_like import GroupsLike, spread_groups
from laconic.core.penalties.base import Penalty
from laconic.core.penalties.group import GroupLasso
from laconic.core.penalties.grouped import NormName, OverGroups, norm_code
from laconic.core.penalties.tree import TreeGroupLasso
from laconic.core.ragged import pointers


class CopyTerm(NamedTuple):
    """Omega(w) = inner(w[index]): a penalty with an exact prox on copies of the weights."""

    index: Ints  # type: ignore[assignment]  # shadows tuple.index, which nobody calls
    inner: GroupLasso | TreeGroupLasso


class OverlapGroupLasso(OverGroups):
    """strength sum_g d_g |w_g| over groups that may overlap in any way, d_g their weights.

    Flat groups get a copy of each weight for every group it is in. In a forest each entry of
    `groups.index` is one copy and the nodes group the copies (a parse tree: one copy per token), so
    that a whole tree costs one copy per leaf.

    Parameters
    ----------
    groups : Groups, list of lists, dict or array
        Groups of features, flat or a forest, or flat ones as lists of features, also by name;
        features in no group are not penalised.
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    norm : 2 or "inf", default=2
        Norm of the weights of a group.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Groups, OverlapGroupLasso
    >>> groups = Groups.from_lists([[0, 1], [1, 2]], n_features=3, weight=[1.0, 1.0])
    >>> OverlapGroupLasso(groups, strength=1.0).prox(np.array([3.0, 0.5, 0.5])).tolist()
    [2.0, 0.0, 0.0]
    """

    def __init__(
        self, groups: GroupsLike, strength: float = 1.0, norm: NormName = 2, positive: bool = False
    ):
        self.groups = groups
        self.strength = strength
        self.norm = norm
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        norm_code(self.norm)
        return super().check()

    def copied(self, n_weights: int) -> CopyTerm:
        """Return the penalty on copies, where its groups are disjoint or a forest."""
        g = self.over(n_weights)
        n_copies = len(g.index)
        whole = Groups(np.arange(n_copies), g.ptr, g.weight, n_copies, g.parent)
        kind = GroupLasso if g.parent is None else TreeGroupLasso
        return CopyTerm(
            g.index, kind(whole, strength=self.strength, norm=self.norm, positive=self.positive)
        )

    def count_groups(self, w: Array) -> tuple[int, int]:
        """See Penalty."""
        index, inner = self.copied(len(w))
        return inner.count_groups(w[index])

    def value(self, w: Array) -> float:
        """See Penalty."""
        index, inner = self.copied(len(w))
        return inner.value(w[index])

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the prox, exact to 1e-10, by accelerated projected gradient on the dual."""
        return prox_by_copies(
            w, step, [self.copied(len(w))], lambda v: np.maximum(v, 0.0) if self.positive else v
        )

    def gauge(self, gradient: Array) -> float:
        """Return an upper bound: each gradient entry is shared equally by its groups."""
        index, inner = self.copied(len(gradient))
        counts = np.bincount(index, minlength=len(gradient))
        if np.any(gradient[counts == 0] != 0):
            return np.inf
        return inner.gauge(gradient[index] / counts[index])

    def spread(self, n_outputs: int) -> Penalty:
        """See Penalty."""
        return self.replace(groups=spread_groups(self.groups, n_outputs))


class LayeredGroupLasso(OverlapGroupLasso):
    """strength sum_g d_g |w_g|, its prox taken layer by layer of disjoint groups.

    (Martins et al. 2011.) Groups are taken from the smallest to the largest and put into the first
    layer that holds none of their features and comes after every layer that does. Where the groups
    are nested this order is exact; elsewhere the result is close to the prox.

    Estimators solve the problem with the penalty itself, as with OverlapGroupLasso, and certify
    that. The prox by layers, which is fast, is for online learners and for solvers that are asked
    for by name.

    Parameters
    ----------
    groups : Groups, list of lists, dict or array
        Flat groups of features, also as lists of features; features in no group are not
        penalised.
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    norm : 2 or "inf", default=2
        Norm of the weights of a group.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Groups, LayeredGroupLasso
    >>> groups = Groups.from_lists([[0, 1, 2], [1, 2]], n_features=3, weight=[1.0, 2.0])
    >>> penalty = LayeredGroupLasso(groups, strength=1.0)
    >>> len(penalty.layers(3)), penalty.prox(np.array([3.0, 1.0, 1.0])).tolist()
    (2, [2.0, 0.0, 0.0])
    """

    def check(self) -> Penalty:
        """See Penalty."""
        if isinstance(self.groups, Groups) and self.groups.parent is not None:
            raise ValueError(
                "layers are made from flat groups, got a forest: "
                "use TreeGroupLasso, whose prox is exact"
            )
        return super().check()

    def layers(self, n_weights: int) -> list[GroupLasso]:
        """Return disjoint group lassos whose sum is the penalty."""
        g = self.over(n_weights)
        level_of_feature = np.zeros(g.n_features, dtype=np.int64)
        level = np.zeros(len(g), dtype=np.int64)
        for k in np.argsort(g.sizes, kind="stable"):
            members = g.members(k)
            level[k] = level_of_feature[members].max(initial=0)
            level_of_feature[members] = level[k] + 1
        return [
            self._layer(g, np.flatnonzero(level == k)) for k in range(level.max(initial=-1) + 1)
        ]

    def _layer(self, g: Groups, chosen: Ints) -> GroupLasso:
        index = np.concatenate([g.members(k) for k in chosen])
        groups = Groups(index, pointers(g.sizes[chosen]), g.weight[chosen], g.n_features)
        return GroupLasso(groups, strength=self.strength, norm=self.norm, positive=self.positive)

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the proxes of the layers in turn, inner groups first."""
        for layer in self._cached_layers(len(w)):
            w = layer.prox(w, step)
        return w

    def _cached_layers(self, n_weights: int) -> list[GroupLasso]:
        key = (self.over(n_weights), self.strength, self.norm, self.positive)
        cached: tuple[object, list[GroupLasso]] | None = self.__dict__.get("_layers")
        if cached is None or cached[0] != key:
            cached = (key, self.layers(n_weights))
            self.__dict__["_layers"] = cached
        return cached[1]

    def __sklearn_clone__(self) -> LayeredGroupLasso:
        return LayeredGroupLasso(**self.get_params(deep=False))


def prox_by_copies(
    w: Array,
    step: float,
    terms: Sequence[tuple[Ints, Penalty]],
    direct: Callable[[Array], Array],
    tol: float = 1e-10,
    max_iter: int = 20000,
) -> Array:
    """Return argmin_v |v - w|^2 / 2 + direct part + step sum_b inner_b(v[index_b]).

    The dual maximises over u_b in the dual ball of inner_b; for given u the best v is
    direct(w - M'u). Its gradient is Lipschitz with the largest number of copies, and by Moreau's
    identity a projection is what the inner prox leaves over.
    """
    counts = sum(np.bincount(index, minlength=len(w)) for index, _ in terms)
    size = 1.0 / max(1.0, float(np.max(counts, initial=1)))
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
            z = u + size * v_next[index]
            new.append(z - size * inner.prox(z / size, step / size))
        turn = sum(float(np.dot(a - b, b - c)) for a, b, c in zip(ahead, new, dual, strict=True))
        following = 1.0 if turn > 0 else 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        weight = (momentum - 1) / following if turn <= 0 else 0.0
        shift = max(
            float(np.max(np.abs(b - a), initial=0.0)) for a, b in zip(ahead, new, strict=True)
        )
        ahead = [b + weight * (b - c) for b, c in zip(new, dual, strict=True)]
        dual, momentum = new, following
        if shift <= tol * size * float(np.max(np.abs(w), initial=0.0)):
            break
    pulled = sum(
        np.bincount(index, weights=u, minlength=len(w))
        for (index, _), u in zip(terms, dual, strict=True)
    )
    return _exact_zeros(direct(w - pulled), terms, dual, step)


def _exact_zeros(
    v: Array, terms: Sequence[tuple[Ints, Penalty]], dual: list[Array], step: float
) -> Array:
    """Return v with zeros where the inner prox sets a copy to zero."""
    out = v.copy()
    for (index, inner), u in zip(terms, dual, strict=True):
        copies = inner.prox(v[index] + u, step)
        out[index[copies == 0]] = 0.0
    return out
