"""Models of text over time in model files.

word_data, word_ptr   the words
background            (steps, words), or (1, words) where it is the same at all steps
kept                  one bit per effect and word: 1 where the trajectory is not zero throughout
trajectories          (kept, steps), in single precision
alpha                 (effects, words) or (effects,): mean autocorrelations, AdaptivePrior alone
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

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
    read_report,
    report_meta,
)
from laconic.text.vocab import Vocab
from laconic.time.base import MODES
from laconic.time.sage.model import BACKGROUNDS, TemporalTextModel
from laconic.time.sage.reader import CategoricalEffect, DatedReader, Field, NumericEffect
from laconic.time.store import (
    as_used,
    penalties_meta,
    plain,
    read_clock,
    read_penalties,
    read_strength,
)
from laconic.time.times import UNITS
from laconic.version import __version__

ALWAYS = {"background", "kept", "trajectories"}
WORDS = {"word_data", "word_ptr"}
PARAMETERS = {
    "constant": lambda value: type(value) is bool,
    "background": lambda value: value in BACKGROUNDS,
    "smoothing": lambda value: is_number(value) and value > 0,
    "mode": lambda value: value in MODES,
    "step": lambda value: value is None or value in UNITS or (is_number(value) and value > 0),
    "fit_tau": lambda value: type(value) is bool,
    "tol": is_number,
    "max_iter": lambda value: value is None or is_count(value),
}


def pack(model: TemporalTextModel) -> Contents:
    """Return arrays and JSON of a fitted model."""
    check_is_fitted(model, "trajectories_")
    table = model.trajectories_.transpose(0, 2, 1)
    kept = np.any(table != 0, axis=2)
    still = np.all(model.background_ == model.background_[0])
    arrays: Arrays = {
        "background": model.background_[:1] if still else model.background_,
        "kept": np.packbits(kept),
        "trajectories": table[kept].astype(np.float32),
    }
    if hasattr(model, "alpha_"):
        arrays["alpha"] = model.alpha_.astype(np.float32)
    fields = None
    if model.reader is not None:
        check_storable([*model.reader.words, *model.reader.effects])
        arrays["word_data"], arrays["word_ptr"] = files.encode_strings(list(model.reader.words))
        fields = [field._asdict() for field in model.reader.fields]
    meta = {
        "laconic": __version__,
        "parameters": {name: plain(getattr(model, name)) for name in PARAMETERS},
        **penalties_meta(model, arrays),
        "clock": model.clock_._asdict(),
        "effects": int(model.n_effects_in_),
        "words": int(model.n_features_in_),
        "fields": fields,
        "text_field": "text" if model.reader is None else model.reader.text_field,
        "date_field": "date" if model.reader is None else model.reader.date_field,
        **report_meta(model.report_),
    }
    return arrays, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> TemporalTextModel:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    penalty, stated = read_penalties(meta, arrays)
    check_names(
        arrays,
        ALWAYS | ({"alpha"} & arrays.keys()) | (WORDS if meta.get("fields") is not None else set()),
    )
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    model = TemporalTextModel(stated, strength=read_strength(meta), **parameters)
    model.clock_ = read_clock(item(meta, "clock", dict))
    J, V = item(meta, "effects", int), item(meta, "words", int)
    n_steps = model.clock_.n_steps if model.mode == "moving" else 1
    n_effects = J + model.constant
    if not (0 <= J < 2**31 and V >= 2 and n_effects >= 1) or n_effects * n_steps * V >= 2**31:
        raise InputError("'effects' and 'words' are no possible numbers of them")
    model.penalty_ = as_used(penalty, n_steps, V)
    background = arrays["background"]
    rows = 1 if background.shape[:1] == (1,) else n_steps
    model.background_ = np.repeat(numbers(arrays, "background", (rows, V)), n_steps // rows, axis=0)
    size = n_effects * V
    if arrays["kept"].dtype != np.uint8 or arrays["kept"].shape != ((size + 7) // 8,):
        raise InputError("there is not one bit per word of every effect")
    kept = np.unpackbits(arrays["kept"], count=size).astype(bool).reshape(n_effects, V)
    trajectories = numbers(arrays, "trajectories", (int(kept.sum()), n_steps), np.float32)
    table = np.zeros((n_effects, V, n_steps))
    table[kept] = trajectories
    model.trajectories_ = np.ascontiguousarray(table.transpose(0, 2, 1))
    if "alpha" in arrays:
        shape = (n_effects, V) if arrays["alpha"].ndim == 2 else (n_effects,)
        model.alpha_ = numbers(arrays, "alpha", shape, np.float32).astype(np.float64)
    model.n_effects_in_, model.n_features_in_ = J, V
    if meta.get("fields") is not None:
        model.reader = _reader(arrays, meta, J, V)
    model.name_steps()
    model.report_ = read_report(meta, features_total=n_effects * V, features_kept=int(kept.sum()))
    return model


def _reader(arrays: Arrays, meta: dict[str, Any], n_effects: int, n_words: int) -> DatedReader:
    words = files.decode_strings(arrays["word_data"], arrays["word_ptr"])
    fields = tuple(_field(one) for one in item(meta, "fields", list))
    reader = DatedReader(
        tuple(words), fields, item(meta, "text_field", str), item(meta, "date_field", str)
    )
    Vocab(words)  # each word once
    if (
        len(words) != n_words
        or len(reader.effects) != n_effects
        or len(set(reader.effects)) != n_effects
    ):
        raise InputError(
            "the words and fields are not as many as the model has, or repeat each other"
        )
    return reader


def _field(meta: object) -> Field:
    if not isinstance(meta, dict):
        raise InputError("a field is not a JSON object")
    name = item(meta, "name", str)
    if meta.keys() == {"name", "mean", "scale"}:
        mean, scale = meta["mean"], meta["scale"]
        if is_number(mean) and is_number(scale) and scale > 0:
            return NumericEffect(name, float(mean), float(scale))
    elif meta.keys() == {"name", "categories"}:
        categories = item(meta, "categories", list)
        if all(type(one) is str for one in categories):
            return CategoricalEffect(name, tuple(categories))
    raise InputError(
        f"the field {name!r} is neither a number with mean and scale nor a list of categories"
    )
