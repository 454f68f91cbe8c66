"""Pipelines in model files: the taggers and the parser, each as in a file of its own kind.

segment.*, sentences.*, split.*, upos.*, morphology.*, lemma.*   the arrays of taggers
parse.*   the arrays of the parser
known.*   forms whose lemmas are known: text, text_ptr; tag: number of the tags; edit: of the edit
"""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from laconic.models.checks import Arrays, Contents, Meta
from laconic.parse import store as parse_store
from laconic.parse.model import Parser
from laconic.pipeline.model import Pipeline
from laconic.pipeline.parts import pack_parts, unpack_parts
from laconic.pipeline.predict import PipelinePart
from laconic.tag import store as tag_store
from laconic.tag.model import Tagger


def pack(model: Pipeline) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    check_is_fitted(model)
    return pack_parts(model, _pack_part)


def _pack_part(part: PipelinePart) -> Contents:
    if isinstance(part, Parser):
        return parse_store.pack(part)
    assert isinstance(part, Tagger)
    return tag_store.pack(part)


def unpack(arrays: Arrays, meta: Meta) -> Pipeline:
    """Return the model of these, or raise a ValueError that says what is wrong with them."""
    return unpack_parts(Pipeline, arrays, meta, (tag_store.unpack, parse_store.unpack))
