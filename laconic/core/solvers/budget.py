"""Shrinking whole templates to a budget (Martins et al. 2011, section 4).

Group G_a holds the features of template a, or with an order from coarse to fine those of a and of
all templates that refine it:

    prox of sigma * sum_a d_a |w_{G_a}|,   G_a = union of I(T_b) over b at or below a

Groups that do not overlap make a layer, whose proximal step scales group a by
max(0, 1 - sigma d_a / |w_{G_a}|): it needs norms alone and costs O(templates). Layers follow each
other from the finest groups to the coarsest. If a template becomes zero, so do all that refine it:
a template is kept only with everything it refines. A template in k groups is shrunk k times; the
weight of its own group is d / sqrt(k), otherwise templates at the edge of a window, whose parts are
no templates, would be cheaper than others.

With a budget of B templates, sigma lies halfway between the smallest that leaves B and the smallest
that leaves fewer; for single templates this is halfway between the B-th and the next largest
|w_a| / d_a. All layers share this sigma. (Separate budgets for layers, which the paper's footnote 5
suggests, leave too few templates: a layer without a share loses all of its groups.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from laconic.core.arrays import Array, Bools, Ints

Sizes: TypeAlias = Ints | Array
Order: TypeAlias = Bools  # [a, b]: whether template b is a or refines it

TIED = 1e-9  # thresholds of sigma that are relatively this close are one
ROUNDING = 4 * np.finfo(np.float64).eps  # of a norm, a ratio and a product


class TemplateBudget:
    """Groups of templates in layers, shrunk until at most a budget of templates is left.

    Parameters
    ----------
    sizes : array of shape (n_templates,)
        Number of weights of each template.
    rule : str, default="one"
        Weight d of a group by its size, see `group_weights`.
    finer : array of bool, shape (n_templates, n_templates), or None, default=None
        Whether template b is a or refines it, at [a, b]; None: no template refines another.
    """

    def __init__(self, sizes: Sizes, rule: str = "one", finer: Order | None = None) -> None:
        self.finer = np.eye(len(sizes), dtype=bool) if finer is None else finer
        of_group = self.finer.astype(np.float64) @ np.asarray(sizes, dtype=np.float64)
        self.weight = group_weights(of_group, rule) / np.sqrt(self.finer.sum(axis=0))
        self.layers = layers_of(self.finer)
        # Of each layer: the position of every template's group in it, one past the last for
        # templates outside the layer.
        self._place = [np.full(len(sizes), len(layer)) for layer in self.layers]
        for place, layer in zip(self._place, self.layers, strict=True):
            group, template = np.nonzero(self.finer[layer])
            place[template] = group

    def prox(self, norms: Array, sigma: float) -> Array:
        """Return the factor of every template after the proximal steps of all layers."""
        factors = np.ones_like(norms)
        for layer, place in zip(self.layers, self._place, strict=True):
            lengths = np.sqrt(np.bincount(place, (norms * factors) ** 2, len(layer) + 1)[:-1])
            shrunk = np.zeros_like(lengths)
            np.divide(sigma * self.weight[layer], lengths, out=shrunk, where=lengths > 0)
            factors *= np.append(np.maximum(0.0, 1.0 - shrunk), 1.0)[place]
        return factors

    def shrink(self, norms: Array, budget: int) -> Array:
        """Return the factor of every template that leaves `budget` of them, or all there are."""
        if np.count_nonzero(norms) <= budget:
            return np.ones_like(norms)
        if not budget:
            return np.zeros_like(norms)

        def left(sigma: float) -> int:
            return int(np.count_nonzero(norms * self.prox(norms, sigma)))

        # Where groups do not overlap, this is where each template vanishes, but for rounding.
        edges = np.sort(norms / self.weight)[::-1]
        if len(self.layers) == 1:
            enough = smallest(lambda sigma: left(sigma) <= budget, *about(edges[budget]))
            fewer = smallest(lambda sigma: left(sigma) < budget, *about(edges[budget - 1]))
        else:
            enough = smallest(lambda sigma: left(sigma) <= budget, 0.0, edges[0])
            fewer = smallest(lambda sigma: left(sigma) < budget, enough, edges[0])
        if fewer > enough * (1 + TIED):
            return self.prox(norms, 0.5 * (enough + fewer))
        # Several templates would vanish at once: shrink less, and drop the weakest ones that no
        # remaining template refines.
        factors = self.prox(norms, enough * (1 - 1e-3))
        for _ in range(np.count_nonzero(norms * factors) - budget):
            stays = norms * factors > 0
            finest = stays & (self.finer @ stays.astype(np.int64) == 1)
            factors[np.argmin(np.where(finest, norms * factors / self.weight, np.inf))] = 0.0
        return factors


def about(value: float) -> tuple[float, float]:
    """Return the two ends of the few numbers that rounding may put in a value's place."""
    return value * (1 - ROUNDING), value * (1 + ROUNDING)


def smallest(holds: Callable[[float], bool], lower: float, upper: float) -> float:
    """Return the smallest positive number from which on a condition holds, by bisection.

    It is the same wherever the search begins, but sooner found between good bounds.
    """
    if lower > 0 and holds(lower):
        lower, upper = 0.0, lower
    while not holds(upper):
        lower, upper = upper, 2 * upper
    while lower < (middle := 0.5 * (lower + upper)) < upper:
        lower, upper = (lower, middle) if holds(middle) else (middle, upper)
    return upper


def layers_of(finer: Order) -> list[Ints]:
    """Return templates in layers whose groups do not overlap, inner groups in earlier layers."""
    overlaps = (finer.astype(np.int64) @ finer.T.astype(np.int64)) > 0
    level = np.full(len(finer), -1)
    for a in np.argsort(finer.sum(axis=1), kind="stable"):
        level[a] = np.max(level[overlaps[a]]) + 1
    return [np.flatnonzero(level == j) for j in range(int(level.max(initial=-1)) + 1)]


def group_weights(sizes: Sizes, rule: str) -> Array:
    """Return d_g by rule: "log" is log2 of the size, "sqrt log" its square root, "one" is 1.

    log2 of the size is the number of bits that name a feature of the group.
    """
    bits = np.log2(np.maximum(np.asarray(sizes, dtype=np.float64), 2.0))
    rules = {"log": bits, "sqrt log": np.sqrt(bits), "one": np.ones_like(bits)}
    if rule not in rules:
        raise ValueError(f"group_weight must be one of {', '.join(map(repr, rules))}, got {rule!r}")
    return rules[rule]
