"""Templates with weights as they score trees, for a parser and for the pruner of its arcs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from laconic import _core
from laconic.models.features import kept_templates, narrow
from laconic.parse.templates import PartTemplates
from laconic.parse.weights import ParseWeights, TreeShape, load_kernel, make_kernel
from laconic.text.sequences import SequenceEncoder

if TYPE_CHECKING:
    from laconic.parse.learn import TreeTrainingData


class Scorer(NamedTuple):
    """Templates with weights, the encoder of their views, and the kernel that scores with them."""

    templates: PartTemplates
    encoder: SequenceEncoder
    weights: ParseWeights
    kernel: _core.Parser

    @classmethod
    def of(
        cls,
        templates: PartTemplates,
        encoder: SequenceEncoder,
        weights: ParseWeights,
        shape: TreeShape,
    ) -> Scorer:
        """Return a scorer with a kernel of its own."""
        kernel = load_kernel(make_kernel(templates, encoder, shape), weights)
        return cls(templates, encoder, weights, kernel)

    def with_weights(self, weights: ParseWeights, shape: TreeShape) -> Scorer:
        """Return a scorer with other weights of the same features.

        Weights that are zero are dropped, with everything that only they mention.
        """
        # Narrowing renumbers values in place, and they are those of this model.
        weights = weights._replace(atoms=[part.copy() for part in weights.atoms])
        templates, weights = kept_templates(self.templates, weights)
        return Scorer.of(templates, *narrow(templates, self.encoder, weights), shape)

    @classmethod
    def narrowed(cls, training: TreeTrainingData, found: ParseWeights) -> Scorer:
        """Return a scorer of learned weights, without templates and values that have none."""
        templates, found = kept_templates(training.templates, found)
        return cls.of(templates, *narrow(templates, training.encoder, found), training.shape)
