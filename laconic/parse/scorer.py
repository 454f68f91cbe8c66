"""Templates with weights as they score trees, for a parser and for what prunes its arcs."""

from __future__ import annotations

from typing import Any, NamedTuple

from laconic.models.features import kept_templates, narrow
from laconic.parse.learn import TreeTrainingData
from laconic.parse.templates import PartTemplates
from laconic.parse.weights import ParseWeights, TreeShape, load_kernel, make_kernel
from laconic.text.sequences import SequenceEncoder

PRUNER = TreeShape("arcs", crossing=True)  # which trees the model that prunes arcs knows


class Scorer(NamedTuple):
    """Templates with weights, the encoder of their views, and the kernel that scores with them."""

    templates: PartTemplates
    encoder: SequenceEncoder
    weights: ParseWeights
    kernel: Any

    @classmethod
    def of(
        cls,
        templates: PartTemplates,
        encoder: SequenceEncoder,
        weights: ParseWeights,
        shape: TreeShape,
    ) -> Scorer:
        """With a kernel of its own."""
        return cls(
            templates,
            encoder,
            weights,
            load_kernel(make_kernel(templates, encoder, shape), weights),
        )

    def with_weights(self, weights: ParseWeights, shape: TreeShape) -> Scorer:
        """With other weights of the same features; those that are zero are dropped with all that only they mention."""
        # Narrowing renumbers values in place, and they are this model's own.
        weights = weights._replace(atoms=[part.copy() for part in weights.atoms])
        templates, weights = kept_templates(self.templates, weights)
        return Scorer.of(templates, *narrow(templates, self.encoder, weights), shape)

    @classmethod
    def narrowed(cls, training: TreeTrainingData, found: ParseWeights) -> Scorer:
        """What was learned, without templates and values that have no weights."""
        templates, found = kept_templates(training.templates, found)
        return cls.of(templates, *narrow(templates, training.encoder, found), training.shape)
