"""Shrinking whole templates by a budget (Martins et al. 2011, section 4).

A layer is a set of groups that do not overlap; a group is a set of templates whose features are penalised as one:

    prox of sigma * sum_g d_g |w_g|  scales group g by  max(0, 1 - sigma d_g / |w_g|)

so that a proximal step costs O(templates): it only needs their norms. With a budget B the step's sigma lies halfway between the
B-th and the next largest |w_g| / d_g: no more than B groups of the layer stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sizes = NDArray[np.int64] | NDArray[np.float64]


class Layer(NamedTuple):
    """Groups of templates, the weight d of each, and how many may stay."""

    groups: list[NDArray[np.int64]]
    weight: Array
    budget: int


def shrink_layer(norms: Array, layer: Layer) -> Array:
    """The factor of every template (1 outside the layer) that leaves at most `budget` groups."""
    factors = np.ones_like(norms)
    lengths = np.array([np.linalg.norm(norms[group]) for group in layer.groups])
    if np.count_nonzero(lengths) <= layer.budget:
        return factors
    ratio = lengths / layer.weight
    ranked = np.argsort(-ratio, kind="stable")
    lowest = ratio[ranked[layer.budget - 1]] if layer.budget else 0.0
    sigma = 0.5 * (lowest + ratio[ranked[layer.budget]])
    for place, g in enumerate(ranked):
        # Of groups that tie at the budget's edge the first ones stay, unshrunk, and the others go.
        stays = place < layer.budget
        factors[layer.groups[g]] = (1.0 - sigma / ratio[g] if sigma < ratio[g] else 1.0) if stays else 0.0
    return factors


def shrink_layers(norms: Array, layers: Sequence[Layer]) -> Array:
    """The proximal steps of all layers, one after the other."""
    factors = np.ones_like(norms)
    for layer in layers:
        factors *= shrink_layer(norms * factors, layer)
    return factors


def template_layer(sizes: Sizes, budget: int, weight: str) -> Layer:
    """A group a template, with d from the number of its features."""
    groups = [np.array([m]) for m in range(len(sizes))]
    return Layer(groups, group_weights(sizes, weight), budget)


def group_weights(sizes: Sizes, rule: str) -> Array:
    """d_g by rule: "log" is log2 of the size, the bits that name a feature of the group; "sqrt log" its root; "one" is 1."""
    bits = np.log2(np.maximum(np.asarray(sizes, dtype=np.float64), 2.0))
    rules = {"log": bits, "sqrt log": np.sqrt(bits), "one": np.ones_like(bits)}
    if rule not in rules:
        raise ValueError(f"group_weight must be one of {', '.join(map(repr, rules))}, got {rule!r}")
    return rules[rule]


def coarse_to_fine_layers(sizes: Sizes, finer: NDArray[np.bool_], budget: int, weight: str) -> list[Layer]:
    """Overlapping groups G_a = all b with finer[a, b], a itself among them, dealt to layers of groups that do not overlap.

    Groups are taken from the largest to the smallest, each into the first layer where it meets no other. The budget is shared out
    in proportion to the layers' groups.
    """
    n = len(sizes)
    groups = [np.flatnonzero(finer[a]) for a in range(n)]
    dealt: list[list[int]] = []
    used: list[NDArray[np.bool_]] = []
    for a in sorted(range(n), key=lambda a: -len(groups[a])):
        for layer, taken in zip(dealt, used, strict=True):
            if not taken[groups[a]].any():
                layer.append(a)
                taken[groups[a]] = True
                break
        else:
            dealt.append([a])
            taken = np.zeros(n, dtype=bool)
            taken[groups[a]] = True
            used.append(taken)
    shares = share_out(budget, [len(layer) for layer in dealt])
    weights = group_weights(np.array([np.sum(sizes[group]) for group in groups]), weight)
    return [Layer([groups[a] for a in layer], weights[layer], share) for layer, share in zip(dealt, shares, strict=True)]


def share_out(total: int, sizes: Sequence[int]) -> list[int]:
    """Whole shares of a total in proportion to sizes, none above its size; if the total allows, none is zero.

    A layer whose share is zero would lose all its groups at every shrinking, whatever they are worth.
    """
    total = min(total, sum(sizes))
    least = np.ones(len(sizes), dtype=int) if total >= len(sizes) else np.zeros(len(sizes), dtype=int)
    room = np.array(sizes) - least
    exact = room * ((total - least.sum()) / max(1, room.sum()))
    shares = least + np.floor(exact).astype(int)
    for i in np.argsort(np.floor(exact) - exact, kind="stable")[: total - int(shares.sum())]:
        shares[i] += 1
    return [int(share) for share in shares]
