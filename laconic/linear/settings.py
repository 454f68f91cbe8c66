"""Settings of linear models of matrices and names of their features, as model files hold them.

A solver is not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from laconic.core.losses import Loss
from laconic.core.penalties import Penalty
from laconic.errors import InputError
from laconic.linear.base import SparseLinear
from laconic.linear.model import SparseClassifier, SparseRegressor
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Meta,
    check_parameters,
    check_storable,
    is_count,
    is_number,
    item,
)
from laconic.models.parts import pack_loss, pack_penalty, read_loss, read_penalty

TYPES: dict[str, type[SparseLinear]] = {
    "classifier": SparseClassifier,
    "regressor": SparseRegressor,
}
PARAMETERS = {
    "fit_intercept": lambda value: type(value) is bool,
    "tol": is_number,
    "max_iter": lambda value: value is None or is_count(value),
    "warm_start": lambda value: type(value) is bool,
    "n_jobs": lambda value: value is None or type(value) is int,
    "strength": lambda value: value is None or is_number(value),
    "standardize": lambda value: type(value) is bool,
    "relax": lambda value: is_number(value) and 0 <= value <= 1,
}


def pack_settings(model: SparseLinear, arrays: Arrays) -> Meta:
    """Return what the constructor of a classifier or regressor was given, without the solver."""
    penalty, loss = model.penalty, model.loss
    given = (
        penalty if penalty is None or isinstance(penalty, str) else pack_penalty(penalty, arrays)
    )
    return {
        "type": "classifier" if isinstance(model, SparseClassifier) else "regressor",
        "parameters": {name: plain(getattr(model, name)) for name in PARAMETERS},
        "penalty": given,
        "loss": pack_loss(loss) if isinstance(loss, Loss) else loss,
        "class_weight": _pack_class_weight(getattr(model, "class_weight", None)),
    }


def read_settings(meta: Meta, arrays: Arrays) -> SparseLinear:
    """Return a classifier or regressor that is not fitted; InputError if these make none."""
    kind = item(meta, "type", str)
    if kind not in TYPES:
        raise InputError(f"'type' is one of {', '.join(TYPES)}")
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    model = TYPES[kind](
        _read_penalty(meta, arrays), read_loss_of(meta, "loss"), solver=None, **parameters
    )
    if isinstance(model, SparseClassifier):
        model.class_weight = _read_class_weight(meta.get("class_weight"))
    return model


def pack_names(model: object, arrays: Arrays) -> None:
    """Add the names of the features, where the training data had names."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        check_storable(map(str, names))
        arrays["name_data"], arrays["name_ptr"] = files.encode_strings([str(n) for n in names])


def read_names(arrays: Arrays) -> list[str] | None:
    """Take the names of the features out of the arrays."""
    if "name_data" not in arrays or "name_ptr" not in arrays:
        return None
    return files.decode_strings(arrays.pop("name_data"), arrays.pop("name_ptr"))


def set_names(model: Any, names: list[str] | None, n_features: int) -> None:
    """Set feature_names_in_; InputError unless every feature has a name, or none has."""
    if names is None:
        return
    if len(names) != n_features:
        raise InputError(f"there are {n_features} features, but {len(names)} names")
    model.feature_names_in_ = np.array(names, dtype=object)


def _read_penalty(meta: Meta, arrays: Arrays) -> Penalty | str | None:
    stored = meta.get("penalty")
    if stored is None or isinstance(stored, str):
        return stored
    return read_penalty(item(meta, "penalty", dict), arrays)


def read_loss_of(meta: Meta, name: str) -> Loss | str | None:
    stored = meta.get(name)
    if stored is None or isinstance(stored, str):
        return stored
    return read_loss(item(meta, name, dict))


def _pack_class_weight(weight: object) -> object:
    if isinstance(weight, Mapping):
        return [[plain(label), float(value)] for label, value in weight.items()]
    return weight


def _read_class_weight(stored: object) -> Mapping[Any, float] | str | None:
    if stored is None or stored == "balanced":
        return stored
    if not isinstance(stored, list) or not all(
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str | int | float)
        and is_number(pair[1])
        for pair in stored
    ):
        raise InputError("the parameter class_weight has an impossible value")
    return dict(stored)


def plain(value: object) -> object:
    """Return a scalar of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value
