"""Compact model files: `save_compact(model, path, names)` writes a fitted model in as few bits as its weights need.

With names the model can be inspected and turned back into a plain one. Without, no string of the training data is in the file.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from laconic import files
from laconic.estimators import compact_classify, compact_parse, compact_tag
from laconic.estimators.compact_classify import CompactClassifier
from laconic.estimators.compact_parse import CompactParser
from laconic.estimators.compact_tag import CompactTagger
from laconic.estimators.parse import Parser
from laconic.estimators.tag import Tagger
from laconic.estimators.text import TextClassifier
from laconic.text.io import PathLike

COMPACT = (CompactTagger, CompactClassifier, CompactParser)


def save_compact(model: Any, path: PathLike, names: bool = True) -> None:
    """Write a fitted Tagger, Parser or TextClassifier, or one read from a compact file with names, to a compact file.

    Any weights can be stored; few different values make the file small.
    """
    if isinstance(model, COMPACT):
        model = model.plain()
    check_is_fitted(model)
    if isinstance(model, Tagger):
        files.save(path, compact_tag.KIND, *compact_tag.pack_tagger(model, names))
    elif isinstance(model, Parser):
        files.save(path, compact_parse.KIND, *compact_parse.pack_parser(model, names))
    elif isinstance(model, TextClassifier):
        files.save(path, compact_classify.KIND, *compact_classify.pack_classifier(model, names))
    else:
        raise ValueError(
            f"a model of type {type(model).__name__} cannot be saved compactly; expected TextClassifier, Tagger or Parser"
        )
