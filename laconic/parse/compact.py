"""Parsers in compact files: features of parts in static maps, weights as codes.

    about                compressed JSON: parameters, templates, and what arrays do not hold
    parser.*, pruner.*   strings, features and weights of the parser and of the pruner of its arcs,
                         see laconic.models.compact.packing
    labels.*, tags.*     its labeler and its tagger of words, compact taggers

Parsing reads the arrays where they are in the file. A feature of a part is the number that its
values make in a mixed radix, as with taggers, and has one weight. With names every map is exact.
Without, so are those of the ready sets of templates; where exact keys would be very long, a feature
that was never seen is taken for one with a weight at most once in 2^FEATURE_ERROR_BITS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic import _core
from laconic.errors import InputError
from laconic.models.checks import Arrays, Contents, check_names, item, pack_json, unpack_json
from laconic.models.compact.encoder import CompactEncoder
from laconic.models.compact.features import CompactWeights, PackedFeatures, named_encoder
from laconic.models.compact.packing import ARRAYS, NAMES, Place, Tables, pack_features
from laconic.models.loaded import Loaded
from laconic.parse.described import (
    NOBODY,
    ROOT,
    TRACE,
    check_columns,
    check_parts,
    checked_templates,
    described,
    parser_meta,
    parser_report,
    part_of,
    prefixed,
)
from laconic.parse.labels import labeler_of, plain_tagger
from laconic.parse.predict import ParsePredictor
from laconic.parse.tags import word_tagger_of
from laconic.parse.templates import GRAND_SIBLING, GRANDCHILD, PartTemplate, PartTemplates
from laconic.parse.weights import PRUNER, ParseWeights, TreeShape, kernel_shape
from laconic.tag import compact as compact_tag
from laconic.tag.arrays import pack_trace, unpack_trace
from laconic.tag.compact import CompactTagger, outside

if TYPE_CHECKING:
    from laconic.parse.model import Parser
    from laconic.parse.scorer import Scorer

FEATURE_ERROR_BITS = 32
DISTANCES = range(1, 9)  # the kernel's bins


class CompactScorer(NamedTuple):
    """What Scorer is to a parser, for one in a compact file."""

    templates: PartTemplates
    encoder: CompactEncoder
    weights: CompactWeights
    kernel: _core.CompactParser


class CompactParser(ParsePredictor, Loaded):
    """A parser read from a compact file: it predicts, and can be inspected if the file has names.

    It does not learn.
    """

    scorer_: CompactScorer
    pruner_: CompactScorer | None
    _contents: Contents

    def plain(self) -> Parser:
        """Return the same model as an ordinary Parser; ValueError if the file has no names."""
        from laconic.parse.model import Parser

        model = Parser(**self.get_params())
        for name in ("templates_given_", "shape_", "report_"):
            setattr(model, name, getattr(self, name))
        model.scorer_ = _plain(self.scorer_, self.shape_)
        model.pruner_ = None if self.pruner_ is None else _plain(self.pruner_, PRUNER)
        model.labeler_ = model.tagger_ = None
        if self.labeler_ is not None:
            model.labeler_ = labeler_of(plain_tagger(self.labeler_.tagger_))
        if self.tagger_ is not None:
            model.tagger_ = word_tagger_of(plain_tagger(self.tagger_.tagger_))
        return model

    def __reduce__(self) -> tuple[Callable[..., CompactParser], Contents]:
        return unpack, (self._contents[0], self._contents[1])


def _plain(scorer: CompactScorer, shape: TreeShape) -> Scorer:
    from laconic.parse.scorer import Scorer

    weights = ParseWeights(scorer.weights.atoms, scorer.weights.weights)
    return Scorer.of(scorer.templates, named_encoder(scorer.encoder), weights, shape)


def places_of(template: PartTemplate) -> list[Place]:
    """Return what may name a feature, in the order of the kernel (part_numbers.hpp)."""
    places = [Place(atom.view, (ROOT, NOBODY, *outside(atom.offset))) for atom in template.atoms]
    if template.n_signs:
        bins = DISTANCES if template.special == "dist" else (0,)
        grand = (0, 1) if template.kind in (GRANDCHILD, GRAND_SIBLING) else (0,)
        places.append(
            Place(
                None,
                tuple(
                    ((far * 2 + right) * 2 + left)
                    for far in bins
                    for right in (0, 1)
                    for left in grand
                ),
            )
        )
    if template.between is not None:
        places.append(Place(template.between))
    return places


def pack(model: Parser, names: bool) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    about: dict[str, Any] = parser_meta(model, names)
    arrays: Arrays = {}
    for part, scorer in (("parser", model.scorer_), ("pruner", model.pruner_)):
        about[part] = None
        if scorer is not None:
            found = scorer.weights
            tables = Tables(list(map(places_of, scorer.templates)), found.atoms, found.weights)
            packed, features = pack_features(
                scorer.encoder.to_state(), tables, 1, names, FEATURE_ERROR_BITS
            )
            arrays |= prefixed(part, packed)
            about[part] = {
                **features,
                "nonzero": int(found.n_nonzero),
                "distinct": found.n_distinct,
            }
    if names:
        arrays |= prefixed("parser", pack_trace(model.report_.trace))
    if model.pruner_ is not None:
        about["pruner"]["templates"] = model.pruner_.templates.names
    for part, with_tagger in (("labels", model.labeler_), ("tags", model.tagger_)):
        about[part] = with_tagger is not None
        if with_tagger is not None:
            tagger = plain_tagger(with_tagger.tagger_)
            arrays |= prefixed(part, compact_tag.pack(tagger, names)[0])
    return {"about": pack_json(about), **arrays}, {"names": names}


def unpack(arrays: Arrays, meta: dict[str, Any]) -> CompactParser:
    """Return the model of these, or raise a ValueError that says what is wrong with them."""
    names = item(meta, "names", bool)
    if "about" not in arrays:
        raise InputError("there is no description of the model")
    check_parts(name for name in arrays if name != "about")
    about = unpack_json(arrays["about"])
    model, kept = described(CompactParser, about)
    own, columns = item(about, "parser", dict), model.columns
    scoring = part_of(arrays, "parser")
    # Files without names, and those of laconic 0.1.0, have no trace.
    trace = {name: scoring.pop(name) for name in TRACE} if scoring.keys() >= TRACE else None
    model.scorer_ = _unpack_scorer(scoring, own, kept, columns, model.shape_, names)
    if about.get("pruner") is not None:
        own = item(about, "pruner", dict)
        templates = checked_templates(item(own, "templates", list), columns)
        model.pruner_ = _unpack_scorer(
            part_of(arrays, "pruner"), own, templates, columns, PRUNER, names
        )
    elif part_of(arrays, "pruner"):
        raise InputError("there are arrays of a pruner, but no description of it")
    labels, tags = (
        _unpack_tagger(part_of(arrays, part), item(about, part, bool), names)
        for part in ("labels", "tags")
    )
    if labels is not None:
        model.labeler_ = labeler_of(labels)
    if tags is not None:
        check_columns(model)
        model.tagger_ = word_tagger_of(tags)
    model.report_ = parser_report(model, about, () if trace is None else unpack_trace(trace))
    model._contents = arrays, meta
    return model


def _unpack_tagger(own: Arrays, expected: bool, names: bool) -> CompactTagger | None:
    if own and not expected:
        raise InputError("there are arrays of labels or tags, but no description of them")
    return compact_tag.unpack(own, {"names": names}) if expected else None


def _unpack_scorer(
    own: Arrays,
    about: dict[str, Any],
    templates: PartTemplates,
    columns: Sequence[str],
    shape: TreeShape,
    names: bool,
) -> CompactScorer:
    check_names(own, ARRAYS | (NAMES if names else set()))
    packed = PackedFeatures(own, about, templates.views, columns, 1)
    kernel = _core.CompactParser(
        _core.PartTemplates(*templates.arrays(packed.encoder.view_index)),
        kernel_shape(shape),
        packed.encoder.n_values,
        packed.maps,
        packed.rows,
        packed.n_shared,
    )
    weights = CompactWeights(
        packed, kernel, lambda: list(map(places_of, templates)), [1] * len(templates)
    )
    return CompactScorer(templates, packed.encoder, weights, kernel)
