"""Taggers in model files: templates, the values that features mention, and the non-zero weights.

A loaded model predicts what the saved one did; learners are kept as text for people to read.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from laconic.errors import InputError
from laconic.models.checks import Arrays, Contents, check_names, item
from laconic.tag.arrays import (
    names_of,
    pack_trace,
    pack_values,
    pack_weights,
    unpack_trace,
    unpack_values,
    unpack_weights,
)
from laconic.tag.described import (
    checked_labels,
    checked_parameters,
    checked_schemes,
    checked_templates,
    tagger_meta,
    tagger_report,
)
from laconic.tag.model import Tagger
from laconic.tag.weights import load_kernel, make_kernel


def pack(model: Tagger) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    check_is_fitted(model)
    state = model.encoder_.to_state()
    arrays = {
        **pack_weights(model.weights_),
        **pack_values(state),
        **pack_trace(model.report_.trace),
    }
    return arrays, tagger_meta(model)


def unpack(arrays: Arrays, meta: dict[str, Any]) -> Tagger:
    """Return the model of these, or raise a ValueError that says what is wrong with them."""
    model = Tagger(**checked_parameters(item(meta, "parameters", dict)))
    check_names(arrays, names_of(arrays))
    model.columns_ = tuple(model.columns or ())
    model.templates_given_, model.templates_ = checked_templates(meta, model.columns_)
    model.templates = model.templates_given_
    model.classes_ = checked_labels(item(meta, "labels", list))
    model.scheme_, model.given_scheme_ = checked_schemes(meta, model.classes_.tolist())
    model.encoder_ = unpack_values(arrays, model.templates_, model.columns_)
    model.weights_ = unpack_weights(arrays, model.templates_, model.encoder_, len(model.classes_))
    model.report_ = tagger_report(model, meta, unpack_trace(arrays))
    kernel = load_kernel(
        make_kernel(model.templates_, model.encoder_, len(model.classes_)), model.weights_
    )
    if kernel.sizes.tolist() != [len(part) for part in model.weights_.atoms]:
        raise InputError("a feature occurs twice")
    model._kernel = kernel
    return model
