"""Pipelines in compact files: the taggers and the parser, each as in a compact file of its kind.

about          compressed JSON: parameters, parts, tags and edits of lemmas
segment.* ..   the arrays of the parts, see laconic.pipeline.store
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from laconic.errors import InputError
from laconic.models.checks import Arrays, Contents, Meta, item, pack_json, unpack_json
from laconic.models.loaded import Loaded
from laconic.parse import compact as compact_parse
from laconic.parse.compact import CompactParser
from laconic.pipeline.parts import pack_parts, unpack_parts
from laconic.pipeline.predict import PipelinePart, PipelinePredictor, with_parts
from laconic.tag import compact as compact_tag
from laconic.tag.compact import CompactTagger

if TYPE_CHECKING:
    from laconic.pipeline.model import Pipeline


class CompactPipeline(PipelinePredictor, Loaded):
    """A pipeline read from a compact file: it predicts, and does not learn."""

    _contents: Contents

    def plain(self) -> Pipeline:
        """Return the same model as an ordinary Pipeline; ValueError if the file has no names."""
        from laconic.pipeline.model import Pipeline

        return with_parts(self, Pipeline(**self.get_params()), _plain)

    def __reduce__(self) -> tuple[Callable[..., CompactPipeline], Contents]:
        return unpack, (self._contents[0], self._contents[1])


def _plain(part: PipelinePart) -> PipelinePart:
    return part.plain() if isinstance(part, CompactTagger | CompactParser) else part


def pack(model: Pipeline, names: bool) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    from laconic.parse.model import Parser
    from laconic.tag.model import Tagger

    def packed(part: PipelinePart) -> Contents:
        if isinstance(part, Parser):
            return compact_parse.pack(part, names)
        assert isinstance(part, Tagger)
        return compact_tag.pack(part, names)

    arrays, meta = pack_parts(model, packed)
    return {"about": pack_json(meta), **arrays}, {"names": names}


def unpack(arrays: Arrays, meta: Meta) -> CompactPipeline:
    """Return the model of these, or raise a ValueError that says what is wrong with them."""
    item(meta, "names", bool)
    if "about" not in arrays:
        raise InputError("there is no description of the model")
    parts = {name: array for name, array in arrays.items() if name != "about"}
    unpackers = (compact_tag.unpack, compact_parse.unpack)
    model = unpack_parts(CompactPipeline, parts, unpack_json(arrays["about"]), unpackers)
    model._contents = arrays, meta
    return model
