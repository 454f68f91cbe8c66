"""Models as files: one kind of file for each kind of model, told apart by the name of the kind that the file bears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from laconic import files
from laconic.errors import InputError
from laconic.estimators import compact_classify, compact_parse, compact_tag
from laconic.estimators.classify_storage import pack_classifier, unpack_classifier
from laconic.estimators.compact_classify import CompactClassifier
from laconic.estimators.compact_parse import CompactParser
from laconic.estimators.compact_tag import CompactTagger
from laconic.estimators.embed import WordVectors
from laconic.estimators.embed_storage import pack_word_vectors, unpack_word_vectors
from laconic.estimators.forecast import Forecaster
from laconic.estimators.forecast_storage import pack_forecaster, unpack_forecaster
from laconic.estimators.language import LanguageModel
from laconic.estimators.language_storage import pack_language_model, unpack_language_model
from laconic.estimators.parse import Parser
from laconic.estimators.parse_storage import pack_parser, unpack_parser
from laconic.estimators.rerank import Reranker
from laconic.estimators.rerank_storage import pack_reranker, unpack_reranker
from laconic.estimators.sage import TemporalTextModel
from laconic.estimators.sage_storage import pack_text_model, unpack_text_model
from laconic.estimators.storage_checks import Arrays, Contents
from laconic.estimators.tag import Tagger
from laconic.estimators.tag_storage import pack_tagger, unpack_tagger
from laconic.estimators.temporal import TemporalLinear
from laconic.estimators.temporal_storage import pack_temporal, unpack_temporal
from laconic.estimators.text import TextClassifier
from laconic.text.io import PathLike, name_of


class Kind(NamedTuple):
    """One kind of model: its class, and the ways into and out of arrays and JSON."""

    type: type
    pack: Callable[[Any], Contents]
    unpack: Callable[[Arrays, dict[str, Any]], Any]


KINDS: dict[str, Kind] = {
    "classify": Kind(TextClassifier, pack_classifier, unpack_classifier),
    "tag": Kind(Tagger, pack_tagger, unpack_tagger),
    "parse": Kind(Parser, pack_parser, unpack_parser),
    "rerank": Kind(Reranker, pack_reranker, unpack_reranker),
    "lm": Kind(LanguageModel, pack_language_model, unpack_language_model),
    "embed": Kind(WordVectors, pack_word_vectors, unpack_word_vectors),
    "forecast": Kind(Forecaster, pack_forecaster, unpack_forecaster),
    "temporal": Kind(TemporalLinear, pack_temporal, unpack_temporal),
    "sage": Kind(TemporalTextModel, pack_text_model, unpack_text_model),
    compact_classify.KIND: Kind(CompactClassifier, lambda model: model._contents, compact_classify.unpack_classifier),
    compact_tag.KIND: Kind(CompactTagger, lambda model: model._contents, compact_tag.unpack_tagger),
    compact_parse.KIND: Kind(CompactParser, lambda model: model._contents, compact_parse.unpack_parser),
}
MAPPED = (compact_classify.KIND, compact_tag.KIND, compact_parse.KIND)  # compact models are read where their files lie


def kind_of(model: Any) -> str:
    """The name of the kind of a model."""
    for name, kind in KINDS.items():
        if isinstance(model, kind.type):
            return name
    known = " or ".join(kind.type.__name__ for kind in KINDS.values())
    raise ValueError(f"a model of type {type(model).__name__} cannot be saved; expected {known}")


def save_model(model: Any, path: PathLike) -> None:
    """Write a fitted model to one file, whole or not at all."""
    kind = kind_of(model)
    files.save(path, kind, *KINDS[kind].pack(model))


def load_model(path: PathLike) -> Any:
    """The model of a file that `save_model` wrote; any other file is an InputError of one sentence."""
    file = files.load(path, MAPPED)
    if file.kind not in KINDS:
        raise InputError(f"{name_of(path)}: holds a model of the kind {file.kind!r}, this laconic knows {', '.join(KINDS)}.")
    try:
        return KINDS[file.kind].unpack(file.arrays, file.meta)
    except MemoryError:
        raise InputError(f"{name_of(path)}: the model does not fit into memory.") from None
    except (ValueError, ArithmeticError, RecursionError) as error:  # ours, and what constructors say of impossible values
        raise InputError(f"{name_of(path)}: not a usable model: {' '.join(str(error).split()).rstrip('.')}.") from None
