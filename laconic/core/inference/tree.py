"""Inference over dependency trees: best tree, k best trees, log Z and marginals.

    score(tree) = sum over arcs (h, m) of arc[h, m]  +  sums over the tree's larger parts, by model

Word m is 1 .. n - 1, 0 is the root; heads[m] is the head of word m and heads[0] is -1. A model says
which parts are scored, and a missing word of a part is the head h itself:

    arcs            arc (n, n)
    siblings        and sibling (n, n, n): [h, m, s], s the next child of h from m towards h
    carreras        and grandchild (n, n, n): [h, m, c], c the outermost child of m on either side,
                    m itself where there is none
    grand siblings  arc, sibling and grand_sibling (n, n, n, n): [g, h, m, s], g the head of h
                    (0 for the root's children)
    tri siblings    arc, sibling, grand_sibling for the outermost child m of h on either side, and
                    tri_sibling (n, n, n, n): [h, m, s, t], t the next child after s

Trees are projective, or may cross (arcs only). Scores are finite, or -infinity where
forbidden.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array, Ints32

MODELS = ("arcs", "siblings", "carreras", "grand siblings", "tri siblings")


def tree_model(name: str) -> _core.TreeModel:
    """Return the kernel's model of a name of MODELS."""
    return _core.TreeModel[name.replace(" ", "_")]


class ScoredTree(NamedTuple):
    """Heads (n,) and score; -infinity if no tree is allowed."""

    heads: Ints32
    score: float


class TreeMarginals(NamedTuple):
    """log Z and the probabilities of parts, in the shapes of their scores; None: no such parts."""

    log_z: float
    arc: Array
    sibling: Array | None = None
    grandchild: Array | None = None


class Trees(NamedTuple):
    """The scores of one sentence; larger parts are None where the model has none of them."""

    arc: Array
    sibling: Array | None = None
    grandchild: Array | None = None
    grand_sibling: Array | None = None
    tri_sibling: Array | None = None
    crossing: bool = False
    single_root: bool = False

    @classmethod
    def make(
        cls,
        arc: ArrayLike,
        sibling: ArrayLike | None = None,
        grandchild: ArrayLike | None = None,
        grand_sibling: ArrayLike | None = None,
        tri_sibling: ArrayLike | None = None,
        crossing: bool = False,
        single_root: bool = False,
    ) -> Trees:
        """Return scores as arrays of the right type and shape."""
        arcs = np.ascontiguousarray(arc, dtype=np.float64)
        n = len(arcs) if arcs.ndim else 0

        def table(name: str, part: ArrayLike | None, dimensions: int) -> Array | None:
            if part is None:
                return None
            made = np.ascontiguousarray(part, dtype=np.float64)
            if made.shape != (n,) * dimensions:
                raise ValueError(f"{name} must have shape {(n,) * dimensions}, got {made.shape}")
            return made

        table("arc", arcs, 2)
        made = cls(
            arcs,
            table("sibling", sibling, 3),
            table("grandchild", grandchild, 3),
            table("grand_sibling", grand_sibling, 4),
            table("tri_sibling", tri_sibling, 4),
            crossing,
            single_root,
        )
        if crossing and made.model != "arcs":
            raise ValueError("trees that cross are scored by arcs alone")
        return made

    @property
    def model(self) -> str:
        """Name of the model that has these parts."""
        has = tuple(part is not None for part in self[1:5])
        names = {
            (False, False, False, False): "arcs",
            (True, False, False, False): "siblings",
            (True, True, False, False): "carreras",
            (True, False, True, False): "grand siblings",
            (True, False, True, True): "tri siblings",
        }
        if has not in names:
            raise ValueError("no model has just these parts; see laconic.core.inference.tree")
        return names[has]

    def arguments(self) -> tuple[_core.TreeModel, int, list[Array], bool]:
        """Return the arguments of the kernels of projective trees."""
        tables = [part.ravel() for part in self[:5] if part is not None]
        return tree_model(self.model), len(self.arc), tables, self.single_root


def best(trees: Trees) -> ScoredTree:
    """Return the best tree."""
    if trees.crossing:
        return ScoredTree(
            *_core.crossing_best(len(trees.arc), trees.arc.ravel(), trees.single_root)
        )
    return ScoredTree(*_core.projective_best(*trees.arguments()))


def k_best(trees: Trees, k: int) -> list[ScoredTree]:
    """Return up to k different trees, best first."""
    n = len(trees.arc)
    if trees.crossing:
        heads, scores = _core.crossing_k_best(n, trees.arc.ravel(), trees.single_root, k)
    else:
        heads, scores = _core.projective_k_best(*trees.arguments(), k)
    return [
        ScoredTree(row, score)
        for row, score in zip(heads.reshape(-1, n), scores.tolist(), strict=True)
    ]


def marginals(trees: Trees) -> TreeMarginals:
    """Return log Z and the probabilities of parts.

    Of projective trees of orders 1 and 2, or of trees that may cross.
    """
    n = len(trees.arc)
    if trees.crossing:
        log_z, arc = _core.crossing_marginals(n, trees.arc.ravel(), trees.single_root)
        return TreeMarginals(log_z, arc.reshape(n, n))
    log_z, arc, sibling, grandchild = _core.projective_marginals(*trees.arguments())
    cubes = [part.reshape(n, n, n) if part.size else None for part in (sibling, grandchild)]
    return TreeMarginals(log_z, arc.reshape(n, n), *cubes)


def with_cost(arc: ArrayLike, gold: ArrayLike, cost: float = 1.0) -> Array:
    """Return arc scores with `cost` added for every head but gold's (n,).

    The best tree is then the most violating one.
    """
    table = np.array(arc, dtype=np.float64)
    heads = np.asarray(gold)
    table += cost
    words = np.arange(1, len(heads))
    table[heads[1:], words] -= cost
    return table
