"""Forecasters in model files: arrays of the model over time, words, and scales of numbers.

word_data, word_ptr   the words
center, deviation     mean and scale of every column of numbers
idf                   inverse document frequency of every word, with tf-idf alone

A word whose trajectory is zero throughout is dropped, except with tf-idf, where it still counts
towards the length of rows.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.classify.weighting import OF_COUNTS, TFIDF
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    check_parameters,
    check_storable,
    is_count,
    is_number,
    item,
    numbers,
)
from laconic.text.documents import DocumentEncoder
from laconic.text.vocab import Vocab
from laconic.time.forecast.model import Forecaster
from laconic.time.store import ALWAYS
from laconic.time.store import pack as pack_temporal
from laconic.time.store import unpack as unpack_temporal

OWN = {"word_data", "word_ptr", "center", "deviation"}
PARAMETERS = {
    "weighting": lambda value: value in OF_COUNTS,
    "first_rank": is_count,
    "max_words": lambda value: value is None or is_count(value),
    "min_count": lambda value: type(value) is int,
    "ngrams": is_count,
    "lowercase": lambda value: type(value) is bool,
    "boundary": lambda value: value in ("auto", "line", "double-space"),
    "number_scale": lambda value: is_number(value) and value > 0,
}


def pack(model: Forecaster) -> Contents:
    """Return arrays and JSON of a fitted model."""
    check_is_fitted(model, "model_")
    words, inner = model.encoder_.vocab.words, model.model_
    alive = np.any(inner.trajectories_.reshape(len(inner.trajectories_), -1) != 0, axis=1)
    alive[len(words) :] = True
    if model.idf_ is None and not alive.all():
        inner = copy(inner)
        inner.trajectories_, inner.n_features_in_ = inner.trajectories_[alive], int(alive.sum())
        if hasattr(inner, "alpha_"):
            inner.alpha_ = inner.alpha_[alive]
        words = [word for word, lives in zip(words, alive.tolist(), strict=False) if lives]
    arrays, inner_meta = pack_temporal(inner)
    check_storable([*words, *model.numbers_])
    arrays["word_data"], arrays["word_ptr"] = files.encode_strings(words)
    arrays |= {"center": model.center_, "deviation": model.deviation_}
    if model.idf_ is not None:
        arrays["idf"] = model.idf_
    parameters = {name: getattr(model, name) for name in PARAMETERS}
    meta = {
        "parameters": parameters,
        "numbers": model.numbers_,
        "features_total": model.n_features_total_,
        "fields": model.fields_,
        "model": inner_meta,
    }
    return arrays, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> Forecaster:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    own = OWN | ({"idf"} if parameters["weighting"] in TFIDF else set())
    check_names(arrays, own | ALWAYS | ({"alpha"} & arrays.keys()))
    inner = unpack_temporal(
        {name: array for name, array in arrays.items() if name not in own},
        item(meta, "model", dict),
    )
    words = files.decode_strings(arrays["word_data"], arrays["word_ptr"])
    columns = _strings(meta, "numbers")
    if inner.n_features_in_ != len(words) + len(columns):
        raise InputError("the numbers of words, of columns and of trajectories do not agree")
    model = Forecaster(inner, **parameters)
    model.model_, model.numbers_ = inner, columns
    model.center_, model.deviation_ = (
        numbers(arrays, name, (len(columns),)) for name in ("center", "deviation")
    )
    if np.any(model.deviation_ <= 0):
        raise InputError("a column of numbers has a deviation that is not positive")
    model.idf_ = numbers(arrays, "idf", (len(words),)) if "idf" in own else None
    model.encoder_ = DocumentEncoder(model.lowercase, model.ngrams, model.boundary)
    model.encoder_.vocab = Vocab(words).freeze()
    total = item(meta, "features_total", int)
    model.report_ = replace(inner.report_, features_total=total)
    fields = item(meta, "fields", dict)
    if not all(isinstance(value, str) for value in fields.values()):
        raise InputError("expected the names of fields as text")
    model.fields_ = fields
    return model


def _strings(meta: dict[str, Any], name: str) -> list[str]:
    values: list[str] = item(meta, name, list)
    if not all(isinstance(value, str) for value in values) or len(set(values)) != len(values):
        raise InputError(f"expected {name!r} as different texts")
    return values
