"""Pipelines with few weight values: every tagger and parser has values of its own."""

from __future__ import annotations

from laconic.models.discrete.values import tune_values
from laconic.parse.discrete import round_parts
from laconic.parse.model import Parser
from laconic.pipeline.model import Pipeline
from laconic.pipeline.predict import PipelinePart, PipelinePredictor, with_parts
from laconic.tag.model import Tagger


def rounded_parts(model: PipelinePredictor, zeta: int) -> Pipeline:
    """Return a pipeline whose weights take 2 zeta values, besides zero, in each part.

    The values are those of least squares.
    """

    def rounded(part: PipelinePart) -> PipelinePart:
        plain = part if isinstance(part, Tagger | Parser) else part.plain()
        found: Tagger | Parser = tune_values(plain, None, None, zeta)[0]
        return round_parts(found, zeta) if isinstance(found, Parser) else found

    return with_parts(model, Pipeline(**model.get_params()), rounded)
