"""Linear models of matrices, and searches for a strength, in model files.

kept       numbers of the features that have a weight
weight     (K, kept) their weights, and intercept (K,)
name_data, name_ptr   names of the features, where the training data had names
strengths, scores     of a search: (S,) and (S, folds); of StrengthIC also freedom and deviance

Not kept: the solver, cv_results_ and other tables, and what a warm start needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.losses import Cox, Loss
from laconic.core.penalties import Penalty
from laconic.errors import InputError
from laconic.linear.base import SparseLinear
from laconic.linear.criteria import CRITERIA, StrengthIC
from laconic.linear.cv import RULES, StrengthCV
from laconic.linear.labels import Labels
from laconic.linear.model import SparseClassifier, SparseRegressor
from laconic.linear.search import StrengthSearch
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Contents,
    Meta,
    check_names,
    check_parameters,
    check_storable,
    checked_labels,
    is_count,
    is_number,
    item,
    numbers,
    read_report,
    report_meta,
    smallest,
    whole,
)
from laconic.models.parts import pack_loss, pack_penalty, read_loss, read_penalty
from laconic.version import __version__

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
SEARCHES: dict[str, type[StrengthCV] | type[StrengthIC]] = {"cv": StrengthCV, "ic": StrengthIC}
SEARCH_PARAMETERS = {
    "n_strengths": is_count,
    "ratio": lambda value: value is None or is_number(value),
    "rule": lambda value: value in RULES,
    "criterion": lambda value: value in CRITERIA,
    "gamma": lambda value: is_number(value) and 0 <= value <= 1,
}
CURVES = {"criterion": "criterion_", "freedom": "degrees_of_freedom_", "deviance": "deviance_"}


def pack(model: SparseLinear | StrengthSearch) -> Contents:
    """Return arrays and JSON of a fitted model."""
    if not isinstance(model, StrengthSearch):
        return pack_model(model)
    check_is_fitted(model, "best_estimator_")
    arrays, meta = pack_model(model.best_estimator_)
    kind = "cv" if isinstance(model, StrengthCV) else "ic"
    names = SEARCH_PARAMETERS.keys() & model.get_params(deep=False).keys()
    arrays["strengths"] = np.asarray(model.strengths_, dtype=np.float64)
    if isinstance(model, StrengthCV):
        arrays["scores"] = np.asarray(model.scores_, dtype=np.float64)
    else:
        for name, attribute in CURVES.items():
            arrays[name] = np.asarray(getattr(model, attribute), dtype=np.float64)
    search = {
        "type": kind,
        "parameters": {name: plain(getattr(model, name)) for name in sorted(names)},
        "best_strength": float(model.best_strength_),
        "best_score": float(model.best_score_),
        "best_params": {
            name: plain(value)
            for name, value in model.best_params_.items()
            if is_number(plain(value)) or isinstance(value, str | bool)
        },
    }
    return arrays, {**meta, "search": search}


def unpack(arrays: Arrays, meta: Meta) -> SparseLinear | StrengthSearch:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    if "search" not in meta:
        return unpack_model(arrays, meta)
    stored = item(meta, "search", dict)
    kind = item(stored, "type", str)
    if kind not in SEARCHES:
        raise InputError(f"the type of a search is one of {', '.join(SEARCHES)}")
    own = {"scores"} if kind == "cv" else set(CURVES)
    if not {"strengths", *own} <= arrays.keys():
        raise InputError(f"a search has the arrays {', '.join(sorted({'strengths', *own}))}")
    strengths = numbers(arrays, "strengths", (arrays["strengths"].size,))
    curves = {name: arrays.pop(name) for name in own}
    arrays.pop("strengths")
    best = unpack_model(arrays, {k: v for k, v in meta.items() if k != "search"})
    parameters = item(stored, "parameters", dict)
    names = SEARCHES[kind](best).get_params(deep=False).keys()
    check_parameters(parameters, {k: v for k, v in SEARCH_PARAMETERS.items() if k in names})
    search = SEARCHES[kind](clone(best), **parameters)
    search.best_estimator_, search.report_ = best, best.report_
    search.strengths_ = strengths
    for name, attribute in {"scores": "scores_", **CURVES}.items():
        if name in curves:
            width = curves[name].shape[1:] if name == "scores" else ()
            setattr(search, attribute, numbers(curves, name, (len(strengths), *width)))
    for name in ("best_strength", "best_score"):
        value = stored.get(name)
        if not is_number(value):
            raise InputError(f"{name!r} is missing or not a number")
        setattr(search, f"{name}_", value)
    search.best_params_ = item(stored, "best_params", dict)
    if not all(isinstance(value, int | float | str) for value in search.best_params_.values()):
        raise InputError("'best_params' holds more than numbers and text")
    return search


def pack_model(model: SparseLinear) -> Contents:
    """Return arrays and JSON of a fitted classifier or regressor."""
    check_is_fitted(model, "coef_")
    coef = np.atleast_2d(model.coef_)
    kept = np.flatnonzero(np.any(coef != 0, axis=0))
    arrays: Arrays = {
        "kept": smallest(kept),
        "weight": np.ascontiguousarray(coef[:, kept], dtype=np.float64),
        "intercept": np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64)),
    }
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        check_storable(map(str, names))
        arrays["name_data"], arrays["name_ptr"] = files.encode_strings([str(n) for n in names])
    if hasattr(model, "baseline_"):
        arrays["baseline"] = np.stack(model.baseline_)
    labels = several = None
    if isinstance(model, SparseClassifier):
        labels = model.classes_.tolist()
        if model.labels_ is not None:
            several = "lists" if model.labels_.lists else "matrix"
        check_storable(map(str, labels))
    penalty, loss = model.penalty, model.loss
    given = (
        penalty if penalty is None or isinstance(penalty, str) else pack_penalty(penalty, arrays)
    )
    meta = {
        "laconic": __version__,
        "type": "regressor" if labels is None else "classifier",
        "parameters": {name: plain(getattr(model, name)) for name in PARAMETERS},
        "penalty": given,
        "loss": pack_loss(loss) if isinstance(loss, Loss) else loss,
        "used_loss": pack_loss(model.loss_),
        "class_weight": _pack_class_weight(getattr(model, "class_weight", None)),
        "labels": labels,
        "several": several,
        "features": int(model.n_features_in_),
        "flat": bool(np.ndim(model.coef_) == 1),
        "groups": [int(model.report_.groups_total), int(model.report_.groups_kept)],
        **report_meta(model.report_),
    }
    return arrays, meta


def unpack_model(arrays: Arrays, meta: Meta) -> SparseLinear:
    """Return a classifier or regressor; InputError if the contents make none."""
    kind = item(meta, "type", str)
    if kind not in TYPES:
        raise InputError(f"'type' is one of {', '.join(TYPES)}")
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    model = TYPES[kind](
        _read_penalty(meta, arrays), _read_loss(meta, "loss"), solver=None, **parameters
    )
    used = _read_loss(meta, "used_loss")
    if not isinstance(used, Loss) or used.classifies != (kind == "classifier"):
        raise InputError("the loss does not go with the type of the model")
    model.loss_ = used
    labels = None
    if isinstance(model, SparseClassifier):
        model.classes_ = labels = checked_labels(item(meta, "labels", list))
        model.class_weight = _read_class_weight(meta.get("class_weight"))
    named = {"name_data", "name_ptr"} if "name_data" in arrays else set()
    check_names(arrays, {"kept", "weight", "intercept"} | named | _read_baseline(model, arrays))
    p: int = item(meta, "features", int)
    K = arrays["intercept"].size
    if not is_count(p) or K < 1 or p * K >= 2**31:
        raise InputError("'features' is missing or no possible number of them")
    several = _read_several(model, meta, K)
    if labels is not None and not several and used.n_outputs(len(labels)) != K:
        raise InputError(f"{len(labels)} labels do not go with {K} outputs")
    _read_weights(model, arrays, p, K, flat=item(meta, "flat", bool))
    if named:
        names = files.decode_strings(arrays["name_data"], arrays["name_ptr"])
        if len(names) != p:
            raise InputError(f"there are {p} features, but {len(names)} names")
        model.feature_names_in_ = np.array(names, dtype=object)
    groups = item(meta, "groups", list)
    if len(groups) != 2 or not all(type(count) is int and count >= 0 for count in groups):
        raise InputError("'groups' is not how many groups there are and were kept")
    model.report_ = read_report(
        meta,
        features_total=p,
        features_kept=model.n_selected_,
        groups_total=groups[0],
        groups_kept=groups[1],
    )
    return model


def _read_several(model: SparseLinear, meta: Meta, n_outputs: int) -> bool:
    """Return whether rows may have several labels, one output each, and set labels_."""
    stored = meta.get("several")
    if stored is None:
        return False
    if not isinstance(model, SparseClassifier) or stored not in ("lists", "matrix"):
        raise InputError("'several' is 'lists' or 'matrix', of a classifier")
    if len(model.classes_) != n_outputs:
        raise InputError(f"{len(model.classes_)} labels do not go with {n_outputs} outputs")
    model.labels_ = Labels(np.zeros((0, n_outputs)), model.classes_, stored == "lists")
    return True


def _read_baseline(model: SparseLinear, arrays: Arrays) -> set[str]:
    """Set the cumulative hazard of a survival model, and return the names of its arrays."""
    if "baseline" not in arrays:
        return set()
    if not isinstance(model.loss_, Cox) or isinstance(model, SparseClassifier):
        raise InputError("only a regression with the Cox loss has a baseline")
    time, hazard = numbers(arrays, "baseline", (2, arrays["baseline"].shape[-1]))
    if np.any(np.diff(time) < 0) or np.any(np.diff(hazard) < 0) or np.any(hazard < 0):
        raise InputError("times and cumulative hazards of the baseline must not fall")
    model.baseline_ = (time, hazard)
    return {"baseline"}


def _read_weights(model: SparseLinear, arrays: Arrays, p: int, K: int, flat: bool) -> None:
    """Set coef_ and intercept_ from checked arrays."""
    if flat and (K > 1 or isinstance(model, SparseClassifier)):
        raise InputError("flat weights are those of a regression with one output")
    kept = whole(arrays, "kept", p - 1)
    if len(kept) > 1 and np.any(kept[1:] <= kept[:-1]):
        raise InputError("the numbers of features do not ascend")
    weight = numbers(arrays, "weight", (K, len(kept)))
    intercept = numbers(arrays, "intercept", (K,))
    coef = np.zeros((K, p))
    coef[:, kept] = weight
    model.n_features_in_ = p
    model.coef_ = coef[0] if flat else coef
    model.intercept_ = float(intercept[0]) if flat else intercept


def _read_penalty(meta: Meta, arrays: Arrays) -> Penalty | str | None:
    stored = meta.get("penalty")
    if stored is None or isinstance(stored, str):
        return stored
    return read_penalty(item(meta, "penalty", dict), arrays)


def _read_loss(meta: Meta, name: str) -> Loss | str | None:
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
