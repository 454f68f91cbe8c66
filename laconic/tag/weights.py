"""What a tagger has learned: features of templates with their weights, transitions, and the kernel that scores with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import Templates

Float32 = NDArray[np.float32]


class TagWeights(NamedTuple):
    """Features of template m: atoms[m] (n_m, atoms of m) and weights[m] (n_m, labels), or (n_m, labels^2) for pair templates.

    edge (L, L): weight of label j after label i; start (L,): weight of a first label.
    """

    atoms: list[NDArray[np.int32]]
    weights: list[Float32]
    edge: Float32
    start: Float32

    def subset(self, keep: Sequence[int]) -> TagWeights:
        """The features of some templates, in this order."""
        return self._replace(
            atoms=[self.atoms[m] for m in keep], weights=[self.weights[m] for m in keep]
        )

    @property
    def n_nonzero(self) -> int:
        """Weights that are not zero, transitions among them."""
        return sum(map(np.count_nonzero, (*self.weights, self.edge, self.start)))

    @property
    def n_distinct(self) -> int:
        """Distinct non-zero values of weights: the degrees of freedom."""
        values = np.unique(
            np.concatenate([*(np.unique(w) for w in self.weights), self.edge.ravel(), self.start])
        )
        return int(np.count_nonzero(values))


def make_kernel(templates: Templates, encoder: SequenceEncoder, n_labels: int) -> Any:
    """A kernel tagger without weights."""
    arrays = templates.arrays(encoder.view_index)
    return _core.Tagger(_core.Expander(*arrays[:3]), arrays.pairs, n_labels)


def load_kernel(kernel: Any, found: TagWeights) -> Any:
    """Put weights into a kernel tagger."""
    for m, (atoms, weights) in enumerate(zip(found.atoms, found.weights, strict=True)):
        kernel.add_features(m, atoms, weights)
    kernel.set_transitions(found.edge.ravel(), found.start)
    return kernel


def drain_kernel(kernel: Any, templates: Templates, n_labels: int) -> TagWeights:
    """The weights of a kernel tagger, which loses its features: they are never in memory twice."""
    atoms, weights = [], []
    for m, template in enumerate(templates):
        values, rows = kernel.features(m)
        kernel.shrink(np.where(np.arange(len(templates)) == m, 0.0, 1.0))
        width = n_labels**2 if template.pairs else n_labels
        weights.append(rows.reshape(-1, width))
        atoms.append(values.reshape(len(weights[-1]), len(template.atoms)))
    edge, start = kernel.transitions()
    return TagWeights(atoms, weights, edge.reshape(n_labels, n_labels), start)
