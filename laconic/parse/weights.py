"""The weights of a parser, one per feature of a part, and the kernel that scores trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Floats, Ints, Ints32
from laconic.core.inference.tree import tree_model
from laconic.parse.templates import PartTemplates
from laconic.text.sequences import SequenceEncoder


class TreeShape(NamedTuple):
    """Which parts of trees are scored, and which trees there are.

    Parameters
    ----------
    model : str, default="arcs"
        A name of laconic.core.inference.tree.MODELS.
    crossing : bool, default=False
        Whether arcs may cross.
    single_root : bool, default=False
        Whether a sentence has exactly one root.
    """

    model: str = "arcs"
    crossing: bool = False
    single_root: bool = False

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of parts that the model scores, as laconic.parse.templates numbers them."""
        return {
            "arcs": (0,),
            "siblings": (0, 1),
            "carreras": (0, 1, 2),
            "grand siblings": (0, 1, 2, 3),
        }.get(self.model, (0, 1, 2, 3, 4))


PRUNER = TreeShape("arcs", crossing=True)  # the trees of the model that prunes arcs


class Candidates(NamedTuple):
    """The heads that token t may have: head[ptr[t]:ptr[t + 1]], 0 is the root.

    Two empty arrays stand for all heads.
    """

    ptr: Ints = np.zeros(0, dtype=np.int64)
    head: Ints32 = np.zeros(0, dtype=np.int32)


class ParseWeights(NamedTuple):
    """Weights of the features of parts.

    Parameters
    ----------
    atoms : list of arrays of shape (n_m, values that name a feature)
        For each template m, the values that name its features: those of its atoms, then the code of
        directions if it has one, then the value of its view between.
    weights : list of arrays of shape (n_m, 1)
        For each template m, the weights of its features.
    """

    atoms: list[Ints32]
    weights: list[Floats]

    def subset(self, keep: Sequence[int]) -> ParseWeights:
        """Return the features of some templates, in this order."""
        return ParseWeights([self.atoms[m] for m in keep], [self.weights[m] for m in keep])

    @property
    def n_nonzero(self) -> int:
        """Number of weights that are not zero."""
        return sum(map(np.count_nonzero, self.weights))

    @property
    def n_distinct(self) -> int:
        """Number of distinct non-zero values of weights: the degrees of freedom."""
        values = np.unique(
            np.concatenate([np.zeros(0, np.float32), *(np.unique(w) for w in self.weights)])
        )
        return int(np.count_nonzero(values))


def make_kernel(
    templates: PartTemplates, encoder: SequenceEncoder, shape: TreeShape
) -> _core.Parser:
    """Return a kernel parser without weights."""
    arrays = templates.arrays(encoder.view_index)
    return _core.Parser(_core.PartTemplates(*arrays), kernel_shape(shape))


def kernel_shape(shape: TreeShape) -> _core.TreeShape:
    """Return the shape of trees as kernels take it."""
    return _core.TreeShape(
        model=tree_model(shape.model), crossing=shape.crossing, single_root=shape.single_root
    )


def load_kernel(kernel: _core.Parser, found: ParseWeights) -> _core.Parser:
    """Put weights into a kernel parser, and return it."""
    for m, (atoms, weights) in enumerate(zip(found.atoms, found.weights, strict=True)):
        kernel.add_features(m, np.ascontiguousarray(atoms), np.ascontiguousarray(weights[:, 0]))
    return kernel


def features_of(
    kernel: _core.Parser, seen: _core.TrainingTrees, templates: PartTemplates
) -> ParseWeights:
    """Return the weights of a kernel parser, with the values that name their features.

    The values are found in the sentences that the kernel has seen.
    """
    atoms, weights = [], []
    for template, (values, found) in zip(templates, kernel.features(seen), strict=True):
        atoms.append(values.reshape(len(found), len(template.value_views)))
        weights.append(found.reshape(-1, 1))
    return ParseWeights(atoms, weights)
