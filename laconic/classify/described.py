"""What model files say of a classifier beside its words and weights, plain or compact.

The parameter `penalty` has the key "regularizer" in files, as in files of version 0.1.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from laconic.classify.columns import pack_beside, read_beside
from laconic.classify.label_tree import branches_of
from laconic.classify.losses import used_loss
from laconic.classify.parameters import ClassifierParameters
from laconic.classify.penalty import penalty_names
from laconic.classify.predict import TextPredictor
from laconic.classify.reading import encoder_for
from laconic.classify.settings import CHOSEN, Settings, Tried, plain_settings
from laconic.classify.summary import GroupSummary
from laconic.classify.weighting import TFIDF, WEIGHTINGS
from laconic.core.losses import Loss
from laconic.core.penalties import Penalty
from laconic.core.report import FitReport
from laconic.errors import InputError
from laconic.models.checks import (
    Arrays,
    checked_labels,
    is_count,
    is_number,
    item,
    numbers,
    read_report,
    report_meta,
)
from laconic.text.documents import DocumentEncoder
from laconic.version import __version__

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier


class DescribedText(ClassifierParameters, TextPredictor):
    """A classifier's parameters and what a fit found, without its words and weights."""

    settings_: Settings
    tried_: tuple[Tried, ...]
    groups_: dict[str, GroupSummary]
    report_: FitReport


DescribedT = TypeVar("DescribedT", "TextClassifier", DescribedText)


def classifier_meta(model: TextClassifier, arrays: Arrays) -> dict[str, Any]:
    """Return everything of a fitted model that arrays do not hold; its penalty may add some."""
    parameters = {
        FILE_NAMES.get(name, name): _plain(name, value)
        for name, value in model.get_params(deep=False).items()
        if not isinstance(value, Penalty | Loss)
    }
    if isinstance(model.penalty, Penalty):
        from laconic.models.parts import pack_penalty

        parameters[FILE_NAMES["penalty"]] = pack_penalty(model.penalty, arrays)
    if isinstance(model.loss, Loss):
        from laconic.models.parts import pack_loss

        parameters["loss"] = pack_loss(model.loss)
    return {
        "laconic": __version__,
        "parameters": parameters,
        "labels": _plain("labels", model.classes_),
        "settings": {name: _plain(name, value) for name, value in model.settings_.items()},
        "tried": [_plain("tried", row) for row in model.tried_],
        "unit_rows": model.unit_rows_,
        **report_meta(model.report_),
        "features_total": int(model.report_.features_total),
        "features_nonzero": int(model.report_.features_kept),
        "taxonomy": None if model.taxonomy_ is None else list(map(list, model.taxonomy_.items())),
        "groups": {name: summary._asdict() for name, summary in model.groups_.items()},
        **pack_outputs(model, arrays),
    }


def pack_outputs(model: TextClassifier, arrays: Arrays) -> dict[str, Any]:
    """Put thresholds and the weights of columns among the arrays; return the columns as JSON."""
    if model.thresholds_ is not None:
        arrays["threshold"] = np.asarray(model.thresholds_, dtype=np.float64)
    if not model.columns_.names or model.column_weights_ is None:
        return {}
    return {"columns": pack_beside(model.columns_, model.column_weights_, arrays)}


def read_outputs(model: TextPredictor, arrays: Arrays, meta: dict[str, Any]) -> int:
    """Read labels, thresholds and columns; return the number of outputs.

    The arrays of thresholds and columns are taken out of `arrays`.
    """
    several = "threshold" in arrays
    model.classes_ = checked_labels(item(meta, "labels", list), several)
    one = len(model.classes_) == 2 and not several
    n_outputs = 1 if one else len(model.classes_)
    model.columns_, model.column_weights_, model.thresholds_ = read_beside(meta), None, None
    model.taxonomy_ = _checked_taxonomy(meta.get("taxonomy"), model.classes_)
    model.loss_ = used_loss(model.loss, len(model.classes_), several)
    if several:
        model.thresholds_ = numbers(arrays, "threshold", (n_outputs,))
        del arrays["threshold"]
    if model.columns_.names:
        if "column_weight" not in arrays:
            raise InputError("the weights of the columns beside the text are missing")
        shape = (n_outputs, len(model.columns_.names))
        model.column_weights_ = numbers(arrays, "column_weight", shape)
        del arrays["column_weight"]
    return n_outputs


def encoder_of(model: DescribedT) -> DocumentEncoder:
    """Return an encoder that reads documents as a model does, without its words."""
    read = copy(model)
    read.ngrams, read.prefixes = model.settings_["ngrams"], model.settings_["prefixes"]
    return encoder_for(read)


def described(kind: type[DescribedT], meta: dict[str, Any], arrays: Arrays) -> DescribedT:
    """Return a model with the parameters and fit report of a file, without words and weights.

    The arrays of its penalty are taken out of `arrays`.
    """
    model = kind(**_checked_parameters(item(meta, "parameters", dict), arrays))
    penalty_names(model.penalty)
    model.settings_ = _checked_settings(model, meta)
    model.weighting_ = model.settings_["weighting"]
    model.unit_rows_ = item({"unit_rows": model.weighting_ in TFIDF} | meta, "unit_rows", bool)
    if model.unit_rows_ and model.weighting_ not in TFIDF:
        raise InputError("rows of length 1 are for tf-idf")
    tried = item(meta, "tried", list) if "tried" in meta else []
    model.tried_ = tuple(_checked_trial(row) for row in tried)
    model.groups_ = {
        name: _checked_summary(value) for name, value in item(meta, "groups", dict).items()
    }
    model.report_ = read_report(
        meta,
        features_total=item(meta, "features_total", int),
        features_kept=item(meta, "features_nonzero", int),
        groups_total=sum(summary.total for summary in model.groups_.values()),
        groups_kept=sum(summary.selected for summary in model.groups_.values()),
    )
    return model


def _plain(name: str, value: object) -> object:
    """Return a parameter or labels as JSON has them."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if name == "clusters":  # the clusters themselves are part of the training, not of the model
        return os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if name == "label_tree" and isinstance(value, Mapping):  # it is stored once, as the taxonomy
        return {str(child): str(parent) for child, parent in value.items()}
    if name == "class_weight" and isinstance(value, Mapping):
        return [[_plain("label", label), float(weight)] for label, weight in value.items()]
    if isinstance(value, Mapping):
        return {str(key): float(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(name, item) for item in value]
    if isinstance(value, float) and name == "tried":
        return float(f"{value:.6g}")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Penalty):  # it is among the parameters
        return None
    if name == "tokenizer":
        raise ValueError(
            "a model with a function as tokenizer cannot be saved, since files hold no code: give "
            "a regular expression, or split documents yourself and give lists of words"
        )
    raise ValueError(
        f"{name} of type {type(value).__name__} cannot be saved; "
        "expected text, numbers or truth values"
    )


def _is_strength(value: object) -> bool:
    return is_number(value) or (isinstance(value, dict) and all(map(is_number, value.values())))


def _is_class_weight(value: object) -> bool:
    return value in (None, "balanced") or (
        isinstance(value, list)
        and all(isinstance(pair, list) and len(pair) == 2 for pair in value)
        and all(
            isinstance(label, str | int | float) and is_number(weight) for label, weight in value
        )
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


# What parameters are called in model files, where it is not their name.
FILE_NAMES = {"penalty": "regularizer"}
_OPEN: dict[str, Callable[[Any], bool]] = {
    "penalty": lambda value: value is None or isinstance(value, str | dict),
    "strength": lambda value: value is None or _is_strength(value),
    "lasso": is_number,
    "n_topics": is_count,
    "n_clusters": is_count,
    "refit": is_number,
    "contrast": is_number,
    "frequency": is_number,
    "weighting": lambda value: value in WEIGHTINGS,
    "ngrams": is_count,
    "prefixes": lambda value: (
        isinstance(value, list) and all(map(is_count, value)) and len(set(value)) == len(value)
    ),
}
_PARAMETERS: dict[str, Callable[[Any], bool]] = {
    **{
        name: lambda value, check=check: value is None or check(value)  # type: ignore[misc]
        for name, check in _OPEN.items()
    },
    "ridge": is_number,
    "constituents": is_number,
    "folds": is_count,
    "seconds": is_number,
    "structure": lambda value: value in (None, "auto"),
    "loss": lambda value: value is None or isinstance(value, str | dict),
    "max_features": lambda value: value is None or is_count(value),
    "min_count": lambda value: type(value) is int,
    "min_df": is_number,
    "max_df": is_number,
    "stop_words": lambda value: value is None or value == "english" or _is_texts(value),
    "tokenizer": lambda value: value is None or (isinstance(value, str) and len(value) <= 1000),
    "numbers": lambda value: _is_texts(value),
    "categories": lambda value: _is_texts(value),
    "free_columns": lambda value: isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "label_tree": lambda value: (
        value in (None, "dots", "confusion")
        if not isinstance(value, dict)
        else _is_texts(list(value.values()))
    ),
    "lowercase": lambda value: isinstance(value, bool),
    "boundary": lambda value: value in ("auto", "line", "double-space"),
    "neutral_label": lambda value: value is None or isinstance(value, str),
    "n_top": is_count,
    "clusters": lambda value: value is None or isinstance(value, str),
    "features": lambda value: _is_texts(value),
    "tol": is_number,
    "max_iter": lambda value: value is None or is_count(value),
    "class_weight": _is_class_weight,
    "n_jobs": lambda value: value is None or type(value) is int,
    "random_state": lambda value: value is None or type(value) is int,
    "values": lambda value: (
        value is None or (isinstance(value, list) and all(map(is_number, value)))
    ),
}


def _checked_parameters(stored: dict[str, Any], arrays: Arrays) -> dict[str, Any]:
    own_names = {in_file: name for name, in_file in FILE_NAMES.items()}
    parameters = {own_names.get(name, name): value for name, value in stored.items()}
    unknown = sorted(parameters.keys() - _PARAMETERS.keys())
    if unknown:
        raise InputError(
            f"this version of laconic does not know the parameter {ascii(unknown[0])[:80]}"
        )
    for name, value in parameters.items():
        if not _PARAMETERS[name](value):
            raise InputError(f"the parameter {name} has an impossible value")
    # An older version saved fewer parameters: the others have their defaults.
    parameters = {**vars(ClassifierParameters()), **parameters}
    weight = parameters["class_weight"]
    if isinstance(parameters["penalty"], dict):
        from laconic.models.parts import read_penalty  # most models have one by name

        parameters["penalty"] = read_penalty(parameters["penalty"], arrays)
    if isinstance(parameters["loss"], dict):
        from laconic.models.parts import read_loss

        parameters["loss"] = read_loss(parameters["loss"])
    return {
        **parameters,
        **{name: tuple(parameters[name]) for name in ("features", "numbers", "categories")},
        "prefixes": _tuple(parameters["prefixes"]),
        "class_weight": dict(weight) if isinstance(weight, list) else weight,
    }


def _tuple(value: list[int] | None) -> tuple[int, ...] | None:
    return None if value is None else tuple(value)


def _checked_settings(model: DescribedT, meta: dict[str, Any]) -> Settings:
    """Return what a model states and chose; a file of version 0.1 states it all in parameters."""
    if "settings" not in meta:
        return plain_settings(model)
    settings = dict(item(meta, "settings", dict))
    for name in ("n_topics", "n_clusters"):
        settings.setdefault(name, None)
    if isinstance(model.penalty, Penalty):
        settings["penalty"] = model.penalty
    if settings.keys() != set(CHOSEN):
        raise InputError(f"expected the settings {', '.join(sorted(CHOSEN))}")
    for name, value in settings.items():
        may_lack = name in ("strength", "lasso", "refit", "penalty", "n_topics", "n_clusters")
        plain = list(value) if name == "prefixes" else value
        own = name == "penalty" and isinstance(value, Penalty)
        if not own and not (value is None and may_lack) and not _OPEN[name](plain):
            raise InputError(f"the setting {name} has an impossible value")
    return {**settings, "prefixes": tuple(settings["prefixes"])}


def _checked_taxonomy(stored: object, classes: NDArray[Any]) -> dict[str, str] | None:
    """Return the tree over labels of a file."""
    if stored is None:
        return None
    if not isinstance(stored, list) or not all(_is_texts(p) and len(p) == 2 for p in stored):
        raise InputError("expected the tree over labels as pairs of a child and its parent")
    taxonomy = dict(stored)
    if taxonomy:
        branches_of(taxonomy, classes)  # that it is a tree
    return taxonomy


def _checked_trial(value: object) -> Tried:
    if not isinstance(value, list) or len(value) != len(Tried._fields):
        raise InputError(f"expected each trial as a list of {', '.join(Tried._fields)}")
    row = Tried(*value)
    named = isinstance(row.weighting, str) and isinstance(row.penalty, str)
    texts = ("weighting", "penalty", "prefixes", "refit")
    if (
        not named
        or not isinstance(row.prefixes, list)
        or not all(map(is_count, row.prefixes))
        or not (row.refit is None or is_number(row.refit))
        or not all(
            is_number(entry) or isinstance(entry, bool)
            for name, entry in row._asdict().items()
            if name not in texts
        )
    ):
        raise InputError("a trial has an impossible value")
    return row._replace(prefixes=tuple(row.prefixes))


def _checked_summary(value: object) -> GroupSummary:
    if not isinstance(value, dict) or value.keys() != set(GroupSummary._fields):
        raise InputError("expected the groups of a penalty as total, selected, kept and dropped")
    kept, dropped = item(value, "kept", list), item(value, "dropped", list)
    if not all(isinstance(example, str) for example in (*kept, *dropped)):
        raise InputError("expected examples of groups as text")
    return GroupSummary(
        item(value, "total", int), item(value, "selected", int), tuple(kept), tuple(dropped)
    )
