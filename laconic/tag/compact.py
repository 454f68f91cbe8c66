"""Taggers in compact files: static maps of features, rows of weight codes, strings as hashes.

    about             compressed JSON: parameters, templates, labels, and what arrays do not hold
    edge, start       transitions
    value_words ..    strings, features and weights, see laconic.models.compact.packing

Predicting reads the arrays as they are in the file. With names every map of features is exact,
so that features can be listed. Without, a feature that was never seen is taken for one with weights
at most once in 2^FEATURE_ERROR_BITS; the maps of most templates, which have few possible features,
are exact then too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic import _core
from laconic.core.arrays import Floats
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    item,
    numbers,
    pack_json,
    unpack_json,
)
from laconic.models.compact.encoder import CompactEncoder
from laconic.models.compact.features import CompactWeights, PackedFeatures, named_encoder
from laconic.models.compact.packing import ARRAYS, NAMES, Place, Tables, pack_features
from laconic.models.loaded import Loaded
from laconic.tag.described import (
    checked_labels,
    checked_parameters,
    checked_schemes,
    checked_templates,
    tagger_meta,
    tagger_report,
)
from laconic.tag.predict import TagPredictor
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE
from laconic.text.templates import Template, Templates

if TYPE_CHECKING:
    from laconic.tag.model import Tagger

FEATURE_ERROR_BITS = 24


class CompactTagWeights(CompactWeights):
    """The weights of a compact tagger, as in TagWeights if the model has names."""

    edge: Floats
    start: Floats


class CompactTagger(TagPredictor, Loaded):
    """A tagger read from a compact file: it predicts, and can be inspected if the file has names.

    It does not learn.
    """

    encoder_: CompactEncoder
    weights_: CompactTagWeights
    _kernel: _core.CompactTagger
    _contents: Contents

    partial_fit = Loaded.fit

    def plain(self) -> Tagger:
        """Return the same model as an ordinary Tagger; ValueError if the file has no names."""
        from laconic.tag.model import Tagger
        from laconic.tag.weights import TagWeights

        model = Tagger(**self.get_params())
        for name in (
            "columns_",
            "templates_given_",
            "templates_",
            "classes_",
            "scheme_",
            "given_scheme_",
            "report_",
        ):
            setattr(model, name, getattr(self, name))
        model.encoder_ = named_encoder(self.encoder_)
        model.weights_ = TagWeights(
            self.weights_.atoms, self.weights_.weights, self.weights_.edge, self.weights_.start
        )
        model.__setstate__(model.__dict__)
        return model

    def __reduce__(self) -> tuple[Callable[..., CompactTagger], Contents]:
        return unpack, (self._contents[0], self._contents[1])


def places_of(template: Template) -> list[Place]:
    """Return what may name a feature: values of its views, or places outside the sentence."""
    return [Place(atom.view, outside(atom.offset)) for atom in template.atoms]


def outside(offset: int) -> tuple[int, ...]:
    """Return the values of places outside the sentence within `offset` steps, nearest first."""
    base = BEFORE_BASE if offset < 0 else AFTER_BASE
    return tuple(range(base + 1, base + abs(offset) + 1))


def pack(model: Tagger, names: bool) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    found, n_labels = model.weights_, len(model.classes_)
    tables = Tables(list(map(places_of, model.templates_)), found.atoms, found.weights)
    n_columns = max(_widths(model.templates_, n_labels), default=n_labels)
    arrays, features = pack_features(
        model.encoder_.to_state(), tables, n_columns, names, FEATURE_ERROR_BITS
    )
    about = {
        **tagger_meta(model, names),
        **features,
        "nonzero": int(found.n_nonzero),
        "distinct": found.n_distinct,
    }
    return {"about": pack_json(about), **arrays, "edge": found.edge, "start": found.start}, {
        "names": names
    }


def _widths(templates: Templates, n_labels: int) -> list[int]:
    """Return the number of weights that a feature of each template may have."""
    return [n_labels**2 if template.pairs else n_labels for template in templates]


def unpack(arrays: Arrays, meta: dict[str, Any]) -> CompactTagger:
    """Return the model of these, or raise a ValueError that says what is wrong with them."""
    names = item(meta, "names", bool)
    check_names(arrays, ARRAYS | {"about", "edge", "start"} | (NAMES if names else set()))
    about = unpack_json(arrays["about"])
    model = CompactTagger(**checked_parameters(item(about, "parameters", dict)))
    model.columns_ = tuple(model.columns or ())
    model.templates_given_, model.templates_ = checked_templates(about, model.columns_)
    model.templates = model.templates_given_
    model.classes_ = checked_labels(item(about, "labels", list))
    model.scheme_, model.given_scheme_ = checked_schemes(about, model.classes_.tolist())
    n_labels = len(model.classes_)
    edge, start = (
        numbers(arrays, name, (n_labels,) * n, np.float32)
        for name, n in (("edge", 2), ("start", 1))
    )
    widths = _widths(model.templates_, n_labels)
    packed = PackedFeatures(
        arrays, about, model.templates_.views, model.columns_, max(widths, default=n_labels)
    )
    model.encoder_ = packed.encoder
    template_arrays = model.templates_.arrays(model.encoder_.view_index)
    model._kernel = _core.CompactTagger(
        template_arrays,
        packed.encoder.n_values,
        packed.maps,
        packed.rows,
        packed.n_shared,
        edge.ravel(),
        start,
    )
    templates = model.templates_
    model.weights_ = CompactTagWeights(
        packed, model._kernel, lambda: list(map(places_of, templates)), widths
    )
    model.weights_.edge, model.weights_.start = edge, start
    model.report_ = tagger_report(model, about)
    model._contents = arrays, meta
    return model
