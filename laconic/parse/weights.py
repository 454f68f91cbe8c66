"""What a parser has learned: features of templates with one weight each, and the kernel that scores trees with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.inference.tree import tree_model
from laconic.parse.templates import PartTemplates
from laconic.text.sequences import SequenceEncoder

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]


class TreeShape(NamedTuple):
    """Which parts of trees are scored (a name of laconic.core.inference.tree.MODELS), and which trees there are."""

    model: str = "arcs"
    crossing: bool = False
    single_root: bool = False

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of parts, as laconic.parse.templates numbers them, that the model scores."""
        return {
            "arcs": (0,),
            "siblings": (0, 1),
            "carreras": (0, 1, 2),
            "grand siblings": (0, 1, 2, 3),
        }.get(self.model, (0, 1, 2, 3, 4))


class Candidates(NamedTuple):
    """The heads that token t may have: head[ptr[t]:ptr[t + 1]], 0 is the root; two empty arrays: all."""

    ptr: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    head: Int32 = np.zeros(0, dtype=np.int32)


class ParseWeights(NamedTuple):
    """Features of template m: atoms[m] (n_m, values that name a feature), weights[m] (n_m, 1).

    The values are those of the template's atoms, then, if it knows directions, their code, then the value of its view between.
    """

    atoms: list[Int32]
    weights: list[Float32]

    def subset(self, keep: Sequence[int]) -> ParseWeights:
        """The features of some templates, in this order."""
        return ParseWeights([self.atoms[m] for m in keep], [self.weights[m] for m in keep])

    @property
    def n_nonzero(self) -> int:
        """Weights that are not zero."""
        return sum(map(np.count_nonzero, self.weights))

    @property
    def n_distinct(self) -> int:
        """Distinct non-zero values of weights: the degrees of freedom."""
        values = np.unique(
            np.concatenate([np.zeros(0, np.float32), *(np.unique(w) for w in self.weights)])
        )
        return int(np.count_nonzero(values))


def make_kernel(templates: PartTemplates, encoder: SequenceEncoder, shape: TreeShape) -> Any:
    """A kernel parser without weights."""
    arrays = templates.arrays(encoder.view_index)
    return _core.Parser(_core.PartTemplates(*arrays), kernel_shape(shape))


def kernel_shape(shape: TreeShape) -> _core.TreeShape:
    """Return the shape of trees as kernels take it."""
    return _core.TreeShape(
        model=tree_model(shape.model), crossing=shape.crossing, single_root=shape.single_root
    )


def load_kernel(kernel: Any, found: ParseWeights) -> Any:
    """Put weights into a kernel parser."""
    for m, (atoms, weights) in enumerate(zip(found.atoms, found.weights, strict=True)):
        kernel.add_features(m, np.ascontiguousarray(atoms), np.ascontiguousarray(weights[:, 0]))
    return kernel


def features_of(kernel: Any, seen: Any, templates: PartTemplates) -> ParseWeights:
    """The weights of a kernel parser, with the values that name their features at the sentences it has seen."""
    atoms, weights = [], []
    for template, (values, found) in zip(templates, kernel.features(seen), strict=True):
        atoms.append(values.reshape(len(found), len(template.value_views)))
        weights.append(found.reshape(-1, 1))
    return ParseWeights(atoms, weights)
