"""The parts of pipelines in model files, plain or compact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.errors import InputError
from laconic.models.checks import (
    Arrays,
    Contents,
    Meta,
    check_names,
    check_parameters,
    check_storable,
    item,
    read_report,
    report_meta,
    smallest,
    whole,
)
from laconic.models.file import decode_strings, encode_strings
from laconic.parse.described import part_of, prefixed
from laconic.pipeline.edits import check_edit, check_split
from laconic.pipeline.lemmas import COLUMNS as LEMMA_COLUMNS
from laconic.pipeline.lemmas import Lemmatizer
from laconic.pipeline.predict import Piped, PipelinePart, PipelinePredictor, parts_of
from laconic.pipeline.segment import END, INSIDE, Segmenter
from laconic.pipeline.sentences import COLUMNS as TOKEN_COLUMNS
from laconic.pipeline.splits import ONE, Splitter
from laconic.pipeline.tags import BETWEEN, WordTags
from laconic.pipeline.units import COLUMNS as UNIT_COLUMNS
from laconic.text.treebanks import COLUMNS as TREE_COLUMNS
from laconic.version import __version__

if TYPE_CHECKING:
    from laconic.parse.compact import CompactParser
    from laconic.parse.model import Parser
    from laconic.tag.compact import CompactTagger
    from laconic.tag.model import Tagger

PARTS = ("segment", "sentences", "split", "upos", "morphology", "lemma", "parse")
KNOWN = {"text", "text_ptr", "tag", "edit"}
COUNTS = ("features_total", "features_kept", "groups_total", "groups_kept")
_PARAMETERS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("segment", "tags", "lemmas", "parse"), lambda value: type(value) is bool),
    "keep": lambda value: type(value) in (int, float) and 0 < value <= 1,
    "n_jobs": lambda value: value is None or (type(value) is int and abs(value) < 2**31),
}


def pack_parts(model: PipelinePredictor, pack_part: Callable[[PipelinePart], Contents]) -> Contents:
    """Return the arrays and the JSON of a model whose parts are packed in this way."""
    arrays: Arrays = {}
    parts: Meta = {}
    for name, part in parts_of(model):
        packed, parts[name] = pack_part(part)
        arrays |= prefixed(name, packed)
    meta = {
        "laconic": __version__,
        "parameters": {name: getattr(model, name) for name in _PARAMETERS},
        "parts": parts,
        "every_letter": bool(model.segmenter_ and model.segmenter_.every_letter_),
        "words": sorted(model.segmenter_.words_) if model.segmenter_ else [],
        "tags": None if model.tags_ is None else model.tags_.constant_,
        "report": {
            "learner": model.report_.learner,
            **report_meta(model.report_),
            **{name: int(getattr(model.report_, name)) for name in COUNTS},
        },
    }
    if model.lemmatizer_ is not None:
        of_known, meta["lemmas"] = _pack_known(model.lemmatizer_)
        arrays |= prefixed("known", of_known)
    return arrays, meta


def _pack_known(model: Lemmatizer) -> Contents:
    """Return the known forms with their tags and edits."""
    pairs = sorted(model.known_)
    check_storable(form for form, _ in pairs)
    tags = sorted({joined for _, joined in pairs})
    edits = sorted({model.constant_, *model.known_.values()})
    of_tags = {joined: k for k, joined in enumerate(tags)}
    of_edit = {edit: k for k, edit in enumerate(edits)}
    text, ptr = encode_strings([form for form, _ in pairs])
    arrays: Arrays = {
        "text": text,
        "text_ptr": ptr,
        "tag": smallest(np.array([of_tags[joined] for _, joined in pairs], np.int64)),
        "edit": smallest(np.array([of_edit[model.known_[pair]] for pair in pairs], np.int64)),
    }
    return arrays, {"tags": tags, "edits": edits, "constant": of_edit[model.constant_]}


def unpack_parts(
    kind: type[Piped],
    arrays: Arrays,
    meta: Meta,
    unpackers: tuple[
        Callable[[Arrays, Meta], Tagger | CompactTagger],
        Callable[[Arrays, Meta], Parser | CompactParser],
    ],
) -> Piped:
    """Return the model that `pack_parts` packed, its parts unpacked by the two functions."""
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, _PARAMETERS)
    model = kind(**parameters)
    described = item(meta, "parts", dict)
    if not set(described) <= set(PARTS):
        raise InputError(f"expected parts among {', '.join(PARTS)}")
    known = {"known"} if model.lemmas else set()
    if {name.partition(".")[0] for name in arrays} - set(described) - known:
        raise InputError("there are arrays of a part that is not described")
    found: dict[str, Any] = {}
    for name in described:
        unpack_part = unpackers[name == "parse"]
        found[name] = unpack_part(part_of(arrays, name), item(described, name, dict))
    _place(model, found, meta)
    if model.lemmas:
        assert model.lemmatizer_ is not None
        _unpack_known(model.lemmatizer_, part_of(arrays, "known"), item(meta, "lemmas", dict))
    counted = item(meta, "report", dict)
    counts = {name: item(counted, name, int) for name in COUNTS}
    model.report_ = read_report(counted, learner=item(counted, "learner", str), **counts)
    return model


def _place(model: PipelinePredictor, found: dict[str, Any], meta: Meta) -> None:
    """Set the parts of a model; InputError unless they are those that it needs."""
    taken = {
        **dict.fromkeys(("segment", "sentences", "split"), model.segment),
        **dict.fromkeys(("upos", "morphology"), model.tags),
        "lemma": model.lemmas,
        "parse": model.parse,
    }
    if any(not taken[name] for name in found):
        raise InputError("there is a part that the parameters leave out")
    if model.parse and "parse" not in found:
        raise InputError("a part is missing")
    columns = {
        "segment": UNIT_COLUMNS,
        "sentences": TOKEN_COLUMNS,
        "split": ("word",),
        "upos": ("word",),
        "morphology": ("word", "upos"),
        "lemma": LEMMA_COLUMNS,
        "parse": TREE_COLUMNS,
    }
    for name, part in found.items():
        if tuple(part.columns) != columns[name]:
            raise InputError(f"the part {name} reads other columns than {', '.join(columns[name])}")
    model.segmenter_ = model.splitter_ = model.tags_ = model.lemmatizer_ = None
    n_jobs = model.n_jobs
    if model.segment:
        model.segmenter_, model.splitter_ = Segmenter(n_jobs), Splitter(n_jobs)
        model.segmenter_.every_letter_ = item(meta, "every_letter", bool)
        model.segmenter_.words_ = _words(item(meta, "words", list))
        model.segmenter_.tagger_ = found.get("segment")
        model.segmenter_.sentence_tagger_ = found.get("sentences")
        model.splitter_.tagger_ = found.get("split")
        for name in {"segment", "sentences"} & set(found):
            if not set(found[name].classes_) <= {INSIDE, END}:
                raise InputError("the segmentation has other labels than it can have")
        for label in [] if "split" not in found else found["split"].classes_.tolist():
            if label != ONE:
                check_split(label)
    if model.tags:
        model.tags_ = WordTags(n_jobs)
        model.tags_.constant_ = item(meta, "tags", str)
        model.tags_.upos_, model.tags_.morphology_ = found.get("upos"), found.get("morphology")
        labels = [] if "morphology" not in found else found["morphology"].classes_.tolist()
        if any(label.count(BETWEEN) != 2 for label in (*labels, model.tags_.constant_)):
            raise InputError("tags are no three columns")
    if model.lemmas:
        model.lemmatizer_ = Lemmatizer(n_jobs)
        model.lemmatizer_.tagger_ = found.get("lemma")
        for label in [] if "lemma" not in found else found["lemma"].classes_.tolist():
            check_edit(label)
    model.parser_ = found.get("parse")


def _words(given: list[Any]) -> frozenset[str]:
    """Return the words of a segmenter, or raise an InputError."""
    if not all(isinstance(word, str) for word in given):
        raise InputError("expected the words of the segmentation as text")
    return frozenset(given)


def _unpack_known(model: Lemmatizer, arrays: Arrays, meta: Meta) -> None:
    """Set the known forms of a lemmatizer, or raise an InputError."""
    check_names(arrays, KNOWN)
    forms = decode_strings(arrays["text"], arrays["text_ptr"])
    tags, edits = item(meta, "tags", list), item(meta, "edits", list)
    if not edits or not all(isinstance(one, str) for one in (*tags, *edits)):
        raise InputError("expected the tags and edits of lemmas as text")
    for edit in edits:
        check_edit(edit)
    constant = item(meta, "constant", int)
    tag, edit = whole(arrays, "tag", len(tags) - 1), whole(arrays, "edit", len(edits) - 1)
    if not len(forms) == len(tag) == len(edit) or not 0 <= constant < len(edits):
        raise InputError("expected tags and an edit for each known form")
    model.constant_ = edits[constant]
    pairs = zip(forms, map(tags.__getitem__, tag.tolist()), strict=True)
    model.known_ = dict(zip(pairs, map(edits.__getitem__, edit.tolist()), strict=True))
