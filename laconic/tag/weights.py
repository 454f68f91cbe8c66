"""The weights of a tagger: of features and transitions, and the kernel that scores with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Floats, Ints32
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import Templates


class TagWeights(NamedTuple):
    """Weights of features and transitions, for L labels.

    Parameters
    ----------
    atoms : list of arrays of shape (n_m, atoms of template m)
        For each template m, the values that name its features.
    weights : list of arrays of shape (n_m, L), or (n_m, L^2) for templates of pairs of labels
        For each template m, the weights of its features.
    edge : array of shape (L, L)
        Weight of label j after label i.
    start : array of shape (L,)
        Weight of a first label.
    """

    atoms: list[Ints32]
    weights: list[Floats]
    edge: Floats
    start: Floats

    def subset(self, keep: Sequence[int]) -> TagWeights:
        """Return the features of some templates, in this order."""
        return self._replace(
            atoms=[self.atoms[m] for m in keep], weights=[self.weights[m] for m in keep]
        )

    @property
    def n_nonzero(self) -> int:
        """Number of weights that are not zero, transitions among them."""
        return sum(map(np.count_nonzero, (*self.weights, self.edge, self.start)))

    @property
    def n_distinct(self) -> int:
        """Number of distinct non-zero values of weights: the degrees of freedom."""
        values = np.unique(
            np.concatenate([*(np.unique(w) for w in self.weights), self.edge.ravel(), self.start])
        )
        return int(np.count_nonzero(values))


def make_kernel(templates: Templates, encoder: SequenceEncoder, n_labels: int) -> _core.Tagger:
    """Return a kernel tagger without weights."""
    arrays = templates.arrays(encoder.view_index)
    return _core.Tagger(_core.Expander(*arrays[:3]), arrays.pairs, n_labels)


def load_kernel(kernel: _core.Tagger, found: TagWeights) -> _core.Tagger:
    """Put weights into a kernel tagger, and return it."""
    for m, (atoms, weights) in enumerate(zip(found.atoms, found.weights, strict=True)):
        kernel.add_features(m, atoms, weights)
    kernel.set_transitions(found.edge.ravel(), found.start)
    return kernel


def drain_kernel(kernel: _core.Tagger, templates: Templates, n_labels: int) -> TagWeights:
    """Return the weights of a kernel tagger.

    The kernel loses its features, so that they are never in memory twice.
    """
    atoms, weights = [], []
    for m, template in enumerate(templates):
        values, rows = kernel.features(m)
        kernel.shrink(np.where(np.arange(len(templates)) == m, 0.0, 1.0))
        width = n_labels**2 if template.pairs else n_labels
        weights.append(rows.reshape(-1, width))
        atoms.append(values.reshape(len(weights[-1]), len(template.atoms)))
    edge, start = kernel.transitions()
    return TagWeights(atoms, weights, edge.reshape(n_labels, n_labels), start)
