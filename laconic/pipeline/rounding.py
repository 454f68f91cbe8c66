"""Pipelines with few weight values: every tagger and parser has values of its own."""

from __future__ import annotations

from laconic.models.discrete.values import quantize
from laconic.parse.discrete import round_parts
from laconic.parse.model import Parser
from laconic.pipeline.compact import CompactPipeline
from laconic.pipeline.model import Pipeline
from laconic.pipeline.predict import PipelinePart, with_parts
from laconic.tag.model import Tagger


def rounded_parts(model: Pipeline | CompactPipeline, n_values: int) -> Pipeline:
    """Return a pipeline whose weights take n values, besides zero, in each part.

    The values are learned from the weights of the part.
    """

    def rounded(part: PipelinePart) -> PipelinePart:
        plain = part if isinstance(part, Tagger | Parser) else part.plain()
        found: Tagger | Parser = quantize(plain, n_values)
        return round_parts(found, n_values) if isinstance(found, Parser) else found

    return with_parts(model, Pipeline(**model.get_params()), rounded)
